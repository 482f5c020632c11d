/** The service's first ledger, on the memory log. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventsTopic, ledgersTopic } from "../../../../src/spine/event/LedgerEvent.ts"
import { ingest } from "../../../../src/spine/ledger/ingest/Ingest.ts"
import { Log } from "../../../../src/spine/log/Log.ts"
import { firstLedger } from "../../../../src/spine/log/ledgers/FirstLedger.ts"
import { chain } from "../../../support/ledger/chain.ts"
import { awaitLedgers, memoryLayer, oneEventEach } from "../../../support/ledger/ingesting.ts"
import { appendMarkers, markers } from "../../../support/ledger/markers.ts"
import { scriptedSource } from "../../../support/ledger/scriptedSource.ts"

/** A log whose events before the offset have been dropped by retention. */
const withEventsFrom = (start: number) =>
  Effect.map(Log, (log) => ({
    ...log,
    offsets: (partition: Parameters<typeof log.offsets>[0]) =>
      Effect.map(log.offsets(partition), (found) =>
        partition.topic === eventsTopic("mainnet") ? { ...found, start } : found
      )
  }))

/** Ledgers 100 and 104 are empty; every other ledger has index % 4 events. */
const takeLedgers = Effect.gen(function* () {
  const source = scriptedSource()
  source.serve(chain(100, 107))
  yield* ingest({ network: "mainnet", start: 100, detect: oneEventEach }).pipe(
    Effect.provide(source.layer),
    Effect.forkScoped
  )
  yield* source.announce(107)
  yield* awaitLedgers(8)
})

const firstWith = (eventsFrom: number) =>
  Effect.gen(function* () {
    const found = yield* firstLedger(yield* withEventsFrom(eventsFrom), "mainnet")
    return found?.ledger_index
  })

describe("the service's first ledger", () => {
  it.effect("is the first one that it processed, and undefined before that", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* firstWith(0))
      yield* takeLedgers
      assert.strictEqual(yield* firstWith(0), 100)
    }).pipe(Effect.scoped, Effect.provide(memoryLayer()))
  )

  it.effect("is the first whose events are all kept, if markers are kept longer than events", () =>
    Effect.gen(function* () {
      yield* takeLedgers
      // 101: offset 0; 102: 1 and 2; 103: 3 to 5; 105: 6.
      assert.strictEqual(yield* firstWith(1), 102)
      assert.strictEqual(yield* firstWith(2), 103)
      assert.strictEqual(yield* firstWith(4), 104)
      assert.strictEqual(yield* firstWith(6), 105)
    }).pipe(Effect.scoped, Effect.provide(memoryLayer()))
  )

  it.effect("is never a simulated one", () =>
    Effect.gen(function* () {
      const log = yield* Log
      const simulated = markers(50, 60, "simulated").map((marker) => ({
        ...marker,
        simulated: true as const
      }))
      yield* appendMarkers("mainnet", simulated)
      assert.isUndefined(yield* firstLedger(log, "mainnet"))
      yield* appendMarkers("mainnet", markers(100, 105))
      assert.strictEqual((yield* firstLedger(log, "mainnet"))?.ledger_index, 100)
      assert.strictEqual((yield* log.offsets({ topic: ledgersTopic("mainnet"), partition: 0 })).end, 17)
    }).pipe(Effect.provide(memoryLayer()))
  )
})
