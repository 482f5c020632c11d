/**
 * Finds the ledger of a transaction by its hash, if the transaction caused an event. The index
 * `events_by_transaction` says which blocks of a partition may have it. Only these blocks are read, and blocks that
 * the index does not summarise yet (EventIndex.summarise).
 */
import type { SqlClient } from "effect/sql"
import type { Network } from "../../domain/Network.ts"

/** A transaction is in one ledger of a chain. A test network may have several chains. */
const LEDGERS = 10

/** Searches ledgers that closed at `sinceMs` (Unix milliseconds) or later. No other index matches the conditions. */
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
