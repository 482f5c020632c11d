/**
 * The ledger of a transaction that caused events, by its hash. The index `events_by_transaction` tells which blocks of a
 * partition may hold it, and those are read. Blocks that nobody has summarised yet are read too: EventStore does it hourly.
 */
import type { SqlClient } from "effect/sql"
import type { Network } from "../../domain/Network.ts"

/** A transaction is in one ledger of a chain. A test network may have had several chains. */
const LEDGERS = 10

/** `sinceMs`: Unix milliseconds. Network and time are in words that fit no index, so that PostgreSQL takes the right one. */
export const transactionLedgers = (
  sql: SqlClient.SqlClient,
  network: Network,
  transaction: string,
  sinceMs: number
) => sql<{ readonly ledgerIndex: number }>`
  SELECT DISTINCT ledger_index::float8 AS "ledgerIndex" FROM events
  WHERE split_part(event_id, ':', 3) = ${transaction} AND network || '' = ${network}
    AND (close_time >= ${new Date(sinceMs).toISOString()}::timestamptz OR close_time IS NULL)
  LIMIT ${LEDGERS}`
