/**
 * A network with history: the service ingests the newest ledgers, and a separate server has the older ones. A replay of
 * the older ledgers must deliver the events that live ingest would have detected in them.
 */
import { assert } from "@effect/vitest"
import { Effect, Layer, Schedule, type Scope } from "effect"
import { replay } from "../../../src/features/replay/ReplayJobs.ts"
import { historyEventsTopic, historyLedgersTopic } from "../../../src/spine/domain/Backfill.ts"
import type { ReplayFilters } from "../../../src/spine/domain/Replay.ts"
import { rippleToUnixMs } from "../../../src/spine/event/Ledger.ts"
import type { LedgerEvent, LedgerMarker } from "../../../src/spine/event/LedgerEvent.ts"
import { type BackfillOptions, history } from "../../../src/spine/ledger/backfill/BackfillHistory.ts"
import * as RippledSource from "../../../src/spine/ledger/servers/RippledSource.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { Health } from "../../../src/spine/observe/Health.ts"
import { chain } from "../../support/ledger/chain.ts"
import { awaitLedgers, events, ingesting, memoryLayer, oneEventEach } from "../../support/ledger/ingesting.ts"
import { type RippledServer, rippledServer } from "../../support/ledger/rippledServer.ts"
import { jobRow, queueJob, replayingWith } from "./replaying.ts"

/** The first ledger that the service ingests. */
export const FIRST = 1_000
export const LAST = 1_010

const everything = chain(1, LAST)

/** A time just before that ledger closed, so that the ledger before it is excluded. */
export const justBefore = (index: number): number => rippleToUnixMs(everything[index - 1]!.close_time) - 1

/** The address of the history server is never used, because tests pass the servers directly. */
export const pastLayer = () =>
  replayingWith({ XRPL_MAINNET_HISTORY_URLS: "ws://127.0.0.1:1" }).pipe(Layer.merge(Health.layer))

/** Ingests the network's newest ledgers, as the service does. */
export const takeNewest = Effect.gen(function* () {
  const server = yield* rippledServer()
  server.serve(everything)
  server.close(LAST)
  yield* ingesting([server.url], { start: FIRST })
  yield* awaitLedgers(LAST - FIRST + 1)
})

/** A server with the ledgers from `from` on. */
export const historyServer = (from = 1, options?: Parameters<typeof rippledServer>[0]) =>
  Effect.map(rippledServer(options), (server) => {
    server.serve(everything.slice(from - 1))
    server.close(LAST)
    return server
  })

export const fetching = (servers: ReadonlyArray<RippledServer>, options: Partial<BackfillOptions> = {}) =>
  Effect.forkScoped(
    history({
      network: "mainnet",
      detect: oneEventEach,
      onAlerts: () => Effect.void,
      source: RippledSource.layer({ network: "mainnet", urls: servers.map(({ url }) => url) }),
      ...options
    })
  )

export const working = Effect.forkScoped(replay)

/** The events that live ingest detects in the ledgers from `from` on. */
export const fedFrom = (from: number): Effect.Effect<ReadonlyArray<LedgerEvent>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const server = yield* historyServer()
    yield* ingesting([server.url], { start: from })
    yield* awaitLedgers(LAST - from + 1)
    return yield* events
  }).pipe(Effect.provide(Layer.fresh(memoryLayer())), Effect.orDie)

const read = Effect.fnUntraced(function* (topic: string) {
  const log = yield* Log
  const records = yield* log.read({ topic, partition: 0, offset: 0 }, 1_000_000)
  return records.map(({ value }) => JSON.parse(value!) as unknown)
})

/** The history events that the log contains. */
export const heldEvents = Effect.map(
  read(historyEventsTopic("mainnet")),
  (all) => all as ReadonlyArray<LedgerEvent>
)
export const heldMarkers = Effect.map(
  read(historyLedgersTopic("mainnet")),
  (all) => all as ReadonlyArray<LedgerMarker>
)

/** The indexes of the ledgers that the server was asked for with their transactions. */
export const asked = ({ requests }: RippledServer): ReadonlyArray<number> =>
  requests.flatMap((request) => {
    const index = /^ledger (\d+)$/.exec(request)?.[1]
    return index === undefined ? [] : [Number(index)]
  })

export const replaySince = (sinceMs: number, filters: ReplayFilters = {}) =>
  queueJob({ filters: { ...filters, since: sinceMs } })

/** Waits until the job has ended, and returns it. */
export const ended = Effect.fnUntraced(function* (id: string) {
  return yield* jobRow(id).pipe(
    Effect.repeat({
      until: ({ status }) => status !== "queued" && status !== "running",
      schedule: Schedule.spaced("20 millis")
    }),
    Effect.timeoutOrElse({
      duration: "30 seconds",
      orElse: () => Effect.flatMap(jobRow(id), (job) => Effect.die(new Error(JSON.stringify(job))))
    })
  )
})

export const assertCompleted = Effect.fnUntraced(function* (id: string, expected: number) {
  assert.deepInclude(yield* ended(id), {
    status: "completed",
    error: null,
    processed_events: expected,
    failed_events: 0
  })
})

export const assertRefused = Effect.fnUntraced(function* (id: string, error: string) {
  assert.deepInclude(yield* ended(id), { status: "failed", error, processed_events: 0 })
})

/**
 * Checks that the log's history has every ledger from `from` to just before the service's first one, each once, and
 * the events that live ingest detects in them.
 */
export const assertHeldOnce = Effect.fnUntraced(function* (from: number) {
  const markers = yield* heldMarkers
  const indexes = markers.map(({ ledger_index }) => ledger_index).toSorted((a, b) => a - b)
  assert.deepStrictEqual(
    indexes,
    Array.from({ length: FIRST - from }, (_, i) => from + i)
  )
  const expected = (yield* fedFrom(from)).filter(({ ledger_index }) => ledger_index < FIRST)
  const held = (yield* heldEvents).toSorted(
    (a, b) => a.ledger_index - b.ledger_index || a.position - b.position
  )
  const bytes = (all: ReadonlyArray<LedgerEvent>) =>
    all.map((event) => JSON.stringify({ ...event, detected_at: 0 }))
  assert.deepStrictEqual(bytes(held), bytes(expected))
})
