/**
 * Turns a failed schema check of a request into one sentence that names the field and what is accepted. The sentence
 * never repeats the given value, which may be a secret.
 */
import { SchemaIssue } from "effect"
import type { HttpApiError } from "effect/http-api"

const articles: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  boolean: "a boolean",
  array: "an array",
  object: "an object"
}

/** `number | null` → `a number or null`. */
const accepted = (expected: string): string =>
  expected
    .split(" | ")
    .map((one) => articles[one] ?? one)
    .join(", ")
    .replace(/, ([^,]*)$/, " or $1")

const propertiesOf = (issue: SchemaIssue.UnexpectedKey): string =>
  issue.ast._tag === "Objects" ? issue.ast.propertySignatures.map(({ name }) => String(name)).join(", ") : ""

const leaf: SchemaIssue.LeafHook = (issue) => {
  switch (issue._tag) {
    case "MissingKey":
      return "is required"
    case "UnexpectedKey":
      return `is unknown; accepted: ${propertiesOf(issue)}`
    default:
      return SchemaIssue.defaultLeafHook(issue)
  }
}

const format = SchemaIssue.makeFormatterStandardSchemaV1({ leafHook: leaf })

const pathText = (path: ReadonlyArray<PropertyKey>): string =>
  path
    .map((key, i) => (typeof key === "number" ? `[${key}]` : i === 0 ? String(key) : `.${String(key)}`))
    .join("")

/** The subject when the fault has no path. */
const wholeOf: Readonly<Record<string, string>> = {
  Payload: "The request body must be a JSON object",
  Query: "The query is not valid",
  Params: "The path is not valid"
}

export const schemaMessage = (error: HttpApiError.HttpApiSchemaError): string => {
  const [issue] = format(error.cause.issue).issues
  const path = (issue?.path ?? []).map((segment) => (typeof segment === "object" ? segment.key : segment))
  const text = issue?.message ?? ""
  if (path.length === 0) return `${wholeOf[error.kind] ?? "The request is not valid"}.`
  const expected = text.startsWith("Expected ") ? text.slice("Expected ".length) : undefined
  // Every query parameter is a string. A parameter that is given twice is a list.
  const fault =
    expected === undefined
      ? text
      : error.kind === "Query" && expected === "string"
        ? "must be given once"
        : `must be ${accepted(expected)}`
  return `${pathText(path)} ${fault}.`
}
