/**
 * Measures the harm that bodies without a key can do: the p99 of an account's requests beside 30 connections that send
 * bodies of 1 MiB, or of 1 KB, to sign in, against a quiet time just before.
 */
import { Effect, Layer, References } from "effect"
import { roles } from "../../src/app/Roles.ts"
import type { Benchmark, Figure } from "../support/Benchmark.ts"
import { besideDeliveries, type Phase } from "../support/besideDeliveries.ts"
import { startChild } from "../support/Child.ts"
import type { KeyedFlood } from "../support/keyedFloodProgram.ts"
import { quantile } from "../support/rounds.ts"
import { storeLayer } from "../support/store.ts"

const P99_TARGET = 1.5
const QUIET_MS = 10_000
const FLOOD_MS = 15_000
const CONNECTIONS = 30
const OWN_KEY = `svc_live_${"o".repeat(40)}`

const bodies: Readonly<Record<string, string>> = {
  large: `{"key":"${"a".repeat(1024 * 1024)}"}`,
  small: `{"key":"${"a".repeat(1_000)}"}`
}

const measure = Effect.gen(function* () {
  const attacker = yield* startChild("keyedFloodProgram.ts")
  const { origin, phase } = yield* besideDeliveries((origin) => ({
    url: `${origin}/v1/account`,
    headers: { "x-service-key": OWN_KEY }
  }))
  const pairs: Array<readonly [name: string, quiet: Phase, flooded: Phase]> = []
  for (const [name, body] of Object.entries(bodies)) {
    const quiet = yield* phase(QUIET_MS)
    yield* attacker.ask({
      origin,
      key: "",
      connections: CONNECTIONS,
      method: "POST",
      path: "/v1/session",
      bodies: [body]
    } satisfies KeyedFlood)
    const flooded = yield* phase(FLOOD_MS)
    yield* attacker.ask("end")
    pairs.push([name, quiet, flooded])
  }
  return pairs
}).pipe(
  Effect.scoped,
  Effect.provide(
    roles.pipe(
      Layer.provideMerge(
        storeLayer({ ROLES: "api,deliver,delay", HOST: "127.0.0.1", PORT: "0", ADMIN_KEY: OWN_KEY })
      ),
      Layer.provide(Layer.succeed(References.TracerEnabled, false))
    )
  )
)

const run = Effect.fnUntraced(function* (report: (figure: Figure) => void) {
  for (const [name, quiet, flooded] of yield* measure) {
    const p99 = quantile(flooded.probeMs, 0.99)
    const before = quantile(quiet.probeMs, 0.99)
    report({
      name: `attacks.keylessBodies.${name}.p99`,
      value: p99,
      unit: "ms",
      ratio: p99 / before,
      target: P99_TARGET,
      better: "lower"
    })
    const lower = { ratio: null, target: null, better: "lower" } as const
    report({ ...lower, name: `attacks.keylessBodies.${name}.memory`, value: flooded.memoryMb, unit: "MB" })
  }
})

export const keylessBodies: Benchmark = {
  description: "an account's requests beside bodies that callers without a key send",
  target: "a p99 of at most 1.5 times that just before",
  run
}
