/** Vectors of docs/detection-rules.md 2.4: offers in the order book. */
import type { EventType } from "../../src/spine/event/EventType.ts"
import type { Json, JsonObject } from "../../src/spine/event/Ledger.ts"
import {
  alice,
  bob,
  carol,
  created,
  dave,
  deleted,
  event,
  hashNamed,
  id,
  modified,
  mpt,
  usd,
  vector
} from "./Build.ts"

export const create = (tx: object = {}) => ({
  TransactionType: "OfferCreate",
  TakerGets: "100",
  TakerPays: usd("5"),
  ...tx
})
export const cancel = (tx: object = {}) => ({ TransactionType: "OfferCancel", OfferSequence: 3, ...tx })
export const offer = (fields: object = {}) => ({
  Account: bob,
  Sequence: 3,
  TakerGets: usd("10"),
  TakerPays: "200",
  ...fields
})
export const placed = (n: number, fields: JsonObject = {}) =>
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
export const trade = (
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
export const removed = (
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
export const usedUp = (n: number, fields: object = {}) =>
  deleted("Offer", id(n), offer({ TakerGets: usd("0"), TakerPays: "0", ...fields }), {
    TakerGets: usd("10"),
    TakerPays: "200"
  })
/** The same offer, of which 4 USD for 80 drops are taken. */
export const partlyTaken = (n: number, fields: object = {}) =>
  modified("Offer", id(n), offer({ TakerGets: usd("6"), TakerPays: "120", ...fields }), {
    TakerGets: usd("10"),
    TakerPays: "200"
  })
export const all: readonly [Json, Json] = [usd("10"), "200"]
export const none: readonly [Json, Json] = [usd("0"), "0"]
export const part: readonly [Json, Json] = [usd("4"), "80"]
export const rest: readonly [Json, Json] = [usd("6"), "120"]
export const own = { account: alice }
export const domain = hashNamed("a permissioned domain")
const SELL = 0x0002_0000
const PASSIVE = 0x0001_0000
export const HYBRID = 0x0004_0000
export const newOffer = (n: number, fields: object = {}) =>
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
    rule: "1.2",
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
  })
]
