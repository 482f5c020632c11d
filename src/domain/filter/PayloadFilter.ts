/**
 * Payload filters: which events a customer wants, by the fields of their payloads (docs/payload-filters.md). A filter is
 * stored and sent as it was given. `parseFilter` (Parse.ts) checks it against the event types' schemas; `compileFilter`
 * (Match.ts) makes it a predicate, once for each change of a webhook.
 */

/** JSON, as it was given. */
export type PayloadFilter = Readonly<Record<string, unknown>>

/** Each event is compared with every filter of its type and account: a filter must stay cheap to keep and to ask. */
export const filterBounds = {
  /** Comparisons in one filter: with all of them an event costs some 10 µs. */
  conditions: 50,
  /** `$and`, `$or` and `$not` within one another. */
  depth: 8,
  /** Values of one `$in` or `$nin`. Account filters are for longer lists of accounts. */
  values: 200,
  /** Characters of one value: the longest texts of the ledger, such as an NFT's URI in hex, have 512. */
  textLength: 1_024,
  /** Characters of the whole as JSON: every process keeps the filters of all webhooks in memory. */
  jsonLength: 16_384
} as const

export const comparisons = ["$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin", "$exists"] as const
export type Comparison = (typeof comparisons)[number]

export type Scalar = string | number | boolean

/** A filter that was checked. */
export type Filter =
  | { readonly is: "all" | "any"; readonly of: ReadonlyArray<Filter> }
  | { readonly is: "not"; readonly of: Filter }
  | {
      readonly is: "condition"
      /** As it was given: `amount.value`. */
      readonly field: string
      readonly comparison: Comparison
      /** Several for `$in` and `$nin`, one for the others. */
      readonly operands: ReadonlyArray<Scalar>
    }
