/**
 * A reading that many ask for at the same moment. Who asks shares the next one with all others who have asked by its
 * beginning: each answer, a failure as well, is of a time after its question, and nobody waits for more than two readings.
 * One whose own request ends while it reads leaves the reading to the next.
 */
import { Effect, type Exit, Semaphore } from "effect"

type Read<A, E> = (reading: Effect.Effect<A, E>) => Effect.Effect<A, E>

/**
 * Those whom one answer of the database has set going share it too. A whole turn of the event loop would part the
 * readings that they begin together, and each would be a message of its own to the database.
 */
const othersCome = Effect.callback<void>((resume) => queueMicrotask(() => resume(Effect.void)))

const makeShared = <A, E>(): Read<A, E> => {
  const turn = Semaphore.makeUnsafe(1)
  let asked = 0
  let answer: { readonly exit: Exit.Exit<A, E>; readonly to: number } | undefined
  return (reading) =>
    Effect.suspend(() => {
      const question = ++asked
      const read = Effect.suspend(() => {
        if (answer !== undefined && answer.to >= question) return answer.exit
        return Effect.andThen(
          othersCome,
          Effect.suspend(() => {
            const to = asked
            return Effect.flatMap(Effect.exit(reading), (exit) => {
              answer = { exit, to }
              return exit
            })
          })
        )
      })
      return Semaphore.withPermits(turn, 1)(read)
    })
}

/** Of one thing. */
export const sharedReading = <A, E>(reading: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  makeShared<A, E>()(reading)

interface Asked<A, E> {
  readonly read: Read<A, E>
  /** How many wait for it; with the last of them it is forgotten, so that there are no more than there are questions. */
  waiting: number
}

/** Of many: `key` holds all that the answer depends on, and above all whose it is. */
export const sharedReadings = <A, E>() => {
  const asked = new Map<string, Asked<A, E>>()
  return (key: string, reading: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      const one = asked.get(key) ?? { read: makeShared<A, E>(), waiting: 0 }
      asked.set(key, one)
      one.waiting++
      return Effect.ensuring(
        one.read(reading),
        Effect.sync(() => {
          if (--one.waiting === 0) asked.delete(key)
        })
      )
    })
}
