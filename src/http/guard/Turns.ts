/** Turns for each account: a bounded number of its effects run at once, the others wait in order. */

import { Context, Effect, Layer, Semaphore } from "effect"
import type { AccountId } from "../../spine/words/Ids.ts"

interface Line {
  readonly permits: Semaphore.Semaphore
  /** How many effects run or wait. */
  users: number
}

export interface Turns {
  /** How many effects of the account run or wait. */
  readonly users: (accountId: AccountId) => number
  readonly run: <A, E, R>(accountId: AccountId, self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export const makeTurns = (atOnce: number): Turns => {
  const lines = new Map<string, Line>()
  const join = (accountId: AccountId) =>
    Effect.sync(() => {
      const line = lines.get(accountId) ?? { permits: Semaphore.makeUnsafe(atOnce), users: 0 }
      lines.set(accountId, line)
      line.users++
      return line
    })
  const leave = (accountId: AccountId, line: Line) =>
    Effect.sync(() => {
      if (--line.users === 0) lines.delete(accountId)
    })
  return {
    users: (accountId) => lines.get(accountId)?.users ?? 0,
    run: (accountId, self) =>
      Effect.acquireUseRelease(
        join(accountId),
        ({ permits }) => permits.withPermit(self),
        (line) => leave(accountId, line)
      )
  }
}

/**
 * One turn for each account: its counts, estimates, previews and explanations run one after another. Each may take the
 * database or the event loop a tenth of a second.
 */
export class CostlyTurns extends Context.Service<CostlyTurns, Turns>()("ledgerhook/api/CostlyTurns") {
  static readonly layer = Layer.sync(CostlyTurns, () => makeTurns(1))
}
