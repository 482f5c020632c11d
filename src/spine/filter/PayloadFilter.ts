/**
 * Payload filters choose events by the fields of their payloads (docs/payload-filters.md). A filter is stored as the
 * customer gave it. `parseFilter` (Parse.ts) checks it against the schemas of the event types. `compileFilter`
 * (Match.ts) turns it into a predicate, once for each change of a webhook.
 */

/** JSON as the customer gave it. */
export type PayloadFilter = Readonly<Record<string, unknown>>

/** An event is checked against every filter of its type and accounts, so a filter must be small and fast. */
export const filterBounds = {
  /** Comparisons in one filter. 50 of them take about 12 µs for an event. */
  conditions: 50,
  /** How many levels of `$and`, `$or` and `$not` may be nested. */
  depth: 8,
  /** Values of one `$in` or `$nin`. For long lists of accounts there are account filters. */
  values: 200,
  /** Characters of one value. The longest texts of the ledger, such as an NFT's URI in hex, have 512. */
  textLength: 1_024,
  /** Characters of the whole filter as JSON. Every process keeps the filters of all webhooks in memory. */
  jsonLength: 16_384
} as const

export const comparisons = ["$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin", "$exists"] as const
export type Comparison = (typeof comparisons)[number]

export type Scalar = string | number | boolean

/** A checked filter. */
export type Filter =
  | { readonly is: "all" | "any"; readonly of: ReadonlyArray<Filter> }
  | { readonly is: "not"; readonly of: Filter }
  | {
      readonly is: "condition"
      /** A path such as `amount.value`. */
      readonly field: string
      readonly comparison: Comparison
      /** `$in` and `$nin` have several values, the other operators have one. */
      readonly operands: ReadonlyArray<Scalar>
    }
