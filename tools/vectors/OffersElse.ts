/** Vectors of docs/detection-rules.md 2.4: sides of 0, and reasons that more than one rule could give. */
import { alice, bob, created, deleted, id, modified, usd, vector } from "./Build.ts"
import { create, newOffer, offer, own, placed, removed, trade } from "./Offers.ts"

const drained = (n: number, fields: object = {}) =>
  deleted("Offer", id(n), offer({ TakerGets: usd("6"), TakerPays: "120", ...fields }), {
    TakerGets: usd("10"),
    TakerPays: "200"
  })
const left = { taker_gets: usd("6"), taker_pays: "120" }

export const offersElse = [
  vector({
    name: "offer_zero_xrp_given",
    rule: "1.2",
    about: "The XRP that an offer gives is 0 if New does not list it",
    tx: create(),
    nodes: [created("Offer", id(1), { Account: alice, Sequence: 7, TakerPays: usd("5") })],
    events: [placed(1, { taker_gets: "0", requested_taker_gets: "100" })]
  }),
  vector({
    name: "offer_expiration_zero",
    rule: "1.4",
    about: "0 is a time",
    tx: create({ Expiration: 0 }),
    nodes: [newOffer(1, { Expiration: 0 })],
    events: [placed(1, { expiration: "2000-01-01T00:00:00Z" })]
  }),
  vector({
    name: "filled_by_zero_gets",
    rule: "2.4",
    about: "An offer that has nothing left to give is filled, though it asks for more",
    tx: create(),
    nodes: [drained(1, { TakerGets: usd("0") })],
    events: [trade("dex.offer_filled", 1, [usd("10"), "80"], [usd("0"), "120"])]
  }),
  vector({
    name: "unfunded_before_self_crossed",
    rule: "2.4",
    about: "The rest of the taker's own offer after a trade is unfunded, not crossed (made up)",
    tx: create(),
    nodes: [drained(1, { Account: alice })],
    events: [
      trade("dex.offer_partial", 1, [usd("4"), "80"], [usd("6"), "120"], own),
      removed("dex.offer_cancelled", 1, "unfunded", { ...own, ...left })
    ]
  }),
  vector({
    name: "expired_at_parent_close",
    rule: "2.4",
    about: "An offer has expired at the parent's close time, and not a second before",
    tx: create(),
    nodes: [
      deleted("Offer", id(1), offer({ Expiration: 816_999_996 })),
      deleted("Offer", id(2), offer({ Expiration: 816_999_997 }))
    ],
    events: [
      removed("dex.offer_cancelled:0", 1, "expired", { expiration: "2025-11-21T00:26:36Z" }),
      removed("dex.offer_cancelled:1", 2, "unfunded", { expiration: "2025-11-21T00:26:37Z" })
    ]
  }),
  vector({
    name: "withheld_both_of_one_node",
    rule: "1.3",
    about: "A node of two events that cannot be read has two alerts, and both numbers are reserved",
    tx: create(),
    nodes: [drained(1, { Sequence: "none" }), drained(2)],
    only: ["v1", "v2"],
    events: [
      trade("dex.offer_partial:1", 2, [usd("4"), "80"], [usd("6"), "120"]),
      removed("dex.offer_cancelled:1", 2, "unfunded", left)
    ],
    alerts: [
      ["field_unreadable", "dex.offer_partial"],
      ["field_unreadable", "dex.offer_cancelled"]
    ]
  }),
  vector({
    name: "withheld_only_what_needs_it",
    rule: "1.11",
    about: "Only the event that needs the field that cannot be read is withheld",
    tx: create(),
    nodes: [drained(1, { Expiration: "soon" }), drained(2)],
    only: ["v1", "v2"],
    events: [
      trade("dex.offer_partial:0", 1, [usd("4"), "80"], [usd("6"), "120"]),
      trade("dex.offer_partial:1", 2, [usd("4"), "80"], [usd("6"), "120"]),
      removed("dex.offer_cancelled:1", 2, "unfunded", left)
    ],
    alerts: [["field_unreadable", "dex.offer_cancelled"]]
  }),
  vector({
    name: "former_amount_of_other_asset",
    rule: "1.11",
    about: "A former amount of another asset than the present one cannot be read",
    tx: create(),
    nodes: [modified("Offer", id(1), offer({ Account: bob }), { TakerGets: "9" })],
    alerts: [["field_unreadable", "dex.offer_partial"]]
  })
]
