/** Vectors of docs/detection-rules.md 1.5: amounts and currencies. */
import type { Json, JsonObject } from "../../src/spine/event/Ledger.ts"
import {
  alice,
  bob,
  carol,
  created,
  deleted,
  event,
  hashNamed,
  id,
  issuer,
  modified,
  token,
  usd,
  vector
} from "./Build.ts"
import { described, LOW_RESERVE, line } from "./Lines.ts"

const create = (TakerGets: Json, TakerPays: Json) => ({
  TransactionType: "OfferCreate",
  TakerGets,
  TakerPays
})
const placed = (taker_gets: Json, taker_pays: Json) =>
  event(
    "dex.offer_created",
    {
      offer_id: id(1),
      offer_sequence: 7,
      account: alice,
      taker_gets,
      taker_pays,
      is_sell: false,
      is_passive: false
    },
    [alice]
  )
const newOffer = (TakerGets: Json, TakerPays: Json) =>
  created("Offer", id(1), { Account: alice, Sequence: 7, TakerGets, TakerPays })
const maker = { Account: bob, Sequence: 3 }
const trade = (
  name: "dex.offer_filled" | "dex.offer_partial",
  filled: readonly [Json, Json],
  remaining: readonly [Json, Json]
) =>
  event(
    name,
    {
      offer_id: id(1),
      offer_sequence: 3,
      account: bob,
      taker: alice,
      filled_taker_gets: filled[0],
      filled_taker_pays: filled[1],
      remaining_taker_gets: remaining[0],
      remaining_taker_pays: remaining[1],
      tx_type: "OfferCreate"
    },
    [alice, bob]
  )
/** An offer of USD for XRP, before and after a trade. */
const usdTraded = (before: string, after: string) =>
  modified(
    "Offer",
    id(1),
    { ...maker, TakerGets: usd(after), TakerPays: "5" },
    {
      TakerGets: usd(before),
      TakerPays: "6"
    }
  )
const taking = create("9", usd("9"))
const exact = (name: string, about: string, before: string, after: string, filled: string) =>
  vector({
    name,
    rule: "1.5",
    about,
    tx: taking,
    nodes: [usdTraded(before, after)],
    events: [trade("dex.offer_partial", [usd(filled), "1"], [usd(after), "5"])]
  })
const copied = (name: string, about: string, text: string) =>
  vector({
    name,
    rule: "1.5",
    about,
    tx: create("9", usd(text)),
    nodes: [newOffer("9", usd(text))],
    events: [placed("9", usd(text))]
  })
const inCurrency = (name: string, rule: string, about: string, currency: string, shown = currency) =>
  vector({
    name,
    rule,
    about,
    tx: create("9", token("1", currency)),
    nodes: [newOffer("9", token("1", currency))],
    events: [placed("9", token("1", shown))]
  })
const trusting = (currency: string) => ({
  TransactionType: "TrustSet",
  LimitAmount: token("100", currency)
})
const trusted = (currency: string): JsonObject =>
  described({
    trustline_id: id(1),
    account: alice,
    currency,
    limit: "100",
    tx_type: "TrustSet",
    auto_created: false
  })
const NO_CURRENCY = "0000000000000000000000000000000000000001"

export const amounts = [
  copied("text_form_large", "10^12 in the ledger's text form", "1000000000000000e-3"),
  copied("text_form_small", "5·10^-14 in the ledger's text form", "5000000000000000e-29"),
  copied("text_form_largest", "The largest token value", "9999999999999999e80"),
  copied("text_form_smallest", "The smallest token value", "1000000000000000e-96"),
  copied("text_form_plain_large", "16 digits with the exponent 0 are plain", "1234567890123456"),
  copied("text_form_plain_small", "The exponent -25 is still plain", "0.0000000001234567890123456"),
  copied("text_form_16_digits", "All 16 digits are kept", "0.1234567890123456"),
  exact("computed_thirds", "0.3 − 0.1 is 0.2, which doubles miss", "0.3", "0.1", "0.2"),
  exact(
    "computed_far_apart",
    "Values of different size are subtracted exactly",
    "1000000000000000e-3",
    "1000000000000000e-35",
    "999999999999.99999999999999999999"
  ),
  exact(
    "computed_large",
    "A computed value has plain notation, without an exponent",
    "2000000000000000e-3",
    "1000000000000000e-3",
    "1000000000000"
  ),
  exact(
    "computed_all_digits",
    "Every digit of a computed value counts",
    "1234567890123456",
    "0.1234567890123456",
    "1234567890123455.8765432109876544"
  ),
  exact(
    "computed_tiny",
    "A computed value far below 1",
    "3000000000000000e-96",
    "1000000000000000e-96",
    `0.${"0".repeat(80)}2`
  ),
  vector({
    name: "computed_drops",
    rule: "1.5",
    about: "Drops beyond 2^53 are subtracted exactly",
    tx: taking,
    nodes: [
      modified(
        "Offer",
        id(1),
        { ...maker, TakerGets: "2", TakerPays: usd("1") },
        {
          TakerGets: "99999999999999999",
          TakerPays: usd("2")
        }
      )
    ],
    events: [trade("dex.offer_partial", ["99999999999999997", usd("1")], ["2", usd("1")])]
  }),
  vector({
    name: "drops_are_text",
    rule: "1.5",
    about: "The total of all XRP does not fit a number of JSON",
    tx: { TransactionType: "Payment", Destination: bob, Amount: "99999999999999999" },
    events: [
      event("payment.xrp", { sender: alice, receiver: bob, amount: "99999999999999999" }, [alice, bob])
    ]
  }),
  vector({
    name: "negative_remainder",
    rule: "1.5",
    about: "A negative remainder of 2013 is passed on, and the offer is filled",
    tx: taking,
    nodes: [
      deleted(
        "Offer",
        id(1),
        { ...maker, TakerGets: usd("1"), TakerPays: "-5" },
        {
          TakerGets: usd("2"),
          TakerPays: "10"
        }
      )
    ],
    events: [trade("dex.offer_filled", [usd("1"), "15"], [usd("1"), "-5"])]
  }),
  vector({
    name: "negative_token_remainder",
    rule: "1.5",
    about: "The same with a token",
    tx: taking,
    nodes: [
      deleted(
        "Offer",
        id(1),
        { ...maker, TakerGets: usd("-0.5"), TakerPays: "3" },
        {
          TakerGets: usd("2"),
          TakerPays: "10"
        }
      )
    ],
    events: [trade("dex.offer_filled", [usd("2.5"), "7"], [usd("-0.5"), "3"])]
  }),
  vector({
    name: "negative_payment",
    rule: "1.5",
    about: "A payment to oneself through an AMM that delivered -1 in 2024 is emitted",
    tx: {
      TransactionType: "Payment",
      Destination: alice,
      Amount: "100",
      Flags: 0x0002_0000,
      SendMax: usd("1")
    },
    meta: { DeliveredAmount: "-1" },
    events: [event("payment.xrp", { sender: alice, receiver: alice, amount: "-1" }, [alice])]
  }),
  vector({
    name: "negative_offer",
    rule: "1.5",
    about: "An offer that pays a negative amount of XRP is passed on",
    tx: taking,
    nodes: [newOffer("9", "-1000000")],
    events: [
      event(
        "dex.offer_created",
        {
          offer_id: id(1),
          offer_sequence: 7,
          account: alice,
          taker_gets: "9",
          taker_pays: "-1000000",
          requested_taker_pays: usd("9"),
          is_sell: false,
          is_passive: false
        },
        [alice]
      )
    ]
  }),
  vector({
    name: "negative_nft_offer",
    rule: "1.5",
    about: "An offer for an NFT with a negative token amount is passed on",
    tx: { TransactionType: "NFTokenCreateOffer", NFTokenID: id(8), Amount: usd("1"), Flags: 1 },
    nodes: [created("NFTokenOffer", id(1), { Owner: alice, NFTokenID: id(8), Amount: usd("-25"), Flags: 1 })],
    events: [
      event(
        "nft.offer_created",
        {
          offer_id: id(1),
          nftoken_id: id(8),
          owner: alice,
          is_sell: true,
          amount: usd("-25"),
          nft_owner: alice
        },
        [alice]
      )
    ]
  }),
  vector({
    name: "filled_negative",
    rule: "1.5",
    about: "A trade that made an offer larger (never seen): the event is emitted, with an alert",
    tx: taking,
    nodes: [
      modified(
        "Offer",
        id(1),
        { ...maker, TakerGets: usd("3"), TakerPays: "5" },
        {
          TakerGets: usd("2"),
          TakerPays: "6"
        }
      )
    ],
    events: [trade("dex.offer_partial", [usd("-1"), "1"], [usd("3"), "5"])],
    alerts: [["filled_amount_negative", "dex.offer_partial"]]
  }),
  inCurrency("currency_case", "1.5", "Codes are case-sensitive", "uSd"),
  inCurrency(
    "currency_hex",
    "1.5",
    "Hex is not decoded, though it spells a text",
    `0158415500000000${"0".repeat(24)}`
  ),
  inCurrency("currency_lp", "1.5", "A code of an AMM's liquidity token", `03${"1B".repeat(19)}`),
  inCurrency("currency_symbols", "1.5", "Codes of three characters may hold these symbols", "<$>"),
  inCurrency("currency_brackets", "1.5", "The others of rippled's set", "{|}"),
  inCurrency(
    "currency_outside_set",
    "1.5",
    "160 bits whose characters are not in the set stay 40 hex digits",
    `${"0".repeat(24)}412E42${"0".repeat(10)}`
  ),
  inCurrency(
    "currency_false_xrp",
    "1.5",
    "160 bits that spell XRP stay 40 hex digits",
    `${"0".repeat(24)}585250${"0".repeat(10)}`
  ),
  vector({
    name: "currency_one",
    rule: "1.5",
    about: "rippled writes the code 0x00…01 as 1; events have its 40 hex digits, and no alert",
    tx: trusting("1"),
    nodes: [
      created(
        "RippleState",
        id(1),
        line({ low: alice, high: issuer, currency: "1", lowLimit: "100", flags: LOW_RESERVE })
      )
    ],
    events: [event("trustline.created", trusted(NO_CURRENCY), [alice, issuer])]
  }),
  vector({
    name: "currency_of_line",
    rule: "1.5",
    about: "A line's currency of 40 hex digits",
    tx: trusting(`01${"AB".repeat(19)}`),
    nodes: [
      created(
        "RippleState",
        id(1),
        line({
          low: alice,
          high: issuer,
          currency: `01${"AB".repeat(19)}`,
          lowLimit: "100",
          flags: LOW_RESERVE
        })
      )
    ],
    events: [event("trustline.created", trusted(`01${"AB".repeat(19)}`), [alice, issuer])]
  }),
  vector({
    name: "line_balance_is_copied",
    rule: "1.5",
    about: "A line's balance keeps the ledger's text form",
    tx: { TransactionType: "CheckCash", Account: alice, CheckID: hashNamed("check"), Amount: usd("1") },
    meta: { DeliveredAmount: usd("1") },
    nodes: [
      created(
        "RippleState",
        id(1),
        line({ low: carol, high: issuer, balance: "1000000000000000e-3", flags: LOW_RESERVE })
      )
    ],
    events: [
      event(
        "trustline.created",
        described({
          trustline_id: id(1),
          account: carol,
          balance: "1000000000000000e-3",
          tx_type: "CheckCash",
          auto_created: true
        }),
        [carol, issuer]
      )
    ]
  })
]
