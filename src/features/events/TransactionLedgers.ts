/**
 * Finds the ledger of a transaction by its hash, if the transaction caused an event. The index
 * `events_by_transaction` says which blocks of a partition may have it. Only these blocks are read, and blocks that
 * the index does not summarise yet (EventIndex.summarise).
 */
import type { SqlClient } from "effect/sql"
import type { Network } from "../../spine/event/Network.ts"

/** A transaction is in one ledger of a chain. A test network may have several chains. */
const LEDGERS = 10

/**
 * For the transaction of the search. PostgreSQL takes this index for one that excludes no block, because hashes are in no
 * order, and would read whole tables.
 */
export const useBlockRanges = (sql: SqlClient.SqlClient) => sql`SET LOCAL enable_seqscan = off`

/** Searches ledgers that closed at `sinceMs` (Unix milliseconds) or later. */
// MATERIALIZED: no index of the other conditions may be chosen. `OR close_time IS NULL`: it still prunes partitions.
export const transactionLedgers = (
  sql: SqlClient.SqlClient,
  network: Network,
  transaction: string,
  sinceMs: number
) => sql<{ readonly ledgerIndex: number }>`
  WITH found AS MATERIALIZED (
    SELECT network, ledger_index FROM events
    WHERE split_part(event_id, ':', 3) = ${transaction}
      AND (close_time >= ${new Date(sinceMs).toISOString()}::timestamptz OR close_time IS NULL)
  )
  SELECT DISTINCT ledger_index::float8 AS "ledgerIndex" FROM found WHERE network = ${network} LIMIT ${LEDGERS}`
