/**
 * The day partitions (UTC) of `deliveries`, `attempts` and their totals. Writers make a partition before they need
 * it, and retention drops whole days. Ids begin with their time, so a day is a range of ids.
 */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { Settings } from "../../config/Config.ts"
import { Limits } from "../../config/Limits.ts"
import { firstIdAt } from "../../domain/Ids.ts"
import { makeClockTrust } from "../../observability/ClockTrust.ts"
import { repeatEvery } from "../../observability/RetryUntilSuccess.ts"
import { DAY_MS, makeTimePartitions, type TimePartitions } from "../../sql/TimePartitions.ts"
import { DeliveryStore } from "./DeliveryStore.ts"

/** Rows of these tables are updated: a new version then fits into the same page. */
const UPDATED_FILLFACTOR = 50
/**
 * A row grows when its delivery is recorded, by about 50 bytes and the headers of the response
 * (Limits.deliveredHeaders). At 36, a page has ten rows, and 520 bytes for the new version of each. An update that
 * finds no room writes to every index: at 50, with 250 characters of headers, half of the updates did, and recording
 * took 1.8 times the CPU.
 */
const DELIVERIES_FILLFACTOR = 36

export class Partitions extends Context.Service<Partitions, TimePartitions>()(
  "ledgerhook/storage/Partitions"
) {
  static readonly layer = Layer.effect(
    Partitions,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const idAt = (unixMs: number) => firstIdAt("dlv_", unixMs)
      const timeAt = (unixMs: number) => new Date(unixMs).toISOString()
      const deliveries = yield* makeTimePartitions({
        tables: ["deliveries"],
        days: 1,
        fillfactor: DELIVERIES_FILLFACTOR,
        boundAt: idAt
      })
      const attempts = yield* makeTimePartitions({ tables: ["attempts"], days: 1, boundAt: idAt })
      // Separate transactions: statements lock these tables in different orders.
      const totalsOf = (table: string) =>
        makeTimePartitions({ tables: [table], days: 1, fillfactor: UPDATED_FILLFACTOR, boundAt: timeAt })
      const totals = yield* Effect.forEach(
        ["delivery_totals", "delivery_type_totals", "delivery_waiting"],
        totalsOf
      )
      // Deliveries are made last and dropped first: their changes are added to the totals, which must exist.
      const makeOrder = [...totals, attempts, deliveries]

      return Partitions.of({
        startOf: deliveries.startOf,
        ensure: (fromMs, toMs) =>
          Effect.forEach(makeOrder, (one) => one.ensure(fromMs, toMs), { discard: true }),
        drop: Effect.fnUntraced(function* (beforeMs: number) {
          let dropped = 0
          for (const one of [deliveries, attempts]) dropped += yield* one.drop(beforeMs)
          yield* sql`DELETE FROM delivery_changes WHERE at < ${timeAt(deliveries.startOf(beforeMs))}::timestamptz`
          for (const one of totals) dropped += yield* one.drop(beforeMs)
          return dropped
        }),
        forget: Effect.forEach(makeOrder, (one) => one.forget, { discard: true })
      })
    })
  )
}

/**
 * Drops days past RETENTION_DELIVERIES. A day that has backlog is kept, with all days
 * after it: an account's quota may be used up for longer than deliveries are kept. After Limits.waitingKeptMs more,
 * its deliveries end `failed`, and the next run drops the day.
 */
export const applyRetention = Effect.fnUntraced(function* (now: number) {
  const { retentionDeliveriesMs } = yield* Settings
  const partitions = yield* Partitions
  const deliveries = yield* DeliveryStore
  const keptFrom = now - retentionDeliveriesMs
  const oldestInBacklog = Option.getOrElse(yield* deliveries.oldestInBacklog, () => keptFrom)
  const dropped = yield* partitions.drop(Math.min(keptFrom, oldestInBacklog))
  if (dropped > 0)
    yield* Effect.logInfo(`retention dropped ${dropped} partitions of deliveries, attempts and their totals`)
  const ended = yield* deliveries.failBacklogBefore(keptFrom - Limits.waitingKeptMs, "waited too long", now)
  if (ended > 0) yield* Effect.logWarning(`${ended} deliveries failed: they waited past their retention`)
})

/** Makes partitions ahead, and applies retention. Hourly. */
export const maintain = Effect.gen(function* () {
  const partitions = yield* Partitions
  const isTrusted = yield* makeClockTrust("retention of deliveries")
  const once = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    yield* partitions.ensure(now, now + Limits.partitionsAheadDays * DAY_MS)
    if (yield* isTrusted) yield* applyRetention(now)
  })
  return yield* once.pipe(repeatEvery("retention of deliveries", Limits.maintenanceMs))
})
