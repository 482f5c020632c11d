/**
 * A SqlClient with its own pool of connections, which it measures and bounds: what uses and what waits for a connection,
 * how long statements take, how many connections requests to the API use at once, and how long a statement waits for its
 * answer. A database or a pooler may stay alive and never answer. Such a statement then fails as if its connection was
 * lost: whether it took effect is unknown. So does a write to a server that is a standby now. The wait for a free
 * connection has no limit here.
 */
import { PgClient, type PgConnection, PgPool } from "@effect/sql-pg"
import { Effect, type Scope, Semaphore } from "effect"
import { SqlClient, type SqlConnection, SqlError } from "effect/sql"
import { Metrics } from "../observe/Metrics.ts"
import { DatabaseTrouble } from "./DatabaseTrouble.ts"
import { ForRequest } from "./ForRequest.ts"
import { storeLimits } from "./Limits.ts"
import { isReadOnly, lost, makeSessions, type Session, type SessionSettings, standby } from "./Sessions.ts"
import { makeUnanswered } from "./Unanswered.ts"

export interface PoolBounds {
  /** How long a statement may wait for its answer. Without it: for ever. */
  readonly answerMs?: number | undefined
  /** Whether another connection asks about a statement without an answer (Unanswered.ts). */
  readonly asksAbout?: boolean | undefined
  /** Connections that requests to the API may use at once. Without it: all. */
  readonly requestConnections?: number | undefined
  readonly settings?: SessionSettings | undefined
}

const NANOS_PER_SECOND = 1e9

const isLost = ({ reason }: SqlError.SqlError): boolean => reason._tag === "ConnectionError"

/** PostgreSQL answers `ROLLBACK` if the transaction had failed. The driver's client checks it too. */
const commit = (connection: SqlConnection.Connection) =>
  Effect.flatMap(connection.executeRaw("COMMIT", []), (result) => {
    if ((result as PgConnection.Result).command !== "ROLLBACK") return Effect.void
    const message = "COMMIT rolled back a transaction that had failed"
    return Effect.fail(
      new SqlError.SqlError({
        reason: new SqlError.UnknownError({ cause: new Error(message), message, operation: "commit" })
      })
    )
  })

/** They end a transaction or a savepoint, as a lost connection does. So the error before them is the one that counts. */
const ENDING = /^(?:ROLLBACK|RELEASE)\b/

/** As metrics name it. Undefined: it is not measured. */
type PoolName = "main" | "read" | undefined

/** A client of the given connections. */
export const over = Effect.fnUntraced(function* (
  name: PoolName,
  pool: PgPool.PgPool,
  { answerMs, asksAbout, requestConnections, settings = {} }: PoolBounds
) {
  const { note, noteStandbyWait } = yield* DatabaseTrouble
  const sessions = makeSessions(pool, settings, answerMs)
  const unanswered = asksAbout === true ? makeUnanswered(pool.config, noteStandbyWait) : undefined
  const forRequests = requestConnections === undefined ? undefined : Semaphore.makeUnsafe(requestConnections)
  const use = { inUse: 0, waiting: 0 }
  if (name !== undefined) {
    yield* Metrics.poolInUse.observe({ pool: name }, () => use.inUse)
    yield* Metrics.poolWaiting.observe({ pool: name }, () => use.waiting)
  }

  const timed = <A, E>(self: Effect.Effect<A, E>): Effect.Effect<A, E> => {
    if (name === undefined) return self
    return Effect.clockWith((clock) => {
      const startedAt = clock.monotonicTimeNanosUnsafe()
      const ended = Effect.suspend(() =>
        Metrics.statementDuration.record({ pool: name }, [
          Number(clock.monotonicTimeNanosUnsafe() - startedAt) / NANOS_PER_SECOND
        ])
      )
      return Effect.ensuring(self, ended)
    })
  }

  // The driver closes a connection whose statement is interrupted and gets no answer to that either. Reads share a
  // connection, so an interrupted one does not concern it: the pool closes it when all of them have ended.
  const answered = <A>(
    connection: PgConnection.PgConnection,
    { pid }: Session,
    isRequest: boolean,
    self: Effect.Effect<A, SqlError.SqlError>
  ) => {
    if (answerMs === undefined) return self
    const limitMs = isRequest ? Math.min(answerMs, storeLimits.databaseRequestMs) : answerMs
    const givenUp =
      unanswered === undefined
        ? Effect.delay(
            Effect.fail(lost(`the database did not answer a statement within ${limitMs} ms`)),
            limitMs
          )
        : unanswered(pid, limitMs)
    return Effect.raceFirst(
      self,
      Effect.tapError(givenUp, () => {
        sessions.suspectAll()
        return pool.invalidate(connection)
      })
    )
  }

  const lend = (
    connection: PgConnection.PgConnection,
    session: Session,
    isRequest: boolean
  ): SqlConnection.Connection => {
    /** A server that takes no writes any more is as good as a lost one. */
    const writable = <A>(self: Effect.Effect<A, SqlError.SqlError>) =>
      name === "read"
        ? self
        : Effect.catchIf(self, isReadOnly, () =>
            Effect.andThen(pool.invalidate(connection), Effect.fail(standby()))
          )
    const run = <A>(self: Effect.Effect<A, SqlError.SqlError>) =>
      Effect.tapError(timed(answered(connection, session, isRequest, writable(self))), note)
    const rows = (sql: string, params: ReadonlyArray<unknown>, prepare?: boolean) => {
      const read = run(Effect.map(connection.query(sql, params, prepare), (result) => result.rows))
      return ENDING.test(sql) ? Effect.catchIf(read, isLost, () => Effect.succeed([])) : read
    }
    return {
      execute: (sql, params) => rows(sql, params),
      executeUnprepared: (sql, params) => rows(sql, params, false),
      executeRaw: (sql, params) => run(connection.query(sql, params)),
      executeValues: (sql, params) => run(connection.queryValues(sql, params)),
      executeValuesUnprepared: (sql, params) => run(connection.queryValues(sql, params, false)),
      executeStream: (sql, params) => connection.stream(sql, params)
    }
  }

  /** What uses a connection, or waits for one: first of those that requests may use, and then of the pool. */
  const makeUser = (isRequest: boolean) => {
    let counts: keyof typeof use = "waiting"
    use.waiting++
    return {
      begun: (connection: PgConnection.PgConnection, session: Session) => {
        use.waiting--
        use.inUse++
        counts = "inUse"
        return lend(connection, session, isRequest)
      },
      ended: Effect.sync(() => use[counts]--)
    }
  }

  /** Lends a connection to one statement. */
  const borrower: SqlConnection.Borrower = (run) =>
    Effect.flatMap(ForRequest, (isRequest) => {
      const user = makeUser(isRequest)
      const borrowed = Effect.tapError(
        pool.use((connection) => {
          const session = sessions.known(connection)
          return session === undefined
            ? Effect.flatMap(sessions.open(connection), (opened) => run(user.begun(connection, opened)))
            : run(user.begun(connection, session))
        }),
        note
      )
      return Effect.ensuring(
        isRequest && forRequests ? forRequests.withPermit(borrowed) : borrowed,
        user.ended
      )
    })

  /** The same until the scope closes. `take`: all of the connection, or a part that others share. */
  const acquired = (
    take: (
      connection: PgConnection.PgConnection
    ) => Effect.Effect<PgConnection.PgConnection, SqlError.SqlError, Scope.Scope>
  ) =>
    Effect.gen(function* () {
      const isRequest = yield* ForRequest
      const user = yield* Effect.acquireRelease(
        Effect.sync(() => makeUser(isRequest)),
        ({ ended }) => ended
      )
      if (forRequests && isRequest) yield* forRequests.takeScoped(1)
      return yield* Effect.gen(function* () {
        const connection = yield* pool.get
        const session = sessions.known(connection) ?? (yield* sessions.open(connection))
        return user.begun(yield* take(connection), session)
      }).pipe(Effect.tapError(note))
    })

  return yield* SqlClient.make({
    driver: "pg",
    acquirer: acquired(Effect.succeed),
    borrower,
    transactionAcquirer: acquired(({ pin }) => pin),
    compiler: PgClient.makeCompiler(),
    spanAttributes: [
      ["db.system.name", "postgresql"],
      ["ledgerhook.pool", name ?? "other"]
    ],
    prepareTransactionControls: true,
    releaseSavepoint: (savepoint) => `RELEASE SAVEPOINT ${savepoint}`,
    commit
  })
})

export const make = (name: PoolName, config: PgPool.Config, bounds: PoolBounds) =>
  Effect.flatMap(PgPool.make(config), (pool) => over(name, pool, bounds))
