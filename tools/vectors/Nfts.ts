/** Vectors of docs/detection-rules.md 2.3 and 3: NFTs and offers for them. */
import type { EventType } from "../../src/spine/event/EventType.ts"
import type { JsonObject } from "../../src/spine/event/Ledger.ts"
import { accountIdOf, alice, bob, created, dave, event, hashNamed, id, modified, vector } from "./Build.ts"

const hex = (value: number, digits: number): string => value.toString(16).toUpperCase().padStart(digits, "0")

/** Flags, transfer fee, issuer, scrambled taxon and serial: the scrambling is XOR (384160001 · serial + 2459). */
export const nftId = (serial: number, { fee = 0, flags = 8, of = "alice", taxon = 7 } = {}): string => {
  const mask = Number((384_160_001n * BigInt(serial) + 2_459n) & 0xffff_ffffn)
  return hex(flags, 4) + hex(fee, 4) + accountIdOf(of) + hex((taxon ^ mask) >>> 0, 8) + hex(serial, 8)
}

const mint = (tx: object = {}) => ({ TransactionType: "NFTokenMint", NFTokenTaxon: 7, Flags: 8, ...tx })
const listOf = (...ids: ReadonlyArray<string>) => ids.map((NFTokenID) => ({ NFToken: { NFTokenID } }))
/** A page's id begins with its owner's account id. */
const pageId = (owner: string, n: number): string => accountIdOf(owner) + hex(n, 24)
const newPage = (n: number, ids: ReadonlyArray<string>, owner = "alice") =>
  created("NFTokenPage", pageId(owner, n), { NFTokens: listOf(...ids) })
const page = (n: number, after: ReadonlyArray<string>, before?: ReadonlyArray<string>, owner = "alice") =>
  modified(
    "NFTokenPage",
    pageId(owner, n),
    { NFTokens: listOf(...after) },
    before === undefined ? { NextPageMin: id(1) } : { NFTokens: listOf(...before) }
  )
/** The issuer's account, after it has issued `minted` tokens. */
const counted = (minted: number, { of = alice, first }: { of?: string; first?: number } = {}) =>
  modified(
    "AccountRoot",
    hashNamed(of),
    {
      Account: of,
      Balance: "90",
      MintedNFTokens: minted,
      ...(first !== undefined && { FirstNFTokenSequence: first })
    },
    { Balance: "100", MintedNFTokens: minted - 1 }
  )
const minted = (serial: number, fields: JsonObject = {}, accounts: ReadonlyArray<string> = [alice]) =>
  event(
    "nft.minted",
    {
      nftoken_id: nftId(serial),
      issuer: alice,
      owner: alice,
      taxon: 7,
      serial,
      flags: 8,
      transfer_fee: 0,
      ...fields
    },
    accounts
  )

export const one = nftId(1)
export const offer = (fields: object = {}) => ({
  Owner: alice,
  NFTokenID: one,
  Amount: "500",
  Flags: 1,
  ...fields
})
export const toBuy = (fields: object = {}) => offer({ Owner: bob, Flags: 0, Amount: "600", ...fields })
export const offered = (fields: JsonObject, accounts: ReadonlyArray<string>) =>
  event(
    "nft.offer_created",
    {
      offer_id: id(1),
      nftoken_id: one,
      owner: alice,
      is_sell: true,
      amount: "500",
      nft_owner: alice,
      ...fields
    },
    accounts
  )
export const withdrawn = (
  name: EventType | `${EventType}:${number}`,
  reason: string,
  accounts: ReadonlyArray<string>,
  fields: JsonObject = {}
) =>
  event(
    name,
    { offer_id: id(1), nftoken_id: one, owner: alice, is_sell: true, amount: "500", reason, ...fields },
    accounts
  )
export const sold = (fields: JsonObject, accounts: ReadonlyArray<string>) =>
  event(
    "nft.offer_accepted",
    { nftoken_id: one, seller: alice, buyer: bob, amount: "500", issuer: alice, transfer_fee: 0, ...fields },
    accounts
  )
export const accept = (tx: object) => ({ TransactionType: "NFTokenAcceptOffer", Account: bob, ...tx })
export const cancel = (tx: object = {}) => ({
  TransactionType: "NFTokenCancelOffer",
  NFTokenOffers: [id(1)],
  ...tx
})

export const nfts = [
  vector({
    name: "nft_mint_first",
    rule: "3",
    about: "The first page of an owner",
    tx: mint(),
    nodes: [newPage(1, [one]), counted(2)],
    events: [minted(1)]
  }),
  vector({
    name: "nft_mint_into_page",
    rule: "3",
    about: "A page that had tokens: the one id that was not there before",
    tx: mint({ URI: "68747470" }),
    nodes: [page(1, [nftId(0), one, nftId(2)], [nftId(0), nftId(2)]), counted(2)],
    events: [minted(1, { uri: "68747470" })]
  }),
  vector({
    name: "nft_mint_split",
    rule: "3",
    about: "A page splits, and a neighbour only gets a new link: its tokens are not new",
    tx: mint(),
    nodes: [
      newPage(1, [nftId(10), nftId(11)]),
      page(2, [nftId(12), nftId(14)], [nftId(10), nftId(11), nftId(12)]),
      page(3, [nftId(13)])
    ],
    events: [minted(14)]
  }),
  vector({
    name: "nft_mint_split_all_moved",
    rule: "3",
    about: "All old tokens move to the new page, and the old page keeps only the new token",
    tx: mint(),
    nodes: [newPage(1, [nftId(10), nftId(11)]), page(2, [nftId(12)], [nftId(10), nftId(11)])],
    events: [minted(12)]
  }),
  vector({
    name: "nft_mint_authorised",
    rule: "2.3",
    about: "A minter mints for an issuer: the minter owns the token, and both are involved",
    tx: mint({ Account: bob, Issuer: alice, TransferFee: 314 }),
    nodes: [newPage(1, [nftId(1, { fee: 314 })], "bob"), counted(2)],
    events: [minted(1, { nftoken_id: nftId(1, { fee: 314 }), owner: bob, transfer_fee: 314 }, [alice, bob])]
  }),
  vector({
    name: "nft_mint_flags_of_id",
    rule: "2.3",
    about: "flags are the 16 bits in the id, not those of the transaction",
    tx: mint({ Flags: 0x8000_000b }),
    nodes: [newPage(1, [nftId(1, { flags: 11 })]), counted(2)],
    events: [minted(1, { nftoken_id: nftId(1, { flags: 11 }), flags: 11 })]
  }),
  vector({
    name: "nft_mint_taxon_scrambled",
    rule: "2.3",
    about: "The taxon is unscrambled with unsigned arithmetic of 32 bits",
    tx: mint({ NFTokenTaxon: 4_294_967_295 }),
    nodes: [newPage(1, [nftId(4_000_000_000, { taxon: 4_294_967_295 })])],
    events: [
      minted(4_000_000_000, {
        nftoken_id: nftId(4_000_000_000, { taxon: 4_294_967_295 }),
        taxon: 4_294_967_295
      })
    ]
  }),
  vector({
    name: "nft_mint_by_count",
    rule: "3",
    about: "No page says it (made up): the count of the issuer's tokens gives the id",
    tx: mint(),
    nodes: [counted(2)],
    events: [minted(1)]
  }),
  vector({
    name: "nft_mint_by_count_with_first",
    rule: "3",
    about: "The serial begins at FirstNFTokenSequence",
    tx: mint(),
    nodes: [counted(3, { first: 5_000 })],
    events: [minted(5_002)]
  }),
  vector({
    name: "nft_mint_disputed",
    rule: "3",
    about: "The methods differ: the id by pages is taken, and an alert stored",
    tx: mint(),
    nodes: [newPage(1, [one]), counted(9)],
    events: [minted(1)],
    alerts: [["nft_id_disputed", "nft.minted"]]
  }),
  vector({
    name: "nft_mint_unknown",
    rule: "3",
    about: "Neither method gives an id: the event is withheld",
    tx: mint(),
    alerts: [["nft_id_unknown", "nft.minted"]]
  }),
  vector({
    name: "nft_mint_two_new",
    rule: "3",
    about: "Two new ids in the pages (made up) give none, and the count decides",
    tx: mint(),
    nodes: [newPage(1, [one, nftId(3)]), counted(2)],
    events: [minted(1)]
  }),
  vector({
    name: "nft_mint_with_offer",
    rule: "2.3",
    about: "A mint with an amount also creates an offer; a missing amount is 0",
    tx: mint({ Amount: "0", Destination: dave }),
    nodes: [
      newPage(1, [one]),
      counted(2),
      created("NFTokenOffer", id(1), { Owner: alice, NFTokenID: one, Flags: 1, Destination: dave })
    ],
    events: [minted(1), offered({ amount: "0", destination: dave }, [alice, dave])]
  }),
  vector({
    name: "nft_mint_long_uri",
    rule: "1.4",
    about: "More than 1,024 hex digits of uri: the event is withheld",
    tx: mint({ URI: "AB".repeat(513) }),
    nodes: [newPage(1, [one]), counted(2)],
    alerts: [["field_unreadable", "nft.minted"]]
  }),
  vector({
    name: "nft_mint_longest_uri",
    rule: "1.4",
    about: "1,024 hex digits are allowed",
    tx: mint({ URI: "AB".repeat(512) }),
    nodes: [newPage(1, [one]), counted(2)],
    events: [minted(1, { uri: "AB".repeat(512) })]
  })
]
