/**
 * Reports the progress of ingest of one network: as its part of `Health`, to other processes (`share`), and in the
 * program's log when it is blocked, continues, or catches up (every `catchUpReportMs`), and once when the servers are
 * below the last taken ledger. Nothing here delays ingest.
 */
import { Effect, Latch } from "effect"
import { Limits } from "../../config/Limits.ts"
import type { LedgerMarker } from "../../event/LedgerEvent.ts"
import type { Network } from "../../event/Network.ts"
import { Health, ledgerPart } from "../../observe/Health.ts"
import { bothClocks, monotonicNow } from "../../words/Monotonic.ts"
import { LedgerSource } from "../servers/LedgerSource.ts"
import { addSample, remaining } from "./CatchUpRate.ts"
import { networkFacts, type Progress } from "./IngestProgress.ts"
import { showProgress } from "./LedgerMetrics.ts"
import { flatFacts, headTooLow, type NetworkFacts, networkState } from "./NetworkFacts.ts"

/** How often what is known of the network is written for other processes, and how often at least. */
const WRITTEN_MS = { shortest: 1_000, longest: 3_000 }
/** The timeout of that write. Newer facts wait for it. */
const WRITE_MS = 5_000
/** How often progress is logged while ingest catches up. */
const REPORT_MS = 5_000
/** The smallest lag in ledgers at which it is logged. */
const REPORTED_FROM = 20

export interface ProgressReporter {
  readonly started: (first: number, checkpoint: LedgerMarker | undefined) => Effect.Effect<void>
  readonly blocked: (kind: "waiting" | "stopped", detail: string) => Effect.Effect<void>
  /** A ledger that links has arrived. */
  readonly unblocked: (index: number) => Effect.Effect<void>
  readonly appended: (last: LedgerMarker) => Effect.Effect<void>
}

/** Whether other processes should learn of it at once. */
const hasChanged = (facts: NetworkFacts, before: NetworkFacts | undefined): boolean =>
  facts.head !== before?.head ||
  facts.last_taken !== before.last_taken ||
  networkState(facts).status !== networkState(before).status

export const makeProgressReporter = Effect.fnUntraced(function* (
  network: Network,
  skippedLedgers: Effect.Effect<number | undefined>,
  share: (facts: NetworkFacts) => Effect.Effect<void>
) {
  const part = ledgerPart(network)
  const source = yield* LedgerSource
  const health = yield* Health
  let progress: Progress = {
    lastTaken: undefined,
    lastCloseTime: undefined,
    movedAt: yield* monotonicNow,
    samples: [],
    obstacle: undefined
  }
  let reportedAt = progress.movedAt
  let isReporting = false

  const headIndex = Effect.map(source.state, ({ head }) => head?.ledgerIndex)
  const readFacts = Effect.gen(function* () {
    return networkFacts(progress, yield* source.state, yield* bothClocks)
  })

  yield* health.watch(
    part,
    Effect.map(readFacts, (facts) => {
      const { detail, status } = networkState(facts)
      return { status: status === "reset" ? "failed" : status, detail, facts: flatFacts(facts) }
    })
  )

  let facts = yield* readFacts
  let shared: { readonly facts: NetworkFacts; readonly at: number } | undefined
  /** Opened when a ledger was taken. */
  const moved = Latch.makeUnsafe()
  /** Returns whether the facts were shared. */
  const shareNews = Effect.gen(function* () {
    moved.closeUnsafe()
    facts = yield* readFacts
    const now = yield* monotonicNow
    if (shared !== undefined && now - shared.at < WRITTEN_MS.longest && !hasChanged(facts, shared.facts))
      return false
    shared = { facts, at: now }
    // If it fails, the next one has newer facts.
    yield* Effect.timeoutOption(share(facts), WRITE_MS)
    return true
  })
  const pause = Effect.sleep(WRITTEN_MS.shortest)
  yield* Effect.forkScoped(
    Effect.forever(
      Effect.flatMap(shareNews, (wasShared) =>
        wasShared ? pause : Effect.raceFirst(pause, Latch.await(moved))
      )
    )
  )

  yield* showProgress(
    network,
    () => progress,
    () => facts.idle
  )

  const report = Effect.fnUntraced(function* (now: number) {
    const { head } = yield* source.state
    if (head === undefined) return
    const { ledgers, ledgers_per_second, seconds } = remaining(progress.samples, head.ledgerIndex, now)
    const last_taken = progress.lastTaken
    if (ledgers >= REPORTED_FROM) {
      if (now - reportedAt < REPORT_MS) return
      reportedAt = now
      isReporting = true
      yield* Effect.logInfo("catching up").pipe(
        Effect.annotateLogs({ last_taken, remaining: ledgers, ledgers_per_second, seconds_left: seconds })
      )
    } else if (isReporting && ledgers <= 1) {
      isReporting = false
      yield* Effect.logInfo("caught up").pipe(Effect.annotateLogs({ last_taken }))
    }
  })

  let isLow = false
  /** Nothing else notices that the head is too low: no ledger arrives, and no server fails. */
  const watch = Effect.gen(function* () {
    const low = headTooLow(yield* readFacts)
    const isNews = low?.isLasting === true && !isLow
    isLow = low?.isLasting === true || (isLow && low !== undefined)
    if (isNews)
      yield* Effect.logWarning("no ledger can be taken").pipe(
        Effect.annotateLogs({ detail: low.detail, last_taken: progress.lastTaken })
      )
    const skipped = yield* skippedLedgers
    progress = { ...progress, skipped: skipped ?? progress.skipped }
  })
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(watch, Effect.sleep(Limits.reportMs))))

  const reporter: ProgressReporter = {
    started: Effect.fnUntraced(function* (first, checkpoint) {
      progress = {
        ...progress,
        lastTaken: first - 1,
        lastCloseTime: checkpoint?.close_time,
        samples: [{ at: yield* monotonicNow, lastTaken: first - 1, head: yield* headIndex }],
        obstacle: undefined
      }
      yield* Effect.logInfo("ingest starts").pipe(Effect.annotateLogs({ first }))
    }),
    blocked: (kind, detail) =>
      Effect.suspend(() => {
        // While the chain is stopped, a missing ledger further ahead must not hide the stop.
        if (kind === "waiting" && progress.obstacle?.kind === "stopped") return Effect.void
        const isNews = progress.obstacle?.detail !== detail
        progress = { ...progress, obstacle: { kind, detail } }
        if (!isNews) return Effect.void
        return kind === "stopped"
          ? Effect.logError("ingest stopped").pipe(Effect.annotateLogs({ detail }))
          : Effect.logWarning("ingest waits").pipe(Effect.annotateLogs({ detail }))
      }),
    unblocked: (index) =>
      Effect.suspend(() => {
        const wasStopped = progress.obstacle?.kind === "stopped"
        progress = { ...progress, obstacle: undefined }
        return wasStopped
          ? Effect.logInfo("ingest resumes").pipe(Effect.annotateLogs({ ledger_index: index }))
          : Effect.void
      }),
    appended: Effect.fnUntraced(function* ({ close_time, ledger_index }) {
      const now = yield* monotonicNow
      progress = {
        ...progress,
        lastTaken: ledger_index,
        lastCloseTime: close_time,
        movedAt: now,
        samples: addSample(progress.samples, { at: now, lastTaken: ledger_index, head: yield* headIndex }),
        obstacle: undefined
      }
      moved.openUnsafe()
      yield* report(now)
    })
  }
  return reporter
})
