/**
 * Compares the embedded log with plain PostgreSQL: the same records in the same batches are appended through the log
 * and by INSERT into a table with one row per record, then read from the beginning. `log.single` appends one record a
 * transaction from many callers, which the log groups. `log.kafka` compares the Kafka adapter with a bare client of the
 * same library, if a broker can be started.
 */

import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { stageLimits } from "../src/spine/config/StageLimits.ts"
import { eventsTopic } from "../src/spine/event/LedgerEvent.ts"
import * as EmbeddedLog from "../src/spine/log/embedded/EmbeddedLog.ts"
import { logLimits } from "../src/spine/log/Limits.ts"
import { Log, type NewRecord } from "../src/spine/log/Log.ts"
import { column } from "../src/spine/store/Columns.ts"
import { missing } from "../test/kafka/broker.ts"
import type { Benchmark, Figure } from "./support/Benchmark.ts"
import { measureKafka } from "./support/kafkaLog.ts"
import { inRounds, medianOf, timed } from "./support/rounds.ts"
import { storeLayer } from "./support/store.ts"
import { makeEvents, NETWORK } from "./support/webhooks.ts"

const ROUNDS = 7
const RECORD_BYTES = 1_024
/** How many records a round appends and reads. */
const RECORDS = 10_000
const SINGLE_RECORDS = 2_000
/** How many records ingest and route append at once: a ledger's events, or a batch of deliveries. */
const BATCH = 200
const CALLERS = 64

const TOPIC = eventsTopic(NETWORK)

const recordsOf = (round: number): ReadonlyArray<NewRecord> =>
  makeEvents(RECORDS, RECORD_BYTES, round).map((event) => ({
    topic: TOPIC,
    key: NETWORK,
    value: JSON.stringify(event)
  }))

const inBatches = (records: ReadonlyArray<NewRecord>, size: number) =>
  Array.from({ length: Math.ceil(records.length / size) }, (_, i) => records.slice(i * size, (i + 1) * size))

const makeSides = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const log = yield* Log
  yield* sql`CREATE TABLE bench_plain (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, key text NOT NULL, value text)`

  const insert = (records: ReadonlyArray<NewRecord>) =>
    sql`INSERT INTO bench_plain (key, value) SELECT * FROM unnest(
      ${column(records.map(({ key }) => key))}::text[], ${column(records.map(({ value }) => value))}::text[])`

  const readLog = Effect.fnUntraced(function* (from: number, count: number) {
    for (let offset = from; offset < from + count; ) {
      const records = yield* log.read({ topic: TOPIC, partition: 0, offset }, stageLimits.takeBatchRecords)
      offset = records.at(-1)!.offset + 1
    }
  })

  const readPlain = Effect.fnUntraced(function* (from: number, count: number) {
    for (let id = from; id < from + count; ) {
      const rows = yield* sql<{ readonly id: number }>`
        SELECT id::float8 AS id, key, value FROM bench_plain
        WHERE id > ${id}::bigint ORDER BY id LIMIT ${stageLimits.takeBatchRecords}`
      id = rows.at(-1)!.id
    }
  })

  return {
    append: (records: ReadonlyArray<NewRecord>) => Effect.asVoid(log.transaction({ append: records })),
    insert: (records: ReadonlyArray<NewRecord>) => Effect.asVoid(insert(records)),
    readLog,
    readPlain
  }
})

type Sides = Effect.Success<typeof makeSides>

interface Pair {
  readonly log: number
  readonly plain: number
}

/** Milliseconds of both sides. */
const pair = <E1, E2>(log: Effect.Effect<unknown, E1>, plain: Effect.Effect<unknown, E2>) =>
  Effect.gen(function* () {
    const result: Pair = { log: yield* timed(log), plain: yield* timed(plain) }
    return result
  })

const measure = (sides: Sides) =>
  inRounds(
    ROUNDS,
    Effect.fnUntraced(function* (index: number) {
      const records = recordsOf(index)
      const batches = inBatches(records, BATCH)
      const singles = inBatches(records.slice(0, SINGLE_RECORDS), 1)
      const begin = index * (RECORDS + SINGLE_RECORDS)
      const appended = yield* pair(
        Effect.forEach(batches, sides.append, { discard: true }),
        Effect.forEach(batches, sides.insert, { discard: true })
      )
      const single = yield* pair(
        Effect.forEach(singles, sides.append, { discard: true, concurrency: CALLERS }),
        Effect.forEach(singles, sides.insert, { discard: true, concurrency: CALLERS })
      )
      // Read records that are older than the newest ones, which the log keeps in memory.
      const cold = RECORDS + SINGLE_RECORDS - 2 * logLimits.partitionRecords
      const read = yield* pair(sides.readLog(begin, cold), sides.readPlain(begin, cold))
      return { appended, single, read, cold }
    })
  )

const figure = (
  name: string,
  rounds: ReadonlyArray<{ readonly pair: Pair; readonly records: number }>
): Figure => ({
  name,
  value: medianOf(rounds, ({ pair, records }) => (records / pair.log) * 1_000),
  unit: "records/s",
  ratio: medianOf(rounds, ({ pair }) => pair.plain / pair.log),
  target: null,
  better: "higher"
})

const benchmark: Benchmark = {
  description:
    "1 KB records appended to and read back from the embedded log, against plain INSERT and SELECT, and the same with Kafka, against a bare client",
  target: "reported",
  run: Effect.fnUntraced(function* (report) {
    const rounds = yield* makeSides.pipe(
      Effect.flatMap(measure),
      Effect.provide(Layer.provideMerge(EmbeddedLog.layer, storeLayer()))
    )
    report(
      figure(
        "log.append",
        rounds.map(({ appended }) => ({ pair: appended, records: RECORDS }))
      )
    )
    report(
      figure(
        "log.single",
        rounds.map(({ single }) => ({ pair: single, records: SINGLE_RECORDS }))
      )
    )
    report(
      figure(
        "log.read",
        rounds.map(({ read, cold }) => ({ pair: read, records: cold }))
      )
    )
    const lacking = missing()
    if (lacking !== undefined)
      return yield* Effect.logWarning(`log.kafka is left out: there is no ${lacking}`)
    const kafka = yield* measureKafka((round) => inBatches(recordsOf(round), BATCH), ROUNDS)
    report(
      figure(
        "log.kafka.append",
        kafka.map(({ appended }) => ({ pair: appended, records: RECORDS }))
      )
    )
    report(
      figure(
        "log.kafka.read",
        kafka.map(({ read, records }) => ({ pair: read, records }))
      )
    )
    report(
      figure(
        "log.kafka.consume",
        kafka.map(({ consumed, records }) => ({ pair: consumed, records }))
      )
    )
  })
}

export default benchmark
