/** A registry that cannot be used stops the start with a sentence that says why, and never what it takes to log in. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { registerSchemas } from "../../src/log/SchemaRegistry.ts"

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
      const ids = yield* registerSchemas(`http://us%3Aer:hunter2@${host}/base/`, "staging.", ["testnet"])
      assert.deepStrictEqual(
        [...ids],
        [
          ["xrpl.testnet.ledgers", 7],
          ["xrpl.testnet.events", 7]
        ]
      )
      const basic = `Basic ${Buffer.from("us:er:hunter2").toString("base64")}`
      assert.deepStrictEqual(seen, [
        `PUT /base/config/staging.xrpl.testnet.ledgers-value ${basic}`,
        `POST /base/subjects/staging.xrpl.testnet.ledgers-value/versions ${basic}`,
        `PUT /base/config/staging.xrpl.testnet.events-value ${basic}`,
        `POST /base/subjects/staging.xrpl.testnet.events-value/versions ${basic}`
      ])
    })
  )

  it.live("that is away, refuses the login or answers nonsense is named in one sentence", () =>
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
      assert.match(yield* failure(answering(502, "x".repeat(10_000))), / with HTTP 502 \(x{300}…\)\.$/)
      assert.match(
        yield* failure(answering(200, "{}")),
        / answered without the id of xrpl\.testnet\.ledgers-value\.$/
      )
    })
  )
})
