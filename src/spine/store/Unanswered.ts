/**
 * Finds out why a statement gets no answer. Keep-alive does not notice a connection that the network forgot (a firewall,
 * a machine that lost its power) while sent data is unacknowledged. So another connection asks PostgreSQL what the
 * statement's process does: if it waits for a statement, question or answer were lost. A slow statement is left alone.
 */
import { PgConnection } from "@effect/sql-pg"
import { Effect, Semaphore } from "effect"
import type { SqlError } from "effect/sql"
import { monotonicNow } from "../words/Monotonic.ts"
import { lost } from "./Sessions.ts"

/** When a statement is first asked about: nearly all are answered sooner. */
const FIRST_MS = 3_000
/** The second question follows soon, because the answer may have been under way at the first one. */
const AGAIN_MS = 1_500
/** A statement at work is asked about less often. */
const LATER_MS = 5_000
/** How long the other connection may take. So a lost connection is found 5 to 10 s after the statement. */
const ASK_MS = 2_500
/** So many answers in a row that the statement is not at work make its connection a lost one. */
const ANSWERS = 2

/** The processes that run a statement, with what each waits for. Undefined: PostgreSQL does not answer. */
type AtWork = ReadonlyMap<number, string | null> | undefined

const QUESTION = `SELECT pid, wait_event FROM pg_stat_activity
  WHERE datname = current_database() AND usename = current_user AND state NOT LIKE 'idle%'`

/** PostgreSQL's name of what a commit waits for that a synchronous standby has not confirmed. */
const STANDBY_WAIT = "SyncRep"

const question = (config: PgConnection.Config) =>
  PgConnection.make({ ...config, multiplex: false, applicationName: "ledgerhook check" }).pipe(
    Effect.flatMap((connection) => connection.query(QUESTION, [], false)),
    Effect.scoped,
    Effect.map(
      ({ rows }): AtWork =>
        new Map(rows.map((row) => [Number(row["pid"]), row["wait_event"] as string | null]))
    ),
    Effect.timeoutOption(ASK_MS),
    Effect.map((answer) => (answer._tag === "Some" ? answer.value : undefined))
  )

/** `onStandbyWait` is told while a commit waits for a synchronous standby. */
export const makeUnanswered = (config: PgConnection.Config, onStandbyWait: Effect.Effect<void>) => {
  const one = Semaphore.makeUnsafe(1)
  let last: { readonly atMs: number; readonly answer: Effect.Effect<AtWork, SqlError.SqlError> } | undefined

  /** Statements that wait at the same time share a question. */
  const atWork = Effect.flatMap(monotonicNow, (wantedMs) =>
    one.withPermit(
      Effect.gen(function* () {
        if (last === undefined || last.atMs < wantedMs) {
          const atMs = yield* monotonicNow
          last = { atMs, answer: yield* Effect.exit(question(config)) }
        }
        return yield* last.answer
      })
    )
  )

  /** Fails once the statement of that process is known to get no answer, or has had none for `answerMs`. */
  return (pid: number, answerMs: number): Effect.Effect<never, SqlError.SqlError> =>
    Effect.gen(function* () {
      yield* Effect.sleep(Math.min(FIRST_MS, answerMs))
      const deadlineMs = (yield* monotonicNow) + answerMs - FIRST_MS
      let silent = 0
      while (true) {
        const leftMs = deadlineMs - (yield* monotonicNow)
        if (leftMs <= 0) return yield* lost(`the database did not answer a statement within ${answerMs} ms`)
        // A server that refuses another connection is not silent: the statement may be at work.
        const found = yield* Effect.orElseSucceed(atWork, (): AtWork => new Map([[pid, null]]))
        silent = found?.has(pid) === true ? 0 : silent + 1
        if (silent === ANSWERS)
          return yield* lost(
            found === undefined
              ? "the database answers neither a statement nor a new connection"
              : "the database has ended a statement, and its answer did not arrive: the connection is lost"
          )
        if (found?.get(pid) === STANDBY_WAIT) yield* onStandbyWait
        yield* Effect.sleep(Math.min(silent > 0 ? AGAIN_MS : LATER_MS, leftMs))
      }
    })
}
