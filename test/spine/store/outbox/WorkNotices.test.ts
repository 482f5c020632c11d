/** Notices of queued work reach every process that waits for it, whichever process queued it. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Fiber, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Limits } from "../../../../src/spine/config/Limits.ts"
import { type Work, WorkNotices } from "../../../../src/spine/store/outbox/WorkNotices.ts"
import { makeDatabase } from "../../../support/store/postgres.ts"
import { insertAccount } from "../../../support/store/rows.ts"

const opened = Effect.gen(function* () {
  const database = yield* makeDatabase
  const process = Effect.map(
    Layer.build(Layer.provideMerge(WorkNotices.layer, PgClient.layer({ ...database, maxConnections: 1 }))),
    (context) => ({
      notices: Context.get(context, WorkNotices),
      sql: Context.get(context, SqlClient.SqlClient)
    })
  )
  return [yield* process, yield* process] as const
})

type Process = Effect.Success<typeof opened>[number]

const listening = (sql: SqlClient.SqlClient, count: number) =>
  sql`SELECT 1 FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'ledgerhook notices' AND query LIKE 'LISTEN%'`.pipe(
    Effect.filterOrFail((rows) => rows.length === count),
    Effect.retry(Schedule.spaced(5)),
    Effect.timeout("10 seconds")
  )

const queueMail = ({ sql }: Process, cause: string) =>
  sql`INSERT INTO mails (cause, account_id, recipient, subject, body, created_at, next_attempt_at)
      VALUES (${cause}, 'acct_1', 'a@b.example', 's', 'b', now(), now())`

/** Fails if the wait lasted as long as one without a notice. */
const told = Effect.fnUntraced(function* ({ notices }: Process, work: Work) {
  const began = yield* Clock.currentTimeMillis
  yield* notices.next(work)
  assert.isBelow((yield* Clock.currentTimeMillis) - began, Limits.workPollMs)
})

describe("notices of work", () => {
  it.live("reach every process that waits, once the queued work is committed", () =>
    Effect.gen(function* () {
      const [one, two] = yield* opened
      yield* listening(one.sql, 2)
      // Each wait begins with a check, because earlier work may have been queued already.
      for (const { notices } of [one, two]) yield* notices.next("mails")
      yield* insertAccount("acct_1").pipe(Effect.provideService(SqlClient.SqlClient, one.sql))
      yield* one.sql.withTransaction(
        Effect.andThen(queueMail(one, "cause"), Effect.flip(Effect.timeout(two.notices.next("mails"), 100)))
      )
      yield* told(one, "mails")
      yield* told(two, "mails")
    }).pipe(Effect.scoped)
  )

  it.effect("are not needed: a wait also ends after a time", () =>
    Effect.gen(function* () {
      const [one] = yield* opened
      // The first wait may end with the check that follows the start of listening.
      const waiting = yield* Effect.forkChild(Effect.repeat(one.notices.next("replays"), { times: 1 }))
      yield* TestClock.adjust(2 * Limits.workPollMs)
      yield* Fiber.join(waiting)
    }).pipe(Effect.scoped)
  )

  it.live("continue after a lost connection; waits end once at the reconnect", () =>
    Effect.gen(function* () {
      const [one, two] = yield* opened
      yield* listening(one.sql, 2)
      yield* two.notices.next("mails")
      yield* one.sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                     WHERE datname = current_database() AND application_name = 'ledgerhook notices'`
      yield* told(two, "mails")
      yield* listening(one.sql, 2)
      yield* insertAccount("acct_1").pipe(Effect.provideService(SqlClient.SqlClient, one.sql))
      yield* queueMail(one, "cause")
      yield* told(two, "mails")
    }).pipe(Effect.scoped)
  )
})
