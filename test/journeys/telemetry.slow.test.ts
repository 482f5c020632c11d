/**
 * The program with a receiver of traces and metrics: each step of an event's way is seen there, the counts are those of
 * `/metrics`, and what happened until SIGTERM is sent before the process ends, in time and with 0.
 */

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import packageJson from "../../package.json" with { type: "json" }
import { terminalLimits } from "../../src/terminal/Limits.ts"
import { makeReceiver } from "../support/deliver/receiver.ts"
import { apiClient, createWebhook, waitUntil } from "../support/http/apiClient.ts"
import { startProgram } from "../support/program/program.ts"
import { makeOtlpReceiver } from "../support/servers/otlpReceiver.ts"

const ADMIN_KEY = "svc_live_0123456789abcdefghijklmnopqrstuv"

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-telemetry-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** A service with the simulated testnet, and a webhook for all of it. */
const startWatched = Effect.fnUntraced(function* (environment: Readonly<Record<string, string>>) {
  const folder = yield* temporaryFolder
  const program = yield* startProgram(["start"], {
    cwd: folder,
    environment: {
      PORT: "0",
      DATA_DIR: folder,
      ADMIN_KEY,
      XRPL_MAINNET_URLS: "",
      DELIVERY_ALLOW_HTTP: "true",
      DELIVERY_ALLOW_PRIVATE_ADDRESSES: "true",
      LOG_FORMAT: "json",
      ...environment
    }
  })
  const addressIn = () => /Ledgerhook API: (\S+)/.exec(program.stdout())?.[1]
  yield* waitUntil(
    Effect.sync(() => addressIn() !== undefined),
    "60 seconds"
  )
  const url = addressIn()!
  const key = yield* apiClient(url, ADMIN_KEY).call("POST", "/v1/api-keys", {
    name: "trial",
    scopes: ["admin"],
    environment: "test"
  })
  const client = apiClient(url, String(key.body["key"]))
  const receiver = yield* makeReceiver()
  yield* createWebhook(client, { url: receiver.url, event_types: ["*"] })
  return { program, url, client, receiver }
})

/** Ends the service with SIGTERM. Returns its exit code and how many milliseconds it took. */
const stopped = Effect.fnUntraced(function* (program: Effect.Success<ReturnType<typeof startProgram>>) {
  const startedAt = performance.now()
  yield* program.signal("SIGTERM")
  const code = yield* program.ended
  return { code, ms: performance.now() - startedAt }
})

describe("OTEL_EXPORTER_OTLP_ENDPOINT", () => {
  it.live(
    "shows each step as a trace, and the counts of /metrics up to the last",
    () =>
      Effect.gen(function* () {
        const otlp = yield* makeOtlpReceiver()
        const { client, program, receiver, url } = yield* startWatched({
          OTEL_EXPORTER_OTLP_ENDPOINT: otlp.url
        })
        yield* receiver.until((received) => received.length >= 10)
        yield* client.call("GET", "/v1/deliveries")
        const metrics = yield* Effect.promise(async () => (await fetch(`${url}/metrics`)).text())
        const { code, ms } = yield* stopped(program)
        assert.strictEqual(code, 0)
        assert.isBelow(ms, terminalLimits.shutdownMs)

        const names = new Set(otlp.spans.map(({ name }) => name))
        for (const name of [
          ...["take ledgers", "write events", "route events", "attempt delivery", "record attempts"],
          ...["POST /v1/webhooks", "GET /v1/deliveries"]
        ])
          assert.isTrue(names.has(name), `${name} is not among ${[...names].join(", ")}`)
        const attempt = otlp.spans.find(({ name }) => name === "attempt delivery")!
        assert.deepInclude(attempt.attributes, {
          outcome: "delivered",
          attempt: 1,
          "http.response.status_code": 200,
          "server.address": new URL(receiver.url).host
        })
        assert.strictEqual(attempt.resource["service.version"], packageJson.version)

        // One trace from the ledger to the request.
        const inTrace = (name: string, traceId: string) =>
          otlp.spans.find((span) => span.name === name && span.traceId === traceId)
        const whole = otlp.spans.find(
          ({ name, traceId }) =>
            name === "attempt delivery" &&
            inTrace("route events", traceId) !== undefined &&
            inTrace("take ledgers", traceId) !== undefined
        )
        assert.isDefined(whole)
        const routed = inTrace("route events", whole!.traceId)!
        assert.strictEqual(whole!.parentSpanId, routed.spanId)
        assert.strictEqual(routed.parentSpanId, inTrace("take ledgers", whole!.traceId)!.spanId)

        const sent = new Map(
          otlp.series().map(({ attributes, name, value }) => [`${name} ${Object.values(attributes)}`, value])
        )
        for (const [, name, label, value] of metrics.matchAll(/^(\w+_total)\{\w+="([^"]*)"\} (\d+)$/gm))
          assert.isAtLeast(sent.get(`${name} ${label}`) ?? -1, Number(value), `${name} ${label}`)
        assert.strictEqual(
          sent.get("ledgerhook_delivery_attempts_total delivered,2xx"),
          receiver.received.length
        )
      }),
    180_000
  )

  it.live(
    "changes nothing when the collector does not answer: deliveries continue, one warning is written, and the program stops in time",
    () =>
      Effect.gen(function* () {
        const silent = yield* makeOtlpReceiver(() => "handled")
        const { program, receiver } = yield* startWatched({ OTEL_EXPORTER_OTLP_ENDPOINT: silent.url })
        const warning = yield* program.said(/Traces and metrics are dropped/)
        assert.strictEqual(JSON.parse(warning).level, "warn")
        const before = receiver.received.length
        yield* receiver.until((received) => received.length >= before + 10)
        const { code, ms } = yield* stopped(program)
        assert.strictEqual(code, 0)
        assert.isBelow(ms, terminalLimits.shutdownMs)
      }),
    180_000
  )
})
