/** Ingest as a test runs it: against given servers, into the log of the context, with one event per transaction. */
import { Effect, type Fiber, Layer, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { isoTime, type Ledger } from "../../../src/spine/event/Ledger.ts"
import {
  type Detection,
  eventsTopic,
  type LedgerEvent,
  type LedgerMarker,
  ledgersTopic
} from "../../../src/spine/event/LedgerEvent.ts"
import { type IngestOptions, ingest } from "../../../src/spine/ledger/ingest/Ingest.ts"
import * as RippledSource from "../../../src/spine/ledger/servers/RippledSource.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { Health } from "../../../src/spine/observe/Health.ts"
import * as MemoryLog from "../log/memory/MemoryLog.ts"
import { settingsLayer } from "../program/settings.ts"

/** A fresh log in memory and an empty health registry. */
export const memoryLayer = () => Layer.merge(Layer.provide(MemoryLog.layer, settingsLayer()), Health.layer)

export const oneEventEach = (ledger: Ledger): Detection => ({
  events: ledger.transactions.map(({ hash }) => ({
    event_id: `xrpl:${ledger.ledger_index}:${hash}:account.settings_changed`,
    event_type: "account.settings_changed",
    ledger_index: ledger.ledger_index,
    timestamp: isoTime(ledger.close_time!),
    payload: { tx_hash: hash },
    accounts: []
  })),
  alerts: []
})

/** Ingest of mainnet in a fiber of the scope. */
export const ingesting = (
  urls: ReadonlyArray<string>,
  options: Partial<Omit<IngestOptions, "network">> = {}
): Effect.Effect<Fiber.Fiber<never>, never, Log | Health | Scope.Scope> =>
  ingest({
    network: "mainnet",
    start: "latest",
    detect: oneEventEach,
    ...options
  }).pipe(Effect.provide(RippledSource.layer({ network: "mainnet", urls })), Effect.forkScoped)

/** More records than any test here writes. */
const ALL = 1_000_000

const recordsOf = Effect.fnUntraced(function* (topic: string) {
  const log = yield* Log
  return yield* log.read({ topic, partition: 0, offset: 0 }, ALL)
})

export const markers = recordsOf(ledgersTopic("mainnet")).pipe(
  // The cast is safe: ingest wrote this form.
  Effect.map((records) => records.map(({ value }) => JSON.parse(value!) as LedgerMarker))
)

export const events = recordsOf(eventsTopic("mainnet")).pipe(
  Effect.map((records) => records.map(({ value }) => JSON.parse(value!) as LedgerEvent))
)

export const takenIndexes = Effect.map(markers, (all) => all.map(({ ledger_index }) => ledger_index))

/** Waits until that many ledgers are in the log. */
export const awaitLedgers = Effect.fnUntraced(function* (count: number) {
  const log = yield* Log
  yield* log.awaitOffset({ topic: ledgersTopic("mainnet"), partition: 0, offset: count - 1 })
})

const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

/** A condition counts as missed after both. A busy machine makes few steps, or answers late to many. */
const STEPS_MAX = 20_000
const PATIENCE_MS = 20_000
/** A request and its answer between sockets of one process need about four turns of the event loop. */
const TURNS_PER_STEP = 10

const stepping = <E, R>(condition: Effect.Effect<boolean, E, R>, step: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const beganMs = performance.now()
    for (let i = 0; i < STEPS_MAX || performance.now() - beganMs < PATIENCE_MS; i++) {
      if (yield* condition) return
      for (let n = 0; n < TURNS_PER_STEP; n++) yield* turn
      yield* step
    }
    return yield* Effect.die(new Error("the awaited condition did not come about"))
  })

/** Waits until data on real sockets has made `condition` true; the virtual clock does not advance. */
export const eventually = <E, R>(condition: Effect.Effect<boolean, E, R>) => stepping(condition, Effect.void)

/** Waits until `condition` is true, and advances the virtual clock whenever the sockets have had time to answer. */
export const eventuallyAdvancing = <E, R>(condition: Effect.Effect<boolean, E, R>, stepMs = 100) =>
  stepping(condition, TestClock.adjust(stepMs))
