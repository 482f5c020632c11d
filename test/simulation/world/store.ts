/**
 * The database of a simulation: a real one, over one connection. Each process has a client. One statement, or one
 * transaction, runs at a time, after a delay and with a fate that the seed decides, and `clock_timestamp()` is the
 * time of the simulated server. The transaction of a process that is killed is rolled back.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Semaphore } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection, SqlError } from "effect/sql"
import { ReadSql } from "../../../src/spine/store/Sql.ts"
import type { Process, Timeline } from "./timeline.ts"

/** What becomes of a write: it fails before it lands, or after it. */
export type Fate = "lands" | "fails" | "lands and fails"

export interface StoreFaults {
  readonly delayMs: (process: Process) => number
  readonly fate: (process: Process, sql: string) => Fate
  /** Whether the process dies when the write has landed, before it knows. */
  readonly dies: (process: Process, sql: string) => boolean
  /** Whether nobody dies any more: a write that was slow may land when the faults are over. */
  readonly isQuiet: () => boolean
}

export interface Store {
  readonly clientOf: (process: Process) => Layer.Layer<SqlClient.SqlClient | ReadSql>
  /** Call it when a process was killed: ends its transaction. */
  readonly ended: (process: Process) => Effect.Effect<void>
  /** From now on, `goBack` undoes what is committed. */
  readonly mark: Effect.Effect<void>
  readonly goBack: Effect.Effect<void>
  /** Ends what `mark` began, and keeps everything. */
  readonly keep: Effect.Effect<void>
  /** Sets the clock of the database's machine. */
  readonly step: (ms: number) => void
  /** Call it when the run has ended: ends what is under way, and nothing else begins. */
  readonly close: Effect.Effect<void>
}

const lost = (when: string) =>
  new SqlError.SqlError({
    reason: new SqlError.ConnectionError({ cause: new Error(`simulated: ${when}`), message: when })
  })

const COMMIT = "COMMIT"
const ROLLBACK = "ROLLBACK"
const BEGIN = "BEGIN"
/** Leases are written all the time, and a death after such a write tests nothing. */
const WRITE = /^(?!.*\bleases\b).*\b(INSERT|UPDATE|DELETE)\b/s

/**
 * After `mark`, everything happens within one transaction of the real database, and a transaction of a process is a part
 * of it. VACUUM cannot run there.
 */
const WITHIN: Readonly<Record<string, string>> = {
  [BEGIN]: "SAVEPOINT simulated",
  [COMMIT]: "RELEASE SAVEPOINT simulated",
  [ROLLBACK]: "ROLLBACK TO SAVEPOINT simulated"
}
const OUTSIDE_ONLY = /^\s*VACUUM/

type Statement = "execute" | "executeRaw" | "executeValues" | "executeValuesUnprepared" | "executeUnprepared"

export const makeStore = (real: SqlConnection.Connection, timeline: Timeline, faults: StoreFaults): Store => {
  const gate = Semaphore.makeUnsafe(1)
  /** The process whose transaction is open. */
  let owner: Process | undefined
  let closed = false
  /** Whether `mark` was the last. */
  let marked = false
  /** Ends the transactions of those that were killed. Its clock is that of the database. */
  const server = timeline.process("database")

  const timed = (sql: string, params: ReadonlyArray<unknown>) => {
    const text = sql.replaceAll("clock_timestamp()", `$${params.length + 1}::text::timestamptz`)
    return [
      text,
      text === sql ? params : [...params, new Date(server.clock.currentTimeMillisUnsafe()).toISOString()]
    ] as const
  }
  const run = (kind: Statement, sql: string, params: ReadonlyArray<unknown>) =>
    Effect.suspend(() =>
      closed ? Effect.never : real[kind](...timed(marked ? (WITHIN[sql] ?? sql) : sql, params), undefined)
    )
  const control = (sql: string) => run("executeRaw", sql, [])
  /** A statement without a transaction. One that fails must not end the transaction of `mark`. */
  const runSingle = (kind: Statement, sql: string, params: ReadonlyArray<unknown>) =>
    Effect.suspend(() => {
      if (!marked) return run(kind, sql, params)
      if (OUTSIDE_ONLY.test(sql)) return run(kind, "SELECT 1", [])
      return control(BEGIN).pipe(
        Effect.andThen(run(kind, sql, params)),
        Effect.tap(() => control(COMMIT)),
        Effect.tapError(() => control(ROLLBACK))
      )
    })

  const afterFate = <A>(fate: Fate, landing: Effect.Effect<A, SqlError.SqlError>) => {
    if (fate === "fails") return Effect.fail(lost("the statement was not sent"))
    return fate === "lands" ? landing : Effect.andThen(landing, Effect.fail(lost("the answer was lost")))
  }

  const connectionOf = (
    perform: (
      kind: Statement,
      sql: string,
      params: ReadonlyArray<unknown>
    ) => Effect.Effect<unknown, SqlError.SqlError>
  ): SqlConnection.Connection => {
    const statement = (kind: Statement) => (sql: string, params: ReadonlyArray<unknown>) =>
      perform(kind, sql, params)
    return {
      execute: statement("execute"),
      executeRaw: statement("executeRaw"),
      executeValues: statement("executeValues"),
      executeValuesUnprepared: statement("executeValuesUnprepared"),
      executeUnprepared: statement("executeUnprepared"),
      executeStream: () => {
        throw new Error("the simulation has no streams of rows")
      }
      // The rows are as the real connection returned them.
    } as SqlConnection.Connection
  }

  /** The write, and then the process dies where it stands. `free` makes the database free for others. */
  const andDeath = <A>(
    process: Process,
    landing: Effect.Effect<A, SqlError.SqlError>,
    free: Effect.Effect<unknown>
  ) =>
    Effect.tap(landing, () =>
      faults.isQuiet()
        ? Effect.void
        : Effect.sync(process.kill).pipe(Effect.andThen(free), Effect.andThen(Effect.never))
    )

  /**
   * Statements outside of transactions. The database is free again when it has answered. The fate is drawn before
   * the wait for the database, whose length is real: the draws of one run must have one order.
   */
  const single = (process: Process) =>
    connectionOf((kind, sql, params) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.suspend(() => {
          const [fate, dies] = [faults.fate(process, sql), WRITE.test(sql) && faults.dies(process, sql)]
          const answer = Effect.suspend(() => {
            const free = Semaphore.release(gate, 1)
            return timeline.outside(process)(Effect.ensuring(runSingle(kind, sql, params), free))
          })
          // Not interruptible: a permit that is given at that moment would be lost.
          const sent = Effect.andThen(Semaphore.take(gate, 1), answer)
          return Effect.andThen(
            restore(Effect.sleep(faults.delayMs(process))),
            dies ? andDeath(process, sent, Effect.void) : afterFate(fate, sent)
          )
        })
      )
    )

  const finish = Effect.suspend(() => {
    if (owner === undefined) return Effect.void
    owner = undefined
    return Effect.ignore(control(ROLLBACK))
  })

  /**
   * One transaction: it has the database for itself until its scope closes. It runs to its end if its process is
   * frozen, because others wait for it.
   */
  const transaction = (process: Process) =>
    Effect.gen(function* () {
      const inside = timeline.outside(process, true)
      const [begins, commits] = [faults.fate(process, BEGIN), faults.fate(process, COMMIT)]
      const dies = commits !== "fails" && faults.dies(process, COMMIT)
      yield* Effect.sleep(faults.delayMs(process))
      if (begins === "fails") return yield* lost("the statement was not sent")
      yield* Effect.acquireRelease(Semaphore.take(gate, 1), () =>
        Effect.suspend(() => (owner === process ? inside(finish) : Effect.void)).pipe(
          Effect.andThen(Semaphore.release(gate, 1)),
          Effect.andThen(process.turn)
        )
      )
      // It waited for the database when it was killed.
      if (!process.isAlive()) {
        yield* Semaphore.release(gate, 1)
        return yield* Effect.never
      }
      return connectionOf((kind, sql, params) =>
        Effect.suspend(() => {
          const running = inside(run(kind, sql, params))
          if (sql !== BEGIN && sql !== COMMIT) return running
          const fate = sql === BEGIN ? begins : commits
          owner = sql === BEGIN || fate === "fails" ? process : undefined
          if (sql === COMMIT && dies) return andDeath(process, running, Semaphore.release(gate, 1))
          return afterFate(fate, running)
        })
      )
    })

  /** Between the transactions of processes. */
  const whole = (isMarked: boolean, sql: string) =>
    Semaphore.withPermit(
      gate,
      timeline.outside(
        server,
        true
      )(
        Effect.suspend(() => {
          marked = isMarked
          return Effect.orDie(real.executeRaw(sql, []))
        })
      )
    ).pipe(Effect.asVoid)

  return {
    mark: whole(true, BEGIN),
    goBack: whole(false, ROLLBACK),
    keep: whole(false, COMMIT),
    clientOf: (process) => {
      const client = SqlClient.make({
        driver: "pg",
        acquirer: Effect.succeed(single(process)),
        transactionAcquirer: transaction(process),
        compiler: PgClient.makeCompiler(),
        prepareTransactionControls: true,
        releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
        spanAttributes: []
      })
      return Layer.effect(ReadSql, SqlClient.SqlClient).pipe(
        Layer.provideMerge(Layer.effect(SqlClient.SqlClient, client)),
        Layer.provide(Reactivity.layer)
      )
    },
    ended: (process) =>
      Effect.suspend(() =>
        owner === process
          ? Effect.andThen(timeline.outside(server)(finish), Semaphore.release(gate, 1))
          : Effect.void
      ).pipe(Effect.asVoid),
    step: server.step,
    // It waits for the statement under way, because there is one connection.
    close: Effect.suspend(() => {
      closed = true
      return Effect.ignore(real.executeRaw(ROLLBACK, []))
    })
  }
}
