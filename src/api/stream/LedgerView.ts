/**
 * Keeps one account's view of a network's newest ledgers up to date, for all its viewers. One fiber reads the answers
 * while the scope is open. It waits 20 times as long as its last read took, so that it takes at most a twentieth of one
 * connection, however many deliveries there are. While the database cannot be read, nothing changes.
 */
import { Effect, Latch } from "effect"
import type { AccountId } from "../../domain/Ids.ts"
import { monotonicNow } from "../../domain/Monotonic.ts"
import type { Network } from "../../domain/Network.ts"
import { retryUntilSuccess } from "../../observability/RetryUntilSuccess.ts"
import { DeliveryQueries } from "../../storage/deliveries/DeliveryQueries.ts"
import type { LedgerTail } from "./LedgerTail.ts"
import { type LedgerText, makeLiveLedgers } from "./LiveLedgers.ts"

/** Ledgers whose answers one statement reads. A busy one has thousands of deliveries. */
const LEDGERS_AT_ONCE = 8
/** The pause after a read, as a multiple of the time that it took. */
const PAUSE = 20

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
    const due = live.due(nowMs, LEDGERS_AT_ONCE)
    if (due.length === 0) {
      const dueAtMs = live.nextDueAtMs()
      const untilDue = dueAtMs === undefined ? Effect.never : Effect.sleep(dueAtMs - nowMs)
      yield* Effect.raceFirst(tail.reached(ledgers.at(-1)?.offset ?? -1), untilDue)
      return
    }
    const rows = yield* queries.ledgerAnswers(
      accountId,
      network,
      due.map(({ takenAt }) => takenAt)
    )
    if (live.answered(due, rows, nowMs)) {
      const waiting = change
      change = Latch.makeUnsafe()
      waiting.openUnsafe()
    }
    yield* Effect.sleep(PAUSE * ((yield* monotonicNow) - nowMs))
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
