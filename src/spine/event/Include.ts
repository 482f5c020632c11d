/**
 * What a receiver may ask for beside a payload's own fields: the transaction's memos, and what it changed in the
 * balances of the event's accounts. Records have these fields beside the payload; they are added at its end. Pure.
 */
import type { Json, JsonObject } from "./Ledger.ts"
import type { LedgerEvent } from "./LedgerEvent.ts"

export const includables = ["memos", "balance_changes"] as const
export type Includable = (typeof includables)[number]

/** The fields of a record that may be included. */
export type IncludableFields = Pick<LedgerEvent, "memos" | "memos_truncated" | "balance_changes">

const fieldsOf: Readonly<Record<Includable, ReadonlyArray<keyof IncludableFields>>> = {
  memos: ["memos", "memos_truncated"],
  balance_changes: ["balance_changes"]
}

/** The wanted fields that the event has, always in the same order. */
export const includedFields = (event: IncludableFields, include: ReadonlyArray<Includable>): JsonObject =>
  Object.fromEntries(
    includables
      .filter((one) => include.includes(one))
      .flatMap((one) => fieldsOf[one])
      // Interfaces have no index signature, so TypeScript does not see that they are JSON.
      .flatMap((name) => (event[name] === undefined ? [] : [[name, event[name] as unknown as Json]]))
  )

/** The event with the payload that a receiver gets who wants these fields. */
export const withIncluded = <E extends IncludableFields & Pick<LedgerEvent, "payload">>(
  event: E,
  include: ReadonlyArray<Includable> = []
): E =>
  include.length === 0
    ? event
    : { ...event, payload: { ...event.payload, ...includedFields(event, include) } }

/** The event for receivers that want none of these fields, so that it need not carry them. */
export const withoutIncludable = ({
  balance_changes,
  memos,
  memos_truncated,
  ...event
}: LedgerEvent): LedgerEvent => event
