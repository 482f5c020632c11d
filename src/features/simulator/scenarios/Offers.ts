/** OfferCreate that rests in the book, is filled in part or completely, or replaces another; OfferCancel. */
import type { JsonObject } from "../../../spine/event/Ledger.ts"
import { bookDirectoryKey } from "../Directories.ts"
import { type Asset, amountOf, minimum, quantityOf, UNIT } from "../IntegerAmounts.ts"
import { offerKey } from "../Keys.ts"
import type { Entry } from "../LedgerState.ts"
import { assetsOf, crosses, makerOf, offersOf, takeOffers } from "../OrderBook.ts"
import { type Draft, POPULATION, type Scenario } from "../Scenario.ts"
import type { TransactionView } from "../TransactionView.ts"
import { spendable } from "../TrustLineBalances.ts"
import type { World } from "../World.ts"

const tfImmediateOrCancel = 0x00020000
const tfSell = 0x00080000

/** The smallest offer that is left in the book: a hundredth of a unit. */
const DUST = UNIT / 100n

interface Order {
  readonly account: string
  /** The total amounts that the owner gives and receives. */
  readonly gives: Asset
  readonly wants: Asset
  readonly gets: bigint
  readonly pays: bigint
  readonly flags?: number
  readonly expiration?: number
  readonly replaces?: Entry
}

const restingFields = (order: Order, sequence: number, gets: bigint, pays: bigint): JsonObject => {
  const takerGets = amountOf(order.gives, gets)
  const takerPays = amountOf(order.wants, pays)
  return {
    Account: order.account,
    BookDirectory: bookDirectoryKey(amountOf(order.wants, order.pays), amountOf(order.gives, order.gets)),
    BookNode: "0",
    Flags: order.flags === tfSell ? 0x00020000 : 0,
    OwnerNode: "0",
    Sequence: sequence,
    TakerGets: takerGets,
    TakerPays: takerPays,
    ...(order.expiration !== undefined && { Expiration: order.expiration })
  }
}

/** Crosses what the price allows, then rests with what is left at the price asked for. */
const place = (view: TransactionView, order: Order): void => {
  const { account, gets, gives, pays, wants } = order
  if (order.replaces !== undefined) {
    view.remove(order.replaces.index)
    view.expect("dex.offer_cancelled")
  }
  const traded = takeOffers(view, {
    payer: account,
    receiver: account,
    gives: wants,
    wants: gives,
    wanted: pays,
    limit: { pays: gets, gets: pays }
  })
  const left = pays - traded.gets
  const leftGets = (gets * left) / pays
  if (leftGets < DUST || left < DUST || order.flags === tfImmediateOrCancel) return
  const { sequence } = view.origin
  view.create("Offer", offerKey(account, sequence), restingFields(order, sequence, leftGets, left))
  view.expect("dex.offer_created")
}

const offerCreate = (order: Order): Draft => ({
  tx: {
    TransactionType: "OfferCreate",
    Account: order.account,
    TakerGets: amountOf(order.gives, order.gets),
    TakerPays: amountOf(order.wants, order.pays),
    Flags: order.flags ?? 0,
    ...(order.expiration !== undefined && { Expiration: order.expiration }),
    ...(order.replaces !== undefined && { OfferSequence: Number(order.replaces.fields["Sequence"]) })
  },
  apply: (view) => place(view, order)
})

/** An order away from the market price, selling above it or buying below it, so that it meets no other offer. */
const restingOrder = (world: World, account: string): Order | undefined => {
  const { random, state } = world
  const token = random.pick(world.tokens)
  const units = BigInt(random.int(20, 2_000))
  const sells = random.flip(0.5)
  const margin = BigInt(random.int(20, 200))
  const drops = (units * token.price * (sells ? 1_000n + margin : 1_000n - margin)) / 1_000n
  const order: Order = sells
    ? { account, gives: token, wants: "XRP", gets: units * UNIT, pays: drops }
    : { account, gives: "XRP", wants: token, gets: drops, pays: units * UNIT }
  const price = { pays: order.gets, gets: order.pays }
  // Some makers offer more than they have. Such an offer is filled as far as the funds allow, then removed.
  if (spendable(state, account, order.gives) * 3n < order.gets) return undefined
  if (crosses(state, order.wants, order.gives, price)) return undefined
  const flags = random.flip(0.2) ? { flags: tfSell } : {}
  return random.flip(0.15)
    ? { ...order, ...flags, expiration: world.parentCloseTime + random.int(3, 20) }
    : { ...order, ...flags }
}

const rest = (world: World): Draft | undefined => {
  if (world.state.count("Offer") >= POPULATION.offers) return undefined
  const order = restingOrder(world, world.random.pick(world.people))
  return order === undefined ? undefined : offerCreate(order)
}

/** Offers in a currency that nobody trades. They stay until their owner's account is deleted. */
const guestOffer = (world: World): Draft | undefined => {
  if (world.state.count("Offer") >= POPULATION.offers) return undefined
  const account = world.random.pickOrNone(
    [...world.guests].filter((guest) => spendable(world.state, guest, "XRP") > 5n * UNIT)
  )
  if (account === undefined) return undefined
  const wants = { currency: "JPY", issuer: world.gateways[0]! }
  return offerCreate({
    account,
    gives: "XRP",
    wants,
    gets: UNIT,
    pays: BigInt(world.random.int(90, 110)) * UNIT
  })
}

/** An order that takes the best offers: part of one, several completely, or more than the book has. */
const cross = (world: World): Draft | undefined => {
  const { random, state } = world
  const best = random.pickOrNone(state.ofType("Offer").filter((offer) => !world.guests.has(makerOf(offer))))
  if (best === undefined) return undefined
  const { gives, wants } = assetsOf(best)
  const book = offersOf(state, gives, wants)
  const reach = book.slice(0, random.int(1, 3))
  const last = reach[reach.length - 1]!
  const sum = (field: string) => reach.reduce((total, offer) => total + quantityOf(offer.fields[field]), 0n)
  const offered = sum("TakerGets")
  const share = BigInt(random.pick([20, 55, 100, 100, 130]))
  const pays = (offered * share) / 100n
  // At the price of the last offer within reach, rounded in the makers' favour.
  const gets = (pays * quantityOf(last.fields["TakerPays"])) / quantityOf(last.fields["TakerGets"]) + 1n
  const takers = world.people.filter((person) => spendable(state, person, wants) > gets * 2n)
  const account = random.pickOrNone(takers)
  if (account === undefined || minimum(pays, gets) <= 0n) return undefined
  const flags = random.flip(0.3) ? { flags: tfImmediateOrCancel } : {}
  return offerCreate({ account, gives: wants, wants: gives, gets, pays, ...flags })
}

const replace = (world: World): Draft | undefined => {
  const old = world.state.pick("Offer", world.random, (offer) => world.people.includes(makerOf(offer)))
  if (old === undefined) return undefined
  const order = restingOrder(world, makerOf(old))
  return order === undefined ? undefined : offerCreate({ ...order, replaces: old })
}

const cancel = (world: World): Draft | undefined => {
  if (world.random.flip(0.15)) return cancelGone(world)
  const offer = world.state.pick("Offer", world.random, () => true)
  if (offer === undefined) return undefined
  return {
    tx: {
      TransactionType: "OfferCancel",
      Account: makerOf(offer),
      OfferSequence: Number(offer.fields["Sequence"])
    },
    expected: ["dex.offer_cancelled"],
    apply: (view) => view.remove(offer.index)
  }
}

/** Succeeds without a change: the offer was filled or never existed. */
const cancelGone = (world: World): Draft => ({
  tx: { TransactionType: "OfferCancel", Account: world.random.pick(world.people), OfferSequence: 1 }
})

export const offers: ReadonlyArray<Scenario> = [
  { name: "resting offer", weight: 8, draft: rest },
  { name: "guest's offer", weight: 1, draft: guestOffer },
  { name: "crossing offer", weight: 5, draft: cross },
  { name: "replaced offer", weight: 2, draft: replace },
  { name: "offer cancelled", weight: 3, draft: cancel }
]
