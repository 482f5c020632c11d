/**
 * One check for the texts of all requests: PostgreSQL refuses NUL, and half of a surrogate pair would become U+FFFD. A
 * problem names the field at the top of the body, or the query parameter. Headers need no check: those that are read have patterns of their own.
 * Pure.
 */
import { NAME_LENGTH } from "../spine/words/Nearest.ts"
import { printable } from "../spine/words/Printable.ts"
import { type Fault, pointerOf } from "./Errors.ts"

/** In JSON both are always escapes: NUL would be a syntax error, and a surrogate alone is not UTF-8. */
const ESCAPED = /\\u(?:0000|d[89a-f])/i
const UNSTORABLE = /\0|\p{Surrogate}/u

const isStorable = (text: string): boolean => !UNSTORABLE.test(text)

const problem = (param: string, place: string, text: string): Fault => {
  const wrong = text.includes("\0") ? "NUL (U+0000)" : "half of a surrogate pair"
  return { param, message: `${place} must not contain ${wrong}.` }
}

const bodyProblem = (field: string | undefined, place: string, text: string): Fault => {
  const name = field === undefined ? undefined : printable(field, NAME_LENGTH)
  return problem(name === undefined ? "" : pointerOf([name]), name ?? place, text)
}

/** `value` is the JSON in `text`. It may be nested deeply, so this does not recurse. */
export const bodyTextProblem = (text: string, value: unknown): Fault | undefined => {
  if (!ESCAPED.test(text)) return undefined
  const left: Array<readonly [field: string | undefined, value: unknown]> = [[undefined, value]]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [field, one] = next
    if (typeof one === "string" && !isStorable(one)) return bodyProblem(field, "The request body", one)
    if (typeof one !== "object" || one === null) continue
    for (const [name, inner] of Object.entries(one)) {
      if (!isStorable(name)) return bodyProblem(field, "A field's name", name)
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
export const queryTextProblem = (query: string): Fault | undefined => {
  if (!query.includes("%")) return undefined
  for (const parameter of query.split("&")) {
    const [name = ""] = parameter.split("=", 1)
    const text = decoded(parameter)
    const known = isStorable(decoded(name) ?? "\0") ? printable(name, NAME_LENGTH) : undefined
    const [param, place] = [known ?? "", known ?? "A query parameter"]
    if (text === undefined) return { param, message: `${place} must be UTF-8 with percent-encoding.` }
    if (!isStorable(text)) return problem(param, place, text)
  }
  return undefined
}
