/**
 * The databases of a worker. A test borrows one and finds it as the migrations left it. Before that, other sessions are
 * ended and all rows of earlier tests are deleted, which takes a tenth of the time of a new database. The connections
 * stay open, because a new session has to read the system's tables again. A database whose schema or statistics differ
 * from what the migrations left is dropped instead, so a test may change anything and declares nothing.
 */
import { PgClient, PgConnection, PgPool } from "@effect/sql-pg"
import { Effect, Exit, Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlError } from "effect/sql"
import { inject } from "vitest"
import { pool, readPool } from "../../../src/spine/store/Sql.ts"
import { connectionTo, TEMPLATE } from "../setup/globalSetup.ts"
import { type AsMigrated, asMigrated, emptied } from "./emptied.ts"

const CONNECTIONS = 6
/** Then it is dropped: partitions that were made and dropped leave dead rows in the system's tables. */
const LENT_AT_MOST = 50

export interface Database {
  /** Options that connect to it. */
  readonly options: ReturnType<typeof connectionTo>
  /** Open connections with the settings of the program's two pools. */
  readonly main: PgPool.PgPool
  readonly read: PgPool.PgPool
}

interface Kept extends Database {
  readonly name: string
  readonly keeper: PgConnection.PgConnection
  /** The process ids of both pools' sessions. */
  readonly sessions: Set<number>
  readonly asMigrated: AsMigrated
  readonly scope: Scope.Closeable
  lent: number
}

/** The connection that makes databases. It stays open, because connecting takes as long as emptying one. */
let admin: Promise<PgClient.PgClient> | undefined
const connectAdmin = () =>
  Effect.runPromise(
    PgClient.make({ ...connectionTo(inject("postgres"), "postgres"), maxConnections: 1 }).pipe(
      Effect.provide(Reactivity.layer),
      Scope.provide(Scope.makeUnsafe())
    )
  )

let count = 0

/** Copying files is quicker than logging each page. */
const make = Effect.gen(function* () {
  const name = `test_${process.pid}_${count++}`
  const sql = yield* Effect.promise(() => (admin ??= connectAdmin()))
  yield* sql`CREATE DATABASE ${sql(name)} TEMPLATE ${sql(TEMPLATE)} STRATEGY FILE_COPY`
  const options = connectionTo(inject("postgres"), name)
  const scope = Scope.makeUnsafe()
  return yield* Effect.gen(function* () {
    const keeper = yield* PgConnection.make(options)
    const made: Kept = {
      name,
      options,
      keeper,
      main: yield* PgPool.make({ ...pool, ...options, maxConnections: CONNECTIONS }),
      read: yield* PgPool.make({ ...options, ...readPool }),
      sessions: new Set(),
      asMigrated: yield* asMigrated(keeper),
      scope,
      lent: 0
    }
    return made
  }).pipe(Scope.provide(scope))
})

const drop = Effect.fnUntraced(function* ({ name, scope }: Kept) {
  const sql = yield* Effect.promise(() => (admin ??= connectAdmin()))
  yield* sql`DROP DATABASE ${sql(name)} WITH (FORCE)`
  yield* Scope.close(scope, Exit.void)
})

/**
 * How many empty partitions of earlier tests a test may find: as after a restart, or in a service that has run for a
 * month. Making the partitions of a month takes ten times as long as emptying them. With more, planning would be slow.
 */
const PARTITIONS = { none: 0, days: 60, month: 200 }
type Had = keyof typeof PARTITIONS

const free: Readonly<Record<Had, Array<Kept>>> = { none: [], days: [], month: [] }

/** A database of an earlier test if it can be emptied, else a new one. */
const take = (had: Had): Effect.Effect<Kept, SqlError.SqlError> =>
  Effect.suspend(() => {
    const before = free[had].pop()
    // Outside of the test's context, whose clock may stand still: later tests use these connections too.
    if (before === undefined) return Effect.promise(() => Effect.runPromise(make))
    const { asMigrated, keeper, lent, sessions } = before
    const isEmptied =
      lent < LENT_AT_MOST
        ? Effect.catchCause(emptied(keeper, sessions, PARTITIONS[had], asMigrated), () =>
            Effect.succeed(false)
          )
        : Effect.succeed(false)
    return Effect.flatMap(isEmptied, (is) =>
      is ? Effect.succeed(before) : Effect.andThen(drop(before), take(had))
    )
  })

/** Lends the connections of `pool` until `isOver`. Settings of earlier tests are reset in each session first. */
const lend = (pool: PgPool.PgPool, { sessions }: Kept, isOver: () => boolean): PgPool.PgPool => {
  const seen = new Set<number>()
  const ready = (session: PgConnection.PgConnection) => {
    if (seen.has(session.processId)) return Effect.succeed(session)
    seen.add(session.processId)
    const isNew = !sessions.has(session.processId)
    sessions.add(session.processId)
    return isNew ? Effect.succeed(session) : Effect.as(session.query("RESET ALL"), session)
  }
  const during = <A, E, R>(self: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => (isOver() ? Effect.die(new Error("the test has given its database back")) : self))
  return {
    ...pool,
    get: during(Effect.flatMap(pool.get, ready)),
    reserve: during(Effect.flatMap(pool.reserve, ready)),
    use: (run) => during(pool.use((session) => Effect.flatMap(ready(session), run)))
  }
}

/** A database for the scope. */
export const borrowed = (had: Had): Effect.Effect<Database, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.map(Effect.orDie(take(had)), (kept) => ({ kept, isOver: false })),
    (loan) =>
      Effect.sync(() => {
        loan.isOver = true
        loan.kept.lent++
        free[had].push(loan.kept)
      })
  ).pipe(
    Effect.map((loan) => ({
      options: loan.kept.options,
      main: lend(loan.kept.main, loan.kept, () => loan.isOver),
      read: lend(loan.kept.read, loan.kept, () => loan.isOver)
    }))
  )
