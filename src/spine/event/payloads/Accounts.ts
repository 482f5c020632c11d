/** Payloads of account.created and account.deleted (docs/detection-rules.md 2.6). */
import { Schema } from "effect"
import { Address, Drops, optional, payload, required, tx_hash, tx_type, uint32 } from "./PayloadFields.ts"

const pseudo_account_type = optional(
  Schema.Literals(["amm", "vault", "loan_broker", "other"]),
  "What the account belongs to, if it is a pseudo-account, for which no keys exist. other: an object of a kind that this version of the rules does not name."
)

export const accountCreated = payload(
  "An account was created, usually by the first Payment to it. A deleted account may be created again.",
  {
    tx_hash,
    account: required(Address, "The new account."),
    created_by: required(Address, "The account whose transaction created it."),
    initial_balance: required(Drops, "The account's first balance."),
    pseudo_account_type,
    tx_type
  },
  {
    tx_hash: "0EEC3135169E5A392A810D7E03A693248FEDC7E64E98F03FDE6DCC307E19CA01",
    account: "rG4JCvn3gouvtxdnCSo8hQRCdiELnvRo6W",
    created_by: "r93YXKmFbHVV7FAs31PY8Wz1LTbP8jtcV2",
    initial_balance: "13000000",
    tx_type: "Payment"
  }
)

export const accountDeleted = payload(
  "An account was deleted: by AccountDelete, or, for an AMM's account, together with the AMM. Offers that are removed with it cause …offer_cancelled events of the same transaction.",
  {
    tx_hash,
    account: required(Address, "The deleted account."),
    destination: optional(Address, "The account that got the balance. Only for AccountDelete."),
    destination_tag: optional(
      uint32,
      "The destination tag, which names a customer or account at the destination."
    ),
    delivered_amount: optional(
      Drops,
      "The amount that the destination got; absent if the ledger does not show it."
    ),
    pseudo_account_type,
    tx_type
  },
  {
    tx_hash: "9D9E8B5F65F7C4C189960BCC8788CC63D488F4BC4F8EDCF15601F8AED7580B93",
    account: "rJiUeGjUiCDC93ZReeTYjCBenRCnnZZerr",
    destination: "r93YXKmFbHVV7FAs31PY8Wz1LTbP8jtcV2",
    destination_tag: 4009078,
    delivered_amount: "32800000",
    tx_type: "AccountDelete"
  }
)
