/**
 * Measures on a machine that other programs use too. Compared parts run alternately in several short rounds after a
 * warm-up, and medians are taken. A disturbance then affects one round, and both parts equally.
 */
import { Effect } from "effect"

export const median = (values: ReadonlyArray<number>): number => {
  if (values.length === 0) throw new Error("there is no median of nothing")
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** The value that `part` of them (0…1) do not exceed. */
export const quantile = (values: ReadonlyArray<number>, part: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const value = sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)]
  if (value === undefined) throw new Error("there is no quantile of nothing")
  return value
}

/** Milliseconds that `effect` takes. */
export const timed = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<number, E, R> =>
  Effect.suspend(() => {
    const start = performance.now()
    return Effect.map(effect, () => performance.now() - start)
  })

/** Milliseconds that `work` takes. */
export const timedSync = (work: () => void): number => {
  const start = performance.now()
  work()
  return performance.now() - start
}

/** Returns the figures of each of `rounds` rounds, without those of the warm-up. */
export const inRounds = Effect.fnUntraced(function* <A, E, R>(
  rounds: number,
  round: (index: number) => Effect.Effect<A, E, R>,
  warmUps = 1
) {
  for (let i = 0; i < warmUps; i++) yield* round(i)
  const measured: Array<A> = []
  for (let i = 0; i < rounds; i++) measured.push(yield* round(warmUps + i))
  return measured
})

/** Median of a part or a function of the rounds. */
export const medianOf = <A>(rounds: ReadonlyArray<A>, value: (round: A) => number): number =>
  median(rounds.map(value))
