import { connect, type Socket } from "node:net"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { RETRY_SECONDS } from "../../../src/http/Gate.ts"
import { ACCOUNT_BYTES } from "../../../src/http/guard/BodyBudget.ts"
import { httpLimits } from "../../../src/http/Limits.ts"
import { Limits } from "../../../src/spine/config/Limits.ts"
import { ApiUnderTest, apiLayer } from "../../support/http/api.ts"
import { waitUntil } from "../../support/http/apiClient.ts"

const LARGE = Limits.requestBodyBytes
const HELD = 100
const LATE_MS = 2_000

interface Slow {
  readonly socket: Socket
  answer: string
  closedAfterMs: number | undefined
}

/** A request that sends all of its body but the last byte. */
const slow = (url: string, key: string) =>
  Effect.acquireRelease(
    Effect.sync((): Slow => {
      const began = performance.now()
      const socket = connect(Number(new URL(url).port), "127.0.0.1")
      const one: Slow = { socket, answer: "", closedAfterMs: undefined }
      socket.on("error", () => {})
      socket.on("data", (data) => (one.answer += data.toString("latin1")))
      socket.on("close", () => (one.closedAfterMs = performance.now() - began))
      socket.write(
        `POST /v1/webhooks HTTP/1.1\r\nHost: a\r\nX-Service-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: ${LARGE}\r\n\r\n`
      )
      socket.write(" ".repeat(LARGE - 1))
      return one
    }),
    ({ socket }) => Effect.sync(() => socket.destroy())
  )

layer(apiLayer(), { excludeTestServices: true })("large bodies that come slowly", (it) => {
  it.effect("are held within the account's budget, and end within a second of their deadline", () =>
    Effect.gen(function* () {
      const { account, call, url } = yield* ApiUnderTest
      const { key } = yield* account()
      const other = yield* account()
      const held = yield* Effect.forEach(Array.from({ length: HELD }), () => slow(url, key))
      const large = `${" ".repeat(LARGE - 2)}{}`

      const refused = yield* call("POST", "/v1/webhooks", { key, body: large })
      assert.strictEqual(refused.status, 429)
      assert.match(refused.body.error.message, /^The account sends or gets too many large bodies/)
      assert.strictEqual(refused.headers.get("retry-after"), String(RETRY_SECONDS))
      assert.strictEqual((yield* call("POST", "/v1/webhooks", { key: other.key, body: large })).status, 400)
      assert.strictEqual((yield* call("POST", "/v1/webhooks", { key, body: {} })).status, 400)

      yield* waitUntil(
        Effect.sync(() => held.every(({ closedAfterMs }) => closedAfterMs !== undefined)),
        "40 seconds"
      )
      const read = held.filter(({ answer }) => answer.startsWith("HTTP/1.1 408"))
      assert.strictEqual(read.length, ACCOUNT_BYTES / LARGE)
      for (const { closedAfterMs } of read) {
        assert.isAtLeast(closedAfterMs!, httpLimits.requestReceiveMs)
        assert.isAtMost(closedAfterMs!, httpLimits.requestReceiveMs + LATE_MS)
      }
    }).pipe(Effect.scoped)
  )
})
