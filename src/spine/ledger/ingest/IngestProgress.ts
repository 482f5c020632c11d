/**
 * What ingest of one network knows, from its progress and the state of its servers. ledger/ingest/NetworkFacts.ts
 * judges it. Pure.
 */
import type { BothClocks } from "../../words/Monotonic.ts"
import type { SourceState } from "../servers/LedgerSource.ts"
import { isUnfit } from "../servers/ServerSelection.ts"
import { type ProgressSamples, remaining } from "./CatchUpRate.ts"
import type { NetworkFacts } from "./NetworkFacts.ts"

export interface Progress {
  readonly lastTaken: number | undefined
  readonly lastCloseTime: string | undefined
  /** When this process last took a ledger, or started, on the monotonic clock. */
  readonly movedAt: number
  readonly samples: ProgressSamples
  /** How many ledgers of the network were skipped so far; undefined: not known yet. */
  readonly skipped?: number | undefined
  /** Why the next ledger cannot be taken now. */
  readonly obstacle: { readonly kind: "waiting" | "stopped"; readonly detail: string } | undefined
}

/** A moment of the monotonic clock, as wall-clock time. */
const shown = (at: number | undefined, { monotonicMs, wallMs }: BothClocks): string | null =>
  at === undefined ? null : new Date(Math.round(wallMs + at - monotonicMs)).toISOString()

export const networkFacts = (progress: Progress, source: SourceState, now: BothClocks): NetworkFacts => {
  const { head, headAt, lastError } = source
  const pace = head && remaining(progress.samples, head.ledgerIndex, now.monotonicMs)
  return {
    server: source.server ?? null,
    servers: source.servers.map(({ backingOffUntil, head: its, lastFault, ledgers, server, state }) => ({
      address: server,
      state,
      head: its ?? null,
      ledgers: ledgers ?? null,
      last_fault:
        lastFault === undefined
          ? null
          : { reason: lastFault.reason, detail: lastFault.detail, is_unfit: isUnfit(lastFault.reason) },
      backing_off_until: shown(backingOffUntil, now)
    })),
    head: head?.ledgerIndex ?? null,
    head_at: shown(headAt, now),
    head_ago_ms: headAt === undefined ? null : Math.round(now.monotonicMs - headAt),
    last_taken: progress.lastTaken ?? null,
    last_close_time: progress.lastCloseTime ?? null,
    moved_ago_ms: Math.round(now.monotonicMs - progress.movedAt),
    obstacle: progress.obstacle ?? null,
    last_error: lastError === undefined ? null : { server: lastError.server, detail: lastError.detail },
    idle: source.idle ?? null,
    skipped_ledgers: progress.skipped ?? null,
    ledgers_per_second: pace?.ledgers_per_second ?? null,
    seconds_left: pace?.seconds ?? null
  }
}
