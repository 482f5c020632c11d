/** The condition of a search for webhooks, which the API and `ledgerhook webhook list --search` share. */
import type { SqlClient } from "effect/sql"
import { isId } from "../../spine/words/Ids.ts"

/**
 * `search` is a whole id, or a part of the id, the url or the description. No index has any part of a text without an
 * extension of PostgreSQL. So a search reads the webhooks, newest first, until the page is full: 100,000 take about
 * 0.1 s.
 */
export const foundBy = (sql: SqlClient.SqlClient, search: string) => {
  if (isId("wh_", search)) return sql`id = ${search}`
  const has = (name: string) => sql`strpos(lower(${sql(name)} COLLATE "C"), lower(${search} COLLATE "C")) > 0`
  return sql.or(["id", "url", "description"].map(has))
}
