/**
 * The ledger as one transaction changes it. Every change lands in the state at once; what was there before is kept, and
 * `affectedNodes` makes of both the metadata that rippled would write: each entry once, sorted by key, new entries with
 * their non-default fields, changed ones with what differs, directories and owner counts kept along.
 * Scenarios say here as well which events they cause, so that what is expected does not depend on any detector.
 */
import type { EventType } from "../domain/EventType.ts"
import type { Json, JsonObject } from "../domain/Ledger.ts"
import { quantityOf } from "./Amounts.ts"
import { type Directory, directoriesOf, ownerOf, threadedAccounts } from "./Directories.ts"
import { accountKey } from "./Keys.ts"
import type { Entry, EntryType, LedgerState } from "./LedgerState.ts"

/** Fields to set; undefined removes the field. */
export type Patch = { readonly [field: string]: Json | undefined }

export interface TransactionOrigin {
  readonly hash: string
  readonly account: string
  readonly sequence: number
  readonly ledgerIndex: number
  readonly parentCloseTime: number
}

const NO_MEMBERS: ReadonlySet<string> = new Set()

const same = (a: Json | undefined, b: Json | undefined): boolean =>
  a === b || (typeof a === "object" && typeof b === "object" && JSON.stringify(a) === JSON.stringify(b))

/** Left out of a new entry's fields: numbers, XRP amounts, 64-bit fields and 160-bit fields of zero. */
const isDefault = (value: Json): boolean =>
  value === 0 || value === "0" || (typeof value === "string" && /^0{40}$/.test(value))

const patched = (fields: JsonObject, patch: Patch): JsonObject => {
  const result: { [field: string]: Json } = { ...fields }
  for (const [field, value] of Object.entries(patch))
    if (value === undefined) delete result[field]
    else result[field] = value
  return result
}

export class TransactionView {
  readonly state: LedgerState
  readonly origin: TransactionOrigin
  readonly expected: Array<EventType> = []
  /** What becomes `DeliveredAmount`. */
  delivered: Json | undefined
  /** What was there before this transaction, by key; undefined: nothing. */
  readonly #before = new Map<string, Entry | undefined>()
  /** Removed entries with their last fields. */
  readonly #removed = new Map<string, JsonObject>()

  constructor(state: LedgerState, origin: TransactionOrigin) {
    this.state = state
    this.origin = origin
  }

  expect(...types: ReadonlyArray<EventType>): void {
    this.expected.push(...types)
  }

  create(type: EntryType, index: string, fields: JsonObject, members = NO_MEMBERS): void {
    if (this.state.get(index) !== undefined)
      throw new Error(`TransactionView: ${type} ${index} exists already`)
    this.#remember(index, undefined)
    this.state.set({ type, index, fields, previousTxnId: "", previousTxnLedger: 0, members })
    for (const directory of directoriesOf(type, fields)) this.#list(directory, index)
    const owner = ownerOf(type, fields)
    if (owner !== undefined) this.addOwned(owner, 1)
  }

  update(index: string, patch: Patch): void {
    const entry = this.state.entry(index)
    this.#remember(index, entry)
    this.state.set({ ...entry, fields: patched(entry.fields, patch) })
  }

  remove(index: string): void {
    const entry = this.state.entry(index)
    this.#remember(index, entry)
    this.#removed.set(index, entry.fields)
    this.state.delete(entry)
    for (const directory of directoriesOf(entry.type, entry.fields)) this.#unlist(directory, index)
    const owner = ownerOf(entry.type, entry.fields)
    if (owner !== undefined) this.addOwned(owner, -1)
  }

  account(address: string): JsonObject {
    return this.state.entry(accountKey(address)).fields
  }

  updateAccount(address: string, patch: Patch): void {
    this.update(accountKey(address), patch)
  }

  addOwned(address: string, count: number): void {
    this.updateAccount(address, { OwnerCount: Number(this.account(address)["OwnerCount"]) + count })
  }

  addXrp(address: string, drops: bigint): void {
    const balance = quantityOf(this.account(address)["Balance"]) + drops
    if (balance < 0n) throw new Error(`TransactionView: ${address} would have ${balance} drops`)
    this.updateAccount(address, { Balance: balance.toString() })
  }

  #remember(index: string, entry: Entry | undefined): void {
    if (!this.#before.has(index)) this.#before.set(index, entry)
  }

  #list(directory: Directory, index: string): void {
    const found = this.state.get(directory.index)
    if (found === undefined) {
      this.create("DirectoryNode", directory.index, directory.fields, new Set([index]))
    } else {
      this.#remember(directory.index, found)
      this.state.set({ ...found, members: new Set(found.members).add(index) })
    }
  }

  #unlist(directory: Directory, index: string): void {
    const found = this.state.entry(directory.index)
    const members = new Set(found.members)
    members.delete(index)
    this.#remember(directory.index, found)
    this.state.set({ ...found, members })
    if (members.size === 0) this.remove(directory.index)
  }

  /** Closes the transaction: stamps what changed with it and returns the metadata's nodes. */
  affectedNodes(): ReadonlyArray<JsonObject> {
    for (const [index, before] of [...this.#before]) {
      const after = this.state.get(index)
      const lives = before === undefined ? after : after === undefined ? before : undefined
      if (lives === undefined) continue
      for (const account of threadedAccounts(lives.type, lives.fields)) {
        const root = this.state.get(accountKey(account))
        if (root !== undefined) this.#remember(root.index, root)
      }
    }
    const nodes: Array<JsonObject> = []
    for (const index of [...this.#before.keys()].sort()) {
      const node = this.#node(index, this.#before.get(index), this.state.get(index))
      if (node !== undefined) nodes.push(node)
    }
    return nodes
  }

  #node(index: string, before: Entry | undefined, after: Entry | undefined): JsonObject | undefined {
    if (after !== undefined)
      this.state.set({
        ...after,
        previousTxnId: this.origin.hash,
        previousTxnLedger: this.origin.ledgerIndex
      })
    if (before === undefined) return after === undefined ? undefined : createdNode(after)
    return after === undefined
      ? deletedNode(before, this.#removed.get(index) ?? before.fields)
      : modifiedNode(before, after)
  }
}

const createdNode = ({ fields, index, type }: Entry): JsonObject => ({
  CreatedNode: {
    LedgerEntryType: type,
    LedgerIndex: index,
    NewFields: Object.fromEntries(Object.entries(fields).filter(([, value]) => !isDefault(value)))
  }
})

/** What existed and changed or went; added fields are not listed (docs/detection-rules.md 1.2). */
const previousFields = (before: JsonObject, after: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(before).filter(([field, value]) => !same(value, after[field])))

const deletedNode = (before: Entry, final: JsonObject): JsonObject => {
  const previous = previousFields(before.fields, final)
  return {
    DeletedNode: {
      FinalFields: {
        ...final,
        PreviousTxnID: before.previousTxnId,
        PreviousTxnLgrSeq: before.previousTxnLedger
      },
      LedgerEntryType: before.type,
      LedgerIndex: before.index,
      ...(Object.keys(previous).length > 0 && { PreviousFields: previous })
    }
  }
}

const modifiedNode = (before: Entry, after: Entry): JsonObject => {
  const unchanged = before.fields === after.fields || same(before.fields, after.fields)
  // An account that is only threaded shows no fields at all; a directory whose list changed shows no previous ones.
  const threadedOnly = unchanged && before.type === "AccountRoot"
  return {
    ModifiedNode: {
      ...(!threadedOnly && { FinalFields: after.fields }),
      LedgerEntryType: before.type,
      LedgerIndex: before.index,
      ...(!unchanged && { PreviousFields: previousFields(before.fields, after.fields) }),
      PreviousTxnID: before.previousTxnId,
      PreviousTxnLgrSeq: before.previousTxnLedger
    }
  }
}
