/** Texts that PostgreSQL refuses or changes are refused with a sentence that names the field. */
import { assert, describe, it } from "@effect/vitest"
import { bodyTextProblem, queryTextProblem } from "../../src/http/StorableText.ts"

const inBody = (text: string) => bodyTextProblem(text, JSON.parse(text))?.message
const NUL = "must not contain NUL (U+0000)."
const HALF = "must not contain half of a surrogate pair."

describe("a text that PostgreSQL cannot store", () => {
  it.each([
    ['{"name": "a\\u0000"}', `name ${NUL}`],
    ['{"name": "\\uD83D"}', `name ${HALF}`],
    ['{"name": "\\ude00\\ud83d"}', `name ${HALF}`],
    ['{"a": 1, "headers": {"X-A": ["b", "\\u0000"]}}', `headers ${NUL}`],
    ['{"headers": {"\\u0000": 1}}', `headers ${NUL}`],
    ['{"\\u0000": 1}', `A field's name ${NUL}`],
    ['"\\udfff"', `The request body ${HALF}`],
    [`{"a": ${"[".repeat(100_000)}"\\u0000"${"]".repeat(100_000)}}`, `a ${NUL}`]
  ])("is refused in a body: %#", (text, expected) => assert.strictEqual(inBody(text), expected))

  it.each([
    ["search=a%00b", `search ${NUL}`],
    ["limit=1&search=%00", `search ${NUL}`],
    ["search=%ED%A0%80", "search must be UTF-8 with percent-encoding."],
    ["search=%ff", "search must be UTF-8 with percent-encoding."],
    ["a%00=1", `A query parameter ${NUL}`],
    ["%ff=1", "A query parameter must be UTF-8 with percent-encoding."]
  ])("is refused in a query: %s", (query, expected) =>
    assert.strictEqual(queryTextProblem(query)?.message, expected)
  )

  it.each([
    '{"name": "a\\\\u0000"}',
    '{"name": "\\ud83d\\ude00"}',
    '{"name": "\\u00e9\\uFFFD\\u0001😀"}',
    "null",
    "[]"
  ])("is not %s", (text) => assert.isUndefined(inBody(text)))

  it.each(["", "search=100%", "search=%C3%BC%F0%9F%98%80+%2500", "search"])("is not in ?%s", (query) =>
    assert.isUndefined(queryTextProblem(query))
  )
})
