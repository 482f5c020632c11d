/**
 * The servers' announcements: the newest ledger, and for recent ledgers which server announced which hash and count.
 * The newest ledger is the highest of the last announcements of all connected servers, so a server that announced too
 * high an index corrects it with its next announcement. If servers disagree about a hash, the hash of the most servers
 * counts, and among equals that of the server that the operator listed first. The hashes of a discredited server count
 * only for its own answers.
 */
import { Effect, Latch } from "effect"
import { Limits } from "../config/Limits.ts"
import { monotonicNow } from "../domain/Monotonic.ts"
import type { Announcement } from "./LedgerSource.ts"

interface Newest {
  readonly announcement: Announcement
  /** Milliseconds of the monotonic clock. */
  readonly at: number
}

export interface Announcements {
  readonly announce: (server: string, announcement: Announcement) => Effect.Effect<void>
  /** The server's connection has ended. */
  readonly left: (server: string) => void
  /** The server served a ledger of another chain: ignore its hashes for other servers until `trust`. */
  readonly discredit: (server: string) => void
  /** Forgets what the server announced for that ledger, since it proved wrong. */
  readonly retract: (server: string, index: number) => void
  readonly trust: (server: string) => void
  /** Waits until the newest ledger is at or past `index`, and returns the newest. */
  readonly await: (index: number) => Effect.Effect<Announcement>
  /** Waits until one more server announces exactly this ledger. */
  readonly awaitNews: (index: number) => Effect.Effect<void>
  /** The announced values that `server`'s answer for this ledger must match. */
  readonly announced: (index: number, server: string) => Announcement | undefined
  /** The servers that announced this ledger, in the order of their announcements. */
  readonly announcers: (index: number) => ReadonlyArray<string>
  readonly newestOf: (server: string) => number | undefined
  readonly newest: () => Newest | undefined
}

/** The hash that most servers announced; among equals that of the first server in `order`. */
const agreedHash = (
  said: ReadonlyMap<string, Announcement>,
  order: ReadonlyArray<string>
): string | undefined => {
  const votes = new Map<string, number>()
  for (const server of order) {
    const hash = said.get(server)?.ledgerHash
    if (hash !== undefined) votes.set(hash, (votes.get(hash) ?? 0) + 1)
  }
  return [...votes].reduce<readonly [string | undefined, number]>(
    (best, vote) => (vote[1] > best[1] ? vote : best),
    [undefined, 0]
  )[0]
}

/** `order`: all servers, the operator's preferred one first. */
export const makeAnnouncements = (order: ReadonlyArray<string>): Announcements => {
  const recent = new Map<number, Map<string, Announcement>>()
  const latest = new Map<string, Newest>()
  const present = new Set<string>()
  const discredited = new Set<string>()
  let lastKnown: Newest | undefined
  /** Opened and replaced at each announcement. */
  let announcedNow = Latch.makeUnsafe()

  const newest = (): Newest | undefined => {
    let best: Newest | undefined
    for (const server of present) {
      const candidate = latest.get(server)
      if (candidate === undefined) continue
      const rise = candidate.announcement.ledgerIndex - (best?.announcement.ledgerIndex ?? 0)
      if (best === undefined || rise > 0 || (rise === 0 && candidate.at < best.at)) best = candidate
    }
    if (best !== undefined) lastKnown = best
    return lastKnown
  }

  const remember = (server: string, { ledgerIndex, ledgerHash, transactionCount }: Announcement) => {
    const said = recent.get(ledgerIndex) ?? new Map<string, Announcement>()
    const before = said.get(server)
    // The reply to a subscription has no transaction count. It must not erase the count that the stream announced.
    const isOther =
      ledgerHash !== undefined && before?.ledgerHash !== undefined && ledgerHash !== before.ledgerHash
    const known = isOther ? undefined : before
    said.set(server, {
      ledgerIndex,
      ledgerHash: ledgerHash ?? known?.ledgerHash,
      transactionCount: transactionCount ?? known?.transactionCount
    })
    recent.set(ledgerIndex, said)
    if (recent.size > Limits.ledgerAnnouncementsKept) recent.delete(recent.keys().next().value!)
    return said
  }

  const announced = (index: number, server: string): Announcement | undefined => {
    const said = recent.get(index)
    if (said === undefined) return undefined
    const own = said.get(server)
    const credible = new Map([...said].filter(([name]) => name === server || !discredited.has(name)))
    const ledgerHash = agreedHash(credible, order)
    const others = [...credible.values()].filter((other) => other.ledgerHash === ledgerHash)
    const transactionCount =
      own?.transactionCount ?? others.find((other) => other.transactionCount !== undefined)?.transactionCount
    return own === undefined && ledgerHash === undefined && transactionCount === undefined
      ? undefined
      : { ledgerIndex: index, ledgerHash, transactionCount }
  }

  return {
    announce: Effect.fnUntraced(function* (server, announcement) {
      const at = yield* monotonicNow
      const index = announcement.ledgerIndex
      const said = remember(server, announcement)
      const before = latest.get(server)
      if (before?.announcement.ledgerIndex !== index) latest.set(server, { announcement, at })
      present.add(server)
      const hashes = new Set([...said.values()].flatMap(({ ledgerHash }) => ledgerHash ?? []))
      if (hashes.size > 1)
        yield* Effect.logWarning("servers disagree about a ledger").pipe(
          Effect.annotateLogs({ ledger_index: index, hashes: [...hashes].join(" "), server })
        )
      const waiting = announcedNow
      announcedNow = Latch.makeUnsafe()
      yield* Latch.open(waiting)
    }),
    left: (server) => {
      newest()
      present.delete(server)
    },
    discredit: (server) => void discredited.add(server),
    retract: (server, index) => void recent.get(index)?.delete(server),
    trust: (server) => void discredited.delete(server),
    await: Effect.fnUntraced(function* (index) {
      while (true) {
        const head = newest()
        if (head !== undefined && head.announcement.ledgerIndex >= index) return head.announcement
        yield* Latch.await(announcedNow)
      }
    }),
    awaitNews: Effect.fnUntraced(function* (index) {
      const before = recent.get(index)?.size ?? 0
      while ((recent.get(index)?.size ?? 0) <= before) yield* Latch.await(announcedNow)
    }),
    announced,
    announcers: (index) => [...(recent.get(index)?.keys() ?? [])],
    newestOf: (server) => (present.has(server) ? latest.get(server)?.announcement.ledgerIndex : undefined),
    newest
  }
}
