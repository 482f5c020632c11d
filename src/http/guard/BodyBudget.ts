/**
 * Bounds what one account can cost with large bodies of requests and answers, as the work for a body is in proportion to
 * its bytes. Bytes of a request's body are taken from the account's budget before they are read, and come back, at a
 * fixed rate, after the answer is made. A second budget bounds the memory of all these bodies. The size of an answer is
 * known too late: if an account has got too many bytes, its next requests wait. A request that would wait for longer than
 * `BODY_WAIT_MS` is refused. Small bodies pass: connections bound them.
 */

import { Effect, Exit, Option, Semaphore } from "effect"
import { replayBounds } from "../../spine/domain/Replay.ts"
import type { AccountId } from "../../spine/words/Ids.ts"
import { monotonicClock } from "../../spine/words/Monotonic.ts"
import { httpLimits } from "../Limits.ts"
import type { Refusal } from "../RequestBody.ts"

/** Bytes of large bodies of one account in memory: the largest body, or five webhooks with 10,000 account filters. */
export const ACCOUNT_BYTES = replayBounds.replayBodyBytes

/** How long a request waits for free bytes before its body is read. The body has the rest of `requestReceiveMs`. */
export const BODY_WAIT_MS = httpLimits.requestReceiveMs / 3

/** Used bytes come back at this rate: a body of 370 KB with filters takes 60 ms of the event loop, so 8 % of its time. */
export const BYTES_PER_SECOND = ACCOUNT_BYTES / 4

/**
 * Bytes of answers that count as one: an answer of 370 KB with filters takes 4 ms. An account can read 20 pages of
 * 200 KB a second.
 */
export const ANSWER_BYTES = 8

const SECOND_MS = 1_000
/** How long the rate takes for the bytes that an account may use at once. */
const ALLOWANCE_MS = (ACCOUNT_BYTES / BYTES_PER_SECOND) * SECOND_MS

interface Budget {
  readonly free: Semaphore.Semaphore
  /** Requests that wait, are read or run, and bytes that come back later. The last one drops the budget. */
  users: number
  /** When all bytes that were used so far have come back. */
  fullAtMs: number
}

const accountBusy: Refusal = {
  code: "RATE_LIMITED",
  message: `The account sends or gets too many large bodies: after ${ACCOUNT_BYTES} bytes it may send ${BYTES_PER_SECOND} a second, and get ${ANSWER_BYTES} times as many. Send one request after the other.`
}

const processBusy: Refusal = {
  code: "UNAVAILABLE",
  message: "The service has too many large request bodies in memory; send the request again."
}

export const makeBodyBudget = Effect.gen(function* () {
  const all = yield* Semaphore.make(httpLimits.bodyBytes)
  const budgets = new Map<string, Budget>()
  const scope = yield* Effect.scope
  const nowMs = yield* monotonicClock

  const enter = (accountId: AccountId): Budget => {
    const budget = budgets.get(accountId) ?? {
      free: Semaphore.makeUnsafe(ACCOUNT_BYTES),
      users: 0,
      fullAtMs: 0
    }
    budgets.set(accountId, budget)
    budget.users++
    return budget
  }

  const leave = (accountId: AccountId, budget: Budget) =>
    Effect.sync(() => {
      if (--budget.users === 0) budgets.delete(accountId)
    })

  /** Runs `then` when the rate allows `bytes` more. The work that a body causes elsewhere may outlast its answer. */
  const spend = (budget: Budget, bytes: number, then: Effect.Effect<void>) =>
    Effect.suspend(() => {
      const now = nowMs()
      budget.fullAtMs = Math.max(now, budget.fullAtMs) + (bytes / BYTES_PER_SECOND) * SECOND_MS
      return Effect.sleep(budget.fullAtMs - now).pipe(Effect.andThen(then), Effect.forkIn(scope))
    })

  const within = (free: Semaphore.Semaphore, bytes: number, refusal: Refusal) =>
    free.take(bytes).pipe(
      Effect.timeoutOption(BODY_WAIT_MS),
      Effect.map((taken) => (Option.isNone(taken) ? refusal : undefined))
    )

  /**
   * Runs `use`, which reads a body of at most `bytes`, says how many it has read, and makes the answer; or, if there is no
   * budget for it in time, returns the refusal.
   */
  const withBody = <A, E, R>(
    accountId: AccountId,
    bytes: number,
    use: (read: (bytes: number) => void) => Effect.Effect<A, E, R>
  ): Effect.Effect<A | Refusal, E, R> => {
    if (bytes <= httpLimits.connectionBytes) return use(() => undefined)
    let used = bytes
    return Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const budget = enter(accountId)
        const refused = yield* restore(within(budget.free, bytes, accountBusy)).pipe(
          Effect.onExit((exit) =>
            Exit.isSuccess(exit) && exit.value === undefined ? Effect.void : leave(accountId, budget)
          )
        )
        if (refused !== undefined) return refused
        const turn = Effect.flatMap(
          restore(within(all, bytes, processBusy)),
          (busy): Effect.Effect<A | Refusal, E, R> =>
            busy === undefined
              ? restore(
                  use((read) => {
                    used = read <= httpLimits.connectionBytes ? 0 : read
                  })
                ).pipe(Effect.ensuring(all.release(bytes)))
              : Effect.succeed(busy)
        )
        const giveBack = Effect.suspend(() =>
          Effect.andThen(
            budget.free.release(bytes - used),
            spend(budget, used, Effect.andThen(budget.free.release(used), leave(accountId, budget)))
          )
        )
        return yield* Effect.ensuring(turn, giveBack)
      })
    )
  }

  /** Runs `make`, if the account has not got too many bytes before; `bytesOf`: those of its answer. */
  const withAnswer = <A, E, R>(
    accountId: AccountId,
    make: Effect.Effect<A, E, R>,
    bytesOf: (answer: A) => number
  ): Effect.Effect<A | Refusal, E, R> =>
    Effect.gen(function* () {
      const waitMs = (budgets.get(accountId)?.fullAtMs ?? 0) - ALLOWANCE_MS - nowMs()
      if (waitMs > BODY_WAIT_MS) return accountBusy
      if (waitMs > 0) yield* Effect.sleep(waitMs)
      const answer = yield* make
      const bytes = bytesOf(answer)
      if (bytes > httpLimits.connectionBytes) {
        const budget = enter(accountId)
        yield* spend(budget, bytes / ANSWER_BYTES, leave(accountId, budget))
      }
      return answer
    })

  return { withBody, withAnswer }
})
