/**
 * A scenario makes the next transaction of one kind from the state of the ledger, or says that nothing suits it now.
 * It vouches for what it makes: the draft's changes must go through, and the events they cause are named in
 * `expected` or, where they depend on what a trade meets, by the operations on the view.
 */
import type { EventType } from "../domain/EventType.ts"
import type { JsonObject } from "../domain/Ledger.ts"
import type { TransactionView } from "./TransactionView.ts"
import type { World } from "./World.ts"

export interface Draft {
  /** Type, account and the type's own fields; fee, sequence and signature are added when it is applied. */
  readonly tx: JsonObject & { readonly TransactionType: string; readonly Account: string }
  readonly expected?: ReadonlyArray<EventType>
  /** Drops; by default what a busy wallet pays. */
  readonly fee?: bigint
  /** By default tesSUCCESS. */
  readonly result?: string
  /** What it changes besides the sender's fee and sequence. */
  readonly apply?: (view: TransactionView) => void
}

export interface Scenario {
  readonly name: string
  /** How often it is dealt in one round of the deck (ScenarioDeck.ts). */
  readonly weight: number
  readonly draft: (world: World) => Draft | undefined
}

/** Most entries of a kind at once: so that a ledger that runs for weeks stays as small as on its first day. */
export const POPULATION = { accounts: 60, offers: 150, nfts: 300, nftOffers: 120, escrows: 40, checks: 40 }
