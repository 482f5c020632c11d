/** The newest announced ledger, and what was announced of the recent ones. A head never goes back. */
import { Clock, Effect, Latch } from "effect"
import { Limits } from "../config/Limits.ts"
import type { Announcement } from "./LedgerSource.ts"

export interface Head {
  readonly announce: (announcement: Announcement) => Effect.Effect<void>
  readonly await: (index: number) => Effect.Effect<Announcement>
  readonly announced: (index: number) => Announcement | undefined
  readonly newest: () => { readonly announcement: Announcement; readonly at: number } | undefined
}

export const makeHead = (): Head => {
  const recent = new Map<number, Announcement>()
  let newest: { readonly announcement: Announcement; readonly at: number } | undefined
  /** Replaced at each rise: whoever waits holds the one of the head it saw. */
  let risen = Latch.makeUnsafe()

  const remember = (announcement: Announcement) => {
    const known = recent.get(announcement.ledgerIndex)
    // The reply to a subscription names a ledger without its count: it must not erase what the stream told.
    recent.set(announcement.ledgerIndex, {
      ledgerIndex: announcement.ledgerIndex,
      ledgerHash: announcement.ledgerHash ?? known?.ledgerHash,
      transactionCount: announcement.transactionCount ?? known?.transactionCount
    })
    if (recent.size > Limits.ledgerAnnouncementsKept) recent.delete(recent.keys().next().value!)
  }

  return {
    announce: Effect.fnUntraced(function* (announcement) {
      remember(announcement)
      if (newest !== undefined && announcement.ledgerIndex <= newest.announcement.ledgerIndex) return
      newest = { announcement, at: yield* Clock.currentTimeMillis }
      const waiting = risen
      risen = Latch.makeUnsafe()
      yield* Latch.open(waiting)
    }),
    await: Effect.fnUntraced(function* (index) {
      while (newest === undefined || newest.announcement.ledgerIndex < index) yield* Latch.await(risen)
      return newest.announcement
    }),
    announced: (index) => recent.get(index),
    newest: () => newest
  }
}
