/**
 * Applies one transaction to the ledger state and records the metadata. Each change is applied at once, and the
 * entry's state before the transaction is kept. From the two states, `affectedNodes` makes the metadata that rippled
 * would write: one node for each entry, sorted by key, including directories and owner counts. Scenarios also record
 * here which events they cause, so that tests can compare detection with an independent list.
 */
import type { EventType } from "../../spine/event/EventType.ts"
import type { Json, JsonObject } from "../../spine/event/Ledger.ts"
import { type Directory, directoriesOf, ownerOf, threadedAccounts } from "./Directories.ts"
import { quantityOf } from "./IntegerAmounts.ts"
import { accountKey } from "./Keys.ts"
import type { Entry, EntryType, LedgerState } from "./LedgerState.ts"

/** Fields to set. Undefined removes a field. */
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

/** Default values, which a new entry's node leaves out: zero as a number, XRP amount, 64-bit or 160-bit field. */
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
  /** Becomes `DeliveredAmount` in the metadata. */
  delivered: Json | undefined
  /** The entries before this transaction, by key. Undefined: the entry did not exist. */
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

  /** Ends the transaction: marks changed entries with its hash and returns the metadata's nodes. */
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

/** Previous values of fields that changed or were removed. Added fields are not listed. */
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
  // An account that is only threaded shows no fields. A directory whose list changed shows no previous fields.
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
