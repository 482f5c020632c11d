/** Requests that the API refuses. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { ApiUnderTest, assertErrorBody, type Call } from "../support/http/api.ts"

/** The error that answers the request of a new account with every scope. */
export const refused = Effect.fnUntraced(function* (
  method: string,
  path: string,
  body?: unknown,
  headers: NonNullable<Call["headers"]> = {}
) {
  const api = yield* ApiUnderTest
  const { key } = yield* api.account()
  const answer = yield* api.call(method, path, { key, body, headers })
  assert.isAtLeast(answer.status, 400, answer.text)
  assertErrorBody(answer.body, answer.body.error.code)
  return answer.body.error
})
