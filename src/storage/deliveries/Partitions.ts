/**
 * The day partitions (UTC) of `deliveries`, `attempts` and their totals: made before a row needs them, whatever the clock
 * does, and dropped whole by retention. Ids begin with their time, so a day is a range of ids.
 */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { Settings } from "../../config/Config.ts"
import { Limits } from "../../config/Limits.ts"
import { firstIdAt } from "../../domain/Ids.ts"
import { repeatEvery } from "../../observability/RetryUntilSuccess.ts"
import { DAY_MS, makeTimePartitions, type TimePartitions } from "../../sql/TimePartitions.ts"
import { DeliveryStore } from "./DeliveryStore.ts"

/** A row of these is updated after it was made, once or many times: its new versions find room beside it. */
const UPDATED_FILLFACTOR = 50

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
        fillfactor: UPDATED_FILLFACTOR,
        boundAt: idAt
      })
      const attempts = yield* makeTimePartitions({ tables: ["attempts"], days: 1, boundAt: idAt })
      // Each by itself: statements lock these tables in several orders.
      const totalsOf = (table: string) =>
        makeTimePartitions({ tables: [table], days: 1, fillfactor: UPDATED_FILLFACTOR, boundAt: timeAt })
      const totals = yield* Effect.forEach(["delivery_totals", "delivery_type_totals"], totalsOf)
      // Deliveries go first and come last: what changes in them is added to the totals.
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
 * Makes days ahead and drops those past RETENTION_DELIVERIES. A day in which something waits still (an account's quota may
 * be used up for longer than deliveries are kept) is kept with all that came after it, until that has waited for
 * Limits.waitingKeptMs more: then it ends, for all to see for an hour, and the day goes.
 */
export const applyRetention = Effect.fnUntraced(function* (now: number) {
  const { retentionDeliveriesMs } = yield* Settings
  const partitions = yield* Partitions
  const deliveries = yield* DeliveryStore
  yield* partitions.ensure(now, now + Limits.partitionsAheadDays * DAY_MS)

  const keptFrom = now - retentionDeliveriesMs
  const oldestInBacklog = Option.getOrElse(yield* deliveries.oldestInBacklog, () => keptFrom)
  const dropped = yield* partitions.drop(Math.min(keptFrom, oldestInBacklog))
  if (dropped > 0)
    yield* Effect.logInfo(`retention dropped ${dropped} partitions of deliveries, attempts and their totals`)
  const ended = yield* deliveries.failBacklogBefore(keptFrom - Limits.waitingKeptMs, "waited too long", now)
  if (ended > 0) yield* Effect.logWarning(`${ended} deliveries ended: they waited past their retention`)
})

/** Looks hourly. */
export const maintain = Effect.flatMap(Clock.currentTimeMillis, applyRetention).pipe(
  repeatEvery("retention of deliveries", Limits.maintenanceMs)
)
