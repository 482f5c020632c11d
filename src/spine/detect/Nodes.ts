/**
 * Reads AffectedNodes: the ledger entries that a transaction created, modified or deleted. Keeps the types that a
 * detector reads, sorted by key, whatever order the source lists them in (docs/detection-rules.md 1.2).
 */
import { isHash } from "../event/Hash.ts"
import type { Json, JsonObject } from "../event/Ledger.ts"
import { isJsonObject } from "../event/NormaliseLedger.ts"
import { need, noFields, objectOf, uint32Of } from "./Fields.ts"

const entryTypes = [
  "AccountRoot",
  "Check",
  "Escrow",
  "MPToken",
  "MPTokenIssuance",
  "NFTokenOffer",
  "NFTokenPage",
  "Offer",
  "RippleState",
  "SignerList"
] as const

export type EntryType = (typeof entryTypes)[number]

/** Replaces the source's string by the program's own, which compares several times as fast. */
const entryTypeOf: ReadonlyMap<string, EntryType> = new Map(entryTypes.map((type) => [type, type]))

/** The most frequent types that no detector reads. Listed for speed: they skip the pattern below. */
const ignoredTypes: ReadonlySet<string> = new Set(["AMM", "DirectoryNode", "Oracle", "Ticket"])

/** New entry types may come at any time. A node whose type has another form is damaged. */
const ENTRY_TYPE = /^[A-Za-z0-9]+$/

type Change = "created" | "modified" | "deleted"

const changeOf: ReadonlyMap<string, Change> = new Map([
  ["CreatedNode", "created"],
  ["ModifiedNode", "modified"],
  ["DeletedNode", "deleted"]
])

export interface AffectedNode {
  readonly change: Change
  readonly type: EntryType
  /** `LedgerIndex`, the entry's key, in upper case. Detect.ts checks that it is 64 hex digits if an event needs it. */
  readonly id: string
  /** The entry as the transaction left it: NewFields of a created one, FinalFields of the others. */
  readonly fields: JsonObject
  /** PreviousFields: former values of changed and removed fields. Added fields are not in it. */
  readonly previous: JsonObject
}

export interface AffectedNodes {
  readonly nodes: ReadonlyArray<AffectedNode>
  /** If nodes could not be read: how many, and what is wrong with the first. Or why they are those of no transaction. */
  readonly fault: string | undefined
}

const idOf = ({ LedgerIndex }: JsonObject, type: EntryType): string => {
  if (typeof LedgerIndex !== "string") throw new Error(`the ${type} has no LedgerIndex`)
  return LedgerIndex.toUpperCase()
}

/** Undefined for a type that no detector reads. Throws if the type is unknown: it may have been any entry. */
const readNode = (change: Change, node: Json): AffectedNode | undefined => {
  if (!isJsonObject(node)) throw new Error(`the ${change} node is not an object`)
  const name = node["LedgerEntryType"]
  if (typeof name !== "string") throw new Error(`the ${change} node has no LedgerEntryType`)
  const type = entryTypeOf.get(name)
  if (type === undefined) {
    if (!ignoredTypes.has(name) && !ENTRY_TYPE.test(name))
      throw new Error(`the ${change} node has no LedgerEntryType`)
    return undefined
  }
  return {
    change,
    type,
    id: idOf(node, type),
    fields: objectOf(node, change === "created" ? "NewFields" : "FinalFields") ?? noFields,
    previous: change === "created" ? noFields : (objectOf(node, "PreviousFields") ?? noFields)
  }
}

/**
 * For each of these that ended, detection may search all nodes for what somebody gained. A transaction ends one at
 * most. The bound keeps the search of a ledger that a server made up from taking a time that grows with the square of
 * its nodes.
 */
const searchedFor: ReadonlySet<EntryType> = new Set(["AccountRoot", "Check", "Escrow"])
const MOST_ENDED = 3

/** An entry of AffectedNodes has one key, which says what happened to the node inside. */
const readEntry = (wrapped: Json): AffectedNode | undefined => {
  if (isJsonObject(wrapped))
    for (const key in wrapped) {
      const change = changeOf.get(key)
      if (change !== undefined) return readNode(change, wrapped[key]!)
    }
  throw new Error("it is neither a CreatedNode, a ModifiedNode nor a DeletedNode")
}

const byId = (a: AffectedNode, b: AffectedNode): number => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

const isSorted = (nodes: ReadonlyArray<AffectedNode>): boolean => {
  for (let i = 1; i < nodes.length; i++) if (nodes[i - 1]!.id > nodes[i]!.id) return false
  return true
}

export const affectedNodes = (meta: JsonObject): AffectedNodes => {
  const list = meta["AffectedNodes"]
  // Every applied transaction has them.
  if (!Array.isArray(list)) return { nodes: [], fault: "The metadata have no AffectedNodes." }
  const nodes: Array<AffectedNode> = []
  let ended = 0
  let unread = 0
  let first = ""
  for (const wrapped of list as ReadonlyArray<Json>) {
    try {
      const node = readEntry(wrapped)
      if (node === undefined) continue
      nodes.push(node)
      if (node.change === "deleted" && searchedFor.has(node.type)) ended++
    } catch (cause) {
      if (unread++ === 0) first = (cause as Error).message
    }
  }
  const unreadable =
    unread === 0 ? undefined : `${unread} of the AffectedNodes cannot be read. The first: ${first}.`
  const tooMany =
    ended <= MOST_ENDED
      ? undefined
      : `${ended} accounts, checks and escrows were deleted. No transaction deletes more than ${MOST_ENDED}.`
  return { nodes: isSorted(nodes) ? nodes : nodes.sort(byId), fault: unreadable ?? tooMany }
}

/** How an alert names the entry. An id that is no key may hold anything, so it is left out. */
export const nameOf = ({ id, type }: AffectedNode): string => (isHash(id) ? `${type} ${id}` : type)

/** The number of the transaction or ticket that made the entry. */
export const sequenceOf = ({ fields }: AffectedNode): number => need(uint32Of(fields, "Sequence"), "Sequence")
