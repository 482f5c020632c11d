/** Vectors of docs/detection-rules.md 2.6 and D30: accounts and their settings. */
import type { Json, JsonObject } from "../../src/domain/Ledger.ts"
import {
  alice,
  balance,
  bob,
  carol,
  created,
  dave,
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

const root = (fields: object = {}): JsonObject => ({ Account: alice, Balance: "90", Sequence: 8, ...fields })
const set = (tx: object = {}) => ({ TransactionType: "AccountSet", ...tx })
/** The sender's account, with these fields after and before. */
const own = (after: object, before: object) =>
  modified("AccountRoot", hashNamed(alice), root(after), { Balance: "100", Sequence: 7, ...before })
const changed = (changes: ReadonlyArray<JsonObject>, tx_type = "AccountSet") =>
  event("account.settings_changed", { account: alice, changes, tx_type }, [alice])
const flag = (setting: string, value: boolean): JsonObject => ({ setting, previous: !value, value })

const flags: ReadonlyArray<readonly [setting: string, bit: number]> = [
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
const every = flags.reduce((sum, [, bit]) => sum + bit, 0)
const sorted = flags.map(([setting]) => setting).toSorted()

const signers = (...list: ReadonlyArray<readonly [account: string, weight: number, locator?: string]>) =>
  list.map(([Account, SignerWeight, WalletLocator]) => ({
    SignerEntry: { Account, SignerWeight, ...(WalletLocator && { WalletLocator }) }
  }))
const list = (fields: object) => ({ SignerListID: 0, ...fields })
const multi = (tx: object = {}) => ({ TransactionType: "SignerListSet", SignerQuorum: 2, ...tx })
const signed = (entry: { previous?: Json; value?: Json }) =>
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
    rule: "D30",
    about: "A pseudo-account of a kind that is none of the three",
    tx: { TransactionType: "LoanSet" },
    nodes: [pseudo(1, bob, { LoanID: id(9) })],
    events: [madeBy("LoanSet", bob, { pseudo_account_type: "other" })]
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
  }),
  vector({
    name: "settings_flag",
    rule: "2.6",
    about: "A flag is set",
    tx: set({ SetFlag: 1 }),
    nodes: [own({ Flags: 0x0002_0000 }, { Flags: 0 })],
    events: [changed([flag("require_destination_tag", true)])]
  }),
  vector({
    name: "settings_all_flags",
    rule: "2.6",
    about: "All flags, sorted by name (made up: one transaction sets one)",
    tx: set(),
    nodes: [own({ Flags: every }, { Flags: 0 })],
    events: [changed(sorted.map((setting) => flag(setting, true)))]
  }),
  vector({
    name: "settings_flag_cleared",
    rule: "2.6",
    about: "A flag is cleared beside one that stays",
    tx: set({ ClearFlag: 8 }),
    nodes: [own({ Flags: 0x0002_0000 }, { Flags: 0x0082_0000 })],
    events: [changed([flag("default_ripple", false)])]
  }),
  vector({
    name: "settings_clawback_bit",
    rule: "2.6",
    about: "The highest bit of 32 is unsigned",
    tx: set({ SetFlag: 16 }),
    nodes: [own({ Flags: 0x8080_0000 }, { Flags: 0x0080_0000 })],
    events: [changed([flag("allow_trust_line_clawback", true)])]
  }),
  vector({
    name: "settings_domain_first",
    rule: "2.6",
    about: "A first domain is not in Previous",
    tx: set({ Domain: "6578616d706c65" }),
    nodes: [own({ Domain: "6578616D706C65" }, {})],
    events: [changed([{ setting: "domain", value: "6578616D706C65" }])]
  }),
  vector({
    name: "settings_domain_cleared",
    rule: "2.6",
    about: "A cleared domain has no value",
    tx: set({ Domain: "" }),
    nodes: [own({}, { Domain: "6578616D706C65" })],
    events: [changed([{ setting: "domain", previous: "6578616D706C65" }])]
  }),
  vector({
    name: "settings_formats",
    rule: "2.6",
    about: "Several settings at once: numbers stay numbers, and entries are sorted",
    tx: set({
      SetFlag: 1,
      EmailHash: "0123456789ABCDEF0123456789ABCDEF",
      TransferRate: 1_005_000_000,
      Domain: ""
    }),
    nodes: [
      own(
        { Flags: 0x0002_0000, EmailHash: "0123456789ABCDEF0123456789ABCDEF", TransferRate: 1_005_000_000 },
        { Flags: 0, TransferRate: 1_002_000_000, Domain: "61" }
      )
    ],
    events: [
      changed([
        { setting: "domain", previous: "61" },
        { setting: "email_hash", value: "0123456789ABCDEF0123456789ABCDEF" },
        flag("require_destination_tag", true),
        { setting: "transfer_rate", previous: 1_002_000_000, value: 1_005_000_000 }
      ])
    ]
  }),
  vector({
    name: "settings_other_fields",
    rule: "2.6",
    about: "A message key, tick size, wallet locator and minter",
    tx: set({ MessageKey: "02AB", TickSize: 5, WalletLocator: id(7), NFTokenMinter: bob, SetFlag: 10 }),
    nodes: [
      own(
        { MessageKey: "02AB", TickSize: 5, WalletLocator: id(7), NFTokenMinter: bob },
        { TickSize: 4, NFTokenMinter: carol }
      )
    ],
    events: [
      changed([
        { setting: "message_key", value: "02AB" },
        { setting: "nftoken_minter", previous: carol, value: bob },
        { setting: "tick_size", previous: 4, value: 5 },
        { setting: "wallet_locator", value: id(7) }
      ])
    ]
  }),
  vector({
    name: "settings_noop",
    rule: "2.6",
    about: "An AccountSet without fields, and one whose flag was set before",
    several: [
      { tx: set(), nodes: [own({ Flags: 0x0002_0000 }, {})] },
      { tx: set({ SetFlag: 1, Sequence: 8 }), nodes: [own({ Flags: 0x0002_0000 }, {})] }
    ]
  }),
  vector({
    name: "settings_failed",
    rule: "2.6",
    about: "A failed AccountSet changes nothing",
    tx: set({ Domain: "61" }),
    meta: { TransactionResult: "tecNO_ALTERNATIVE_KEY" },
    nodes: [own({ Domain: "61" }, {})]
  }),
  vector({
    name: "settings_of_payment",
    rule: "2.6",
    about: "Only three types change settings: a Payment clears PasswordSpent, and its tracking hash changes",
    tx: { TransactionType: "Payment", Destination: bob, Amount: "1" },
    nodes: [
      balance(bob, "1", "2", { Flags: 0 }),
      modified("AccountRoot", hashNamed(alice), root({ AccountTxnID: id(2), Flags: 0 }), {
        Balance: "100",
        AccountTxnID: id(1),
        Flags: 0x0001_0000
      })
    ],
    events: [event("payment.xrp", { sender: alice, receiver: bob, amount: "1" }, [alice, bob])]
  }),
  vector({
    name: "settings_state_flags",
    rule: "2.6",
    about: "PasswordSpent is state and no setting",
    tx: { TransactionType: "SetRegularKey", RegularKey: bob },
    nodes: [own({ Flags: 0x0001_0000, RegularKey: bob }, { Flags: 0, RegularKey: carol })],
    events: [changed([{ setting: "regular_key", previous: carol, value: bob }], "SetRegularKey")]
  }),
  vector({
    name: "settings_tracking_on",
    rule: "2.6",
    about: "SetFlag 5 turns tracking on: AccountTxnID is added",
    tx: set({ SetFlag: 5 }),
    nodes: [own({ AccountTxnID: id(2) }, {})],
    events: [changed([flag("account_txn_id", true)])]
  }),
  vector({
    name: "settings_tracking_off",
    rule: "2.6",
    about: "ClearFlag 5 turns it off: AccountTxnID is removed",
    tx: set({ ClearFlag: 5 }),
    nodes: [own({}, { AccountTxnID: id(2) })],
    events: [changed([flag("account_txn_id", false)])]
  }),
  vector({
    name: "settings_tracking_noise",
    rule: "2.6",
    about: "The hash itself changes with every transaction and is no setting",
    tx: set({ SetFlag: 5 }),
    nodes: [own({ AccountTxnID: id(2) }, { AccountTxnID: id(1) })]
  }),
  vector({
    name: "regular_key_first",
    rule: "2.6",
    about: "A first regular key",
    tx: { TransactionType: "SetRegularKey", RegularKey: bob },
    nodes: [own({ RegularKey: bob }, {})],
    events: [changed([{ setting: "regular_key", value: bob }], "SetRegularKey")]
  }),
  vector({
    name: "regular_key_removed",
    rule: "2.6",
    about: "A removed regular key",
    tx: { TransactionType: "SetRegularKey" },
    nodes: [own({}, { RegularKey: bob })],
    events: [changed([{ setting: "regular_key", previous: bob }], "SetRegularKey")]
  }),
  vector({
    name: "signer_list_created",
    rule: "2.6",
    about: "A first list; signers stay in the ledger's order",
    tx: multi({ SignerEntries: signers([carol, 1], [bob, 2, id(6)]) }),
    nodes: [
      own({}, {}),
      created(
        "SignerList",
        id(1),
        list({ SignerQuorum: 2, SignerEntries: signers([carol, 1], [bob, 2, id(6)]) })
      )
    ],
    events: [
      signed({
        value: {
          quorum: 2,
          signers: [
            { account: carol, weight: 1 },
            { account: bob, weight: 2, wallet_locator: id(6) }
          ]
        }
      })
    ]
  }),
  vector({
    name: "signer_list_changed",
    rule: "2.6",
    about: "Other signers: the former list is Final overlaid with Previous",
    tx: multi({ SignerEntries: signers([dave, 2]) }),
    nodes: [
      modified("SignerList", id(1), list({ SignerQuorum: 2, SignerEntries: signers([dave, 2]) }), {
        SignerEntries: signers([bob, 1], [carol, 1])
      })
    ],
    events: [
      signed({
        previous: {
          quorum: 2,
          signers: [
            { account: bob, weight: 1 },
            { account: carol, weight: 1 }
          ]
        },
        value: { quorum: 2, signers: [{ account: dave, weight: 2 }] }
      })
    ]
  }),
  vector({
    name: "signer_list_quorum",
    rule: "2.6",
    about: "Another quorum with the same signers",
    tx: multi({ SignerQuorum: 3, SignerEntries: signers([bob, 3]) }),
    nodes: [
      modified("SignerList", id(1), list({ SignerQuorum: 3, SignerEntries: signers([bob, 3]) }), {
        SignerQuorum: 2
      })
    ],
    events: [
      signed({
        previous: { quorum: 2, signers: [{ account: bob, weight: 3 }] },
        value: { quorum: 3, signers: [{ account: bob, weight: 3 }] }
      })
    ]
  }),
  vector({
    name: "signer_list_reset",
    rule: "2.6",
    about: "The same list set again",
    tx: multi({ SignerEntries: signers([bob, 2]) }),
    nodes: [
      modified("SignerList", id(1), list({ SignerQuorum: 2, SignerEntries: signers([bob, 2]) }), {
        PreviousTxnID: id(5)
      })
    ]
  }),
  vector({
    name: "signer_list_removed",
    rule: "2.6",
    about: "A removed list has no value",
    tx: multi({ SignerQuorum: 0 }),
    nodes: [deleted("SignerList", id(1), list({ SignerQuorum: 2, SignerEntries: signers([bob, 2]) }))],
    events: [signed({ previous: { quorum: 2, signers: [{ account: bob, weight: 2 }] } })]
  })
]
