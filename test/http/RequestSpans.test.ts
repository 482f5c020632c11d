/** Requests in traces: named by the path in the contract, with the SQL they ran, and without secrets. */

import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { appLimits } from "../../src/app/Limits.ts"
import { otlpEndpoint } from "../../src/spine/observe/OtlpEndpoint.ts"
import * as Telemetry from "../../src/spine/observe/Telemetry.ts"
import { ApiUnderTest, apiLayer } from "../support/http/api.ts"
import { makeOtlpReceiver, OtlpUnderTest } from "../support/servers/otlpReceiver.ts"

const telemetry = Layer.unwrap(
  Effect.map(OtlpUnderTest, ({ url }) =>
    Telemetry.layer({
      endpoint: otlpEndpoint(url),
      version: "0",
      limits: { ...appLimits.telemetry, tracesPerSecond: 100, spansPerSecond: 1_000, tracesEveryMs: 50 }
    })
  )
)

const traced = apiLayer().pipe(
  Layer.provide(telemetry),
  Layer.provideMerge(Layer.effect(OtlpUnderTest, makeOtlpReceiver()))
)

layer(traced, { excludeTestServices: true })("requests in traces", (it) => {
  it.effect(
    "have the contract's path, the status and their statements, also if they continue the caller's trace",
    () =>
      Effect.gen(function* () {
        const api = yield* ApiUnderTest
        const receiver = yield* OtlpUnderTest
        const { key } = yield* api.account()
        const id = "wh_01JD0000000000000000000000"
        const traceId = "0af7651916cd43dd8448eb211c80319c"
        const { status } = yield* api.call("GET", `/v1/webhooks/${id}`, {
          key,
          headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01` }
        })
        assert.strictEqual(status, 404)
        const named = () => receiver.spans.find(({ name }) => name === "GET /v1/webhooks/:id")
        yield* receiver.until(() => named() !== undefined)
        const span = named()!
        assert.strictEqual(span.kind, 2)
        assert.strictEqual(span.traceId, traceId)
        assert.strictEqual(span.parentSpanId, "b7ad6b7169203331")
        assert.strictEqual(span.attributes["http.response.status_code"], 404)
        assert.notStrictEqual(span.status, 2)
        const statements = receiver.spans.filter(({ parentSpanId }) => parentSpanId === span.spanId)
        assert.isNotEmpty(statements)
        assert.isAtLeast(span.durationMs, statements[0]!.durationMs)
        for (const { attributes } of statements) assert.match(String(attributes["db.query.text"]), /webhooks/)
      })
  )

  it.effect("never hold a key of a query, nor are probes among them", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const receiver = yield* OtlpUnderTest
      const { key } = yield* api.account()
      for (const path of ["/healthz", "/readyz", "/metrics", "/openapi.json"]) yield* api.call("GET", path)
      yield* api.call("GET", `/v1/account?key=${key}`, { key })
      const named = () => receiver.spans.some(({ name }) => name === "GET /v1/account")
      yield* receiver.until(named)
      assert.notInclude(JSON.stringify(receiver.spans), key)
      const roots = receiver.spans.filter(({ kind }) => kind === 2)
      assert.isTrue(roots.every(({ name }) => / \/v1/.test(name)))
    })
  )
})
