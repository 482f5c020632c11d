/** Vectors of docs/detection-rules.md 2.6: accounts and their settings. */
import type { Json, JsonObject } from "../../src/spine/event/Ledger.ts"
import {
  alice,
  balance,
  bob,
  created,
  deleted,
  event,
  hashNamed,
  id,
  issuer,
  modified,
  usd,
  vector
} from "./Build.ts"
import { described, line } from "./Lines.ts"

export const root = (fields: object = {}): JsonObject => ({
  Account: alice,
  Balance: "90",
  Sequence: 8,
  ...fields
})
export const set = (tx: object = {}) => ({ TransactionType: "AccountSet", ...tx })
/** The sender's account, with these fields after and before. */
export const own = (after: object, before: object) =>
  modified("AccountRoot", hashNamed(alice), root(after), { Balance: "100", Sequence: 7, ...before })
export const changed = (changes: ReadonlyArray<JsonObject>, tx_type = "AccountSet") =>
  event("account.settings_changed", { account: alice, changes, tx_type }, [alice])
export const flag = (setting: string, value: boolean): JsonObject => ({ setting, previous: !value, value })

export const flags: ReadonlyArray<readonly [setting: string, bit: number]> = [
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
export const every = flags.reduce((sum, [, bit]) => sum + bit, 0)
export const sorted = flags.map(([setting]) => setting).toSorted()

export const signers = (
  ...list: ReadonlyArray<readonly [account: string, weight: number, locator?: string]>
) =>
  list.map(([Account, SignerWeight, WalletLocator]) => ({
    SignerEntry: { Account, SignerWeight, ...(WalletLocator && { WalletLocator }) }
  }))
export const list = (fields: object) => ({ SignerListID: 0, ...fields })
export const multi = (tx: object = {}) => ({ TransactionType: "SignerListSet", SignerQuorum: 2, ...tx })
export const signed = (entry: { previous?: Json; value?: Json }) =>
  changed([{ setting: "signer_list", ...entry }], "SignerListSet")

const removedAccount = (of: string, fields: object = {}) =>
  deleted("AccountRoot", hashNamed(of), { Account: of, Balance: "0", Sequence: 9, ...fields })
const pseudo = (n: number, of: string, fields: object) =>
  created("AccountRoot", id(n), { Account: of, ...fields })
const madeBy = (tx_type: string, account: string, fields: JsonObject = {}) =>
  event("account.created", { account, created_by: alice, initial_balance: "0", ...fields, tx_type }, [
    alice,
    account
  ])

export const accounts = [
  vector({
    name: "account_of_bridge",
    rule: "2.6",
    about: "A cross-chain transaction creates an account: no payment",
    tx: { TransactionType: "XChainAddAccountCreateAttestation" },
    nodes: [created("AccountRoot", id(1), { Account: bob, Balance: "10000000", Sequence: 1 })],
    events: [madeBy("XChainAddAccountCreateAttestation", bob, { initial_balance: "10000000" })]
  }),
  vector({
    name: "account_of_vault",
    rule: "2.6",
    about: "A vault's pseudo-account; a missing balance is 0",
    tx: { TransactionType: "VaultCreate", Asset: { currency: "XRP" } },
    nodes: [pseudo(1, bob, { VaultID: id(9) })],
    events: [madeBy("VaultCreate", bob, { pseudo_account_type: "vault" })]
  }),
  vector({
    name: "account_of_loan_broker",
    rule: "2.6",
    about: "A loan broker's pseudo-account",
    tx: { TransactionType: "LoanBrokerSet", VaultID: id(9) },
    nodes: [pseudo(1, bob, { LoanBrokerID: id(9) })],
    events: [madeBy("LoanBrokerSet", bob, { pseudo_account_type: "loan_broker" })]
  }),
  vector({
    name: "account_of_new_kind",
    rule: "2.6",
    about: "A pseudo-account of a kind that is none of the three",
    tx: { TransactionType: "LoanSet" },
    nodes: [pseudo(1, bob, { LoanID: id(9) })],
    events: [madeBy("LoanSet", bob, { pseudo_account_type: "other" })]
  }),
  vector({
    name: "account_with_other_hashes",
    rule: "2.6",
    about: "Ids of transactions, and 256 bits whose name does not end in ID, mark no pseudo-account",
    tx: { TransactionType: "Payment", Destination: bob, Amount: "1" },
    nodes: [pseudo(1, bob, { AccountTxnID: id(9), PreviousTxnID: id(9), WalletLocator: id(9) })],
    events: [
      madeBy("Payment", bob),
      event("payment.xrp", { sender: alice, receiver: bob, amount: "1" }, [alice, bob])
    ]
  }),
  vector({
    name: "account_of_no_kind",
    rule: "2.6",
    about: "Unknown fields that are no 256-bit ID mark no pseudo-account",
    tx: { TransactionType: "LoanSet" },
    nodes: [pseudo(1, bob, { NoveltyID: "5", OtherID: 5, NoveltyIDs: id(9) })],
    only: ["v1", "v2"],
    events: [madeBy("LoanSet", bob)]
  }),
  vector({
    name: "account_delete_cascade",
    rule: "2.6",
    about: "Offers and NFT offers that a deletion removes are cancelled; other entries cause no event",
    tx: { TransactionType: "AccountDelete", Destination: bob, Fee: "2000000" },
    meta: { DeliveredAmount: "7" },
    nodes: [
      removedAccount(alice),
      deleted("Offer", id(1), { Account: alice, Sequence: 3, TakerGets: "5", TakerPays: usd("1") }),
      deleted("Offer", id(2), { Account: alice, Sequence: 4, TakerGets: "5", TakerPays: usd("1") }),
      deleted("NFTokenOffer", id(3), { Owner: alice, NFTokenID: id(8), Amount: "6", Flags: 1 }),
      deleted("SignerList", id(4), list({ SignerQuorum: 2, SignerEntries: signers([bob, 2]) })),
      deleted("Ticket", id(5), { Account: alice, TicketSequence: 3 })
    ],
    events: [
      event(
        "nft.offer_cancelled",
        {
          offer_id: id(3),
          nftoken_id: id(8),
          owner: alice,
          is_sell: true,
          amount: "6",
          reason: "account_deleted"
        },
        [alice]
      ),
      ...[0, 1].map((n) =>
        event(
          `dex.offer_cancelled:${n}`,
          {
            offer_id: id(n + 1),
            offer_sequence: n + 3,
            account: alice,
            taker_gets: "5",
            taker_pays: usd("1"),
            reason: "account_deleted",
            tx_type: "AccountDelete"
          },
          [alice]
        )
      ),
      event(
        "account.deleted",
        { account: alice, destination: bob, delivered_amount: "7", tx_type: "AccountDelete" },
        [alice, bob]
      )
    ]
  }),
  vector({
    name: "amm_last_withdraw",
    rule: "2.6",
    about: "The last withdrawal removes the AMM's account and lines; the sender is involved",
    tx: { TransactionType: "AMMWithdraw" },
    nodes: [
      removedAccount(bob, { AMMID: id(9) }),
      deleted("RippleState", id(1), line({ low: bob, high: issuer, flags: 0x0101_0000 })),
      deleted("RippleState", id(2), line({ low: alice, high: bob, currency: `03${"A".repeat(38)}` }))
    ],
    events: [
      event(
        "trustline.deleted:0",
        described({ trustline_id: id(1), account: bob, amm_pool: true, tx_type: "AMMWithdraw" }),
        [bob, issuer]
      ),
      event(
        "trustline.deleted:1",
        described({
          trustline_id: id(2),
          account: alice,
          counterparty: bob,
          currency: `03${"A".repeat(38)}`,
          tx_type: "AMMWithdraw"
        }),
        [alice, bob]
      ),
      event("account.deleted", { account: bob, pseudo_account_type: "amm", tx_type: "AMMWithdraw" }, [
        alice,
        bob
      ])
    ]
  }),
  vector({
    name: "account_without_final",
    rule: "1.2",
    about: "A modified account with neither Final nor Previous was only linked to",
    tx: { TransactionType: "Payment", Destination: bob, Amount: "1" },
    nodes: [modified("AccountRoot", hashNamed(bob)), balance(alice, "100", "89")],
    events: [event("payment.xrp", { sender: alice, receiver: bob, amount: "1" }, [alice, bob])]
  })
]
