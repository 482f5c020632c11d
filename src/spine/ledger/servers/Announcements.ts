/**
 * The connected servers' announcements: the newest ledger, and which server announced which hash and count for recent
 * ledgers. They end with the connection. The newest ledger is the highest of the last announcements, so a server that
 * announced too high an index corrects it with its next one. A discredited server could not send a ledger that it
 * claimed: its hashes count only for its own answers, and its newest ledger only if every server is discredited.
 */

import { Effect, Latch } from "effect"
import { monotonicNow } from "../../words/Monotonic.ts"
import { ledgerLimits } from "../Limits.ts"
import type { Announcement } from "./LedgerSource.ts"

interface Newest {
  readonly announcement: Announcement
  /** When any server first announced it, on the monotonic clock. A new connection repeats the last announcement. */
  readonly at: number
}

/** What one server announced over its connection. */
interface Said {
  newest: Newest
  /** By index, with the place among all announcements. The oldest is dropped first. */
  readonly recent: Map<number, Announcement & { readonly place: number }>
}

export interface Announcements {
  readonly announce: (server: string, announcement: Announcement) => Effect.Effect<void>
  /** The server's connection has ended. */
  readonly left: (server: string) => void
  /** The server did not send a good ledger that it claims to have. Lasts over connections, until `trust`. */
  readonly discredit: (server: string) => void
  readonly isDiscredited: (server: string) => boolean
  /** The server sent a good ledger. */
  readonly trust: (server: string) => void
  /** Waits until the newest ledger is at or past `index`, and returns the newest. */
  readonly await: (index: number) => Effect.Effect<Announcement>
  /** Waits until one more server announces exactly this ledger. */
  readonly awaitNews: (index: number) => Effect.Effect<void>
  /** What `server` itself announced of this ledger. */
  readonly announced: (index: number, server: string) => Announcement | undefined
  /** The numbers of transactions that servers announced for the ledger with this hash. */
  readonly counts: (index: number, hash: string) => ReadonlyArray<number>
  /** Whether at least as many servers announced another hash as announced this one or sent it, as `server` did. */
  readonly isDisputed: (index: number, hash: string, server: string) => boolean
  /** The servers that announced this ledger, in the order of their announcements. */
  readonly announcers: (index: number) => ReadonlyArray<string>
  readonly newestOf: (server: string) => number | undefined
  readonly newest: () => Newest | undefined
}

export const makeAnnouncements = (): Announcements => {
  const connected = new Map<string, Said>()
  const discredited = new Set<string>()
  let lastKnown: Newest | undefined
  /** When recent ledgers were first announced, by hash. */
  const firstAt = new Map<string, number>()
  let announcements = 0
  /** Opened and replaced at each change. */
  let changedNow = Latch.makeUnsafe()

  const changed = () => {
    const waiting = changedNow
    changedNow = Latch.makeUnsafe()
    waiting.openUnsafe()
  }

  const newest = (): Newest | undefined => {
    const all = [...connected]
    const credible = all.filter(([server]) => !discredited.has(server))
    let best: Newest | undefined
    for (const [, { newest: candidate }] of credible.length > 0 ? credible : all) {
      const rise = candidate.announcement.ledgerIndex - (best?.announcement.ledgerIndex ?? 0)
      if (best === undefined || rise > 0 || (rise === 0 && candidate.at < best.at)) best = candidate
    }
    if (best !== undefined) lastKnown = best
    return lastKnown
  }

  const said = (index: number) =>
    [...connected]
      .flatMap(([server, { recent }]) => {
        const announcement = recent.get(index)
        return announcement === undefined ? [] : [{ server, ...announcement }]
      })
      .toSorted((a, b) => a.place - b.place)

  const remember = (recent: Said["recent"], announcement: Announcement) => {
    const { ledgerIndex, ledgerHash, transactionCount } = announcement
    const before = recent.get(ledgerIndex)
    // The reply to a subscription has no transaction count. It must not erase the count that the stream announced.
    const isOther =
      ledgerHash !== undefined && before?.ledgerHash !== undefined && ledgerHash !== before.ledgerHash
    const known = isOther ? undefined : before
    recent.set(ledgerIndex, {
      ledgerIndex,
      ledgerHash: ledgerHash ?? known?.ledgerHash,
      transactionCount: transactionCount ?? known?.transactionCount,
      place: before?.place ?? announcements++
    })
    if (recent.size > ledgerLimits.ledgerAnnouncementsKept) recent.delete(recent.keys().next().value!)
    return before === undefined
  }

  const firstAnnounced = ({ ledgerHash, ledgerIndex }: Announcement, now: number): number => {
    const key = ledgerHash ?? String(ledgerIndex)
    const at = firstAt.get(key) ?? now
    firstAt.set(key, at)
    if (firstAt.size > ledgerLimits.ledgerAnnouncementsKept) firstAt.delete(firstAt.keys().next().value!)
    return at
  }

  return {
    announce: Effect.fnUntraced(function* (server, announcement) {
      const index = announcement.ledgerIndex
      const heard = { announcement, at: firstAnnounced(announcement, yield* monotonicNow) }
      const own = connected.get(server) ?? { newest: heard, recent: new Map() }
      connected.set(server, own)
      const isFirst = remember(own.recent, announcement)
      if (own.newest.announcement.ledgerIndex !== index) own.newest = heard
      const hashes = new Set(said(index).flatMap(({ ledgerHash }) => ledgerHash ?? []))
      if (hashes.size > 1 && isFirst)
        yield* Effect.logWarning("servers disagree about a ledger").pipe(
          Effect.annotateLogs({ ledger_index: index, hashes: [...hashes].join(" "), server })
        )
      changed()
    }),
    left: (server) => {
      newest()
      connected.delete(server)
      changed()
    },
    discredit: (server) => void discredited.add(server),
    isDiscredited: (server) => discredited.has(server),
    trust: (server) => void discredited.delete(server),
    await: Effect.fnUntraced(function* (index) {
      while (true) {
        const head = newest()
        if (head !== undefined && head.announcement.ledgerIndex >= index) return head.announcement
        yield* Latch.await(changedNow)
      }
    }),
    awaitNews: Effect.fnUntraced(function* (index) {
      for (let before = said(index).length; ; ) {
        yield* Latch.await(changedNow)
        const now = said(index).length
        if (now > before) return
        before = now
      }
    }),
    announced: (index, server) => {
      const own = connected.get(server)?.recent.get(index)
      if (own === undefined) return undefined
      const { ledgerHash, transactionCount } = own
      return { ledgerIndex: index, ledgerHash, transactionCount }
    },
    counts: (index, hash) =>
      said(index).flatMap(({ ledgerHash, transactionCount }) =>
        ledgerHash === hash ? (transactionCount ?? []) : []
      ),
    isDisputed: (index, hash, server) => {
      const votes = new Map([[hash, 1]])
      for (const { ledgerHash, server: voter } of said(index))
        if (ledgerHash !== undefined && voter !== server && !discredited.has(voter))
          votes.set(ledgerHash, (votes.get(ledgerHash) ?? 0) + 1)
      return [...votes].some(([other, count]) => other !== hash && count >= votes.get(hash)!)
    },
    announcers: (index) => said(index).map(({ server }) => server),
    newestOf: (server) => connected.get(server)?.newest.announcement.ledgerIndex,
    newest
  }
}
