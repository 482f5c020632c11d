/**
 * `ledger verify` on a log that another process owns: complete chains pass, the first fault is named, servers are
 * compared.
 */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { type VerifyOptions, verifyChain } from "../../../src/features/ledgerTools/VerifyChain.ts"
import { type LedgerMarker, ledgersTopic } from "../../../src/spine/event/LedgerEvent.ts"
import { normaliseLedger } from "../../../src/spine/event/NormaliseLedger.ts"
import {
  eventRecords,
  isChecked,
  markerOf,
  markerRecord
} from "../../../src/spine/ledger/ingest/LedgerRecords.ts"
import * as EmbeddedLog from "../../../src/spine/log/embedded/EmbeddedLog.ts"
import { Log, LogReader } from "../../../src/spine/log/Log.ts"
import { Invocation } from "../../../src/terminal/Invocation.ts"
import { chain, type RawLedger } from "../../support/ledger/chain.ts"
import { oneEventEach } from "../../support/ledger/ingesting.ts"
import { rippledServer } from "../../support/ledger/rippledServer.ts"
import { settingsLayer } from "../../support/program/settings.ts"
import { makeDatabase } from "../../support/store/postgres.ts"
import { batchOf } from "../events/transactions.ts"

const invocation = Layer.succeed(Invocation, {
  environment: {},
  stdoutTerminal: false,
  stderrTerminal: false
})

/** The log as its owner opens it, and as a separate reader sees it. */
const ownedLog = Effect.gen(function* () {
  const database = yield* makeDatabase
  const owner = yield* Layer.build(
    EmbeddedLog.layer.pipe(
      Layer.provide(settingsLayer()),
      Layer.provide(PgClient.layer({ ...database, maxConnections: 3 }))
    )
  )
  const reader = yield* Layer.build(
    EmbeddedLog.readerLayer.pipe(Layer.provide(PgClient.layer({ ...database, maxConnections: 2 })))
  )
  return { log: Context.get(owner, Log), reader: Context.get(reader, LogReader) }
})

type Change = (marker: LedgerMarker) => LedgerMarker

/** Appends a ledger as ingest does. */
const take = (log: Log["Service"], raw: RawLedger, change: Change = (marker) => marker) => {
  const { ledger } = normaliseLedger(raw)!
  if (!isChecked(ledger)) throw new Error("a made-up ledger lacks its header")
  const { events } = oneEventEach(ledger)
  return log.transaction({
    append: eventRecords("mainnet", ledger, events, ledger.ledger_index),
    appendThen: (positions) => [
      markerRecord(
        "mainnet",
        change(markerOf(ledger, events.length, positions[0]?.offset ?? null, ledger.ledger_index))
      )
    ]
  })
}

const takeAll = (log: Log["Service"], ledgers: ReadonlyArray<RawLedger>) =>
  Effect.forEach(ledgers, (raw) => take(log, raw), { discard: true })

const verify = (reader: LogReader["Service"], options: Partial<VerifyOptions> = {}) =>
  verifyChain({ network: "mainnet", from: 20, to: 119, against: undefined, ...options }).pipe(
    Effect.provideService(LogReader, reader),
    Effect.provide(invocation)
  )

describe("ledger verify", () => {
  it.live("counts recorded transactions, and finds one that is missing or in another's place", () =>
    Effect.gen(function* () {
      const { log, reader } = yield* ownedLog
      const ledgers = chain(20, 40, { transactions: 3 })
      const { append, appendThen } = batchOf("mainnet", ledgers, 1)
      yield* log.transaction({ append, ...(appendThen && { appendThen }) })
      const range = { from: 20, to: 40 }
      const { fault, transactions } = yield* verify(reader, range)
      assert.deepStrictEqual([fault, transactions], [null, ledgers.length * 3])
      // The marker of the next ledger counts a record that the ledger after it has.
      const [next, after] = chain(41, 42, { transactions: 2 }).map((raw) => batchOf("mainnet", [raw], 2))
      yield* log.transaction({
        append: next!.append.slice(0, 1).concat(after!.append),
        appendThen: (positions) => next!.appendThen!(positions)
      })
      const broken = yield* verify(reader, { from: 41, to: 41 })
      assert.strictEqual(
        broken.fault?.message,
        "transaction record 2 of 2 of ledger 41 should be at offset 64, but there is another record"
      )
    }).pipe(Effect.scoped)
  )

  it.live("passes a chain that its owner is still writing", () =>
    Effect.gen(function* () {
      const { log, reader } = yield* ownedLog
      yield* takeAll(log, chain(10, 130))
      const result = yield* verify(reader)
      assert.deepStrictEqual(
        [result.ok, result.fault, result.ledgers, result.events, result.last_hash],
        [true, null, 100, 150, chain(119, 119)[0]!.ledger_hash]
      )
      yield* takeAll(log, chain(131, 140))
      assert.strictEqual((yield* verify(reader, { from: 130, to: 140 })).ledgers, 11)
      const offsets = { topic: ledgersTopic("mainnet"), partition: 0 }
      assert.deepStrictEqual(yield* reader.offsets(offsets), yield* log.offsets(offsets))
      assert.deepStrictEqual(yield* reader.last(offsets), yield* log.last(offsets))
    })
  )

  it.live("passes two ranges that link by hash", () =>
    Effect.gen(function* () {
      const { log, reader } = yield* ownedLog
      for (const raw of chain(20, 119)) {
        const since = raw.ledger_index < 70 ? 20 : 70
        yield* take(log, raw, (marker) => ({ ...marker, range_since: since }))
      }
      const result = yield* verify(reader)
      assert.deepStrictEqual([result.fault, result.ledgers], [null, 100])
    })
  )

  it.live("passes a ledger that an operator skipped, and counts it", () =>
    Effect.gen(function* () {
      const { log, reader } = yield* ownedLog
      for (const raw of chain(20, 119))
        yield* raw.ledger_index === 55
          ? take(log, { ...raw, transactions: [] }, (marker) => ({ ...marker, skipped: "lost" }))
          : take(log, raw)
      const result = yield* verify(reader)
      assert.deepStrictEqual([result.fault, result.ledgers, result.skipped], [null, 100, 1])
    })
  )

  it.live("reports which ledgers the log has if the range is incomplete", () =>
    Effect.gen(function* () {
      const { log, reader } = yield* ownedLog
      assert.match((yield* verify(reader)).fault?.message ?? "", /contains no ledger of mainnet/)
      yield* takeAll(log, [...chain(30, 60), ...chain(80, 90)])
      const before = yield* verify(reader)
      assert.deepStrictEqual([before.ok, before.ledgers], [false, 0])
      assert.strictEqual(before.fault?.message, "ledger 20 is missing: the log contains 30 to 60, 80 to 90")
      const gap = yield* verify(reader, { from: 35 })
      assert.deepStrictEqual([gap.fault?.ledger_index, gap.ledgers], [61, 26])
      const end = yield* verify(reader, { from: 82, to: 91 })
      assert.strictEqual(end.fault?.message, "ledger 91 is missing: the log ends before it")
    })
  )

  const faults: ReadonlyArray<readonly [what: string, change: Change, said: RegExp]> = [
    [
      "a parent of another chain",
      (marker) => ({ ...marker, parent_hash: "F".repeat(64) }),
      /parent hash of ledger/
    ],
    ["a time that falls", (marker) => ({ ...marker, close_time: "2001-01-01T00:00:00Z" }), /closed at/],
    ["an event too few", (marker) => ({ ...marker, event_count: 4 }), /event 4 of 4 of ledger 55/],
    // `verify` finds this fault where the next ledger's events should be.
    ["an event too many", (marker) => ({ ...marker, event_count: 2 }), /ledger 57 should be at offset/],
    ["events elsewhere", (marker) => ({ ...marker, first_event_offset: 1 }), /should be at offset 1,/]
  ]
  for (const [what, change, said] of faults) {
    it.live(`names the first fault: ${what}`, () =>
      Effect.gen(function* () {
        const { log, reader } = yield* ownedLog
        for (const raw of chain(20, 119)) yield* take(log, raw, raw.ledger_index === 55 ? change : undefined)
        const result = yield* verify(reader)
        assert.isFalse(result.ok)
        assert.match(result.fault?.message ?? "", said)
        assert.strictEqual(result.ledgers, (result.fault?.ledger_index ?? 0) - 20)
        assert.isTrue((yield* verify(reader, { from: 58 })).ok)
      })
    )
  }

  it.live("finds an event after the last ledger's, and a record that is not a marker", () =>
    Effect.gen(function* () {
      const { log, reader } = yield* ownedLog
      yield* takeAll(log, chain(20, 54))
      yield* take(log, chain(55, 55)[0]!, (marker) => ({ ...marker, event_count: 2 }))
      assert.match((yield* verify(reader, { to: 55 })).fault?.message ?? "", /another event of ledger 55/)
      yield* log.transaction({ append: [{ topic: ledgersTopic("mainnet"), key: "mainnet", value: "{}" }] })
      const { fault } = yield* verify(reader, { from: 20, to: 56 })
      assert.match(fault?.message ?? "", /^record 36 of xrpl\.mainnet\.ledgers is not a ledger marker$/)
    })
  )

  it.live("compares with a server: the first ledger that differs is named", () =>
    Effect.gen(function* () {
      const { log, reader } = yield* ownedLog
      yield* takeAll(log, chain(20, 119))
      const server = yield* rippledServer()
      server.serve(chain(20, 119))
      server.close(119)
      const same = yield* verify(reader, { against: server.url })
      assert.deepStrictEqual([same.ok, same.ledgers, same.against], [true, 100, new URL(server.url).host])
      // The command requested only hashes, each of them once.
      assert.strictEqual(server.requests.filter((request) => request.startsWith("ledger ")).length, 100)
      server.serve(chain(70, 119, { name: "another" }))
      const other = yield* verify(reader, { against: server.url })
      assert.deepStrictEqual([other.ok, other.fault?.ledger_index, other.ledgers], [false, 70, 50])
    })
  )

  it.live("does not report a broken chain if a server is unavailable", () =>
    Effect.gen(function* () {
      const { log, reader } = yield* ownedLog
      yield* takeAll(log, chain(20, 119))
      const stranger = yield* rippledServer({ networkId: 1 })
      const error = yield* Effect.flip(verify(reader, { against: stranger.url }))
      assert.match(error.message, /network_id is 1/)
    })
  )
})
