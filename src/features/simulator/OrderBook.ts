/**
 * Order books as in rippled's payment engine: best price first, then oldest first. Taking removes offers that are
 * expired, belong to the taker or have no funds. If an owner runs out of funds during a trade, the rest of the offer is
 * removed.
 */
import { type Asset, amountOf, assetOf, minimum, quantityOf } from "./IntegerAmounts.ts"
import { bookKey } from "./Keys.ts"
import type { Entry, LedgerState } from "./LedgerState.ts"
import type { TransactionView } from "./TransactionView.ts"
import { move, spendable } from "./TrustLineBalances.ts"

export interface Price {
  readonly pays: bigint
  readonly gets: bigint
}

/** The offers that give `gives` for `wants`. */
export const offersOf = (state: LedgerState, gives: Asset, wants: Asset): ReadonlyArray<Entry> => {
  const book = bookKey(wants, gives)
  return state
    .ofType("Offer")
    .filter(({ fields }) => String(fields["BookDirectory"]).startsWith(book))
    .toSorted((a, b) => (String(a.fields["BookDirectory"]) < String(b.fields["BookDirectory"]) ? -1 : 1))
}

export const makerOf = (offer: Entry): string => String(offer.fields["Account"])

export const isExpired = (entry: Entry, parentCloseTime: number): boolean => {
  const expiration = entry.fields["Expiration"]
  return typeof expiration === "number" && expiration <= parentCloseTime
}

const asked = (offer: Entry): Price => ({
  pays: quantityOf(offer.fields["TakerPays"]),
  gets: quantityOf(offer.fields["TakerGets"])
})

/** Is this offer's price within what the taker accepts? */
const within = (price: Price, most: Price | undefined): boolean =>
  most === undefined || price.pays * most.gets <= most.pays * price.gets

/** How much the book can give, and at what cost, without expired offers and those of `takers`. */
export const quote = (
  state: LedgerState,
  book: { readonly gives: Asset; readonly wants: Asset },
  takers: ReadonlyArray<string>,
  parentCloseTime: number
): { readonly available: bigint; readonly cost: bigint } => {
  let available = 0n
  let cost = 0n
  const left = new Map<string, bigint>()
  for (const offer of offersOf(state, book.gives, book.wants)) {
    if (isExpired(offer, parentCloseTime) || takers.includes(makerOf(offer))) continue
    const { pays, gets } = asked(offer)
    const funds = left.get(makerOf(offer)) ?? spendable(state, makerOf(offer), book.gives)
    const funded = minimum(gets, funds)
    left.set(makerOf(offer), funds - funded)
    available += funded
    cost += (pays * funded) / gets + 1n
  }
  return { available, cost }
}

export interface Taking {
  /** Pays the makers. `receiver` gets what they give. */
  readonly payer: string
  readonly receiver: string
  readonly gives: Asset
  readonly wants: Asset
  readonly wanted: bigint
  /** The worst price accepted. Default: any price. */
  readonly limit?: Price
}

const take = (view: TransactionView, taking: Taking, offer: Entry, left: bigint): Price => {
  const { gives, wants } = taking
  const maker = makerOf(offer)
  const { pays, gets } = asked(offer)
  const funds = spendable(view.state, maker, gives)
  const filledGets = minimum(gets, funds, left)
  const share = (pays * filledGets) / gets
  const filledPays = filledGets === gets ? pays : share > 0n ? share : 1n
  move(view, maker, taking.receiver, gives, filledGets)
  move(view, taking.payer, maker, wants, filledPays)
  view.update(offer.index, {
    TakerGets: amountOf(gives, gets - filledGets),
    TakerPays: amountOf(wants, pays - filledPays)
  })
  // Because of rounding, one side of an offer may be filled before the other. Either closes it.
  if (filledGets === gets || filledPays === pays) {
    view.remove(offer.index)
    view.expect("dex.offer_filled")
  } else if (filledGets === funds) {
    view.remove(offer.index)
    view.expect("dex.offer_partial", "dex.offer_cancelled")
  } else {
    view.expect("dex.offer_partial")
  }
  return { pays: filledPays, gets: filledGets }
}

/** Takes offers up to `wanted` and the price limit. Returns what was paid and received. */
export const takeOffers = (view: TransactionView, taking: Taking): Price => {
  const total = { pays: 0n, gets: 0n }
  for (const offer of offersOf(view.state, taking.gives, taking.wants)) {
    if (total.gets >= taking.wanted || !within(asked(offer), taking.limit)) break
    const stale =
      isExpired(offer, view.origin.parentCloseTime) ||
      makerOf(offer) === taking.payer ||
      spendable(view.state, makerOf(offer), taking.gives) === 0n
    if (stale) {
      view.remove(offer.index)
      view.expect("dex.offer_cancelled")
      continue
    }
    const traded = take(view, taking, offer, taking.wanted - total.gets)
    total.pays += traded.pays
    total.gets += traded.gets
  }
  return total
}

/** Would an offer at this price meet any offer of the opposite book? */
export const crosses = (state: LedgerState, gives: Asset, wants: Asset, limit: Price): boolean =>
  offersOf(state, gives, wants).some((offer) => within(asked(offer), limit))

export const assetsOf = (offer: Entry): { readonly gives: Asset; readonly wants: Asset } => ({
  gives: assetOf(offer.fields["TakerGets"]),
  wants: assetOf(offer.fields["TakerPays"])
})
