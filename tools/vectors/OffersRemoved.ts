/** Vectors of docs/detection-rules.md 2.4 and D25: offers that are removed, and several offers of one transaction. */
import { alice, bob, carol, dave, deleted, eur, event, id, modified, usd, vector } from "./Build.ts"
import {
  all,
  cancel,
  create,
  domain,
  HYBRID,
  newOffer,
  none,
  offer,
  own,
  part,
  partlyTaken,
  placed,
  removed,
  rest,
  trade,
  usedUp
} from "./Offers.ts"

export const offersRemoved = [
  vector({
    name: "offer_cancel",
    rule: "2.4",
    about: "The owner cancels",
    tx: cancel(),
    nodes: [deleted("Offer", id(1), offer({ Account: alice }))],
    events: [removed("dex.offer_cancelled", 1, "cancelled", { ...own, tx_type: "OfferCancel" })]
  }),
  vector({
    name: "offer_cancel_expired",
    rule: "2.4",
    about: "The owner cancels an expired offer: cancelled comes before expired",
    tx: cancel(),
    nodes: [deleted("Offer", id(1), offer({ Account: alice, Expiration: 700_000_000 }))],
    events: [
      removed("dex.offer_cancelled", 1, "cancelled", {
        ...own,
        expiration: "2022-03-07T20:26:40Z",
        tx_type: "OfferCancel"
      })
    ]
  }),
  vector({
    name: "offer_cancel_gone",
    rule: "2.4",
    about: "Cancelling an offer that is gone succeeds and causes no event",
    tx: cancel()
  }),
  vector({
    name: "offer_replace",
    rule: "2.4",
    about: "An order that names an older one replaces it",
    tx: create({ OfferSequence: 3 }),
    nodes: [deleted("Offer", id(2), offer({ Account: alice })), newOffer(1)],
    events: [removed("dex.offer_cancelled", 2, "replaced", own), placed(1)]
  }),
  vector({
    name: "self_crossed",
    rule: "2.4",
    about: "An order removes an older, crossing one of the same owner",
    tx: create({ OfferSequence: 4 }),
    nodes: [deleted("Offer", id(1), offer({ Account: alice }))],
    events: [removed("dex.offer_cancelled", 1, "self_crossed", own)]
  }),
  vector({
    name: "stale_removed",
    rule: "2.4",
    about:
      "An order takes one offer and removes two stale ones of strangers; their owners alone are involved",
    tx: create(),
    nodes: [
      deleted("Offer", id(1), offer({ Account: carol, Expiration: 816_999_996 })),
      usedUp(2),
      deleted("Offer", id(3), offer({ Account: dave, Expiration: 816_999_997 }))
    ],
    events: [
      trade("dex.offer_filled", 2, all, none),
      removed("dex.offer_cancelled:0", 1, "expired", { account: carol, expiration: "2025-11-21T00:26:36Z" }),
      removed("dex.offer_cancelled:1", 3, "unfunded", { account: dave, expiration: "2025-11-21T00:26:37Z" })
    ]
  }),
  vector({
    name: "killed_removes_stale",
    rule: "1.1",
    about:
      "A killed order keeps the deletion of a stranger's stale offer, and does not cancel the one it names",
    tx: create({ Flags: 0x0004_0000, OfferSequence: 2 }),
    meta: { TransactionResult: "tecKILLED" },
    nodes: [deleted("Offer", id(1), offer())],
    events: [removed("dex.offer_cancelled", 1, "unfunded")]
  }),
  vector({
    name: "removed_by_payment",
    rule: "2.4",
    about: "A Payment of the owner removes its own unfunded offer: only an order crosses itself",
    tx: { TransactionType: "Payment", Destination: bob, Amount: "5", SendMax: usd("1") },
    nodes: [deleted("Offer", id(1), offer({ Account: alice }))],
    events: [
      removed("dex.offer_cancelled", 1, "unfunded", { ...own, tx_type: "Payment" }),
      event("payment.xrp", { sender: alice, receiver: bob, amount: "5" }, [alice, bob])
    ]
  }),
  vector({
    name: "payment_takes_two",
    rule: "2.4",
    about: "A Payment takes one offer in part and one whole",
    tx: { TransactionType: "Payment", Destination: dave, Amount: usd("14"), SendMax: "900" },
    nodes: [partlyTaken(2), usedUp(1, { Account: carol })],
    events: [
      trade("dex.offer_partial", 2, part, rest, { tx_type: "Payment" }),
      trade("dex.offer_filled", 1, all, none, { account: carol, tx_type: "Payment" }),
      event("payment.issued", { sender: alice, receiver: dave, amount: usd("14") }, [alice, dave])
    ]
  }),
  vector({
    name: "three_filled",
    rule: "1.3",
    about: "Three filled offers are numbered 0, 1, 2 in the order of their ids",
    tx: create(),
    nodes: [usedUp(0xa), usedUp(0x1b), usedUp(0x100)],
    events: [
      trade("dex.offer_filled:0", 0xa, all, none),
      trade("dex.offer_filled:1", 0x1b, all, none),
      trade("dex.offer_filled:2", 0x100, all, none)
    ]
  }),
  vector({
    name: "nodes_shuffled",
    rule: "1.3",
    about: "The order of the nodes in the source changes nothing",
    tx: create(),
    nodes: [usedUp(3), usedUp(1), usedUp(2)],
    events: [
      trade("dex.offer_filled:0", 1, all, none),
      trade("dex.offer_filled:1", 2, all, none),
      trade("dex.offer_filled:2", 3, all, none)
    ]
  }),
  vector({
    name: "twelve_removed",
    rule: "1.3",
    about: "Numbers are plain decimals without a bound: 9 is followed by 10",
    tx: create(),
    nodes: Array.from({ length: 12 }, (_, n) => deleted("Offer", id(n + 1), offer())),
    events: Array.from({ length: 12 }, (_, n) => removed(`dex.offer_cancelled:${n}`, n + 1, "unfunded"))
  }),
  vector({
    name: "filled_by_zero_pays",
    rule: "2.4",
    about: "An offer of which one side in Final is 0 is filled, though a rest of the other side is left",
    tx: create(),
    nodes: [
      deleted("Offer", id(1), offer({ TakerGets: usd("0.0000001"), TakerPays: "0" }), {
        TakerGets: usd("10"),
        TakerPays: "200"
      })
    ],
    events: [trade("dex.offer_filled", 1, [usd("9.9999999"), "200"], [usd("0.0000001"), "0"])]
  }),
  vector({
    name: "offer_for_tokens",
    rule: "2.4",
    about: "An offer of one token for another",
    tx: create(),
    nodes: [
      modified("Offer", id(1), offer({ TakerGets: usd("6"), TakerPays: eur("3") }), {
        TakerGets: usd("10"),
        TakerPays: eur("5")
      })
    ],
    events: [trade("dex.offer_partial", 1, [usd("4"), eur("2")], [usd("6"), eur("3")])]
  }),
  vector({
    name: "domain_offer_placed",
    rule: "D25",
    about: "An offer in the book of a permissioned domain",
    tx: create({ DomainID: domain }),
    nodes: [newOffer(1, { DomainID: domain })],
    events: [placed(1, { domain_id: domain })]
  }),
  vector({
    name: "hybrid_offer_placed",
    rule: "D25",
    about: "An offer in the book of a domain and in the open book",
    tx: create({ DomainID: domain, Flags: 0x0010_0000 }),
    nodes: [newOffer(1, { DomainID: domain, Flags: HYBRID })],
    events: [placed(1, { domain_id: domain, is_hybrid: true })]
  }),
  vector({
    name: "domain_offers_end",
    rule: "D25",
    about: "The other three types name the domain too, and that the offer is hybrid",
    tx: create({ DomainID: domain }),
    nodes: [
      usedUp(1, { DomainID: domain }),
      partlyTaken(2, { DomainID: domain, Flags: HYBRID }),
      deleted("Offer", id(3), offer({ DomainID: domain, Flags: HYBRID }))
    ],
    events: [
      trade("dex.offer_partial", 2, part, rest, { domain_id: domain, is_hybrid: true }),
      trade("dex.offer_filled", 1, all, none, { domain_id: domain }),
      removed("dex.offer_cancelled", 3, "unfunded", { domain_id: domain, is_hybrid: true })
    ]
  })
]
