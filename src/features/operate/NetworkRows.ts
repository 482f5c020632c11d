/**
 * What the process that ingests a network knows of it (table `networks`). That process writes; every process reads. Only
 * the database's clock tells the age of a row.
 */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Network } from "../../spine/event/Network.ts"
import {
  type NetworkFacts,
  type SeenFacts,
  type SeenNetwork,
  seenState
} from "../../spine/ledger/ingest/NetworkFacts.ts"

/** A process that has just begun knows neither the head nor the last ledger: what was known of them stays. */
export const writeNetwork = (network: Network, facts: NetworkFacts) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      INSERT INTO networks AS old (network, facts, seen_at)
      VALUES (${network}, ${JSON.stringify(facts)}::jsonb, clock_timestamp())
      ON CONFLICT (network) DO UPDATE SET seen_at = excluded.seen_at, facts = excluded.facts
        || CASE WHEN excluded.facts ->> 'last_taken' IS NOT NULL THEN '{}' ELSE jsonb_build_object(
          'last_taken', old.facts -> 'last_taken', 'last_close_time', old.facts -> 'last_close_time') END
        || CASE WHEN excluded.facts ->> 'head' IS NOT NULL THEN '{}' ELSE jsonb_build_object(
          'head', old.facts -> 'head', 'head_at', old.facts -> 'head_at',
          'head_ago_ms', (old.facts ->> 'head_ago_ms')::float8
            + greatest(0, extract(epoch FROM clock_timestamp() - old.seen_at) * 1000)::float8) END`
  ).pipe(Effect.asVoid)

/** The networks that a process has ever ingested. */
export const readNetworks: Effect.Effect<
  ReadonlyArray<SeenNetwork>,
  SqlError.SqlError,
  SqlClient.SqlClient
> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<SeenFacts & { readonly network: Network }>`
    SELECT network, facts,
           greatest(0, extract(epoch FROM clock_timestamp() - seen_at) * 1000)::float8 AS "seenAgoMs"
    FROM networks ORDER BY network`
  return rows.map((row) => ({ ...row, ...seenState(row) }))
})
