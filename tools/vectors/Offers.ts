/** Vectors of docs/detection-rules.md 2.4, D24 and D25: offers in the order book. */
import type { EventType } from "../../src/domain/EventType.ts"
import type { Json, JsonObject } from "../../src/domain/Ledger.ts"
import {
  alice,
  bob,
  carol,
  created,
  dave,
  deleted,
  eur,
  event,
  hashNamed,
  id,
  modified,
  mpt,
  usd,
  vector
} from "./Build.ts"

const create = (tx: object = {}) => ({
  TransactionType: "OfferCreate",
  TakerGets: "100",
  TakerPays: usd("5"),
  ...tx
})
const cancel = (tx: object = {}) => ({ TransactionType: "OfferCancel", OfferSequence: 3, ...tx })
const offer = (fields: object = {}) => ({
  Account: bob,
  Sequence: 3,
  TakerGets: usd("10"),
  TakerPays: "200",
  ...fields
})
const placed = (n: number, fields: JsonObject = {}) =>
  event(
    "dex.offer_created",
    {
      offer_id: id(n),
      offer_sequence: 7,
      account: alice,
      taker_gets: "100",
      taker_pays: usd("5"),
      is_sell: false,
      is_passive: false,
      ...fields
    },
    [alice]
  )
/** The event of a trade: what was filled and what remains, as [gets, pays]. */
const trade = (
  name: EventType | `${EventType}:${number}`,
  n: number,
  filled: readonly [Json, Json],
  remaining: readonly [Json, Json],
  fields: JsonObject = {}
) =>
  event(
    name,
    {
      offer_id: id(n),
      offer_sequence: 3,
      account: bob,
      taker: alice,
      filled_taker_gets: filled[0],
      filled_taker_pays: filled[1],
      remaining_taker_gets: remaining[0],
      remaining_taker_pays: remaining[1],
      tx_type: "OfferCreate",
      ...fields
    },
    [alice, String(fields["account"] ?? bob)]
  )
const removed = (
  name: EventType | `${EventType}:${number}`,
  n: number,
  reason: string,
  fields: JsonObject = {}
) =>
  event(
    name,
    {
      offer_id: id(n),
      offer_sequence: 3,
      account: bob,
      taker_gets: usd("10"),
      taker_pays: "200",
      reason,
      tx_type: "OfferCreate",
      ...fields
    },
    [String(fields["account"] ?? bob)]
  )

/** An offer of 10 USD for 200 drops that is used up. */
const usedUp = (n: number, fields: object = {}) =>
  deleted("Offer", id(n), offer({ TakerGets: usd("0"), TakerPays: "0", ...fields }), {
    TakerGets: usd("10"),
    TakerPays: "200"
  })
/** The same offer, of which 4 USD for 80 drops are taken. */
const partlyTaken = (n: number, fields: object = {}) =>
  modified("Offer", id(n), offer({ TakerGets: usd("6"), TakerPays: "120", ...fields }), {
    TakerGets: usd("10"),
    TakerPays: "200"
  })
const all: readonly [Json, Json] = [usd("10"), "200"]
const none: readonly [Json, Json] = [usd("0"), "0"]
const part: readonly [Json, Json] = [usd("4"), "80"]
const rest: readonly [Json, Json] = [usd("6"), "120"]
const own = { account: alice }
const domain = hashNamed("a permissioned domain")
const SELL = 0x0002_0000
const PASSIVE = 0x0001_0000
const HYBRID = 0x0004_0000
const newOffer = (n: number, fields: object = {}) =>
  created("Offer", id(n), { Account: alice, Sequence: 7, TakerGets: "100", TakerPays: usd("5"), ...fields })

export const offers = [
  vector({
    name: "offer_placed",
    rule: "2.4",
    about: "An order that nobody takes rests in the book",
    tx: create(),
    nodes: [newOffer(1)],
    events: [placed(1)]
  }),
  vector({
    name: "offer_placed_flags",
    rule: "2.4",
    about: "A passive offer to sell, which expires",
    tx: create({ Flags: 0x8009_0000, Expiration: 900_000_000 }),
    nodes: [newOffer(1, { Flags: SELL | PASSIVE, Expiration: 900_000_000 })],
    events: [placed(1, { expiration: "2028-07-08T16:00:00Z", is_sell: true, is_passive: true })]
  }),
  vector({
    name: "offer_ticket",
    rule: "1.8",
    about: "An order with a ticket: the offer's sequence is the ticket's number",
    tx: create({ Sequence: 0, TicketSequence: 77 }),
    nodes: [newOffer(1, { Sequence: 77 })],
    events: [placed(1, { offer_sequence: 77 })]
  }),
  vector({
    name: "offer_zero_xrp_side",
    rule: "D24",
    about: "An XRP side that New does not list is 0",
    tx: create({ TakerGets: usd("5"), TakerPays: "1" }),
    nodes: [created("Offer", id(1), { Account: alice, Sequence: 7, TakerGets: usd("5") })],
    events: [placed(1, { taker_gets: usd("5"), taker_pays: "0", requested_taker_pays: "1" })]
  }),
  vector({
    name: "offer_partly_crossed",
    rule: "2.4",
    about: "An order takes an offer of another and rests with what is left; both requested amounts are given",
    tx: create({ TakerGets: "300", TakerPays: usd("15") }),
    nodes: [usedUp(1), newOffer(2)],
    events: [
      trade("dex.offer_filled", 1, all, none),
      placed(2, { requested_taker_gets: "300", requested_taker_pays: usd("15") })
    ]
  }),
  vector({
    name: "requested_one_side",
    rule: "2.4",
    about: "Requested amounts are compared as numbers: 5.0 is 5, so only one side is given",
    tx: create({ TakerGets: "101", TakerPays: usd("5.0") }),
    nodes: [newOffer(1)],
    events: [placed(1, { requested_taker_gets: "101" })]
  }),
  vector({
    name: "requested_other_side",
    rule: "2.4",
    about: "Rounding to the tick size changed what the owner asks for",
    tx: create({ TakerPays: usd("5.000001") }),
    nodes: [newOffer(1)],
    events: [placed(1, { requested_taker_pays: usd("5.000001") })]
  }),
  vector({
    name: "requested_not_of_others",
    rule: "2.4",
    about: "An offer that belongs to another account (made up) has no requested amounts",
    tx: create({ TakerGets: "300" }),
    nodes: [newOffer(1, { Account: bob })],
    events: [
      event(
        "dex.offer_created",
        {
          offer_id: id(1),
          offer_sequence: 7,
          account: bob,
          taker_gets: "100",
          taker_pays: usd("5"),
          is_sell: false,
          is_passive: false
        },
        [bob]
      )
    ]
  }),
  vector({
    name: "offer_fully_crossed",
    rule: "2.4",
    about: "An order that is filled at once leaves no offer: only the maker has an event",
    tx: create(),
    nodes: [usedUp(1)],
    events: [trade("dex.offer_filled", 1, all, none)]
  }),
  vector({
    name: "offer_immediate_or_cancel",
    rule: "2.4",
    about: "An immediate order that takes a part of an offer",
    tx: create({ Flags: 0x0002_0000 }),
    nodes: [partlyTaken(1)],
    events: [trade("dex.offer_partial", 1, part, rest)]
  }),
  vector({
    name: "offer_crosses_amm_only",
    rule: "1.8",
    about: "A trade with an AMM touches no offer and causes no event",
    tx: create(),
    nodes: [
      modified("AccountRoot", id(1), { Account: dave, Balance: "900", AMMID: id(9) }, { Balance: "800" })
    ]
  }),
  vector({
    name: "one_side_of_trade",
    rule: "2.4",
    about: "Only TakerPays changed: the other side was filled by 0 drops",
    tx: create(),
    nodes: [
      modified("Offer", id(1), offer({ TakerGets: "50", TakerPays: usd("9") }), { TakerPays: usd("10") })
    ],
    events: [trade("dex.offer_partial", 1, ["0", usd("1")], ["50", usd("9")])]
  }),
  vector({
    name: "missing_side_object",
    rule: "2.4",
    about: "Only TakerPays changed: the other side was filled by 0 of its token",
    tx: create(),
    nodes: [modified("Offer", id(1), offer({ TakerPays: "150" }), { TakerPays: "200" })],
    events: [trade("dex.offer_partial", 1, [usd("0"), "50"], [usd("10"), "150"])]
  }),
  vector({
    name: "offer_mpt_sides",
    rule: "2.4",
    about: "An offer of an MPT, of which one side changed",
    tx: create(),
    nodes: [
      modified("Offer", id(1), offer({ TakerGets: mpt("10"), TakerPays: "150" }), { TakerPays: "200" })
    ],
    events: [trade("dex.offer_partial", 1, [mpt("0"), "50"], [mpt("10"), "150"])]
  }),
  vector({
    name: "offer_threading_only",
    rule: "2.4",
    about: "A modified offer whose amounts did not change causes no event",
    tx: create(),
    nodes: [modified("Offer", id(1), offer(), { BookNode: "1" })]
  }),
  vector({
    name: "consumed_then_unfunded",
    rule: "2.4",
    about:
      "An offer is taken until its owner has no more, and the ledger removes the rest: two events of one node",
    tx: create(),
    nodes: [
      deleted("Offer", id(1), offer({ TakerGets: "126628582", TakerPays: usd("7") }), {
        TakerGets: "179986047",
        TakerPays: usd("10")
      })
    ],
    events: [
      trade("dex.offer_partial", 1, ["53357465", usd("3")], ["126628582", usd("7")]),
      removed("dex.offer_cancelled", 1, "unfunded", { taker_gets: "126628582", taker_pays: usd("7") })
    ]
  }),
  vector({
    name: "unfunded_before_expired",
    rule: "2.4",
    about: "A traded and removed offer is unfunded, even if it has expired too",
    tx: create(),
    nodes: [deleted("Offer", id(1), offer({ TakerGets: "5", Expiration: 700_000_000 }), { TakerGets: "8" })],
    events: [
      trade("dex.offer_partial", 1, ["3", "0"], ["5", "200"]),
      removed("dex.offer_cancelled", 1, "unfunded", {
        taker_gets: "5",
        expiration: "2022-03-07T20:26:40Z"
      })
    ]
  }),
  vector({
    name: "fill_and_stale",
    rule: "1.3",
    about: "Types are numbered apart: two offers run out of funds, with a stale one between them by id",
    tx: create(),
    nodes: [
      deleted("Offer", id(1), offer({ TakerGets: usd("6") }), { TakerGets: usd("10") }),
      deleted("Offer", id(2), offer({ Account: carol })),
      deleted("Offer", id(3), offer({ TakerGets: usd("9") }), { TakerGets: usd("10") })
    ],
    events: [
      trade("dex.offer_partial:0", 1, [usd("4"), "0"], [usd("6"), "200"]),
      trade("dex.offer_partial:1", 3, [usd("1"), "0"], [usd("9"), "200"]),
      removed("dex.offer_cancelled:0", 1, "unfunded", { taker_gets: usd("6") }),
      removed("dex.offer_cancelled:1", 2, "unfunded", { account: carol }),
      removed("dex.offer_cancelled:2", 3, "unfunded", { taker_gets: usd("9") })
    ]
  }),
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
