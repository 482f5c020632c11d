/** Payloads of dex.*: what happens to a resting offer, seen from its owner (docs/detection-rules.md 2.4). */
import { Schema } from "effect"
import {
  Address,
  Amount,
  ComputedAmount,
  Hash,
  optional,
  payload,
  required,
  Time,
  tx_hash,
  tx_type,
  uint32
} from "./PayloadFields.ts"

const offer_id = required(Hash, "The offer's ledger entry.")
const offer_sequence = required(uint32, "The sequence or ticket of the OfferCreate that made it.")
const account = required(Address, "The offer's owner.")
const expiration = optional(Time, "When the offer expires. It cannot be taken from then on.")

/** Fields of offers in a permissioned domain, in all four event types. */
const domain = {
  domain_id: optional(Hash, "The permissioned domain it belongs to."),
  is_hybrid: optional(
    Schema.Literal(true),
    "Present, and true, if the offer is also in the open order book, besides that of its domain."
  )
}

export const dexOfferCreated = payload(
  "An offer was placed in an order book. An order that is filled immediately leaves no offer and causes no such event. If rounding or an immediate trade changed the amounts, the requested amounts are given too.",
  {
    tx_hash,
    offer_id,
    offer_sequence,
    account,
    taker_gets: required(Amount, "The amount that the owner gives, as placed in the book."),
    taker_pays: required(Amount, "The amount that the owner receives, as placed in the book."),
    requested_taker_gets: optional(Amount, "The amount that the owner asked to give, if it differs."),
    requested_taker_pays: optional(Amount, "The amount that the owner asked to receive, if it differs."),
    expiration,
    is_sell: required(
      Schema.Boolean,
      "Whether the owner gives all of taker_gets, even for more than taker_pays."
    ),
    is_passive: required(Schema.Boolean, "Whether the offer does not take offers that match it exactly."),
    ...domain
  },
  {
    tx_hash: "0462D9CFB2932E4AC4595D7F4087F0D230F4AA18178F54A1FDFDAECAD6DD5AAE",
    offer_id: "092979FBF05EBC8151EAA617CFBBB7F2C69053F4AD09F3339BD09362A640BC1C",
    offer_sequence: 312,
    account: "rJjNpiQTZiU6gYGn9YiwnJxRpezULBmBo9",
    taker_gets: { currency: "USD", issuer: "rwXV2PoCD5FRSzWm2DBANR7k4B94Hz9jhf", value: "568" },
    taker_pays: "273747600",
    is_sell: true,
    is_passive: false
  }
)

/** Fields of a trade, whether or not it used up the offer. */
const trade = {
  tx_hash,
  offer_id,
  offer_sequence,
  account,
  taker: required(Address, "The account whose transaction took the offer."),
  filled_taker_gets: required(ComputedAmount, "What the owner gave in this trade, without transfer fees."),
  filled_taker_pays: required(ComputedAmount, "What the owner received in this trade."),
  remaining_taker_gets: required(Amount, "What is left to give."),
  remaining_taker_pays: required(Amount, "What is left to receive."),
  tx_type,
  ...domain
}

export const dexOfferPartial = payload(
  "An offer in an order book was taken in part. It stays in the book. If its owner had nothing more to give, the same transaction cancels it (dex.offer_cancelled with reason unfunded). Trades with an AMM take no offer and cause no event.",
  trade,
  {
    tx_hash: "ED45E99ADEC9EF37A50160851C6DB935529E143AD7DBF407375FCED1ED083968",
    offer_id: "092979FBF05EBC8151EAA617CFBBB7F2C69053F4AD09F3339BD09362A640BC1C",
    offer_sequence: 312,
    account: "rJjNpiQTZiU6gYGn9YiwnJxRpezULBmBo9",
    taker: "rM8fnQ21a4moyefFMmrZtSWYhs4xw4a8Kf",
    filled_taker_gets: { currency: "USD", issuer: "rwXV2PoCD5FRSzWm2DBANR7k4B94Hz9jhf", value: "113.6" },
    filled_taker_pays: "54749520",
    remaining_taker_gets: {
      currency: "USD",
      issuer: "rwXV2PoCD5FRSzWm2DBANR7k4B94Hz9jhf",
      value: "454.4"
    },
    remaining_taker_pays: "218998080",
    tx_type: "OfferCreate"
  }
)

export const dexOfferFilled = payload(
  "An offer in an order book was taken until one side was used up, and was removed from the book.",
  trade,
  {
    tx_hash: "2639612C645CE6413F4C4FF73EDD8E0D050CA8DF00BA9501C2203DCDA1103E09",
    offer_id: "C16716CD5D39194C51983CDDC4B6AAA3E6E76106B6907A3A6A85C832BF64F846",
    offer_sequence: 313,
    account: "rJjNpiQTZiU6gYGn9YiwnJxRpezULBmBo9",
    taker: "r4kf88mS75UbtCPmVQgQr9PdpDxY3g6Eri",
    filled_taker_gets: "396100800",
    filled_taker_pays: { currency: "USD", issuer: "rwXV2PoCD5FRSzWm2DBANR7k4B94Hz9jhf", value: "1038" },
    remaining_taker_gets: "0",
    remaining_taker_pays: { currency: "USD", issuer: "rwXV2PoCD5FRSzWm2DBANR7k4B94Hz9jhf", value: "0" },
    tx_type: "OfferCreate"
  }
)

export const dexOfferCancelled = payload(
  "An offer was removed from an order book before it was filled. Expiry or missing funds alone cause no event: such an offer stays in the book until a transaction removes it.",
  {
    tx_hash,
    offer_id,
    offer_sequence,
    account,
    taker_gets: required(Amount, "What was left to give."),
    taker_pays: required(Amount, "What was left to receive."),
    expiration,
    reason: required(
      Schema.Literals(["cancelled", "replaced", "account_deleted", "unfunded", "expired", "self_crossed"]),
      "cancelled: by its owner. replaced: by a new offer of the owner. account_deleted: the owner's account was deleted. unfunded: the owner had nothing more to give, or was not allowed to. expired: it had expired. self_crossed: a new offer of the owner matched it."
    ),
    tx_type,
    ...domain
  },
  {
    tx_hash: "F177C4F786C03C3B8A0B3754E615B0552431663A380EBD13EA845956CCED2AD0",
    offer_id: "B138618F45A1B13636B9C5346AB7105285020E81C85767861B43AA1E71396080",
    offer_sequence: 227,
    account: "rn38SUyWsLSv6dAJhoHEYpKqEvLFmHJm4q",
    taker_gets: "436618512",
    taker_pays: {
      currency: "524C555344000000000000000000000000000000",
      issuer: "rMCp1E7euh98rAaVVshYfkTfNnrWRZ46vc",
      value: "996"
    },
    expiration: "2025-11-21T00:26:54Z",
    reason: "cancelled",
    tx_type: "OfferCancel"
  }
)
