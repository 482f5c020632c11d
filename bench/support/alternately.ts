/** Measures beside an attack and without it, in alternate rounds: other work on the machine affects both. */
import { Effect } from "effect"
import type { Figure } from "./Benchmark.ts"
import { inRounds, quantile } from "./rounds.ts"

const P99_TARGET = 1.5
/** At ten probes a second, the p99 is then not the worst latency alone. */
const ROUNDS = 5
const ROUND_MS = 5_000

export interface Compared {
  /** Latencies in ms. */
  readonly quiet: ReadonlyArray<number>
  readonly attacked: ReadonlyArray<number>
}

/** `latencies` measures for a number of ms. */
export const alternately = Effect.fnUntraced(function* <E, R, E2, R2>(
  latencies: (lastsMs: number) => Effect.Effect<ReadonlyArray<number>, E, R>,
  begin: Effect.Effect<unknown, E2, R2>,
  end: Effect.Effect<unknown, E2, R2>
) {
  const rounds = yield* inRounds(ROUNDS, () =>
    Effect.gen(function* () {
      const quiet = yield* latencies(ROUND_MS)
      yield* begin
      const attacked = yield* latencies(ROUND_MS)
      yield* end
      return { quiet, attacked }
    })
  )
  return {
    quiet: rounds.flatMap(({ quiet }) => quiet),
    attacked: rounds.flatMap(({ attacked }) => attacked)
  } satisfies Compared
})

export const p99Figure = (name: string, { attacked, quiet }: Compared): Figure => {
  const value = quantile(attacked, 0.99)
  return {
    name,
    value,
    unit: "ms",
    ratio: value / quantile(quiet, 0.99),
    target: P99_TARGET,
    better: "lower"
  }
}
