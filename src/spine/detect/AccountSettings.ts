/**
 * account.settings_changed: the settings that an AccountSet, SetRegularKey or SignerListSet changed
 * (docs/detection-rules.md 2.6). If nothing changed, there is no event.
 */
import type { Json, JsonObject } from "../event/Ledger.ts"
import { EMAIL_HASH } from "../event/LedgerForms.ts"
import {
  event,
  type Findings,
  nothing,
  type TransactionContext,
  type TransactionDetector
} from "./Detector.ts"
import {
  addressOf,
  flagsOf,
  hasFlag,
  hashOf,
  hexOf,
  need,
  needAddress,
  noFields,
  textField,
  uint8Of,
  uint32Of,
  withoutAbsent
} from "./Fields.ts"
import type { AffectedNode } from "./Nodes.ts"
import { signerListChange } from "./SignerList.ts"

interface Change {
  readonly setting: string
  readonly previous?: Json | undefined
  readonly value?: Json | undefined
}

const readChanged = (context: TransactionContext): Findings => {
  const { account } = context
  const changes: Array<Change> = []
  for (const node of context.nodes) {
    if (node.type === "SignerList" && context.type === "SignerListSet") {
      const change = signerListChange(node)
      if (change !== undefined) changes.push({ setting: "signer_list", ...change })
    }
    if (node.type === "AccountRoot" && node.change === "modified" && ownerOf(node) === account)
      changes.push(...flagChanges(node), ...fieldChanges(context, node), ...trackingChange(context, node))
  }
  if (changes.length === 0) return nothing
  changes.sort((a, b) => (a.setting < b.setting ? -1 : 1))
  const payload = {
    tx_hash: context.hash,
    account,
    changes: changes.map(({ setting, previous, value }) => withoutAbsent({ setting, previous, value })),
    tx_type: context.type
  }
  return [event("account.settings_changed", payload, [account])]
}

export const accountSettings: TransactionDetector = {
  typeOf: () => "account.settings_changed",
  read: readChanged
}

/**
 * Undefined if the node has no fields: the account was only linked to the transaction (docs/detection-rules.md 1.2).
 */
const ownerOf = ({ fields, previous }: AffectedNode): string | undefined =>
  fields === noFields && previous === noFields ? undefined : needAddress(fields, "Account")

/** The flags that are settings. Every other flag (PasswordSpent, AMM) is state. */
const settingFlags: ReadonlyArray<readonly [setting: string, bit: number]> = [
  ["require_destination_tag", 0x0002_0000],
  ["require_authorization", 0x0004_0000],
  ["disallow_incoming_xrp", 0x0008_0000],
  ["disable_master_key", 0x0010_0000],
  ["no_freeze", 0x0020_0000],
  ["global_freeze", 0x0040_0000],
  ["default_ripple", 0x0080_0000],
  ["deposit_auth", 0x0100_0000],
  ["disallow_incoming_nftoken_offer", 0x0400_0000],
  ["disallow_incoming_check", 0x0800_0000],
  ["disallow_incoming_pay_chan", 0x1000_0000],
  ["disallow_incoming_trustline", 0x2000_0000],
  ["allow_trust_line_locking", 0x4000_0000],
  ["allow_trust_line_clawback", 0x8000_0000]
]

const flagChanges = (node: AffectedNode): ReadonlyArray<Change> => {
  if (node.previous["Flags"] === undefined) return []
  const before = flagsOf(node.previous)
  const after = need(uint32Of(node.fields, "Flags"), "Flags")
  return settingFlags
    .filter(([, bit]) => hasFlag(before ^ after, bit))
    .map(([setting, bit]) => ({ setting, previous: hasFlag(before, bit), value: hasFlag(after, bit) }))
}

const emailHash = textField((text) => EMAIL_HASH.test(text.toUpperCase()), "32 hex digits")
const emailHashOf = (fields: JsonObject, name: string) => emailHash(fields, name)?.toUpperCase()

type Read = (fields: JsonObject, name: string) => Json | undefined

/** The fields that are settings. A transaction and an AccountRoot use the same name. */
const settingFields: ReadonlyArray<readonly [setting: string, name: string, read: Read]> = [
  ["domain", "Domain", hexOf],
  ["email_hash", "EmailHash", emailHashOf],
  ["message_key", "MessageKey", hexOf],
  ["nftoken_minter", "NFTokenMinter", addressOf],
  ["regular_key", "RegularKey", addressOf],
  ["tick_size", "TickSize", uint8Of],
  ["transfer_rate", "TransferRate", uint32Of],
  ["wallet_locator", "WalletLocator", hashOf]
]

const isUnset = (value: Json | undefined): boolean => value === undefined || value === "" || value === 0

const fieldChanges = (context: TransactionContext, node: AffectedNode): ReadonlyArray<Change> => {
  const changes: Array<Change> = []
  for (const [setting, name, read] of settingFields) {
    const previous = read(node.previous, name)
    const value = read(node.fields, name)
    if (previous !== undefined) {
      if (previous !== value) changes.push({ setting, previous, value })
    } else if (value !== undefined && !isUnset(read(context.tx, name)))
      // Set for the first time, or set again to the same value: the metadata do not show which.
      changes.push({ setting, value })
  }
  return changes
}

/** `asfAccountTxnID` of AccountSet. */
const TRACK_TRANSACTION_ID = 5

/** Whether the account tracks its last transaction is a setting. The tracked hash changes with every transaction. */
const trackingChange = (context: TransactionContext, node: AffectedNode): ReadonlyArray<Change> => {
  const before = node.previous["AccountTxnID"] !== undefined
  const after = node.fields["AccountTxnID"] !== undefined
  const setting = "account_txn_id"
  if (!before && after && uint32Of(context.tx, "SetFlag") === TRACK_TRANSACTION_ID)
    return [{ setting, previous: false, value: true }]
  return before && !after ? [{ setting, previous: true, value: false }] : []
}
