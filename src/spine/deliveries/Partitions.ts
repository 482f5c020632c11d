/**
 * The day partitions (UTC) of `deliveries`, `attempts` and their totals. Writers make a partition before they need
 * it, and retention drops whole days. Ids begin with their time, so a day is a range of ids.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { makeTimePartitions, type TimePartitions } from "../log/TimePartitions.ts"
import { firstIdAt } from "../words/Ids.ts"

/** Rows of these tables are updated: a new version then fits into the same page. */
const UPDATED_FILLFACTOR = 50
/** Most rows are written once, at their delivery's first outcome. Those that wait or fail before are updated. */
const DELIVERIES_FILLFACTOR = 90

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
          // A day that could not be dropped keeps its counts: a delivery that is retried by hand writes to them.
          const countedMs = Math.min(beforeMs, (yield* deliveries.oldest) ?? beforeMs)
          yield* sql`DELETE FROM delivery_changes WHERE at < ${timeAt(deliveries.startOf(countedMs))}::timestamptz`
          for (const one of totals) dropped += yield* one.drop(countedMs)
          return dropped
        }),
        oldest: deliveries.oldest,
        forget: Effect.forEach(makeOrder, (one) => one.forget, { discard: true })
      })
    })
  )
}
