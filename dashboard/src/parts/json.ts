/** Splits JSON text into parts that a page colours. Other text is one part. Pure. */

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
