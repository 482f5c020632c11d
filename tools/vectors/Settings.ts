/** Vectors of docs/detection-rules.md 2.6: settings of accounts. */

import { changed, every, flag, list, multi, own, root, set, signed, signers, sorted } from "./Accounts.ts"
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
  modified,
  vector
} from "./Build.ts"

export const settings = [
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
    about: "PasswordSpent and the flag of AMMs are state and no settings",
    tx: { TransactionType: "SetRegularKey", RegularKey: bob },
    nodes: [own({ Flags: 0x0201_0000, RegularKey: bob }, { Flags: 0, RegularKey: carol })],
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
    name: "settings_tracking_not_asked",
    rule: "2.6",
    about: "Only SetFlag 5 turns tracking on, and only if AccountTxnID is there afterwards",
    several: [
      { tx: set({ SetFlag: 1 }), nodes: [own({ AccountTxnID: id(2) }, {})] },
      { tx: set({ SetFlag: 5, Sequence: 8 }), nodes: [own({}, {})] }
    ]
  }),
  vector({
    name: "settings_of_linked_account",
    rule: "1.2",
    about: "An AccountSet whose AccountRoot has neither Final nor Previous changes nothing",
    tx: set(),
    nodes: [modified("AccountRoot", hashNamed(alice))]
  }),
  vector({
    name: "settings_delegated",
    rule: "1.8",
    about: "A delegate may change settings: it is named and involved",
    tx: set({ Domain: "61", Delegate: dave }),
    nodes: [own({ Domain: "61" }, {})],
    events: [
      event(
        "account.settings_changed",
        {
          account: alice,
          changes: [{ setting: "domain", value: "61" }],
          tx_type: "AccountSet",
          delegate: dave
        },
        [alice, dave]
      )
    ]
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
