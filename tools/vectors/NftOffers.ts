/** Vectors of docs/detection-rules.md 2.3: burnt NFTs, and offers for NFTs. */
import { alice, bob, carol, created, dave, deleted, event, id, issuer, usd, vector } from "./Build.ts"
import { accept, cancel, nftId, offer, offered, one, sold, toBuy, withdrawn } from "./Nfts.ts"

export const nftOffers = [
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
  }),
  vector({
    name: "nft_lower_case",
    rule: "1.4",
    about: "Ids that the source writes in lower case are in upper case",
    several: [
      { tx: { TransactionType: "NFTokenBurn", Account: bob, NFTokenID: one.toLowerCase() } },
      {
        tx: accept({ NFTokenSellOffer: "AB".repeat(32).toLowerCase(), Sequence: 8 }),
        nodes: [deleted("NFTokenOffer", "AB".repeat(32), offer({ Owner: carol }))]
      }
    ],
    only: ["v1", "v2"],
    events: [
      event(
        "nft.burned",
        { nftoken_id: one, owner: bob, burned_by: bob, issuer: alice, taxon: 7, serial: 1 },
        [alice, bob]
      ),
      { ...sold({ seller: carol, sell_offer_id: "AB".repeat(32) }, [alice, bob, carol]), of: 1 }
    ]
  })
]
