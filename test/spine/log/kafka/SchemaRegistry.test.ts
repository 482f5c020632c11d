/** If the registry cannot be used, the start fails with the reason, without user or password. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { registerSchemas } from "../../../../src/spine/log/kafka/SchemaRegistry.ts"
import { type Answer, answering, makeAnsweringRegistry } from "../../../support/log/answeringRegistry.ts"

const failureAt = (host: string) =>
  Effect.map(
    Effect.flip(registerSchemas(`http://us%3Aer:hunter2@${host}/base/`, "", ["testnet"])),
    ({ message }) => {
      assert.notInclude(message, "hunter2")
      return message
    }
  )

const failure = (answer: Answer) =>
  Effect.flatMap(makeAnsweringRegistry(answer), ({ host }) => failureAt(host))

describe("a schema registry", () => {
  it.live("gets the user and password of the address as basic auth, and each topic's schema", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const { host } = yield* makeAnsweringRegistry((request, response) => {
        seen.push(`${request.method} ${request.url} ${request.headers.authorization}`)
        answering(200, '{"id":7}')(request, response)
      })
      const address = `http://us%3Aer:hunter2@${host}/base/`
      const ids = yield* registerSchemas(address, "staging.", ["testnet"])
      assert.deepStrictEqual(
        [...ids],
        [
          ["xrpl.testnet.ledgers", 7],
          ["xrpl.testnet.events", 7],
          ["xrpl.testnet.history.ledgers", 7],
          ["xrpl.testnet.history.events", 7]
        ]
      )
      const basic = `Basic ${Buffer.from("us:er:hunter2").toString("base64")}`
      assert.deepStrictEqual(seen, [
        `PUT /base/config/staging.xrpl.testnet.ledgers-value ${basic}`,
        `POST /base/subjects/staging.xrpl.testnet.ledgers-value/versions ${basic}`,
        `PUT /base/config/staging.xrpl.testnet.events-value ${basic}`,
        `POST /base/subjects/staging.xrpl.testnet.events-value/versions ${basic}`,
        `PUT /base/config/staging.xrpl.testnet.history.ledgers-value ${basic}`,
        `POST /base/subjects/staging.xrpl.testnet.history.ledgers-value/versions ${basic}`,
        `PUT /base/config/staging.xrpl.testnet.history.events-value ${basic}`,
        `POST /base/subjects/staging.xrpl.testnet.history.events-value/versions ${basic}`
      ])
      const withRaw = yield* registerSchemas(address, "staging.", ["testnet"], { rawTransactions: true })
      assert.deepStrictEqual(
        [...withRaw.keys()].filter((topic) => !ids.has(topic)),
        ["xrpl.testnet.transactions"]
      )
    })
  )

  it.live("that is unavailable, refuses the login or answers nonsense gives a one-sentence error", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* failureAt("127.0.0.1:1"),
        "SCHEMA_REGISTRY_URL: the registry at 127.0.0.1:1 cannot be reached."
      )
      assert.match(
        yield* failure(answering(401, "{}")),
        /^SCHEMA_REGISTRY_URL: the registry at 127\.0\.0\.1:\d+ does not accept its user and password \(HTTP 401\)\.$/
      )
      assert.match(
        yield* failure(answering(422, '{"error_code":42203,"message":"Invalid\\n mode"}')),
        / answered PUT \/config\/xrpl\.testnet\.ledgers-value with HTTP 422 \(Invalid mode\)\.$/
      )
      assert.match(yield* failure(answering(500, "x".repeat(10_000))), / now \(HTTP 500: x{300}…\)\.$/)
      assert.match(
        yield* failure(answering(200, "{}")),
        / answered without the schema id of xrpl\.testnet\.ledgers-value\.$/
      )
    })
  )
})
