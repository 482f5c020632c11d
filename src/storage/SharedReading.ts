/**
 * A reading that many ask for at the same moment. Who asks shares the next one with all others who have asked by its
 * beginning: each answer is of a time after its question.
 */
import { Effect, Semaphore } from "effect"

export const sharedReading = <A, E>(reading: Effect.Effect<A, E>): Effect.Effect<A, E> => {
  const turn = Semaphore.makeUnsafe(1)
  let asked = 0
  let answer: { readonly value: A; readonly to: number } | undefined
  return Effect.suspend(() => {
    const question = ++asked
    const read = Effect.suspend(() => {
      if (answer !== undefined && answer.to >= question) return Effect.succeed(answer.value)
      const to = asked
      return Effect.map(reading, (value) => {
        answer = { value, to }
        return value
      })
    })
    return Semaphore.withPermits(turn, 1)(read)
  })
}
