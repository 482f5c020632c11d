/**
 * A scenario drafts the next transaction of one kind from the state of the ledger, or returns undefined if none is
 * possible now. The changes of a draft must be valid. The events they cause are listed in `expected`; events that
 * depend on the offers a trade meets are added by the operations on the view.
 */
import type { EventType } from "../../spine/event/EventType.ts"
import type { JsonObject } from "../../spine/event/Ledger.ts"
import type { TransactionView } from "./TransactionView.ts"
import type { World } from "./World.ts"

export interface Draft {
  /** Type, account and the type's own fields; fee, sequence and signature are added when it is applied. */
  readonly tx: JsonObject & { readonly TransactionType: string; readonly Account: string }
  readonly expected?: ReadonlyArray<EventType>
  /** The fee in drops. Default: the fee of a busy wallet. */
  readonly fee?: bigint
  /** Default: tesSUCCESS. */
  readonly result?: string
  /** The changes that the transaction makes, besides the sender's fee and sequence. */
  readonly apply?: (view: TransactionView) => void
}

export interface Scenario {
  readonly name: string
  /** How often it occurs in one round of the deck (ScenarioDeck.ts). */
  readonly weight: number
  readonly draft: (world: World) => Draft | undefined
}

/** Limits of the entries of each kind, so that the state of a ledger that runs for weeks does not grow. */
export const POPULATION = { accounts: 60, offers: 150, nfts: 300, nftOffers: 120, escrows: 40, checks: 40 }
