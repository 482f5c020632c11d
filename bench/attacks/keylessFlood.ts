/**
 * Measures the harm that callers without a key can do to a process that serves the API and delivers: its deliveries per
 * second, latency of `/healthz` and memory before, during and after two floods. The first flood pipelines requests and
 * reads nothing; the second reads every response and sends the next request.
 */
import { Effect, Layer, References } from "effect"
import { HttpServer } from "effect/http"
import * as NetAddress from "effect/net/NetAddress"
import { roles } from "../../src/Roles.ts"
import type { Benchmark, Figure } from "../support/Benchmark.ts"
import { startChild } from "../support/Child.ts"
import { queueWorks, worksOf } from "../support/delivering.ts"
import type { Flood } from "../support/floodProgram.ts"
import { quantile } from "../support/rounds.ts"
import { storeLayer } from "../support/store.ts"
import { makeEvents, makeWebhooks } from "../support/webhooks.ts"

/** Targets as a part of the delivery rate before: during a flood that reads nothing, and during one that reads all. */
const UNREAD_TARGET = 0.9
const READ_TARGET = 0.5
const WARM_UP_MS = 10_000
const QUIET_MS = 10_000
const FLOOD_MS = 20_000
const SAMPLE_MS = 200
const WEBHOOKS = 10
const EVENTS_AT_ONCE = 20
/** How many queued deliveries have not arrived yet. There are enough that deliver never waits for work. */
const AHEAD = 1_000
const BYTES_PER_MB = 1024 * 1024

interface Phase {
  readonly perSecond: number
  readonly healthMs: ReadonlyArray<number>
  readonly memoryMb: number
}

const unread = { connections: 20, requests: 2_000, paths: ["/docs"], reads: false }
const read = { connections: 300, requests: 500, paths: ["/docs", "/openapi.json"], reads: true }

const measure = Effect.gen(function* () {
  const { address } = yield* HttpServer.HttpServer
  if (!NetAddress.isInetAddress(address)) return yield* Effect.die(new Error("not listening on a port"))
  const receiver = yield* startChild("receiverProgram.ts")
  const receiverPort = yield* receiver.ask()
  const attacker = yield* startChild("floodProgram.ts")
  const probe = yield* startChild("probeProgram.ts")
  yield* probe.ask({ origin: `http://127.0.0.1:${address.port}` })

  const { accountId, ids } = yield* makeWebhooks(
    Array.from({ length: WEBHOOKS }, (_, i) => `http://127.0.0.${i + 1}:${receiverPort}/hook`)
  )
  let arrived = 0
  let queued = 0
  let series = 0
  yield* Effect.forkScoped(
    Effect.forever(
      Effect.suspend(() => {
        if (queued - arrived > AHEAD) return Effect.sleep(SAMPLE_MS / 10)
        queued += EVENTS_AT_ONCE * WEBHOOKS
        return queueWorks(worksOf(makeEvents(EVENTS_AT_ONCE, 1_024, series++), ids), accountId)
      })
    )
  )
  const count = Effect.map(receiver.ask("count"), (answer) => {
    // Sent by support/receiverProgram.ts.
    arrived = answer as number
    return arrived
  })
  const phase = Effect.fnUntraced(function* (lastsMs: number) {
    yield* probe.ask("latencies")
    const began = performance.now()
    const first = yield* count
    let memory = 0
    while (performance.now() - began < lastsMs) {
      yield* Effect.sleep(SAMPLE_MS)
      yield* count
      memory = Math.max(memory, process.memoryUsage.rss())
    }
    const seconds = (performance.now() - began) / 1_000
    return {
      perSecond: ((yield* count) - first) / seconds,
      // Sent by support/probeProgram.ts.
      healthMs: (yield* probe.ask("latencies")) as ReadonlyArray<number>,
      memoryMb: memory / BYTES_PER_MB
    } satisfies Phase
  })
  const flooded = (flood: Omit<Flood, "port">) =>
    attacker.ask({ ...flood, port: address.port } satisfies Flood).pipe(
      Effect.andThen(phase(FLOOD_MS)),
      Effect.tap(() => attacker.ask("end"))
    )

  yield* phase(WARM_UP_MS)
  const before = yield* phase(QUIET_MS)
  const duringUnread = yield* flooded(unread)
  const between = yield* phase(QUIET_MS)
  const duringRead = yield* flooded(read)
  const after = yield* phase(QUIET_MS)
  return { before, unread: duringUnread, between, read: duringRead, after }
}).pipe(
  Effect.scoped,
  Effect.provide(
    roles.pipe(
      Layer.provideMerge(storeLayer({ ROLES: "api,deliver,delay", HOST: "127.0.0.1", PORT: "0" })),
      Layer.provide(Layer.succeed(References.TracerEnabled, false))
    )
  )
)

const run = Effect.fnUntraced(function* (report: (figure: Figure) => void) {
  const phases = yield* measure
  const targets: Readonly<Record<string, number>> = { unread: UNREAD_TARGET, read: READ_TARGET }
  for (const [name, { perSecond, healthMs, memoryMb }] of Object.entries(phases)) {
    const quiet = name === "before"
    report({
      name: `attacks.keyless.${name}`,
      value: perSecond,
      unit: "deliveries/s",
      ratio: quiet ? null : perSecond / phases.before.perSecond,
      target: targets[name] ?? null,
      better: "higher"
    })
    const lower = { ratio: null, target: null, better: "lower" } as const
    for (const [part, value] of [
      ["p50", quantile(healthMs, 0.5)],
      ["p99", quantile(healthMs, 0.99)]
    ] as const)
      report({ ...lower, name: `attacks.keyless.${name}.healthz.${part}`, value, unit: "ms" })
    report({ ...lower, name: `attacks.keyless.${name}.memory`, value: memoryMb, unit: "MB" })
  }
})

export const keylessFlood: Benchmark = {
  description: "deliveries, /healthz and memory before, beside and after floods of requests without a key",
  target:
    "deliveries continue: at 0.9 of their rate beside a flood that reads nothing, at 0.5 beside one that reads",
  run
}
