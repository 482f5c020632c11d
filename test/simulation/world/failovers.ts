/**
 * Failovers of the database by seed: to a standby that has everything, or to one that was behind. What was committed
 * since it fell behind is then gone, also of the embedded log, and the process goes on with what it remembers.
 */
import { Effect } from "effect"
import type { SeededRandom } from "../../../src/features/simulator/SeededRandom.ts"
import type { Evidence } from "../evidence.ts"
import type { Store } from "./store.ts"

/** At each step of the run: how often the standby falls behind, and how often a failover follows. */
const FALLS_BEHIND = 0.15
const FAILS_OVER = 0.3
/** How many failovers lose nothing. */
const PLANNED = 0.2
/** How many take no time: no statement fails. */
const AT_ONCE = 0.5
const LONGEST_AWAY_MS = 3_000

export interface FailoverParts {
  readonly chance: SeededRandom
  readonly store: Store
  readonly nowMs: () => number
  readonly evidence: Evidence
  /** The database is away until then. */
  readonly downUntil: (ms: number) => void
  readonly trace: (who: string, what: string) => void
}

export const makeFailovers = ({ chance, downUntil, evidence, nowMs, store, trace }: FailoverParts) => {
  let behind: { readonly sinceMs: number; readonly arrived: ReadonlyMap<string, number> } | undefined
  const arrived = () => new Map(evidence.webhooks.map(({ id, receiver }) => [id, receiver.requests.length]))

  const failOver = Effect.fnUntraced(function* (since: NonNullable<typeof behind>) {
    behind = undefined
    if (chance.flip(PLANNED)) {
      trace("database", "fails over, and has everything")
      return yield* store.keep
    }
    yield* store.goBack
    trace("database", `fails over, and lacks the last ${nowMs() - since.sinceMs} ms`)
    evidence.failovers++
    // Leases went back, too, and the process starts anew.
    evidence.leasesLost++
    evidence.kills++
    // What was said then of progress was true then.
    evidence.progress.length = 0
    for (const [id, count] of arrived()) {
      const known = evidence.unknownRequests.get(id) ?? 0
      evidence.unknownRequests.set(id, known + count - (since.arrived.get(id) ?? 0))
    }
    evidence.routed.splice(
      0,
      evidence.routed.length,
      ...evidence.routed.filter(({ atMs }) => atMs <= since.sinceMs)
    )
    if (!chance.flip(AT_ONCE)) downUntil(nowMs() + chance.int(1, LONGEST_AWAY_MS))
  })

  return {
    /** Whether what is committed now may be lost. */
    isBehind: () => behind !== undefined,
    step: Effect.suspend(() => {
      if (behind !== undefined) return chance.flip(FAILS_OVER) ? failOver(behind) : Effect.void
      if (!chance.flip(FALLS_BEHIND)) return Effect.void
      return Effect.map(store.mark, () => {
        trace("database", "its standby falls behind")
        behind = { sinceMs: nowMs(), arrived: arrived() }
      })
    }),
    /** The last one, if the standby is behind. */
    end: Effect.suspend(() => (behind === undefined ? Effect.void : failOver(behind)))
  }
}
