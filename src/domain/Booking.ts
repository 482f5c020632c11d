/**
 * Schemas of what a record carries beside its payload for those who book events: the transaction's memos, and what
 * each involved account gained or lost (docs/detection-rules.md 5).
 */
import { Schema } from "effect"
import {
  Address,
  ComputedValue,
  Currency,
  Hex,
  MptIssuanceId,
  named,
  optional,
  required
} from "./payloads/Fields.ts"

const Memo = named(
  "Memo",
  "A memo of a transaction. Its fields are bytes in hex, as in the ledger.",
  Schema.Struct({
    type: optional(Hex, "MemoType."),
    format: optional(Hex, "MemoFormat."),
    data: optional(Hex, "MemoData.")
  })
)

const TokenAsset = named(
  "TokenAsset",
  "A token on a trust line.",
  Schema.Struct({
    currency: required(Currency, "The token's currency."),
    issuer: required(Address, "The other side of the trust line, from the account's view.")
  })
)

const MptAsset = named(
  "MptAsset",
  "A multi-purpose token.",
  Schema.Struct({ mpt_issuance_id: required(MptIssuanceId, "The token.") })
)

const BalanceChange = named(
  "BalanceChange",
  "How much of one asset an involved account gained.",
  Schema.Struct({
    account: required(Address, "The account."),
    asset: required(
      Schema.Union([Schema.Literal("XRP"), TokenAsset, MptAsset]),
      "XRP, a token on a trust line, or a multi-purpose token."
    ),
    change: required(
      ComputedValue,
      "The account's balance after the transaction, minus the one before; never 0. XRP in drops, less the fee if the account paid it. A multi-purpose token in units, for its issuer as the opposite of what is outstanding."
    )
  })
)

export const bookingFields = {
  memos: optional(
    Schema.Array(Memo).check(Schema.isMinLength(1)),
    "The transaction's memos, up to 1,024 bytes. Absent if it has none. In a payload only if the receiver includes memos."
  ),
  memos_truncated: optional(
    Schema.Literal(true),
    "Present if the transaction has more than 1,024 bytes of memos: the last ones are left out. In a payload only if the receiver includes memos."
  ),
  balance_changes: optional(
    Schema.Array(BalanceChange).check(Schema.isMinLength(1)),
    "What the transaction changed in the balances of the event's accounts, sorted by account, then by asset: XRP, tokens by currency and issuer, multi-purpose tokens by id. Absent if nothing changed, if it cannot be known, or if there are more than 100 changes. In a payload only if the receiver includes balance_changes."
  )
}
