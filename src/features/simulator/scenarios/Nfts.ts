/** NFTs: minted for oneself, for another issuer or with an offer, and burned together with their offers. */

import { lsfSellNFToken } from "../Directories.ts"
import { amountOf, quantityOf, UNIT } from "../IntegerAmounts.ts"
import { accountIdOf, accountKey, nftOfferKey, nftOffersDirectoryKey } from "../Keys.ts"
import { addNft, takeNft } from "../NftPages.ts"
import { type Draft, POPULATION, type Scenario } from "../Scenario.ts"
import { hasFlag, spendable } from "../TrustLineBalances.ts"
import type { World } from "../World.ts"
import { settingChange } from "./Accounts.ts"

const tfBurnable = 1
const tfTransferable = 8
const asfAuthorizedNFTokenMinter = 10

/** Accounts that mint. The first mints so many that its pages fill up and are split. */
const CREATORS = 3
const STUDIO_SHARE = 0.7

const hex = (value: number, digits: number): string => value.toString(16).toUpperCase().padStart(digits, "0")

/** The id that rippled gives: the taxon is scrambled with the serial number. */
const nftokenId = (flags: number, fee: number, issuer: string, taxon: number, serial: number): string => {
  const scramble = (Math.imul(384_160_001, serial) + 2_459) >>> 0
  return hex(flags, 4) + hex(fee, 4) + accountIdOf(issuer) + hex((taxon ^ scramble) >>> 0, 8) + hex(serial, 8)
}

const creatorOf = (world: World): string =>
  world.random.flip(STUDIO_SHARE) ? world.people[0]! : world.random.pick(world.people.slice(1, CREATORS))

const mint = (world: World): Draft | undefined => {
  const { random, state } = world
  if (state.nftOwners.size >= POPULATION.nfts) return undefined
  const authorised = random.flip(0.25)
    ? random.pickOrNone(
        state.ofType("AccountRoot").filter(({ fields }) => fields["NFTokenMinter"] !== undefined)
      )
    : undefined
  const issuer = authorised === undefined ? undefined : String(authorised.fields["Account"])
  const minter = authorised === undefined ? creatorOf(world) : String(authorised.fields["NFTokenMinter"])
  const flags = tfTransferable | (random.flip(0.7) ? tfBurnable : 0)
  const fee = random.flip(0.6) ? random.int(1, 100) * 100 : 0
  const taxon = random.int(0, 20)
  const price = random.flip(0.25) ? BigInt(random.int(0, 50)) * UNIT : undefined
  const uri = random.flip(0.8)
    ? Buffer.from(`ipfs://${random.hex(16).toLowerCase()}/${taxon}.json`)
        .toString("hex")
        .toUpperCase()
    : undefined
  return {
    tx: {
      TransactionType: "NFTokenMint",
      Account: minter,
      Flags: flags,
      NFTokenTaxon: taxon,
      ...(issuer !== undefined && { Issuer: issuer }),
      ...(fee > 0 && { TransferFee: fee }),
      ...(uri !== undefined && { URI: uri }),
      ...(price !== undefined && { Amount: price.toString() })
    },
    expected: price === undefined ? ["nft.minted"] : ["nft.minted", "nft.offer_created"],
    apply: (view) => {
      const { sequence } = view.origin
      const of = issuer ?? minter
      const root = view.account(of)
      const minted = Number(root["MintedNFTokens"] ?? 0)
      // The first token's number is the issuer's sequence number before this transaction.
      const first = Number(
        root["FirstNFTokenSequence"] ?? (issuer === undefined ? sequence : root["Sequence"])
      )
      view.updateAccount(of, { FirstNFTokenSequence: first, MintedNFTokens: minted + 1 })
      const id = nftokenId(flags, fee, of, taxon, first + minted)
      addNft(view, minter, id, uri)
      if (price !== undefined)
        view.create("NFTokenOffer", nftOfferKey(minter, sequence), {
          Amount: amountOf("XRP", price),
          Flags: lsfSellNFToken,
          NFTokenID: id,
          NFTokenOfferNode: "0",
          Owner: minter,
          OwnerNode: "0"
        })
    }
  }
}

/** Sets the creator's minter: the account that may mint for it. */
const authorise = (world: World): Draft => {
  const { random } = world
  const account = random.pick(world.people.slice(CREATORS, CREATORS * 3))
  const minter = random.pick(world.people.slice(0, CREATORS))
  const clears = world.state.entry(accountKey(account)).fields["NFTokenMinter"] !== undefined
  return settingChange(
    {
      TransactionType: "AccountSet",
      Account: account,
      ...(clears
        ? { ClearFlag: asfAuthorizedNFTokenMinter }
        : { SetFlag: asfAuthorizedNFTokenMinter, NFTokenMinter: minter })
    },
    { NFTokenMinter: clears ? undefined : minter }
  )
}

const issuers = (world: World): ReadonlyMap<string, string> =>
  new Map(world.people.map((person) => [accountIdOf(person), person]))

/** The account in the middle of an NFT's id. */
export const issuerOfNft = (world: World, id: string): string => issuers(world).get(id.slice(8, 48))!

const isBurnable = (id: string): boolean =>
  hasFlag({ Flags: Number.parseInt(id.slice(0, 4), 16) }, tfBurnable)

const burn = (world: World): Draft | undefined => {
  const { random, state } = world
  const nft = random.pickOrNone([...state.nftOwners])
  if (nft === undefined) return undefined
  const [id, owner] = nft
  const issuer = issuerOfNft(world, id)
  const account = isBurnable(id) && random.flip(0.3) ? issuer : owner
  const offers = [true, false].flatMap((sells) => [
    ...(state.get(nftOffersDirectoryKey(id, sells))?.members ?? [])
  ])
  return {
    tx: {
      TransactionType: "NFTokenBurn",
      Account: account,
      NFTokenID: id,
      ...(account !== owner && { Owner: owner })
    },
    expected: ["nft.burned", ...offers.map(() => "nft.offer_cancelled" as const)],
    apply: (view) => {
      takeNft(view, owner, id)
      for (const offer of offers) view.remove(offer)
      view.updateAccount(issuer, { BurnedNFTokens: Number(view.account(issuer)["BurnedNFTokens"] ?? 0) + 1 })
    }
  }
}

/** Royalty of an NFT's issuer on a sale, in the asset of the sale: the id carries it in 1/100000. */
export const royalty = (id: string, price: bigint): bigint =>
  (price * BigInt(Number.parseInt(id.slice(4, 8), 16))) / 100_000n

export const affordable = (world: World, account: string, price: bigint): boolean =>
  spendable(world.state, account, "XRP") > price + UNIT

export const priceOf = (offer: { readonly Amount?: unknown }): bigint =>
  quantityOf(String(offer.Amount ?? "0"))

export const nfts: ReadonlyArray<Scenario> = [
  { name: "NFT minted", weight: 5, draft: mint },
  { name: "NFT minter named", weight: 1, draft: authorise },
  { name: "NFT burned", weight: 2, draft: burn }
]
