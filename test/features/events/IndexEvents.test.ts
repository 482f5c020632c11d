/**
 * The events stage on a real database: each event is written once, whichever process dies, and deleted after
 * retention.
 */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Metric, Option } from "effect"
import { SqlClient } from "effect/sql"
import { EventIndex } from "../../../src/features/events/EventIndex.ts"
import { events } from "../../../src/features/events/IndexEvents.ts"
import { eventsTopic, type LedgerEvent } from "../../../src/spine/event/LedgerEvent.ts"
import { Log, LogError } from "../../../src/spine/log/Log.ts"
import { makeDeadLetters } from "../../../src/spine/store/DeadLetters.ts"
import { eventually } from "../../support/deliver/delivering.ts"
import { addresses, eventOf, recordOf } from "../../support/deliver/events.ts"
import * as MemoryLog from "../../support/log/memory/MemoryLog.ts"
import { settingsLayer } from "../../support/program/settings.ts"
import { TestDatabase } from "../../support/store/postgres.ts"

const DAY_MS = 86_400_000
const NOW = Date.parse("2026-11-21T09:30:00.000Z")
const timestampOf = (unixMs: number) => `${new Date(unixMs).toISOString().slice(0, 19)}Z`

/** No event of a test is past retention by the machine's clock. */
const storing = EventIndex.layer.pipe(
  Layer.provideMerge(Layer.merge(TestDatabase, MemoryLog.layer)),
  Layer.provideMerge(settingsLayer({ RETENTION_EVENTS: "36500 days" }))
)
/** The default retention. */
const forgetting = EventIndex.layer.pipe(
  Layer.provideMerge(TestDatabase),
  Layer.provideMerge(settingsLayer())
)

const ledger = (ledgerIndex: number, count: number): ReadonlyArray<LedgerEvent> =>
  Array.from({ length: count }, (_, position) =>
    eventOf({
      ledgerIndex,
      position,
      timestamp: timestampOf(NOW + ledgerIndex * 4_000),
      accounts: addresses.slice(0, 1 + (position % 3))
    })
  )

const append = Effect.fnUntraced(function* (found: ReadonlyArray<LedgerEvent>) {
  const log = yield* Log
  yield* log.transaction({ append: found.map(recordOf) })
})

const stored = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly event_id: string; readonly payload: string }>`
    SELECT event_id, payload FROM events ORDER BY network, close_time, ledger_index, position`
  const accounts = yield* sql<{ readonly event_id: string; readonly accounts: ReadonlyArray<string> }>`
    SELECT event_id, array_agg(account ORDER BY account) AS accounts
    FROM events JOIN event_accounts USING (network, close_time, ledger_index, position, event_type)
    GROUP BY event_id`
  return { rows, accounts: new Map(accounts.map((row) => [row.event_id, row.accounts])) }
})

const assertStored = (expected: ReadonlyArray<LedgerEvent>) =>
  Effect.map(stored, ({ rows, accounts }) => {
    assert.deepStrictEqual(
      rows,
      expected.map((event) => ({ event_id: event.event_id, payload: JSON.stringify(event.payload) }))
    )
    for (const event of expected) {
      assert.deepStrictEqual(accounts.get(event.event_id), event.accounts.toSorted(), event.event_id)
    }
  })

const deadLettersMetric = (stage: string) =>
  Effect.map(Metric.snapshot, (all) => {
    const found = all.find(
      ({ attributes, id }) => id === "ledgerhook_quarantined_total" && attributes?.["stage"] === stage
    )
    return found?.type === "Counter" ? Number(found.state.count) : 0
  })

const committed = Effect.flatMap(Log, (log) =>
  log.committed("events", { topic: eventsTopic("mainnet"), partition: 0 })
)

/** A log whose first commits fail. */
const failingCommits = (operation: "commit" | "fence", times: number) =>
  Layer.effect(
    Log,
    Effect.map(Log, (log) =>
      Log.of({
        ...log,
        consume: (options, handle) => {
          let left = times
          return log.consume(options, (partition) =>
            handle({
              ...partition,
              commit: (offset) =>
                Effect.suspend(() =>
                  left-- > 0
                    ? Effect.fail(
                        new LogError({ operation, topic: partition.topic, cause: new Error("away") })
                      )
                    : partition.commit(offset)
                )
            })
          )
        }
      })
    )
  )

const partitionNames = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly name: string }>`
    SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent IN ('events'::regclass, 'event_accounts'::regclass) ORDER BY c.relname`
  return rows.map(({ name }) => name)
})

describe("events", () => {
  it.live("writes what the watched networks produce, with the bytes of each payload, and commits it", () =>
    Effect.gen(function* () {
      const first = ledger(1, 700)
      yield* append(first)
      yield* append([eventOf({ network: "devnet" })])
      yield* Effect.forkScoped(events(["mainnet", "testnet"]))
      const second = ledger(2, 30)
      const elsewhere = eventOf({ network: "testnet", timestamp: timestampOf(NOW) })
      yield* append([...second, elsewhere])
      yield* eventually(assertStored([...first, ...second, elsewhere]))
      yield* eventually(
        Effect.map(committed, (offset) => assert.strictEqual(offset, first.length + second.length))
      )
    }).pipe(Effect.scoped, Effect.provide(storing))
  )

  it.live("repeats a batch harmlessly when it loses its partition between rows and commit", () =>
    Effect.gen(function* () {
      const all = ledger(1, 40)
      yield* append(all)
      const losing = Layer.fresh(failingCommits("fence", 1))
      const exit = yield* Effect.exit(events(["mainnet"]).pipe(Effect.provide(losing)))
      assert.include(
        Exit.isFailure(exit) ? String(Option.getOrUndefined(Cause.findErrorOption(exit.cause))) : "",
        "LogError"
      )
      yield* assertStored(all)
      assert.strictEqual(yield* committed, 0)
      yield* Effect.forkScoped(events(["mainnet"]))
      const later = ledger(2, 3)
      yield* append(later)
      yield* eventually(assertStored([...all, ...later]))
    }).pipe(Effect.scoped, Effect.provide(storing))
  )

  it.live("tries a failed commit again, and continues", () =>
    Effect.gen(function* () {
      const away = Layer.fresh(failingCommits("commit", 3))
      yield* Effect.forkScoped(events(["mainnet"]).pipe(Effect.provide(away)))
      for (const ledgerIndex of [1, 2]) {
        const some = ledger(ledgerIndex, 3)
        yield* append(some)
        yield* eventually(
          Effect.map(committed, (offset) => assert.strictEqual(offset, ledgerIndex * some.length))
        )
      }
    }).pipe(Effect.scoped, Effect.provide(storing))
  )

  it.live("makes dead letters of records that are no events, and continues", () =>
    Effect.gen(function* () {
      const log = yield* Log
      const topic = eventsTopic("mainnet")
      const [event] = ledger(2, 1)
      const bad = [
        "",
        "null",
        "{}",
        "no JSON",
        JSON.stringify({ ...event, accounts: undefined }),
        JSON.stringify({ ...event, timestamp: "yesterday" })
      ]
      yield* log.transaction({ append: bad.map((value) => ({ topic, key: "mainnet", value })) })
      yield* append(ledger(1, 1))
      yield* Effect.forkScoped(events(["mainnet"]))
      yield* eventually(Effect.map(committed, (offset) => assert.strictEqual(offset, bad.length + 1)))
      yield* assertStored(ledger(1, 1))
      const { rows, total } = yield* (yield* makeDeadLetters).newest(1)
      assert.strictEqual(total, bad.length)
      assert.deepInclude(rows[0], {
        stage: "events",
        source: "xrpl.mainnet.events/0@5",
        reason: "it does not have the form of an event",
        record: bad[5]!
      })
    }).pipe(Effect.scoped, Effect.provide(storing))
  )

  it.live("makes dead letters of an event with a NUL in a field, and writes the others of its batch", () =>
    Effect.gen(function* () {
      const good = ledger(1, 300)
      const [one, another] = ledger(2, 2)
      const bad = [
        { ...one!, event_id: `${one!.event_id}\0` },
        { ...another!, accounts: ["rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh\0"] }
      ]
      yield* append([...good.slice(0, 130), ...bad, ...good.slice(130)])
      yield* Effect.forkScoped(events(["mainnet"]))
      const later = ledger(3, 2)
      yield* append(later)
      yield* eventually(assertStored([...good, ...later]))
      yield* eventually(Effect.map(committed, (offset) => assert.strictEqual(offset, 304)))
      const { rows } = yield* (yield* makeDeadLetters).newest(10)
      assert.deepStrictEqual(
        rows.map(({ reason, source }) => [source, reason]),
        ["xrpl.mainnet.events/0@131", "xrpl.mainnet.events/0@130"].map((source) => [
          source,
          'invalid byte sequence for encoding "UTF8": 0x00'
        ])
      )
      assert.isAbove(yield* deadLettersMetric("events"), 1)
    }).pipe(Effect.scoped, Effect.provide(storing))
  )
})

describe("event store", () => {
  it.live("stores an event once, even if several processes write it at once", () =>
    Effect.gen(function* () {
      const store = yield* EventIndex
      const all = ledger(1, 50)
      yield* Effect.all(
        [all, all.slice(0, 20), all.slice(10), all].map((some) => store.insert(some, NOW)),
        { concurrency: "unbounded" }
      )
      yield* assertStored(all)
    }).pipe(Effect.provide(forgetting))
  )

  it.live("drops whole partitions past retention, and makes none for older events", () =>
    Effect.gen(function* () {
      const store = yield* EventIndex
      const at = (daysAgo: number) =>
        eventOf({ ledgerIndex: 100_000 - daysAgo, timestamp: timestampOf(NOW - daysAgo * DAY_MS) })
      yield* store.insert([at(800), at(390), at(0)], NOW)
      yield* assertStored([at(390), at(0)])
      assert.lengthOf(yield* partitionNames, 4)
      assert.strictEqual(yield* store.applyRetention(NOW), 0)
      assert.strictEqual(yield* store.applyRetention(NOW + 60 * DAY_MS), 2)
      yield* assertStored([at(0)])
      yield* store.insert([at(390), at(0)], NOW + 60 * DAY_MS)
      yield* assertStored([at(0)])
    }).pipe(Effect.provide(forgetting))
  )

  it.live("notices that another process has dropped a partition", () =>
    Effect.gen(function* () {
      const store = yield* EventIndex
      const old = eventOf({ timestamp: timestampOf(NOW - 390 * DAY_MS) })
      yield* store.insert([old], NOW)
      const sql = yield* SqlClient.SqlClient
      for (const name of yield* partitionNames) yield* sql`DROP TABLE ${sql(name)}`
      assert.strictEqual((yield* Effect.flip(store.insert([old], NOW)))._tag, "SqlError")
      yield* store.insert([old], NOW)
      yield* assertStored([old])
    }).pipe(Effect.provide(forgetting))
  )
})
