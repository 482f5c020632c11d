/** If the registry cannot be used, the start fails with the reason, without user or password. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { LastTaken } from "../../../../src/features/operate/doctor/LastTaken.ts"
import { schemaRegistryCheck } from "../../../../src/features/operate/doctor/SchemaRegistryCheck.ts"
import type { LedgerMarker } from "../../../../src/spine/event/LedgerEvent.ts"
import { registerSchemas } from "../../../../src/spine/log/kafka/SchemaRegistry.ts"

type Answer = (request: IncomingMessage, response: ServerResponse) => void

const registry = (answer: Answer) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly host: string; readonly close: () => void }>((resume) => {
      const server = createServer(answer).listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed({ host: `127.0.0.1:${port}`, close: () => server.close() }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

const answering =
  (status: number, body: string): Answer =>
  (request, response) => {
    request.resume()
    response.writeHead(status, { "content-type": "application/vnd.schemaregistry.v1+json" }).end(body)
  }

const failureAt = (host: string) =>
  Effect.map(
    Effect.flip(registerSchemas(`http://us%3Aer:hunter2@${host}/base/`, "", ["testnet"])),
    ({ message }) => {
      assert.notInclude(message, "hunter2")
      return message
    }
  )

const failure = (answer: Answer) => Effect.flatMap(registry(answer), ({ host }) => failureAt(host))

describe("a schema registry", () => {
  it.live("gets the user and password of the address as basic auth, and each topic's schema", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const { host } = yield* registry((request, response) => {
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
      assert.match(yield* failure(answering(500, "x".repeat(10_000))), / with HTTP 500 \(x{300}…\)\.$/)
      assert.match(
        yield* failure(answering(200, "{}")),
        / answered without the schema id of xrpl\.testnet\.ledgers-value\.$/
      )
    })
  )

  it.live(
    "is checked by doctor, which changes nothing and says what the next start will do and what will be refused",
    () =>
      Effect.gen(function* () {
        const look = (answer: Answer, taken: LastTaken = new Map()) =>
          Effect.flatMap(registry(answer), ({ host }) =>
            schemaRegistryCheck(
              `http://us%3Aer:hunter2@${host}`,
              "staging.",
              ["testnet"],
              Effect.succeed(taken),
              Effect.succeed(new Map())
            )
          )
        const seen: Array<string> = []
        const holding =
          (own: "there" | "taken" | "refused", level: string): Answer =>
          (request, response) => {
            seen.push(`${request.method} ${request.url}`)
            if (request.url?.startsWith("/subjects") && own !== "there") {
              return answering(404, '{"error_code":40403,"message":"Schema not found"}')(request, response)
            }
            const body = { id: 1, is_compatible: own === "taken", compatibilityLevel: level }
            answering(200, JSON.stringify(body))(request, response)
          }
        assert.strictEqual(
          (yield* look(holding("there", "BACKWARD_TRANSITIVE"))).detail,
          "reachable; the schemas are registered"
        )
        assert.deepStrictEqual(seen.slice(0, 2), [
          "POST /subjects/staging.xrpl.testnet.ledgers-value",
          "GET /config/staging.xrpl.testnet.ledgers-value"
        ])
        assert.match(
          (yield* look(holding("there", "NONE"))).detail,
          /^reachable; the next start sets the compatibility of (\d+) of \1 schemas to BACKWARD_TRANSITIVE$/
        )
        for (const empty of [holding("taken", ""), answering(404, '{"message":"Subject not found"}')]) {
          assert.match(
            (yield* look(empty)).detail,
            /^reachable; the next start registers (\d+) of \1 schemas$/
          )
        }
        // The check needs to know only that a ledger was taken.
        const taken: LastTaken = new Map([["testnet", {} as LedgerMarker]])
        const emptied = yield* look(answering(404, '{"message":"Subject not found"}'), taken)
        assert.strictEqual(emptied.status, "problem")
        assert.match(emptied.detail, /^reachable, but all \d+ schemas are gone: /)
        // Those of the version before are not gone: this program has not started yet.
        assert.match(
          (yield* look(holding("taken", ""), taken)).detail,
          /^reachable; the next start registers /
        )
        const refused = yield* look(holding("refused", "BACKWARD_TRANSITIVE"))
        assert.match(refused.detail, /refuses this version's schema of staging\.xrpl\.testnet\.ledgers-value/)
        const locked = yield* look(answering(401, "{}"))
        assert.match(locked.detail, /does not accept its user and password/)
        assert.notInclude(JSON.stringify([refused, locked]), "hunter2")
      })
  )
})
