/** Marks the names of JSON fields, strings, comments, numbers and keywords of a program, of any language of the guides. Pure. */
import { escaped } from "./HtmlPage.ts"

const KEYWORDS =
  "as async await begin boolean case class const CREATE def do done else export false final fi finally for FROM from func function GROUP if import in INSERT INTO interface JOIN let new None not null ON or package private public raise return SELECT static string TABLE then throw throws true try type undefined var void WHERE while with yield"

const TOKENS = new RegExp(
  [
    String.raw`(?<key>"(?:\\.|[^"\\\n])*"(?=\s*:))`,
    String.raw`(?<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\`(?:\\.|[^\`\\])*\`)`,
    String.raw`(?<comment>//.*|(?<![^\s])(?:#|--\s).*)`,
    String.raw`(?<number>\b\d[\d_.]*\b)`,
    String.raw`(?<keyword>(?<![.$\w])(?:${KEYWORDS.replaceAll(" ", "|")})\b)`
  ].join("|"),
  "g"
)

const languages = new Set(["go", "java", "js", "json", "python", "sh", "sql", "ts", "typescript"])

const marked = (groups: Readonly<Record<string, string | undefined>>): string => {
  const [kind = "", text = ""] = Object.entries(groups).find(([, text]) => text !== undefined) ?? []
  return `<span class="c-${kind}">${escaped(text)}</span>`
}

/** The program as HTML. Text of no known language stays as it is. */
export const highlighted = (program: string, language: string | undefined): string => {
  if (language === undefined || !languages.has(language)) return escaped(program)
  let end = 0
  const parts = Array.from(program.matchAll(TOKENS), (match) => {
    const before = program.slice(end, match.index)
    end = match.index + match[0].length
    return escaped(before) + marked(match.groups ?? {})
  })
  return parts.join("") + escaped(program.slice(end))
}
