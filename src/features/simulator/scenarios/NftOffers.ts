/** Offers to sell, give away or buy NFTs: created, accepted directly or through a broker, cancelled, expired. */
import type { JsonObject } from "../../../spine/event/Ledger.ts"
import { lsfSellNFToken } from "../Directories.ts"
import { UNIT } from "../IntegerAmounts.ts"
import { nftOfferKey } from "../Keys.ts"
import type { Entry } from "../LedgerState.ts"
import { addNft, takeNft } from "../NftPages.ts"
import { isExpired } from "../OrderBook.ts"
import { type Draft, POPULATION, type Scenario } from "../Scenario.ts"
import type { TransactionView } from "../TransactionView.ts"
import { otherPerson, type World } from "../World.ts"
import { affordable, issuerOfNft, priceOf, royalty } from "./Nfts.ts"

const nftOf = (offer: Entry): string => String(offer.fields["NFTokenID"])
const makerOf = (offer: Entry): string => String(offer.fields["Owner"])
const sells = (offer: Entry): boolean => offer.fields["Flags"] === lsfSellNFToken

/** Whether a sell offer's owner still has the token, or a buy offer is for a token of another account. */
const isLive = (world: World, offer: Entry): boolean => {
  const holder = world.state.nftOwners.get(nftOf(offer))
  return holder !== undefined && sells(offer) === (holder === makerOf(offer))
}

const acceptable = (world: World, offer: Entry): boolean =>
  isLive(world, offer) && !isExpired(offer, world.parentCloseTime)

const create = (account: string, terms: JsonObject): Draft => ({
  tx: { TransactionType: "NFTokenCreateOffer", Account: account, ...terms },
  expected: ["nft.offer_created"],
  apply: (view) => {
    const { Owner: _owner, ...fields } = terms
    const { sequence } = view.origin
    view.create("NFTokenOffer", nftOfferKey(account, sequence), {
      ...fields,
      NFTokenOfferNode: "0",
      Owner: account,
      OwnerNode: "0"
    })
  }
})

const expiration = (world: World): JsonObject =>
  world.random.flip(0.2) ? { Expiration: world.parentCloseTime + world.random.int(2, 12) } : {}

const sell = (world: World): Draft | undefined => {
  const { random, state } = world
  const nft =
    state.count("NFTokenOffer") < POPULATION.nftOffers ? random.pickOrNone([...state.nftOwners]) : undefined
  if (nft === undefined) return undefined
  const [id, owner] = nft
  const gift = random.flip(0.25)
  const buyer = gift ? { Destination: otherPerson(world, owner) } : {}
  const price = gift ? 0n : BigInt(random.int(1, 80)) * UNIT
  return create(owner, {
    Amount: price.toString(),
    Flags: lsfSellNFToken,
    NFTokenID: id,
    ...buyer,
    ...expiration(world)
  })
}

/** Often for a token on sale, at a higher price than asked, so that a broker can earn the difference. */
const buy = (world: World): Draft | undefined => {
  const { random, state } = world
  if (state.count("NFTokenOffer") >= POPULATION.nftOffers) return undefined
  const onSale = state.pick("NFTokenOffer", random, (offer) => sells(offer) && acceptable(world, offer))
  const id =
    onSale !== undefined && random.flip(0.7) ? nftOf(onSale) : random.pickOrNone([...state.nftOwners.keys()])
  if (id === undefined) return undefined
  const owner = state.nftOwners.get(id)!
  const asked = onSale !== undefined && nftOf(onSale) === id ? priceOf(onSale.fields) : 0n
  return create(otherPerson(world, owner), {
    Amount: (asked + BigInt(random.int(2, 30)) * UNIT).toString(),
    Flags: 0,
    NFTokenID: id,
    Owner: owner,
    ...expiration(world)
  })
}

interface Sale {
  readonly id: string
  readonly seller: string
  readonly buyer: string
  readonly price: bigint
  readonly broker?: { readonly account: string; readonly fee: bigint }
}

const settle = (view: TransactionView, world: World, sale: Sale, offers: ReadonlyArray<Entry>): void => {
  const { broker, buyer, id, price, seller } = sale
  const issuer = issuerOfNft(world, id)
  const fee = broker?.fee ?? 0n
  // An issuer who sells or buys back its own token pays itself no royalty.
  const cut = seller === issuer || buyer === issuer ? 0n : royalty(id, price - fee)
  view.addXrp(buyer, -price)
  if (broker !== undefined) view.addXrp(broker.account, fee)
  if (cut > 0n) view.addXrp(issuer, cut)
  view.addXrp(seller, price - fee - cut)
  addNft(view, buyer, id, takeNft(view, seller, id))
  for (const offer of offers) view.remove(offer.index)
}

const accept = (world: World): Draft | undefined => {
  const { random, state } = world
  const offer = state.pick("NFTokenOffer", random, (entry) => {
    if (!acceptable(world, entry)) return false
    return sells(entry) || affordable(world, makerOf(entry), priceOf(entry.fields))
  })
  if (offer === undefined) return undefined
  const id = nftOf(offer)
  const price = priceOf(offer.fields)
  const seller = sells(offer) ? makerOf(offer) : state.nftOwners.get(id)!
  const destination = offer.fields["Destination"]
  const taker = typeof destination === "string" ? destination : otherPerson(world, seller)
  const buyer = sells(offer) ? taker : makerOf(offer)
  if (!affordable(world, buyer, price)) return undefined
  return {
    tx: {
      TransactionType: "NFTokenAcceptOffer",
      Account: sells(offer) ? buyer : seller,
      [sells(offer) ? "NFTokenSellOffer" : "NFTokenBuyOffer"]: offer.index
    },
    expected: ["nft.offer_accepted"],
    apply: (view) => settle(view, world, { id, seller, buyer, price }, [offer])
  }
}

const brokered = (world: World): Draft | undefined => {
  const { random, state } = world
  const open = state.ofType("NFTokenOffer").filter((offer) => acceptable(world, offer))
  const pairs = open
    .filter((offer) => sells(offer) && offer.fields["Destination"] === undefined)
    .flatMap((sale) =>
      open
        .filter((offer) => {
          const price = priceOf(offer.fields)
          return (
            !sells(offer) &&
            nftOf(offer) === nftOf(sale) &&
            price > priceOf(sale.fields) &&
            affordable(world, makerOf(offer), price)
          )
        })
        .map((purchase) => ({ sale, purchase }))
    )
  const pair = random.pickOrNone(pairs)
  if (pair === undefined) return undefined
  const { purchase, sale } = pair
  const price = priceOf(purchase.fields)
  const account = otherPerson(world, makerOf(sale), makerOf(purchase))
  const fee = (price - priceOf(sale.fields)) / 2n
  const [seller, buyer] = [makerOf(sale), makerOf(purchase)]
  return {
    tx: {
      TransactionType: "NFTokenAcceptOffer",
      Account: account,
      NFTokenBrokerFee: fee.toString(),
      NFTokenBuyOffer: purchase.index,
      NFTokenSellOffer: sale.index
    },
    expected: ["nft.offer_accepted"],
    apply: (view) =>
      settle(view, world, { id: nftOf(sale), seller, buyer, price, broker: { account, fee } }, [
        sale,
        purchase
      ])
  }
}

const cancel = (world: World): Draft | undefined => {
  const { random, state } = world
  // Offers that can no longer be accepted are cancelled first, so that they do not accumulate.
  const offer =
    state.pick("NFTokenOffer", random, (entry) => !isLive(world, entry)) ??
    state.pick("NFTokenOffer", random, () => true)
  if (offer === undefined) return undefined
  const account =
    isExpired(offer, world.parentCloseTime) && random.flip(0.5) ? otherPerson(world) : makerOf(offer)
  // NFTokenCancelOffer may also name offers that no longer exist.
  const gone = random.flip(0.2) ? [random.hex(32)] : []
  return {
    tx: { TransactionType: "NFTokenCancelOffer", Account: account, NFTokenOffers: [offer.index, ...gone] },
    expected: ["nft.offer_cancelled"],
    apply: (view) => view.remove(offer.index)
  }
}

/** A transaction that fails and still removes the expired offer. No other failure here deletes an entry. */
const acceptExpired = (world: World): Draft | undefined => {
  const offer = world.state.pick(
    "NFTokenOffer",
    world.random,
    (entry) => sells(entry) && isLive(world, entry) && isExpired(entry, world.parentCloseTime)
  )
  if (offer === undefined) return undefined
  return {
    tx: {
      TransactionType: "NFTokenAcceptOffer",
      Account: otherPerson(world, makerOf(offer)),
      NFTokenSellOffer: offer.index
    },
    result: "tecEXPIRED",
    expected: ["nft.offer_cancelled"],
    apply: (view) => view.remove(offer.index)
  }
}

export const nftOffers: ReadonlyArray<Scenario> = [
  { name: "NFT put on sale", weight: 4, draft: sell },
  { name: "NFT bid", weight: 3, draft: buy },
  { name: "NFT offer accepted", weight: 2, draft: accept },
  { name: "NFT sale brokered", weight: 1, draft: brokered },
  { name: "NFT offer cancelled", weight: 2, draft: cancel },
  { name: "NFT offer found expired", weight: 1, draft: acceptExpired }
]
