/**
 * Keeps one account's view of a network's newest ledgers up to date, for all its viewers. One fiber reads the answers
 * while the scope is open. After each read it waits 100 times as long as that took, so that viewers take at most 1 % of a
 * core, unless an account has so many deliveries that it would wait for more than `PAUSE_MS.longest`. While the database
 * cannot be read, nothing changes.
 */
import { Array as Arr, Effect, Latch } from "effect"
import type { Network } from "../../../spine/event/Network.ts"
import { retryUntilSuccess } from "../../../spine/observe/RetryUntilSuccess.ts"
import type { AccountId } from "../../../spine/words/Ids.ts"
import { monotonicNow } from "../../../spine/words/Monotonic.ts"
import { DeliveryQueries } from "../../deliveries/DeliveryQueries.ts"
import type { LedgerTail } from "./LedgerTail.ts"
import { type LedgerText, makeLiveLedgers } from "./LiveLedgers.ts"

/** Ledgers whose answers one statement reads. A busy one has thousands of deliveries. */
const LEDGERS_AT_ONCE = 8
/** The pause after a read, as a multiple of the time that it took. */
const PAUSE = 100
/** It is long enough to read several ledgers together, and short enough for a picture that moves. */
const PAUSE_MS = { shortest: 500, longest: 3_000 }

export interface LedgerView {
  readonly after: (version: number) => ReadonlyArray<LedgerText>
  /** Waits until a ledger has changed after that version. */
  readonly changed: (version: number) => Effect.Effect<void>
}

export const makeLedgerView = Effect.fnUntraced(function* (
  accountId: AccountId,
  network: Network,
  tail: LedgerTail,
  nextVersion: () => number
) {
  const queries = yield* DeliveryQueries
  const live = makeLiveLedgers(nextVersion)
  let change = Latch.makeUnsafe()

  const update = Effect.gen(function* () {
    const ledgers = tail.ledgers()
    live.keep(ledgers)
    const nowMs = yield* monotonicNow
    const due = live.due(nowMs)
    if (due.length === 0) {
      const dueAtMs = live.nextDueAtMs()
      const untilDue = dueAtMs === undefined ? Effect.never : Effect.sleep(dueAtMs - nowMs)
      yield* Effect.raceFirst(tail.reached(ledgers.at(-1)?.offset ?? -1), untilDue)
      return
    }
    let changed = false
    for (const some of Arr.chunksOf(due, LEDGERS_AT_ONCE)) {
      const times = some.map(({ takenAt }) => takenAt)
      const rows = yield* queries.ledgerAnswers(accountId, network, times)
      changed = live.answered(some, rows, nowMs) || changed
    }
    // Together: a viewer takes the newest ledger of the first message for the newest there is.
    if (changed) {
      const waiting = change
      change = Latch.makeUnsafe()
      waiting.openUnsafe()
    }
    const tookMs = (yield* monotonicNow) - nowMs
    yield* Effect.sleep(Math.min(Math.max(PAUSE * tookMs, PAUSE_MS.shortest), PAUSE_MS.longest))
  })
  yield* update.pipe(
    retryUntilSuccess(`reading answers to ledgers of ${network}`),
    Effect.forever,
    Effect.forkScoped
  )

  const changed = (version: number): Effect.Effect<void> =>
    Effect.suspend(() =>
      live.after(version).length > 0
        ? Effect.void
        : Effect.flatMap(Latch.await(change), () => changed(version))
    )
  return { after: live.after, changed } satisfies LedgerView
})
