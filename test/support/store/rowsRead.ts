/** How many delivery rows PostgreSQL reads for a statement of the API, by its executed generic plan. */
import { Effect } from "effect"
import type { Statement } from "effect/sql"
import { type DeliveryFilter, deliveryPage } from "../../../src/spine/deliveries/DeliveryPages.ts"
import type { Owner } from "../../../src/spine/domain/ApiKey.ts"
import { ReadSql } from "../../../src/spine/store/Sql.ts"

/** The parts of an executed plan that show how many rows it read. */
interface PlanNode {
  readonly "Relation Name"?: string
  readonly "Actual Rows": number
  readonly "Actual Loops": number
  readonly "Rows Removed by Filter"?: number
  readonly Plans?: ReadonlyArray<PlanNode>
}

const rowsRead = (node: PlanNode): number => {
  const below = (node.Plans ?? []).reduce((sum, child) => sum + rowsRead(child), 0)
  if (!/^deliveries_\d/.test(node["Relation Name"] ?? "")) return below
  return below + (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"]
}

const literalOf = (value: unknown): string => `'${Array.isArray(value) ? `{${value.join()}}` : value}'`

export const deliveriesReadBy = Effect.fnUntraced(function* (statement: Statement.Statement<unknown>) {
  const read = yield* ReadSql
  const [text, values] = statement.compile()
  return yield* read.withTransaction(
    Effect.gen(function* () {
      yield* read.unsafe(`PREPARE asked AS ${text}`)
      const [row] = yield* read.unsafe<{
        readonly "QUERY PLAN": ReadonlyArray<{ readonly Plan: PlanNode }>
      }>(`EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE asked(${values.map(literalOf).join()})`)
      yield* read`DEALLOCATE asked`
      return rowsRead(row!["QUERY PLAN"][0]!.Plan)
    })
  )
})

/** Deliveries of a page. */
export const PAGE = 21

/** How many deliveries are read for a first page. */
export const deliveriesReadForPage = Effect.fnUntraced(function* (owner: Owner, filter: DeliveryFilter) {
  const read = yield* ReadSql
  return yield* deliveriesReadBy(deliveryPage(read, read.literal("id"), owner, filter, undefined, PAGE))
})
