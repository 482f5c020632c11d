/** account.* (docs/detection-rules.md 2.6). */
import { assert, describe, it } from "@effect/vitest"
import type { Json, JsonObject } from "../../../src/spine/event/Ledger.ts"
import {
  alertTypes,
  alice,
  balance,
  bob,
  carol,
  created,
  dave,
  deleted,
  detect,
  eventNamed,
  hashNamed,
  key,
  modified,
  names,
  payloadNamed,
  transaction,
  txHash,
  usd
} from "./support.ts"

const root = (fields: JsonObject, previous?: JsonObject) =>
  modified("AccountRoot", key(1), { Account: alice, Flags: 0, ...fields }, previous)

const accountSet = (tx: JsonObject, node: JsonObject) =>
  transaction({ TransactionType: "AccountSet", ...tx }, [node])

/** The changes of the event; undefined if there is none. */
const changesOf = (found: ReturnType<typeof detect>): Json | undefined => {
  assert.deepStrictEqual(found.alerts, [])
  if (found.events.length === 0) return undefined
  assert.deepStrictEqual(names(found), ["account.settings_changed"])
  return payloadNamed(found, "account.settings_changed")["changes"]
}

describe("account.created and account.deleted", () => {
  it("created by an attestation of another chain: no payment", () => {
    const tx = { TransactionType: "XChainAddAccountCreateAttestation", Destination: bob }
    const found = detect(transaction(tx, [created("AccountRoot", key(1), { Account: bob })]))
    assert.deepStrictEqual(names(found), ["account.created"])
    assert.deepInclude(payloadNamed(found, "account.created"), { initial_balance: "0", created_by: alice })
    assert.deepStrictEqual(eventNamed(found, "account.created").accounts, [alice, bob].sort())
  })

  it("pseudo-accounts are marked by what owns them", () => {
    for (const [field, type] of [
      ["AMMID", "amm"],
      ["VaultID", "vault"],
      ["LoanBrokerID", "loan_broker"],
      ["ContractID", "other"]
    ] as const) {
      const fields = { Account: bob, AccountTxnID: key(6), [field]: key(5).toLowerCase() }
      const tx = { TransactionType: "VaultCreate" }
      const made = detect(transaction(tx, [created("AccountRoot", key(1), fields)]))
      assert.strictEqual(payloadNamed(made, "account.created")["pseudo_account_type"], type)
      const gone = detect(transaction(tx, [deleted("AccountRoot", key(1), fields)]))
      assert.strictEqual(payloadNamed(gone, "account.deleted")["pseudo_account_type"], type)
      assert.deepStrictEqual(eventNamed(gone, "account.deleted").accounts, [alice, bob].sort())
    }
  })

  it("other 256-bit fields mark no pseudo-account", () => {
    for (const fields of [
      { AccountTxnID: key(5) },
      { PreviousTxnID: key(5) },
      { WalletLocator: key(5) },
      { SomeID: "5" },
      { SomeID: 5 },
      { SomeIDs: key(5) }
    ]) {
      const node = created("AccountRoot", key(1), { Account: bob, ...fields })
      const found = detect(transaction({ TransactionType: "Payment" }, [node]))
      assert.notProperty(payloadNamed(found, "account.created"), "pseudo_account_type")
    }
  })

  it("deleted by AccountDelete: its offers are cancelled; no payment, no settings change", () => {
    const offer = (id: number) =>
      deleted("Offer", key(id), { Account: alice, Sequence: id, TakerGets: "5", TakerPays: usd("1") })
    const nodes = [
      deleted("AccountRoot", key(1), { Account: alice, Balance: "0" }, { Balance: "900" }),
      offer(2),
      offer(3),
      deleted("NFTokenOffer", key(4), { Owner: alice, NFTokenID: hashNamed("nft"), Flags: 1, Amount: "1" }),
      deleted("SignerList", key(5), { SignerQuorum: 1, SignerEntries: [] })
    ]
    const tx = { TransactionType: "AccountDelete", Destination: bob, DestinationTag: 3 }
    const found = detect(transaction(tx, nodes, { DeliveredAmount: "890" }))
    assert.deepStrictEqual(names(found), [
      "nft.offer_cancelled",
      "dex.offer_cancelled:0",
      "dex.offer_cancelled:1",
      "account.deleted"
    ])
    assert.strictEqual(payloadNamed(found, "nft.offer_cancelled")["reason"], "account_deleted")
    assert.strictEqual(payloadNamed(found, "dex.offer_cancelled:0")["reason"], "account_deleted")
    assert.deepStrictEqual(payloadNamed(found, "account.deleted"), {
      tx_hash: txHash,
      account: alice,
      destination: bob,
      destination_tag: 3,
      delivered_amount: "890",
      tx_type: "AccountDelete"
    })
    assert.deepStrictEqual(eventNamed(found, "account.deleted").accounts, [alice, bob].sort())
  })

  it("the delivered amount of a deletion is derived, or left out with an alert", () => {
    const tx = { TransactionType: "AccountDelete", Destination: bob }
    const gone = deleted("AccountRoot", key(1), { Account: alice, Balance: "0" })
    const derived = detect(transaction(tx, [gone, balance(bob, "100", "150")]))
    assert.strictEqual(payloadNamed(derived, "account.deleted")["delivered_amount"], "50")
    const unknown = detect(transaction(tx, [gone]))
    assert.notProperty(payloadNamed(unknown, "account.deleted"), "delivered_amount")
    assert.deepStrictEqual(alertTypes(unknown), ["account.deleted"])
  })
})

describe("account.settings_changed by AccountSet", () => {
  it("a changed flag has both values", () => {
    const found = detect(accountSet({ SetFlag: 1 }, root({ Flags: 0x2_0000 }, { Flags: 0 })))
    assert.deepStrictEqual(payloadNamed(found, "account.settings_changed"), {
      tx_hash: txHash,
      account: alice,
      changes: [{ setting: "require_destination_tag", previous: false, value: true }],
      tx_type: "AccountSet"
    })
    assert.deepStrictEqual(eventNamed(found, "account.settings_changed").accounts, [alice])
  })

  it("a first domain has no previous, a cleared one has no value", () => {
    assert.deepStrictEqual(changesOf(detect(accountSet({ Domain: "6162" }, root({ Domain: "6162" }, {})))), [
      { setting: "domain", value: "6162" }
    ])
    assert.deepStrictEqual(changesOf(detect(accountSet({ Domain: "" }, root({}, { Domain: "6162" })))), [
      { setting: "domain", previous: "6162" }
    ])
  })

  it("no event if nothing was set, or was set already", () => {
    assert.isUndefined(changesOf(detect(accountSet({}, root({ Sequence: 8 }, { Sequence: 7 })))))
    assert.isUndefined(changesOf(detect(accountSet({ SetFlag: 1 }, root({ Flags: 0x2_0000 })))))
    assert.isUndefined(changesOf(detect(accountSet({}, root({ TickSize: 5 }, { TickSize: 5 })))))
    assert.isUndefined(
      changesOf(
        detect(accountSet({}, { ModifiedNode: { LedgerEntryType: "AccountRoot", LedgerIndex: key(1) } }))
      )
    )
  })

  it("the highest bit is a flag like any other", () => {
    const node = root({ Flags: 0x8000_0000 }, { Flags: 0 })
    assert.deepStrictEqual(changesOf(detect(accountSet({ SetFlag: 16 }, node))), [
      { setting: "allow_trust_line_clawback", previous: false, value: true }
    ])
  })

  it("flags that are state (PasswordSpent, AMM) cause no event", () => {
    const node = root({ Flags: 0x201_0000 }, { Flags: 0 })
    assert.isUndefined(changesOf(detect(accountSet({}, node))))
  })

  it("several changes are sorted by setting; numbers stay numbers", () => {
    const tx = { SetFlag: 1, EmailHash: "aa".repeat(16), TransferRate: 1_005_000_000, Domain: "" }
    const node = root(
      { Flags: 0x2_0000, EmailHash: "aa".repeat(16), TransferRate: 1_005_000_000 },
      { Flags: 0, TransferRate: 1_002_000_000, Domain: "6162" }
    )
    assert.deepStrictEqual(changesOf(detect(accountSet(tx, node))), [
      { setting: "domain", previous: "6162" },
      { setting: "email_hash", value: "AA".repeat(16) },
      { setting: "require_destination_tag", previous: false, value: true },
      { setting: "transfer_rate", previous: 1_002_000_000, value: 1_005_000_000 }
    ])
  })

  it("turning AccountTxnID on or off is a setting; its value is not", () => {
    const tracking = { AccountTxnID: hashNamed("b") }
    const tracked = { AccountTxnID: hashNamed("a") }
    const on = [{ setting: "account_txn_id", previous: false, value: true }]
    const off = [{ setting: "account_txn_id", previous: true, value: false }]
    assert.deepStrictEqual(changesOf(detect(accountSet({ SetFlag: 5 }, root(tracking, {})))), on)
    assert.isUndefined(changesOf(detect(accountSet({ SetFlag: 5 }, root(tracking, tracked)))))
    assert.isUndefined(changesOf(detect(accountSet({ SetFlag: 5 }, root({}, {})))))
    assert.isUndefined(changesOf(detect(accountSet({ SetFlag: 1 }, root(tracking, {})))))
    assert.deepStrictEqual(changesOf(detect(accountSet({ ClearFlag: 5 }, root({}, tracked)))), off)
  })

  it("a failed AccountSet changes nothing", () => {
    const tx = transaction({ TransactionType: "AccountSet" }, [root({ Flags: 0x2_0000 }, { Flags: 0 })], {
      TransactionResult: "tecNO_ALTERNATIVE_KEY"
    })
    assert.deepStrictEqual(names(detect(tx)), [])
  })
})

describe("account.settings_changed by keys and signers", () => {
  const entries = (...signers: ReadonlyArray<readonly [string, number]>) =>
    signers.map(([Account, SignerWeight]) => ({ SignerEntry: { Account, SignerWeight } }))
  const signers = (...of: ReadonlyArray<readonly [string, number]>) =>
    of.map(([account, weight]) => ({ account, weight }))
  const signerListSet = (node: JsonObject) =>
    changesOf(detect(transaction({ TransactionType: "SignerListSet" }, [node])))

  it("a regular key, set and removed", () => {
    const set = (tx: JsonObject, node: JsonObject) =>
      changesOf(detect(transaction({ TransactionType: "SetRegularKey", ...tx }, [node])))
    assert.deepStrictEqual(set({ RegularKey: bob }, root({ RegularKey: bob }, {})), [
      { setting: "regular_key", value: bob }
    ])
    assert.deepStrictEqual(set({}, root({}, { RegularKey: bob })), [
      { setting: "regular_key", previous: bob }
    ])
  })

  it("a signer list, created, changed and removed", () => {
    const list = { SignerQuorum: 2, SignerEntries: entries([carol, 1], [bob, 2]) }
    const value = { quorum: 2, signers: signers([carol, 1], [bob, 2]) }
    assert.deepStrictEqual(signerListSet(created("SignerList", key(2), list)), [
      { setting: "signer_list", value }
    ])
    assert.deepStrictEqual(
      signerListSet(modified("SignerList", key(2), list, { SignerEntries: entries([dave, 2]) })),
      [{ setting: "signer_list", previous: { quorum: 2, signers: signers([dave, 2]) }, value }]
    )
    assert.deepStrictEqual(signerListSet(deleted("SignerList", key(2), list)), [
      { setting: "signer_list", previous: value }
    ])
  })

  it("the same signer list again: no event; a new quorum alone: a change", () => {
    const list = { SignerQuorum: 3, SignerEntries: entries([carol, 1], [bob, 2]) }
    assert.isUndefined(signerListSet(modified("SignerList", key(2), list, { PreviousTxnID: key(3) })))
    const both = signers([carol, 1], [bob, 2])
    assert.deepStrictEqual(signerListSet(modified("SignerList", key(2), list, { SignerQuorum: 2 })), [
      {
        setting: "signer_list",
        previous: { quorum: 2, signers: both },
        value: { quorum: 3, signers: both }
      }
    ])
  })

  it("a signer keeps its wallet locator", () => {
    const entry = { SignerEntry: { Account: bob, SignerWeight: 1, WalletLocator: key(7) } }
    const node = created("SignerList", key(2), { SignerQuorum: 1, SignerEntries: [entry] })
    assert.deepStrictEqual(signerListSet(node), [
      {
        setting: "signer_list",
        value: { quorum: 1, signers: [{ account: bob, weight: 1, wallet_locator: key(7) }] }
      }
    ])
  })
})
