/**
 * The day partitions (UTC) of `deliveries` and `attempts`: made before a row needs them, whatever the clock does, and
 * dropped whole by retention. Ids begin with their time, so a day is a range of ids.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { AdvisoryLocks } from "../config/AdvisoryLocks.ts"
import { Settings } from "../config/Config.ts"
import { Limits } from "../config/Limits.ts"
import { patiently } from "../config/Retrying.ts"
import { firstIdAt } from "../domain/Ids.ts"

const DAY_MS = 86_400_000
const TABLES = ["deliveries", "attempts"] as const

const dayOf = (unixMs: number): number => Math.floor(unixMs / DAY_MS)
const nameOf = (table: string, day: number): string =>
  `${table}_${new Date(day * DAY_MS).toISOString().slice(0, 10).replaceAll("-", "")}`

export class Partitions extends Context.Service<
  Partitions,
  {
    /** Makes the partitions of the days from `fromMs` to `toMs`, both included; free when they are known. */
    readonly ensure: (fromMs: number, toMs: number) => Effect.Effect<void, SqlError.SqlError>
    /** Drops the days that ended before `beforeMs`; returns how many partitions. */
    readonly drop: (beforeMs: number) => Effect.Effect<number, SqlError.SqlError>
  }
>()("ledgerhook/storage/Partitions") {
  static readonly layer = Layer.effect(
    Partitions,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const known = new Set<number>()

      const make = Effect.fnUntraced(function* (day: number) {
        const [from, to] = [day, day + 1].map((one) => sql.literal(`'${firstIdAt("dlv_", one * DAY_MS)}'`))
        yield* sql`SELECT pg_advisory_xact_lock(${AdvisoryLocks.partitions}::bigint)`
        for (const table of TABLES) {
          yield* sql`CREATE TABLE IF NOT EXISTS ${sql(nameOf(table, day))} PARTITION OF ${sql(table)}
                     FOR VALUES FROM (${from!}) TO (${to!})`
        }
      }, sql.withTransaction)

      const ensure = Effect.fnUntraced(function* (fromMs: number, toMs: number) {
        for (let day = dayOf(fromMs); day <= dayOf(toMs); day++) {
          if (known.has(day)) continue
          yield* make(day)
          known.add(day)
        }
      })

      const drop = Effect.fnUntraced(function* (beforeMs: number) {
        let dropped = 0
        for (const table of TABLES) {
          const oldestKept = nameOf(table, dayOf(beforeMs))
          const children = yield* sql<{ readonly name: string }>`
            SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
            WHERE i.inhparent = ${table}::regclass AND c.relname < ${oldestKept}`
          for (const { name } of children) {
            yield* sql`DROP TABLE IF EXISTS ${sql(name)}`
            dropped++
          }
        }
        known.clear()
        return dropped
      })

      return Partitions.of({ ensure, drop })
    })
  )
}

/** Makes days ahead and drops those past RETENTION_DELIVERIES, hourly. Never ends by itself. */
export const maintain = Effect.gen(function* () {
  const { retentionDeliveriesMs } = yield* Settings
  const partitions = yield* Partitions
  const once = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    yield* partitions.ensure(now, now + Limits.partitionsAheadDays * DAY_MS)
    const dropped = yield* partitions.drop(now - retentionDeliveriesMs)
    if (dropped > 0)
      yield* Effect.logInfo(`retention dropped ${dropped} partitions of deliveries and attempts`)
  })
  return yield* Effect.forever(
    Effect.andThen(once.pipe(patiently("retention of deliveries")), Effect.sleep(Limits.maintenanceMs))
  )
})
