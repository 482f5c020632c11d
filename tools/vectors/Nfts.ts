/** Vectors of docs/detection-rules.md 2.3, 3 and D31: NFTs and offers for them. */
import type { EventType } from "../../src/domain/EventType.ts"
import type { JsonObject } from "../../src/domain/Ledger.ts"
import {
  accountIdOf,
  alice,
  bob,
  carol,
  created,
  dave,
  deleted,
  event,
  hashNamed,
  id,
  issuer,
  modified,
  usd,
  vector
} from "./Build.ts"

const hex = (value: number, digits: number): string => value.toString(16).toUpperCase().padStart(digits, "0")

/** Flags, transfer fee, issuer, scrambled taxon and serial: the scrambling is XOR (384160001 · serial + 2459). */
const nftId = (serial: number, { fee = 0, flags = 8, of = "alice", taxon = 7 } = {}): string => {
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

const one = nftId(1)
const offer = (fields: object = {}) => ({
  Owner: alice,
  NFTokenID: one,
  Amount: "500",
  Flags: 1,
  ...fields
})
const toBuy = (fields: object = {}) => offer({ Owner: bob, Flags: 0, Amount: "600", ...fields })
const offered = (fields: JsonObject, accounts: ReadonlyArray<string>) =>
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
const withdrawn = (
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
const sold = (fields: JsonObject, accounts: ReadonlyArray<string>) =>
  event(
    "nft.offer_accepted",
    { nftoken_id: one, seller: alice, buyer: bob, amount: "500", issuer: alice, transfer_fee: 0, ...fields },
    accounts
  )
const accept = (tx: object) => ({ TransactionType: "NFTokenAcceptOffer", Account: bob, ...tx })
const cancel = (tx: object = {}) => ({ TransactionType: "NFTokenCancelOffer", NFTokenOffers: [id(1)], ...tx })

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
    rule: "D31",
    about: "More than 1,024 hex digits of uri: the event is withheld",
    tx: mint({ URI: "AB".repeat(513) }),
    nodes: [newPage(1, [one]), counted(2)],
    alerts: [["schema_violation", "nft.minted"]]
  }),
  vector({
    name: "nft_mint_longest_uri",
    rule: "D31",
    about: "1,024 hex digits are allowed",
    tx: mint({ URI: "AB".repeat(512) }),
    nodes: [newPage(1, [one]), counted(2)],
    events: [minted(1, { uri: "AB".repeat(512) })]
  }),
  vector({
    name: "nft_burned_by_owner",
    rule: "2.3",
    about: "The owner burns a token of another issuer",
    tx: { TransactionType: "NFTokenBurn", Account: bob, NFTokenID: one },
    events: [
      event(
        "nft.burned",
        { nftoken_id: one, owner: bob, burned_by: bob, issuer: alice, taxon: 7, serial: 1 },
        [alice, bob]
      )
    ]
  }),
  vector({
    name: "nft_burn_with_offers",
    rule: "2.3",
    about: "The issuer burns a token of another owner, and two offers disappear with it",
    tx: { TransactionType: "NFTokenBurn", Owner: bob, NFTokenID: one },
    nodes: [
      deleted("NFTokenOffer", id(1), offer({ Owner: bob })),
      deleted("NFTokenOffer", id(2), toBuy({ Owner: carol }))
    ],
    events: [
      event(
        "nft.burned",
        { nftoken_id: one, owner: bob, burned_by: alice, issuer: alice, taxon: 7, serial: 1 },
        [alice, bob]
      ),
      withdrawn("nft.offer_cancelled:0", "nft_burned", [bob], { owner: bob }),
      withdrawn("nft.offer_cancelled:1", "nft_burned", [carol], {
        offer_id: id(2),
        owner: carol,
        is_sell: false,
        amount: "600"
      })
    ]
  }),
  vector({
    name: "nft_offer_sell",
    rule: "2.3",
    about: "An offer to sell for tokens, to one buyer, which expires",
    tx: { TransactionType: "NFTokenCreateOffer", NFTokenID: one, Amount: usd("3"), Flags: 1 },
    nodes: [
      created("NFTokenOffer", id(1), offer({ Amount: usd("3"), Destination: carol, Expiration: 900_000_000 }))
    ],
    events: [
      offered({ amount: usd("3"), destination: carol, expiration: "2028-07-08T16:00:00Z" }, [alice, carol])
    ]
  }),
  vector({
    name: "nft_offer_buy",
    rule: "2.3",
    about: "An offer to buy has no flags; the transaction names the token's owner, who is involved",
    tx: { TransactionType: "NFTokenCreateOffer", Account: bob, Owner: carol, NFTokenID: one, Amount: "600" },
    nodes: [created("NFTokenOffer", id(1), { Owner: bob, NFTokenID: one, Amount: "600" })],
    events: [offered({ owner: bob, is_sell: false, amount: "600", nft_owner: carol }, [bob, carol])]
  }),
  vector({
    name: "nft_accept_sell",
    rule: "2.3",
    about: "The buyer accepts an offer to sell; the issuer is involved",
    tx: accept({ NFTokenSellOffer: id(1) }),
    nodes: [deleted("NFTokenOffer", id(1), offer({ Owner: carol }))],
    events: [sold({ seller: carol, sell_offer_id: id(1) }, [alice, bob, carol])]
  }),
  vector({
    name: "nft_accept_buy",
    rule: "2.3",
    about: "The seller accepts an offer to buy",
    tx: accept({ Account: carol, NFTokenBuyOffer: id(2) }),
    nodes: [deleted("NFTokenOffer", id(2), toBuy())],
    events: [sold({ seller: carol, amount: "600", buy_offer_id: id(2) }, [alice, bob, carol])]
  }),
  vector({
    name: "nft_accept_free",
    rule: "2.3",
    about: "A token for nothing: the offer has no amount",
    tx: accept({ NFTokenSellOffer: id(1) }),
    nodes: [deleted("NFTokenOffer", id(1), { Owner: alice, NFTokenID: one, Flags: 1 })],
    events: [sold({ amount: "0", sell_offer_id: id(1) }, [alice, bob])]
  }),
  vector({
    name: "nft_accept_brokered",
    rule: "2.3",
    about: "A broker matches two offers: one sale, for what the buyer paid",
    tx: accept({
      Account: dave,
      NFTokenSellOffer: id(1),
      NFTokenBuyOffer: id(2),
      NFTokenBrokerFee: "40"
    }),
    nodes: [deleted("NFTokenOffer", id(1), offer()), deleted("NFTokenOffer", id(2), toBuy())],
    events: [
      sold({ amount: "600", sell_offer_id: id(1), buy_offer_id: id(2), broker: dave, broker_fee: "40" }, [
        alice,
        bob,
        dave
      ])
    ]
  }),
  vector({
    name: "nft_accept_with_royalty",
    rule: "2.3",
    about: "Issuer and transfer fee come from the id",
    tx: accept({ NFTokenSellOffer: id(1) }),
    nodes: [
      deleted(
        "NFTokenOffer",
        id(1),
        offer({ Owner: carol, NFTokenID: nftId(5, { of: "issuer", fee: 50_000 }) })
      )
    ],
    events: [
      sold(
        {
          nftoken_id: nftId(5, { of: "issuer", fee: 50_000 }),
          seller: carol,
          sell_offer_id: id(1),
          issuer,
          transfer_fee: 50_000
        },
        [bob, carol, issuer]
      )
    ]
  }),
  vector({
    name: "nft_accept_expired",
    rule: "1.1",
    about: "A failed acceptance keeps the deletion of the expired offer",
    tx: accept({ NFTokenSellOffer: id(1) }),
    meta: { TransactionResult: "tecEXPIRED" },
    nodes: [deleted("NFTokenOffer", id(1), offer({ Expiration: 700_000_000 }))],
    events: [withdrawn("nft.offer_cancelled", "expired", [alice], { expiration: "2022-03-07T20:26:40Z" })]
  }),
  vector({
    name: "nft_accept_missing",
    rule: "2.3",
    about:
      "The accepted offer is not among the deleted entries: the sale is withheld, another deleted offer is not",
    tx: accept({ NFTokenSellOffer: id(1) }),
    nodes: [deleted("NFTokenOffer", id(3), offer({ Owner: carol }))],
    events: [withdrawn("nft.offer_cancelled", "other", [carol], { offer_id: id(3), owner: carol })],
    alerts: [["accepted_offer_missing", "nft.offer_accepted"]]
  }),
  vector({
    name: "nft_cancel_two",
    rule: "2.3",
    about: "The owner cancels three offers, of which one is gone",
    tx: cancel({ NFTokenOffers: [id(1), id(2), id(3)] }),
    nodes: [deleted("NFTokenOffer", id(1), offer()), deleted("NFTokenOffer", id(3), offer())],
    events: [
      withdrawn("nft.offer_cancelled:0", "cancelled", [alice], { cancelled_by: alice }),
      withdrawn("nft.offer_cancelled:1", "cancelled", [alice], { offer_id: id(3), cancelled_by: alice })
    ]
  }),
  vector({
    name: "nft_cancel_by_destination",
    rule: "2.3",
    about: "The destination declines an offer",
    tx: cancel({ Account: bob }),
    nodes: [deleted("NFTokenOffer", id(1), offer({ Destination: bob }))],
    events: [
      withdrawn("nft.offer_cancelled", "cancelled", [alice, bob], { destination: bob, cancelled_by: bob })
    ]
  }),
  vector({
    name: "nft_cancel_by_stranger",
    rule: "2.3",
    about: "A stranger may cancel only an expired offer, so no clock is needed",
    tx: cancel({ Account: carol }),
    nodes: [deleted("NFTokenOffer", id(1), offer({ Destination: bob, Expiration: 900_000_000 }))],
    events: [
      withdrawn("nft.offer_cancelled", "expired", [alice, bob, carol], {
        destination: bob,
        expiration: "2028-07-08T16:00:00Z",
        cancelled_by: carol
      })
    ]
  })
]
