/**
 * Measures the harm that callers without a key can do to a process that serves the API and delivers: its deliveries per
 * second, latency of `/healthz` and memory before, during and after two floods. The first flood pipelines requests and
 * reads nothing; the second reads every response and sends the next request.
 */
import { Effect, Layer, References } from "effect"
import { roles } from "../../src/app/Roles.ts"
import type { Benchmark, Figure } from "../support/Benchmark.ts"
import { besideDeliveries } from "../support/besideDeliveries.ts"
import { startChild } from "../support/Child.ts"
import type { Flood } from "../support/floodProgram.ts"
import { quantile } from "../support/rounds.ts"
import { storeLayer } from "../support/store.ts"

/** Targets as a part of the delivery rate before: during a flood that reads nothing, and during one that reads all. */
const UNREAD_TARGET = 0.9
const READ_TARGET = 0.5
const QUIET_MS = 10_000
const FLOOD_MS = 20_000

const unread = { connections: 20, requests: 2_000, paths: ["/openapi.json"], reads: false }
const read = { connections: 300, requests: 500, paths: ["/docs", "/openapi.json"], reads: true }

const measure = Effect.gen(function* () {
  const attacker = yield* startChild("floodProgram.ts")
  const { origin, phase } = yield* besideDeliveries((origin) => ({ url: `${origin}/healthz` }))
  const flooded = (flood: Omit<Flood, "port">) =>
    attacker.ask({ ...flood, port: Number(new URL(origin).port) } satisfies Flood).pipe(
      Effect.andThen(phase(FLOOD_MS)),
      Effect.tap(() => attacker.ask("end"))
    )

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
  for (const [name, { perSecond, probeMs, memoryMb }] of Object.entries(phases)) {
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
      ["p50", quantile(probeMs, 0.5)],
      ["p99", quantile(probeMs, 0.99)]
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
