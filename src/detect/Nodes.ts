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

export interface AffectedNode {
  readonly change: "created" | "modified" | "deleted"
  readonly type: EntryType
  /** `LedgerIndex`, the entry's key in upper case; whether it is 64 hex digits is asked only where it makes an event. */
  readonly id: string
  /** The entry as the transaction left it: NewFields of a created one, FinalFields of the others. */
  readonly fields: JsonObject
  /** PreviousFields: former values of what changed or went; what was added is not listed. */
  readonly previous: JsonObject
}

const entryTypeSet: ReadonlySet<string> = new Set(entryTypes)

const isEntryType = (type: string): type is EntryType => entryTypeSet.has(type)

const read = (change: AffectedNode["change"], node: JsonObject): AffectedNode | undefined => {
  const type = node["LedgerEntryType"]
  if (typeof type !== "string" || !isEntryType(type)) return undefined
  return {
    change,
    type,
    id: (textOf(node, "LedgerIndex") ?? "").toUpperCase(),
    fields: objectOf(node, change === "created" ? "NewFields" : "FinalFields") ?? noFields,
    previous: change === "created" ? noFields : (objectOf(node, "PreviousFields") ?? noFields)
  }
}

const readWrapped = (wrapped: JsonObject): AffectedNode | undefined => {
  const modified = objectOf(wrapped, "ModifiedNode")
  if (modified !== undefined) return read("modified", modified)
  const deleted = objectOf(wrapped, "DeletedNode")
  if (deleted !== undefined) return read("deleted", deleted)
  const created = objectOf(wrapped, "CreatedNode")
  return created === undefined ? undefined : read("created", created)
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
