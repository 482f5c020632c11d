/**
 * The ledger entries a transaction created, modified or deleted, as far as any detector looks at them, in the order
 * of their keys whatever order the source lists them in (events.md 1.2).
 */
import type { JsonObject } from "../domain/Ledger.ts"
import { isJsonObject } from "../domain/NormaliseLedger.ts"
import { integerOf, listOf, need, noFields, objectOf, textOf } from "./Fields.ts"

const entryTypes = [
  "AccountRoot",
  "Check",
  "Escrow",
  "NFTokenOffer",
  "NFTokenPage",
  "Offer",
  "RippleState",
  "SignerList"
] as const

export type EntryType = (typeof entryTypes)[number]

/** Gives the program's own string for the source's: comparing and looking up by that is several times as fast. */
const entryTypeOf: ReadonlyMap<string, EntryType> = new Map(entryTypes.map((type) => [type, type]))

type Change = "created" | "modified" | "deleted"

const changeOf: ReadonlyMap<string, Change> = new Map([
  ["CreatedNode", "created"],
  ["ModifiedNode", "modified"],
  ["DeletedNode", "deleted"]
])

export interface AffectedNode {
  readonly change: Change
  readonly type: EntryType
  /** `LedgerIndex`, the entry's key in upper case; whether it is 64 hex digits is asked only where it makes an event. */
  readonly id: string
  /** The entry as the transaction left it: NewFields of a created one, FinalFields of the others. */
  readonly fields: JsonObject
  /** PreviousFields: former values of what changed or went; what was added is not listed. */
  readonly previous: JsonObject
}

const read = (change: Change, node: JsonObject): AffectedNode | undefined => {
  const type = entryTypeOf.get(textOf(node, "LedgerEntryType") ?? "")
  if (type === undefined) return undefined
  return {
    change,
    type,
    id: (textOf(node, "LedgerIndex") ?? "").toUpperCase(),
    fields: objectOf(node, change === "created" ? "NewFields" : "FinalFields") ?? noFields,
    previous: change === "created" ? noFields : (objectOf(node, "PreviousFields") ?? noFields)
  }
}

/** An entry of AffectedNodes has one key, which says what happened to the node below it. */
const readWrapped = (wrapped: JsonObject): AffectedNode | undefined => {
  for (const key in wrapped) {
    const change = changeOf.get(key)
    const node = change === undefined ? undefined : objectOf(wrapped, key)
    if (change !== undefined && node !== undefined) return read(change, node)
  }
  return undefined
}

const byId = (a: AffectedNode, b: AffectedNode): number => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

const isSorted = (nodes: ReadonlyArray<AffectedNode>): boolean => {
  for (let i = 1; i < nodes.length; i++) if (nodes[i - 1]!.id > nodes[i]!.id) return false
  return true
}

/** Undefined when the metadata has no list of affected nodes, which no applied transaction is without. */
export const affectedNodes = (meta: JsonObject): ReadonlyArray<AffectedNode> | undefined => {
  const list = listOf(meta, "AffectedNodes")
  if (list === undefined) return undefined
  const nodes: Array<AffectedNode> = []
  for (const wrapped of list) {
    const node = isJsonObject(wrapped) ? readWrapped(wrapped) : undefined
    if (node !== undefined) nodes.push(node)
  }
  return isSorted(nodes) ? nodes : nodes.sort(byId)
}

/** The number of the transaction or ticket that made the entry; NewFields leave out zero (events.md 1.2). */
export const sequenceOf = ({ change, fields }: AffectedNode): number =>
  need(integerOf(fields, "Sequence") ?? (change === "created" ? 0 : undefined), "Sequence")
