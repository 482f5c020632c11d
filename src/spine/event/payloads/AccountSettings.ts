/** Payload of account.settings_changed: one entry for each changed setting (docs/detection-rules.md 2.6). */
import { Schema } from "effect"
import { EMAIL_HASH } from "../LedgerForms.ts"
import {
  Address,
  Hash,
  Hex,
  named,
  optional,
  payload,
  required,
  text,
  tx_hash,
  tx_type,
  uint8,
  uint16,
  uint32
} from "./PayloadFields.ts"

const FlagChange = Schema.Struct({
  setting: Schema.Literals([
    "account_txn_id",
    "allow_trust_line_clawback",
    "allow_trust_line_locking",
    "default_ripple",
    "deposit_auth",
    "disable_master_key",
    "disallow_incoming_check",
    "disallow_incoming_nftoken_offer",
    "disallow_incoming_pay_chan",
    "disallow_incoming_trustline",
    "disallow_incoming_xrp",
    "global_freeze",
    "no_freeze",
    "require_authorization",
    "require_destination_tag"
  ]),
  previous: Schema.Boolean,
  value: Schema.Boolean
})

/** The setting and at least one value. */
const MEMBERS_MIN = 2

/** A setting that may be unset. `previous` is absent if it was unset before, `value` if it is unset now. */
const changeOf = <Name extends Schema.Top, Value extends Schema.Top>(setting: Name, value: Value) =>
  Schema.Struct({
    setting,
    previous: Schema.optionalKey(value),
    value: Schema.optionalKey(value)
  }).check(Schema.isMinProperties(MEMBERS_MIN))

const EmailHash = text(
  EMAIL_HASH,
  "EmailHash",
  "128 bits as 32 upper-case hex digits.",
  "981E67963B83C414C90F424751EDC03D"
)

const Signer = named(
  "Signer",
  "An entry of a signer list.",
  Schema.Struct({
    account: required(Address, "The account that may sign."),
    weight: required(uint16, "The weight of its signature."),
    wallet_locator: optional(Hash, "The owner's note on the signer.")
  })
)

const SignerList = named(
  "SignerList",
  "The accounts that may sign together for the account.",
  Schema.Struct({
    quorum: required(uint32, "The sum of weights that a transaction requires."),
    signers: required(Schema.Array(Signer), "In the order of the ledger entry.")
  })
)

const SettingChange = named(
  "SettingChange",
  "A changed setting of an account. A setting that was unset before has no previous; one that is unset now has no value. A setting that was set again, possibly to the same value, has no previous either. transfer_rate is as the ledger stores it: 1005000000 means 0.5 %.",
  Schema.Union([
    FlagChange,
    changeOf(Schema.Literals(["domain", "message_key"]), Hex),
    changeOf(Schema.Literal("email_hash"), EmailHash),
    changeOf(Schema.Literal("wallet_locator"), Hash),
    changeOf(Schema.Literal("transfer_rate"), uint32),
    changeOf(Schema.Literal("tick_size"), uint8),
    changeOf(Schema.Literals(["nftoken_minter", "regular_key"]), Address),
    changeOf(Schema.Literal("signer_list"), SignerList)
  ])
)

export const accountSettingsChanged = payload(
  "An AccountSet, SetRegularKey or SignerListSet succeeded and changed a setting. A transaction that changes nothing causes no event, as far as the ledger shows it.",
  {
    tx_hash,
    account: required(Address, "The account whose settings changed; it sent the transaction."),
    changes: required(
      Schema.Array(SettingChange).check(Schema.isMinLength(1)),
      "What changed, sorted by setting, each at most once."
    ),
    tx_type
  },
  {
    tx_hash: "B2BC16922F68B07F5912CEC7D36537A3C212B58139182278CE3DF26EDA893029",
    account: "rLHsVs4XvSmLtapVdyLh1f2gYaqoBhty4E",
    changes: [
      { setting: "domain", value: "6578616D706C652E636F6D" },
      { setting: "require_destination_tag", previous: false, value: true },
      { setting: "transfer_rate", previous: 1_002_000_000, value: 1_005_000_000 }
    ],
    tx_type: "AccountSet"
  },
  {
    tx_hash: "8B6BF1E6A7C4F1D6BA9B0F0F5C5E4D8EB36D1C7F3C55F9A8B6C7AD4E80C1D297",
    account: "rLHsVs4XvSmLtapVdyLh1f2gYaqoBhty4E",
    changes: [
      {
        setting: "signer_list",
        value: {
          quorum: 2,
          signers: [
            { account: "r97ZTqCmLTmiKmhW2UZery4GPmdacfJ4Kp", weight: 1 },
            { account: "rJyb56Lh1gyey72nsYrShNLPxjvVwunWmt", weight: 1 }
          ]
        }
      }
    ],
    tx_type: "SignerListSet"
  }
)
