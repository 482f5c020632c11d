/**
 * Sends random requests to every operation. Each response is one that the OpenAPI document promises. No response or log
 * line shows internals or secrets, and no data of other accounts change.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, References } from "effect"
import { type Answer, ApiUnderTest, apiLayer } from "../support/http/api.ts"
import { bodyMismatches, mismatches, operations } from "../support/http/openApi.ts"
import { generator } from "../support/ledger/misbehavingServer.ts"
import { type HostileRequest, hostileRequest } from "./hostile.ts"

const SEED = 7
const REQUESTS = 2_000
/** Webhooks, each with a delivery, and keys of the caller: requests delete some. */
const OWN = 20

/** Words of stack traces, of SQL, or of the libraries in use. */
const INSIDE =
  /node_modules|\.ts:\d|\bat \S+ \(|SqlError|SELECT |INSERT |UPDATE |syntax error|relation "|ECONN|Effect/

/** Lists the faults of a response. */
const faults = ({ operation, method, call }: HostileRequest, answer: Answer): ReadonlyArray<string> => {
  const { status, text, body } = answer
  const failed = status >= 400
  const found = failed && INSIDE.test(text) ? ["shows internals"] : []
  if (status >= 500 && operation.path !== "/readyz") return [...found, "fails"]
  if (method === "HEAD") return text === "" ? found : [...found, "has a body"]
  // A hostile id can make a path that does not exist, and another method is another operation.
  const noPath =
    status === 404 &&
    body?.error?.message === "This path does not exist; see /docs for the paths of this API."
  if (method === operation.method && !noPath) {
    const taken = failed ? [] : bodyMismatches(operation, call.body)
    return [
      ...found,
      ...taken.map((problem) => `took a body that ${problem}`),
      ...mismatches(operation, answer)
    ]
  }
  return failed && typeof body?.error?.code !== "string" ? [...found, "is no failure as promised"] : found
}

describe("any request", () => {
  it.live(`is answered as the document says (${REQUESTS} random ones, seed ${SEED})`, () => {
    const logged: Array<string> = []
    const everything = Layer.merge(
      Logger.layer([Logger.map(Logger.formatJson, (line) => void logged.push(line))]),
      Layer.succeed(References.MinimumLogLevel, "All")
    )
    return Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const chance = generator(SEED)
      const [caller, bystander] = [yield* api.account(), yield* api.account()]
      const testKey = yield* api.keyFor(caller.accountId, "test")
      const as = (key: string) => (method: string, path: string, body?: unknown) =>
        api.call(method, path, { key, ...(body === undefined ? {} : { body }) })

      const made = (key: string) =>
        Effect.gen(function* () {
          const call = as(key)
          const webhook = yield* call("POST", "/v1/webhooks", {
            url: "https://example.com/a",
            event_types: ["*"]
          })
          const delivery = yield* call("POST", `/v1/webhooks/${webhook.body.id}/test`, {
            event_type: "nft.burned"
          })
          const apiKey = yield* call("POST", "/v1/api-keys", { name: "made", scopes: ["admin"] })
          return {
            ids: new Map<string, string>([
              ["/v1/webhooks", webhook.body.id],
              ["/v1/deliveries", delivery.body.delivery_id],
              ["/v1/api-keys", apiKey.body.id]
            ]),
            secrets: [key, webhook.body.secret, apiKey.body.key] as ReadonlyArray<string>
          }
        })
      const own = yield* Effect.forEach(Array.from({ length: OWN }), () => made(caller.key))
      const others = yield* made(bystander.key)
      const shown = Effect.forEach(["/v1/webhooks", "/v1/deliveries", "/v1/api-keys"], (path) =>
        Effect.map(as(bystander.key)("GET", path), ({ body }) =>
          body.data.map((item: object) => ({ ...item, last_used_at: null }))
        )
      )
      const before = yield* shown

      const idOf = (path: string) => {
        const from = chance() < 0.3 ? others : own[Math.floor(chance() * own.length)]!
        return from.ids.get(path.slice(0, path.indexOf("/{")))
      }
      const keys = [...new Array(16).fill(caller.key), testKey, testKey, "svc_live_", "' OR 1=1", undefined]
      const requests = Array.from({ length: REQUESTS }, (_, i) => {
        const request = hostileRequest(chance, operations[i % operations.length]!, idOf)
        return { ...request, call: { ...request.call, key: keys[Math.floor(chance() * keys.length)] } }
      })

      const answers = yield* Effect.forEach(
        requests,
        (request) =>
          Effect.map(api.call(request.method, request.path, request.call), (answer) => ({ request, answer })),
        { concurrency: 8 }
      )
      const wrong = answers
        .map(({ request, answer }) => ({
          faults: faults(request, answer),
          request: `${request.method} ${request.path} ${JSON.stringify(request.call).slice(0, 300)}`,
          answer: `${answer.status} ${answer.text.slice(0, 300)}`
        }))
        .filter((one) => one.faults.length > 0)
      assert.deepStrictEqual(wrong.slice(0, 5), [], `${wrong.length} of ${REQUESTS}`)

      // The test needs both valid and invalid requests.
      const statuses = new Set(answers.map(({ answer }) => answer.status))
      for (const status of [200, 201, 202, 204, 400, 401, 404, 405, 415]) assert.include(statuses, status)
      assert.deepStrictEqual(yield* shown, before)

      const written = logged.join("\n")
      assert.notMatch(written, /"(?:ERROR|FATAL)"/i)
      const refusals = answers.filter(({ answer }) => answer.status >= 400).map(({ answer }) => answer.text)
      for (const secret of [...own, others].flatMap(({ secrets }) => secrets).concat(testKey)) {
        assert.notInclude(written, secret)
        assert.notInclude(refusals.join("\n"), secret)
      }
    }).pipe(Effect.provide(Layer.provideMerge(apiLayer(), everything)))
  })
})
