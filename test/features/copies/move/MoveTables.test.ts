/** Rows that name places in the log name the same records after a move to another log. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { moveTables } from "../../../../src/features/copies/move/MoveTables.ts"
import { makeOffsetMap } from "../../../../src/features/copies/move/OffsetMap.ts"
import { makeTimePartitions } from "../../../../src/spine/log/TimePartitions.ts"
import { makeDatabase } from "../../../support/store/postgres.ts"
import { insertAccount } from "../../../support/store/rows.ts"

const database = Effect.flatMap(makeDatabase, (options) =>
  PgClient.make({ ...options, maxConnections: 3 })
).pipe(Effect.provide(Reactivity.layer))

const ACCOUNT = "acct_01KAJ0Q4M8000000G3T5W7Y9ZB"

/** Each record of the topic is `by` lower in the other log. */
const lowered = (topic: string, start: number, end: number, by: number) => {
  const { add, finish } = makeOffsetMap({ start, end }, { start: start - by, end: end - by })
  for (let offset = start; offset < end; offset++) add(offset, offset - by)
  return finish().runs.map((run) => ({ topic, ...run }))
}
const runs = [
  ...lowered("xrpl.mainnet.events", 100, 200, 100),
  ...lowered("xrpl.mainnet.history.events", 30, 60, 30),
  ...lowered("xrpl.mainnet.history.ledgers", 10, 20, 10)
]

const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const days = yield* makeTimePartitions({
    tables: ["deliveries"],
    days: 1,
    boundAt: (ms) => (ms === 0 ? "dlv_0" : "dlv_Z")
  })
  yield* days.ensure(0, 0)
  yield* insertAccount(ACCOUNT)
  yield* sql`INSERT INTO log_identity (only_row) VALUES (true)`
  yield* sql`
    INSERT INTO deliveries (id, webhook_id, account_id, network, event_id, event_type, event_offset, from_history, test_event, status, updated_at)
    SELECT 'dlv_' || name, 'wh', 'acct', 'mainnet', 'e', 't', place, history, test, 'pending', now()
    FROM (VALUES ('1', 150::bigint, false, NULL), ('2', 40, true, NULL), ('3', NULL, false, '{}'), ('4', 99, false, NULL))
      AS given (name, place, history, test)`
  yield* sql`
    INSERT INTO history_stretches VALUES
      ('mainnet', 1, 5, 'p', 'l', 1, 2, 12, 40, 9), ('mainnet', 6, 9, 'p', 'l', 3, 4, 17, 0, 0)`
  yield* sql`
    INSERT INTO replay_jobs (id, account_id, webhook_id, network, status, filters, event_ids, total_events, end_offset,
                             start_offset, cursor, next_offset, by_ledger, created_at)
    SELECT 'rpl_' || name, ${ACCOUNT}, 'wh', 'mainnet', 'running', filters, ids, 1, last, first, at, at, ledgers, now()
    FROM (VALUES
      ('1', '{}'::jsonb, NULL::text[], 200::bigint, 91::bigint, 95::bigint, false),
      ('2', '{}', NULL, 180, 110, 160, true),
      ('3', NULL, '{a,b}', 2, 0, 160, true),
      ('4', '{}', NULL, 200, NULL, NULL, NULL)
    ) AS given (name, filters, ids, last, first, at, ledgers)`
})

describe("moved rows", () => {
  it.live("name the same records of the other log", () =>
    Effect.gen(function* () {
      const [source, target] = [yield* database, yield* database]
      yield* Effect.provideService(fill, SqlClient.SqlClient, source)
      const progress = () => Effect.succeed(() => Effect.void)
      yield* moveTables({ source, target, runs, progress, finish: Effect.void })

      const deliveries = yield* target`
        SELECT id, event_offset::int AS place, status FROM deliveries ORDER BY id`
      assert.deepStrictEqual(deliveries, [
        { id: "dlv_1", place: 50, status: "pending" },
        { id: "dlv_2", place: 10, status: "pending" },
        { id: "dlv_3", place: null, status: "pending" },
        // Its event was dropped by retention before the move.
        { id: "dlv_4", place: -1, status: "pending" }
      ])
      const stretches = yield* target`
        SELECT marker_offset::int AS marker, event_offset::int AS event FROM history_stretches ORDER BY first_ledger`
      assert.deepStrictEqual(stretches, [
        { marker: 2, event: 10 },
        { marker: 7, event: 0 }
      ])
      const jobs = yield* target<Readonly<Record<string, number | null>>>`
        SELECT start_offset::int AS first, end_offset::int AS last, cursor::int AS at, next_offset::int AS next
        FROM replay_jobs ORDER BY id`
      assert.deepStrictEqual(
        jobs.map(({ first, last, at, next }) => [first, last, at, next]),
        [
          // Nine events of history come before the first event of the topic.
          [-9, 100, -5, -5],
          // This one reads by ledger: its cursor is a ledger's index.
          [10, 80, 160, 60],
          // The places of a job by event ids are numbers in its list.
          [0, 2, 160, 160],
          [null, 100, null, null]
        ]
      )
      const identity = yield* target`SELECT 1 FROM log_identity`
      assert.strictEqual(identity.length, 0, "the log's own tables stay")
    }).pipe(Effect.scoped)
  )
})
