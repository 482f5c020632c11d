/** Kafka is stopped under a running service: within seconds `/readyz` names the log and only it, and warnings are summed. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { missing, startBroker } from "../../kafka/broker.ts"
import { apiClient, waitUntil } from "../../support/http/apiClient.ts"
import { startProcess } from "../../support/program/serviceProcess.ts"

const SUMMED_SECONDS = 15

const ownBroker = Effect.acquireRelease(
  Effect.promise(async () => {
    const folder = mkdtempSync(join(tmpdir(), "ledgerhook-health-"))
    return { folder, broker: await startBroker(join(folder, "kafka")) }
  }),
  ({ folder, broker }) =>
    Effect.promise(async () => {
      await broker.stop()
      rmSync(folder, { recursive: true, force: true })
    })
)

describe.skipIf(missing() !== undefined)("a service without its Kafka", () => {
  it.live(
    "says within seconds that the log does not answer, with few lines, and when it answers again",
    () =>
      Effect.gen(function* () {
        const { broker, folder } = yield* ownBroker
        const service = yield* startProcess(
          { DATA_DIR: join(folder, "data"), KAFKA_BROKERS: broker.brokers, XRPL_MAINNET_URLS: "" },
          /Ledgerhook API: (\S+)/
        )
        const client = apiClient(service.match[1]!, "")
        const ready = Effect.map(client.call("GET", "/readyz"), ({ body, status }) => {
          const { parts } = body as unknown as {
            readonly parts: Readonly<Record<string, { readonly status: string; readonly detail: string }>>
          }
          return { status, log: parts["log"] }
        })
        yield* waitUntil(
          Effect.map(ready, ({ log, status }) => status === 200 && log?.status === "ok"),
          "60 seconds"
        )

        yield* Effect.promise(broker.stop)
        yield* waitUntil(
          Effect.map(ready, ({ log, status }) => status === 503 && log?.status === "failed"),
          "5 seconds"
        )
        assert.match((yield* ready).log?.detail ?? "", /^the log (failed to read: .+|does not answer)/)
        yield* Effect.repeat(
          Effect.gen(function* () {
            assert.strictEqual((yield* ready).log?.status, "failed")
            // A load balancer asks the first.
            for (const path of ["/readyz/traffic", "/readyz?exclude=log"])
              assert.strictEqual((yield* client.call("GET", path)).status, 200, path)
          }),
          { schedule: Schedule.spaced("1 second"), times: SUMMED_SECONDS }
        )
        const lines = service.output().split("\n")
        assert.notInclude(service.output(), "topic=:")
        const warnings = lines.flatMap((line) => /"message":"([^:"]+; retrying|[^"]+)/.exec(line)?.[1] ?? [])
        const counts = new Map<string, number>()
        for (const warning of warnings) counts.set(warning, (counts.get(warning) ?? 0) + 1)
        // Ingest of two networks names two reasons: the connection was closed, and no other is accepted.
        for (const [warning, count] of counts) assert.isAtMost(count, 4, warning)

        yield* Effect.promise(broker.start)
        yield* waitUntil(
          Effect.map(ready, ({ log, status }) => status === 200 && log?.status === "ok"),
          "60 seconds"
        )
      }).pipe(Effect.scoped),
    240_000
  )
})
