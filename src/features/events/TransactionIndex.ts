/**
 * Where the log has the record of a transaction, by its hash (store/migrations/0021_transactions.ts). It has 8 bytes of
 * the hash, so the record must be compared. A place may be there twice, because a crash repeats an insert. Partitions
 * are dropped whole after RETENTION_TRANSACTIONS, and not made again.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Settings } from "../../spine/config/Config.ts"
import { Limits } from "../../spine/config/Limits.ts"
import { type Network, networkIds } from "../../spine/event/Network.ts"
import { makeTimePartitions } from "../../spine/log/TimePartitions.ts"
import { deleteEvery } from "../../spine/observe/ClockTrust.ts"
import { column } from "../../spine/store/Columns.ts"
import { ReadSql } from "../../spine/store/Sql.ts"
import { dateOf } from "../../spine/words/IsoTime.ts"

export interface TransactionPlace {
  readonly network: Network
  readonly offset: number
}

export interface IndexedTransaction extends TransactionPlace {
  /** 64 hexadecimal digits. */
  readonly hash: string
  /** When ingest wrote the record, in Unix milliseconds. */
  readonly writtenAt: number
}

/** A chain has a transaction once. A test network may have had several chains. */
const PLACES = 20

const PREFIX_DIGITS = 16

const prefixOf = (hash: string): string =>
  String(BigInt.asIntN(64, BigInt(`0x${hash.slice(0, PREFIX_DIGITS)}`)))

export class TransactionIndex extends Context.Service<TransactionIndex>()(
  "ledgerhook/storage/TransactionIndex",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const reader = yield* ReadSql
      const { retentionTransactionsMs } = yield* Settings
      const partitions = yield* makeTimePartitions({ tables: ["transactions"], days: 1, boundAt: dateOf })

      return {
        /** Inserts those that are not past retention at `nowMs`. */
        insert: Effect.fnUntraced(function* (found: ReadonlyArray<IndexedTransaction>, nowMs: number) {
          const oldestKeptMs = partitions.startOf(nowMs - retentionTransactionsMs)
          const kept = found.filter(({ writtenAt }) => writtenAt >= oldestKeptMs)
          if (kept.length === 0) return
          for (const day of new Set(kept.map(({ writtenAt }) => partitions.startOf(writtenAt))))
            yield* partitions.ensure(day, day)
          yield* sql`
            INSERT INTO transactions (hash, log_offset, day, network)
            SELECT * FROM unnest(
              ${column(kept.map(({ hash }) => prefixOf(hash)))}::bigint[],
              ${column(kept.map(({ offset }) => String(offset)))}::bigint[],
              ${column(kept.map(({ writtenAt }) => dateOf(writtenAt)))}::date[],
              ${column(kept.map(({ network }) => String(networkIds[network])))}::smallint[])`.pipe(
            // If a partition is missing now, another process with a faster clock has dropped it.
            Effect.onError(() => partitions.forget)
          )
        }),

        /** Where the transaction may be, newest first. */
        find: Effect.fnUntraced(function* (hash: string, networks: ReadonlyArray<Network>) {
          const rows = yield* reader<{ readonly id: number; readonly offset: number }>`
            SELECT network AS id, log_offset::float8 AS "offset" FROM transactions
            WHERE hash = ${prefixOf(hash)}::bigint GROUP BY network, log_offset
            ORDER BY max(day) DESC, log_offset DESC LIMIT ${PLACES}`
          return rows.flatMap(({ id, offset }): ReadonlyArray<TransactionPlace> => {
            const network = networks.find((one) => networkIds[one] === id)
            return network === undefined ? [] : [{ network, offset }]
          })
        }),

        /** Drops partitions past retention; returns how many. */
        applyRetention: (nowMs: number) => partitions.drop(nowMs - retentionTransactionsMs)
      }
    })
  }
) {
  static readonly layer = Layer.effect(TransactionIndex, TransactionIndex.make)
}

/** Drops partitions past RETENTION_TRANSACTIONS, hourly, also once RAW_TRANSACTIONS is off. */
export const forgetTransactions = Effect.gen(function* () {
  const index = yield* TransactionIndex
  const once = Effect.gen(function* () {
    const dropped = yield* index.applyRetention(yield* Clock.currentTimeMillis)
    if (dropped > 0) yield* Effect.logInfo(`retention dropped ${dropped} days of the index of transactions`)
  })
  return yield* once.pipe(deleteEvery("retention of the index of transactions", Limits.maintenanceMs))
})
