/**
 * One check for the texts of all requests: PostgreSQL refuses NUL, and half of a surrogate pair would become U+FFFD. A
 * problem is a sentence that names the field. Headers need no check: those that are read have patterns of their own.
 * Pure.
 */

/** In JSON both are always escapes: NUL would be a syntax error, and a surrogate alone is not UTF-8. */
const ESCAPED = /\\u(?:0000|d[89a-f])/i
const UNSTORABLE = /\0|\p{Surrogate}/u

const isStorable = (text: string): boolean => !UNSTORABLE.test(text)

const problem = (place: string, text: string): string => {
  const wrong = text.includes("\0") ? "NUL (U+0000)" : "half of a surrogate pair"
  return `${place} must not contain ${wrong}.`
}

/** `value` is the JSON in `text`. It may be nested deeply, so this does not recurse. */
export const bodyTextProblem = (text: string, value: unknown): string | undefined => {
  if (!ESCAPED.test(text)) return undefined
  const left: Array<readonly [field: string | undefined, value: unknown]> = [[undefined, value]]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [field, one] = next
    if (typeof one === "string" && !isStorable(one)) return problem(field ?? "The request body", one)
    if (typeof one !== "object" || one === null) continue
    for (const [name, inner] of Object.entries(one)) {
      if (!isStorable(name)) return problem(field ?? "A field's name", name)
      left.push([field ?? name, inner])
    }
  }
  return undefined
}

const decoded = (text: string): string | undefined => {
  try {
    return text.replace(/(?:%[0-9a-f]{2})+/gi, decodeURIComponent)
  } catch {
    return undefined
  }
}

/** `query` is as it came, without the question mark. */
export const queryTextProblem = (query: string): string | undefined => {
  if (!query.includes("%")) return undefined
  for (const parameter of query.split("&")) {
    const [name = ""] = parameter.split("=", 1)
    const text = decoded(parameter)
    const place = isStorable(decoded(name) ?? "\0") ? name : "A query parameter"
    if (text === undefined) return `${place} must be UTF-8 with percent-encoding.`
    if (!isStorable(text)) return problem(place, text)
  }
  return undefined
}
