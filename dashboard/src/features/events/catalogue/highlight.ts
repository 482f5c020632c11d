/** Splits a program into parts that a page colours. It knows the six languages of the snippets only roughly. Pure. */

interface CodePart {
  readonly is: "word" | "string" | "number" | "comment" | "plain"
  readonly text: string
}

const WORDS =
  "import from const if return async await def class for in while case package type struct func var range nil true false else public static final record void new try catch throw foreach exit end lambda next unless require None"

/** A comment of Python or Ruby has a space behind its sign, and begins a line. */
const TOKEN = new RegExp(
  [
    /(?<comment>\/\/.*|^ *# .*|\/\*[\s\S]*?\*\/)/.source,
    /(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`\n]*`)/.source,
    /(?<number>\b\d+\b)/.source,
    `(?<word>\\b(?:${WORDS.replaceAll(" ", "|")})\\b)`
  ].join("|"),
  "gm"
)

export const codeParts = (text: string): ReadonlyArray<CodePart> => {
  const parts: Array<CodePart> = []
  let from = 0
  for (const { 0: all, groups, index } of text.matchAll(TOKEN)) {
    if (index > from) parts.push({ is: "plain", text: text.slice(from, index) })
    const [is] = Object.entries(groups ?? {}).find(([, found]) => found !== undefined)!
    parts.push({ is: is as CodePart["is"], text: all })
    from = index + all.length
  }
  parts.push({ is: "plain", text: text.slice(from) })
  return parts
}
