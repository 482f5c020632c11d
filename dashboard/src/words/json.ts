/** JSON that is typed: the object in it, and its parts, which a page colours. Pure. */

export interface JsonPart {
  readonly is: "key" | "string" | "number" | "plain"
  readonly text: string
}

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/g

export const jsonParts = (text: string): ReadonlyArray<JsonPart> => {
  const parts: Array<JsonPart> = []
  let from = 0
  const plain = (to: number) => {
    if (to > from) parts.push({ is: "plain", text: text.slice(from, to) })
  }
  for (const found of text.matchAll(TOKEN)) {
    plain(found.index)
    const [all, string, colon] = found
    if (string === undefined) parts.push({ is: "number", text: all })
    else {
      parts.push({ is: colon === undefined ? "string" : "key", text: string })
      if (colon !== undefined) parts.push({ is: "plain", text: colon })
    }
    from = found.index + all.length
  }
  plain(text.length)
  return parts
}

/** A line of an object's indented JSON. */
export interface JsonLine {
  readonly text: string
  /** The object's own field that the line belongs to; undefined of the brackets around all. */
  readonly field: string | undefined
}

export const jsonLines = (value: object): ReadonlyArray<JsonLine> => {
  let field: string | undefined
  return JSON.stringify(value, null, 2)
    .split("\n")
    .map((text) => {
      // The object's own fields are indented by two spaces, and what is in them by more.
      const begins = /^ {2}"((?:[^"\\]|\\.)*)":/.exec(text)?.[1]
      if (begins !== undefined) field = JSON.parse(`"${begins}"`) as string
      return { text, field: /^[{}]/.test(text) ? undefined : field }
    })
}

/** Null if the text is empty, undefined if it is no JSON object. */
export const objectIn = (text: string): object | null | undefined => {
  if (text.trim() === "") return null
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
