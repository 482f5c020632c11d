/**
 * Measures the harm that bodies without a key can do: the p99 of an account's requests beside 30 connections that send
 * bodies of 1 MiB, or of 1 KB, to sign in, against quiet times between.
 */
import { Effect, Layer, References } from "effect"
import { roles } from "../../src/app/Roles.ts"
import { alternately, type Compared, p99Figure } from "../support/alternately.ts"
import type { Benchmark, Figure } from "../support/Benchmark.ts"
import { besideDeliveries } from "../support/besideDeliveries.ts"
import { startChild } from "../support/Child.ts"
import type { KeyedFlood } from "../support/keyedFloodProgram.ts"
import { storeLayer } from "../support/store.ts"

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
  const found: Array<readonly [name: string, compared: Compared, memoryMb: number]> = []
  for (const [name, body] of Object.entries(bodies)) {
    let memoryMb = 0
    const latencies = (lastsMs: number) =>
      Effect.map(phase(lastsMs), (measured) => {
        memoryMb = Math.max(memoryMb, measured.memoryMb)
        return measured.probeMs
      })
    const compared = yield* alternately(
      latencies,
      attacker.ask({
        origin,
        key: "",
        connections: CONNECTIONS,
        method: "POST",
        path: "/v1/session",
        bodies: [body]
      } satisfies KeyedFlood),
      attacker.ask("end")
    )
    found.push([name, compared, memoryMb])
  }
  return found
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
  for (const [name, compared, memoryMb] of yield* measure) {
    report(p99Figure(`attacks.keylessBodies.${name}.p99`, compared))
    const lower = { ratio: null, target: null, better: "lower" } as const
    report({ ...lower, name: `attacks.keylessBodies.${name}.memory`, value: memoryMb, unit: "MB" })
  }
})

export const keylessBodies: Benchmark = {
  description: "an account's requests beside bodies that callers without a key send",
  target: "a p99 of at most 1.5 times that in quiet times between",
  run
}
