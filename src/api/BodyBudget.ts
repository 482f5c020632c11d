/**
 * Bounds what one account can cost with large request bodies. Their bytes are taken from the account's budget before
 * they are read, and come back, at a fixed rate, after the response is made: work for a body is in proportion to its
 * bytes. A second budget bounds the memory of all bodies of the process. A request waits for its bytes while nothing of
 * its body is read, and is refused after `Limits.bodyWaitMs`. Small bodies pass: connections bound them.
 */
import { Clock, Effect, Exit, Option, Semaphore } from "effect"
import { Limits } from "../config/Limits.ts"
import type { OnRead, Refusal } from "./RequestBody.ts"

const SECOND_MS = 1_000

interface Budget {
  readonly free: Semaphore.Semaphore
  /** Requests that wait, are read or run, and bytes that come back later. The last one drops the budget. */
  users: number
  /** When all bytes that were used so far have come back. */
  fullAtMs: number
}

const accountBusy: Refusal = {
  code: "RATE_LIMITED",
  message: `The account's requests have too large bodies: after ${Limits.accountBodyBytes} bytes, it may send ${Limits.accountBodyBytesPerSecond} a second. Send them one after the other.`
}

const processBusy: Refusal = {
  code: "UNAVAILABLE",
  message: "The service has too many large request bodies in memory; send the request again."
}

export const makeBodyBudget = Effect.gen(function* () {
  const all = yield* Semaphore.make(Limits.bodyBytes)
  const budgets = new Map<string, Budget>()
  const scope = yield* Effect.scope

  const leave = (accountId: string, budget: Budget) =>
    Effect.sync(() => {
      if (--budget.users === 0) budgets.delete(accountId)
    })

  /** The work that a body causes elsewhere, as in the log, may outlast its response. */
  const giveBack = Effect.fnUntraced(function* (
    accountId: string,
    budget: Budget,
    taken: number,
    read: number
  ) {
    const bytes = read <= Limits.smallBodyBytes ? 0 : read
    yield* budget.free.release(taken - bytes)
    const nowMs = yield* Clock.currentTimeMillis
    budget.fullAtMs =
      Math.max(nowMs, budget.fullAtMs) + (bytes / Limits.accountBodyBytesPerSecond) * SECOND_MS
    yield* Effect.sleep(budget.fullAtMs - nowMs).pipe(
      Effect.andThen(budget.free.release(bytes)),
      Effect.andThen(leave(accountId, budget)),
      Effect.forkIn(scope)
    )
  })

  const within = (free: Semaphore.Semaphore, bytes: number, refusal: Refusal) =>
    free.take(bytes).pipe(
      Effect.timeoutOption(Limits.bodyWaitMs),
      Effect.map((taken) => (Option.isNone(taken) ? refusal : undefined))
    )

  /**
   * Runs `use`, which reads a body of at most `bytes`, says how many it has read, and makes the response; or, if there is
   * no budget for it in time, returns the refusal.
   */
  return <A, E, R>(
    accountId: string,
    bytes: number,
    use: (read: OnRead) => Effect.Effect<A, E, R>
  ): Effect.Effect<A | Refusal, E, R> =>
    bytes <= Limits.smallBodyBytes
      ? use(() => undefined)
      : Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const budget = budgets.get(accountId) ?? {
              free: Semaphore.makeUnsafe(Limits.accountBodyBytes),
              users: 0,
              fullAtMs: 0
            }
            budgets.set(accountId, budget)
            budget.users++
            const refused = yield* restore(within(budget.free, bytes, accountBusy)).pipe(
              Effect.onExit((exit) =>
                Exit.isSuccess(exit) && exit.value === undefined ? Effect.void : leave(accountId, budget)
              )
            )
            if (refused !== undefined) return refused
            let spent = bytes
            const turn = Effect.flatMap(
              restore(within(all, bytes, processBusy)),
              (busy): Effect.Effect<A | Refusal, E, R> =>
                busy === undefined
                  ? restore(use((read) => (spent = read))).pipe(Effect.ensuring(all.release(bytes)))
                  : Effect.succeed(busy)
            )
            return yield* turn.pipe(
              Effect.ensuring(Effect.suspend(() => giveBack(accountId, budget, bytes, spent)))
            )
          })
        )
})
