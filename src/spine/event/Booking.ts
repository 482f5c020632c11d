/**
 * Schemas of what a record carries beside its payload for those who book events: the transaction's memos, and what
 * each involved account gained or lost (docs/detection-rules.md 6).
 */
import { Schema } from "effect"
import { count } from "../words/Words.ts"
import { HEX } from "./LedgerForms.ts"
import {
  Address,
  ComputedValue,
  Currency,
  MptIssuanceId,
  named,
  optional,
  required
} from "./payloads/PayloadFields.ts"

export const bookingBounds = {
  /** Bytes of a transaction's memos that a record has. The ledger itself allows about as many since 2014. */
  memoBytes: 1_024,
  /** Changes of balances in one event. Only the issuer of a token can have more: one for each holder it dealt with. */
  balanceChanges: 100
} as const

const memoBytes = count(bookingBounds.memoBytes)

const MemoHex = Schema.String.check(
  Schema.isPattern(HEX),
  Schema.isMaxLength(2 * bookingBounds.memoBytes)
).annotate({
  identifier: "MemoHex",
  title: "MemoHex",
  description: `Bytes in hex, as they are in the ledger, not decoded: at most ${memoBytes} bytes.`,
  examples: ["696E766F696365"]
})

const Memo = named(
  "Memo",
  "A memo of a transaction.",
  Schema.Struct({
    type: optional(MemoHex, "MemoType."),
    format: optional(MemoHex, "MemoFormat."),
    data: optional(MemoHex, "MemoData.")
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
    `The transaction's memos, up to ${memoBytes} bytes. Absent if it has none. In a payload only if the receiver includes memos.`
  ),
  memos_truncated: optional(
    Schema.Literal(true),
    `Present if the transaction has more than ${memoBytes} bytes of memos: the first memo that exceeds them and all later ones are left out. In a payload only if the receiver includes memos.`
  ),
  balance_changes: optional(
    Schema.Array(BalanceChange).check(Schema.isMaxLength(bookingBounds.balanceChanges)),
    `What the transaction changed in the balances of the event's accounts, sorted by account, then by asset: XRP, tokens by currency and issuer, multi-purpose tokens by id. Empty if it changed none of them. Absent if the metadata do not tell it, or if there are more than ${bookingBounds.balanceChanges} changes. In a payload only if the receiver includes balance_changes.`
  )
}
