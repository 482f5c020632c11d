/**
 * The entries of the simulated ledger at one moment, by key and by type. Changed only through a `TransactionView`,
 * which makes the metadata; entries are never changed in place, so an entry once read stays as it was.
 */
import type { JsonObject } from "../domain/Ledger.ts"
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
  /** Of a directory only: the keys it lists. Metadata never shows them. */
  readonly members: ReadonlySet<string>
}

export class LedgerState {
  readonly #types = new Map<EntryType, Map<string, Entry>>()
  readonly #entries = new Map<string, Entry>()
  /** Who holds each NFT, by its id: pages alone would have to be searched. */
  readonly nftOwners = new Map<string, string>()

  get(index: string): Entry | undefined {
    return this.#entries.get(index)
  }

  /** Dies when there is none: for keys that the caller has just seen. */
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
