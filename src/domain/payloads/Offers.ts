/** Payloads of dex.*: the life of a resting offer, told from its owner's side (docs/detection-rules.md 2.4). */
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
} from "./Fields.ts"

const offer_id = required(Hash, "The offer's ledger entry.")
const offer_sequence = required(uint32, "The sequence or ticket of the OfferCreate that made it.")
const account = required(Address, "The offer's owner.")
const expiration = optional(Time, "From when on it cannot be taken.")

export const dexOfferCreated = payload(
  "An offer came to rest in a book. An order that is taken at once, in full or under its own terms, leaves none and gives no such event; the requested amounts tell what was asked for where rounding or an immediate trade changed it.",
  {
    tx_hash,
    offer_id,
    offer_sequence,
    account,
    taker_gets: required(Amount, "What the owner gives, as it rests in the book."),
    taker_pays: required(Amount, "What the owner receives, as it rests in the book."),
    requested_taker_gets: optional(Amount, "What the owner asked to give, where that is another amount."),
    requested_taker_pays: optional(Amount, "What the owner asked to receive, where that is another amount."),
    expiration,
    is_sell: required(
      Schema.Boolean,
      "Whether the owner gives all of taker_gets, even for more than taker_pays."
    ),
    is_passive: required(Schema.Boolean, "Whether it leaves offers alone that match it exactly."),
    domain_id: optional(Hash, "The permissioned domain it belongs to.")
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

/** Of a trade, whether or not it used the offer up. */
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
  tx_type
}

export const dexOfferPartial = payload(
  "A resting offer was taken in part. It stays in the book, or, where its owner had nothing more to give, is cancelled as unfunded by the same transaction. Trades with an AMM touch no offer and give no event.",
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
  "A resting offer was taken until one side was used up, and left the book.",
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
  "A resting offer left the book with a remainder. That its time passes or its owner's funds go is no event: it stays until a transaction meets it.",
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
      "Why: cancelled by its owner; replaced by the owner's new offer; its owner was deleted; the owner had nothing more to give, or may not; its time had passed; the owner's new offer met it."
    ),
    tx_type
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
