/**
 * The current entries of the simulated ledger, by key and by type. Only a `TransactionView` changes them, since it also
 * makes the metadata. Entries are replaced, never changed in place, so an entry that was read stays as it was.
 */
import type { JsonObject } from "../../spine/event/Ledger.ts"
import type { SeededRandom } from "./SeededRandom.ts"

export type EntryType =
  | "AccountRoot"
  | "Check"
  | "DirectoryNode"
  | "Escrow"
  | "NFTokenOffer"
  | "NFTokenPage"
  | "Offer"
  | "RippleState"
  | "SignerList"

export interface Entry {
  readonly type: EntryType
  readonly index: string
  readonly fields: JsonObject
  /** The transaction that last changed it, and that transaction's ledger. */
  readonly previousTxnId: string
  readonly previousTxnLedger: number
  /** For a directory: the keys it lists. Metadata does not show them. */
  readonly members: ReadonlySet<string>
}

export class LedgerState {
  readonly #types = new Map<EntryType, Map<string, Entry>>()
  readonly #entries = new Map<string, Entry>()
  /** The owner of each NFT by its id, so that pages need not be searched. */
  readonly nftOwners = new Map<string, string>()

  get(index: string): Entry | undefined {
    return this.#entries.get(index)
  }

  /** Throws if there is no such entry. */
  entry(index: string): Entry {
    const entry = this.#entries.get(index)
    if (entry === undefined) throw new Error(`LedgerState: there is no entry ${index}`)
    return entry
  }

  set(entry: Entry): void {
    this.#entries.set(entry.index, entry)
    const ofType = this.#types.get(entry.type)
    if (ofType === undefined) this.#types.set(entry.type, new Map([[entry.index, entry]]))
    else ofType.set(entry.index, entry)
  }

  delete(entry: Entry): void {
    this.#entries.delete(entry.index)
    this.#types.get(entry.type)?.delete(entry.index)
  }

  count(type: EntryType): number {
    return this.#types.get(type)?.size ?? 0
  }

  /** In the order of their creation. */
  ofType(type: EntryType): ReadonlyArray<Entry> {
    return [...(this.#types.get(type)?.values() ?? [])]
  }

  pick(type: EntryType, random: SeededRandom, fits: (entry: Entry) => boolean): Entry | undefined {
    return random.pickOrNone(this.ofType(type).filter(fits))
  }
}
