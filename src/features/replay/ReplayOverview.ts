/** Replay jobs of all accounts, for the operator. */

import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { Network } from "../../spine/event/Network.ts"
import type { AccountId, WebhookId } from "../../spine/words/Ids.ts"
import { type ReplayJobRow, replayJobColumns } from "./ReplayStore.ts"

export interface ReplaySummary extends ReplayJobRow {
  readonly account_id: AccountId
  readonly network: Network
}

/** Returns jobs with an id below `beforeId`, newest first. */
export const replaySummaries = Effect.fnUntraced(function* (
  of: { readonly accountId: AccountId | undefined; readonly webhookId: WebhookId | undefined },
  beforeId: string | undefined,
  limit: number
) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<ReplaySummary>`
    SELECT ${replayJobColumns(sql)}, account_id, network FROM replay_jobs WHERE ${sql.and([
      sql`true`,
      ...(of.accountId === undefined ? [] : [sql`account_id = ${of.accountId}`]),
      ...(of.webhookId === undefined ? [] : [sql`webhook_id = ${of.webhookId}`]),
      ...(beforeId === undefined ? [] : [sql`id < ${beforeId}`])
    ])} ORDER BY id DESC LIMIT ${limit}`
})

export const findReplaySummary = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const [job] = yield* sql<ReplaySummary>`
    SELECT ${replayJobColumns(sql)}, account_id, network FROM replay_jobs WHERE id = ${id}`
  return Option.fromNullishOr(job)
})
