/** Payloads of trustline.*: a trust line seen from one of its sides (docs/detection-rules.md 2.5). */
import { Schema } from "effect"
import {
  Address,
  Currency,
  Hash,
  named,
  optional,
  payload,
  required,
  TokenValue,
  tx_hash,
  tx_type,
  uint32
} from "./PayloadFields.ts"

/** Fields of all three event types, in their order. */
const common = {
  tx_hash,
  trustline_id: required(
    Hash,
    "The id of the line's ledger entry. It is the same in all events of one line."
  ),
  account: required(
    Address,
    "The side that set the line with this transaction; if neither did, the side whose reserve the line counts towards."
  ),
  counterparty: required(Address, "The other side: usually the issuer."),
  currency: required(Currency, "The line's currency."),
  limit: required(TokenValue, "The most that the account is willing to hold."),
  limit_peer: required(TokenValue, "The most that the counterparty is willing to hold."),
  balance: required(TokenValue, "The account's balance. Negative if the account owes the amount."),
  no_ripple: required(Schema.Boolean, "Whether the account forbids rippling through it."),
  no_ripple_peer: required(Schema.Boolean, "Whether the counterparty does."),
  freeze: required(Schema.Boolean, "Whether the account froze the line."),
  freeze_peer: required(Schema.Boolean, "Whether the counterparty did."),
  deep_freeze: required(Schema.Boolean, "Whether the account deep-froze the line."),
  deep_freeze_peer: required(Schema.Boolean, "Whether the counterparty did."),
  authorized: required(Schema.Boolean, "Whether the account authorised the counterparty to hold its tokens."),
  peer_authorized: required(Schema.Boolean, "Whether the counterparty authorised the account."),
  quality_in: optional(uint32, "The account's rate for incoming amounts, in units of 1/1000000000."),
  quality_out: optional(uint32, "The account's rate for outgoing amounts, in units of 1/1000000000."),
  amm_pool: optional(Schema.Literal(true), "Present, and true, if the line belongs to an AMM's pool."),
  tx_type
}

const line = {
  tx_hash: "76665EE201127A72B5DDF1678C3996237BBEDE4CAC3191ECAA18936C74872E43",
  trustline_id: "440629AB366C51972258924993548A07BEFFD56EB1F4167E2C2077A07B930748",
  account: "rJyb56Lh1gyey72nsYrShNLPxjvVwunWmt",
  counterparty: "rhQLwGQXpwqpmL6LHkeConAdC6RbFxGEWp",
  currency: "USD",
  limit: "13000",
  limit_peer: "0",
  balance: "0",
  no_ripple: true,
  no_ripple_peer: false,
  freeze: false,
  freeze_peer: false,
  deep_freeze: false,
  deep_freeze_peer: false,
  authorized: false,
  peer_authorized: false,
  tx_type: "TrustSet"
}

export const trustlineCreated = payload(
  "A trust line was created: by a TrustSet, or by a trade, a check, an escrow or an AMM that gave an account its first tokens of that kind.",
  {
    ...common,
    auto_created: required(Schema.Boolean, "Whether a transaction other than a TrustSet created the line.")
  },
  { ...line, auto_created: false }
)

const FlagChange = Schema.Struct({
  field: Schema.Literals([
    "authorized",
    "deep_freeze",
    "deep_freeze_peer",
    "freeze",
    "freeze_peer",
    "no_ripple",
    "no_ripple_peer",
    "peer_authorized"
  ]),
  previous: Schema.Boolean,
  value: Schema.Boolean
})

const LimitChange = Schema.Struct({
  field: Schema.Literals(["limit", "limit_peer"]),
  previous: TokenValue,
  value: TokenValue
})

/** The field and at least one value. */
const MEMBERS_MIN = 2

const QualityChange = Schema.Struct({
  field: Schema.Literals(["quality_in", "quality_in_peer", "quality_out", "quality_out_peer"]),
  previous: Schema.optionalKey(uint32),
  value: Schema.optionalKey(uint32)
}).check(Schema.isMinProperties(MEMBERS_MIN))

const TrustLineChange = named(
  "TrustLineChange",
  "A changed setting of a trust line. A quality that was unset before has no previous, nor has one that was set again, possibly to the same value; one that is unset now has no value.",
  Schema.Union([FlagChange, LimitChange, QualityChange])
)

export const trustlineModified = payload(
  "A setting of a trust line changed: a limit, a quality, a freeze, an authorisation or rippling. A change of the balance alone causes no event.",
  {
    ...common,
    changed_by: required(Address, "The account whose transaction changed it."),
    changes: required(
      Schema.Array(TrustLineChange).check(Schema.isMinLength(1)),
      "What changed, sorted by field, each at most once."
    )
  },
  {
    ...line,
    tx_hash: "B7F6450C944FC1FF5231773962758DC954A6A24C3908BF6E3A73B178A9A18035",
    trustline_id: "B3C246CF9160A324A970C99EED973E17A84EAD7282F8DB685CC22336DAE41EA7",
    account: "rhQLwGQXpwqpmL6LHkeConAdC6RbFxGEWp",
    counterparty: "r93YXKmFbHVV7FAs31PY8Wz1LTbP8jtcV2",
    limit: "0",
    limit_peer: "1000000",
    balance: "-1746",
    no_ripple: false,
    no_ripple_peer: true,
    freeze: true,
    changed_by: "rhQLwGQXpwqpmL6LHkeConAdC6RbFxGEWp",
    changes: [{ field: "freeze", previous: false, value: true }]
  }
)

export const trustlineDeleted = payload(
  "A trust line was removed from the ledger: it was set to its default state, emptied while in that state, or removed with an AMM.",
  {
    ...common,
    previous_limit: optional(TokenValue, "The account's previous limit, if this transaction changed it.")
  },
  {
    ...line,
    tx_hash: "223AF0B8DC2FF76A7D494D1694D098530D12A3CCBBDD3CE8F15993B2A7C72ABB",
    limit: "0",
    previous_limit: "13000"
  }
)
