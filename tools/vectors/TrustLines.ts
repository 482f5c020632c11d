/** Vectors of docs/detection-rules.md 2.5 and D29: trust lines. */
import type { JsonObject } from "../../src/domain/Ledger.ts"
import {
  alice,
  bob,
  carol,
  created,
  deleted,
  type Expected,
  event,
  hashNamed,
  id,
  issuer,
  modified,
  vector
} from "./Build.ts"
import { described, HIGH_RESERVE, LOW_RESERVE, line } from "./Lines.ts"

const trust = (tx: object = {}) => ({
  TransactionType: "TrustSet",
  LimitAmount: { currency: "USD", issuer, value: "100" },
  ...tx
})
const limit = (of: string, value: string, currency = "USD") => ({ currency, issuer: of, value })
/** alice is the low side, issuer the high one. */
const held = (fields: object = {}) => line({ low: alice, high: issuer, flags: LOW_RESERVE, ...fields })
const both = [alice, issuer]

const made = (fields: JsonObject, accounts: ReadonlyArray<string> = both): Expected =>
  event(
    "trustline.created",
    described({ trustline_id: id(1), account: alice, tx_type: "TrustSet", auto_created: false, ...fields }),
    accounts
  )
const set = (changes: ReadonlyArray<JsonObject>, fields: JsonObject = {}): Expected =>
  event(
    "trustline.modified",
    described({
      trustline_id: id(1),
      account: alice,
      limit: "100",
      tx_type: "TrustSet",
      changed_by: alice,
      changes,
      ...fields
    }),
    both
  )
const gone = (fields: JsonObject): Expected =>
  event(
    "trustline.deleted",
    described({ trustline_id: id(1), account: alice, tx_type: "TrustSet", ...fields }),
    both
  )
const modifiedLine = (fields: JsonObject, previous?: JsonObject) =>
  modified("RippleState", id(1), fields, previous)

export const trustLines = [
  vector({
    name: "trust_new",
    rule: "2.5",
    about: "A TrustSet makes a line",
    tx: trust(),
    nodes: [created("RippleState", id(1), held({ lowLimit: "100" }))],
    events: [made({ limit: "100" })]
  }),
  vector({
    name: "trust_new_high_side",
    rule: "2.5",
    about: "The account is the high side; its limit and flags are those of the high side",
    tx: trust({ Account: issuer, LimitAmount: limit(alice, "9") }),
    nodes: [
      created(
        "RippleState",
        id(1),
        line({ low: alice, high: issuer, highLimit: "9", flags: HIGH_RESERVE | 0x0020_0000 })
      )
    ],
    events: [made({ account: issuer, counterparty: alice, limit: "9", no_ripple: true })]
  }),
  vector({
    name: "trust_new_all_flags",
    rule: "2.5",
    about: "Every flag of both sides, and the qualities of the account's side",
    tx: trust(),
    nodes: [
      created("RippleState", id(1), {
        ...held({ lowLimit: "100", flags: 0x06fc_0000 | LOW_RESERVE }),
        LowQualityIn: 1,
        LowQualityOut: 2,
        HighQualityIn: 3,
        HighQualityOut: 4
      })
    ],
    events: [
      made({
        limit: "100",
        no_ripple: true,
        no_ripple_peer: true,
        freeze: true,
        freeze_peer: true,
        deep_freeze: true,
        deep_freeze_peer: true,
        authorized: true,
        peer_authorized: true,
        quality_in: 1,
        quality_out: 2
      })
    ]
  }),
  vector({
    name: "trust_authorised_first",
    rule: "2.5",
    about: "An issuer authorises a line that is not there yet: it makes and owns the line",
    tx: trust({ Account: issuer, LimitAmount: limit(alice, "0"), Flags: 0x0001_0000 }),
    nodes: [
      created("RippleState", id(1), line({ low: alice, high: issuer, flags: HIGH_RESERVE | 0x0008_0000 }))
    ],
    events: [made({ account: issuer, counterparty: alice, authorized: true })]
  }),
  vector({
    name: "trust_limit_change",
    rule: "2.5",
    about: "Another limit",
    tx: trust(),
    nodes: [modifiedLine(held({ lowLimit: "100" }), { LowLimit: limit(alice, "50") })],
    events: [set([{ field: "limit", previous: "50", value: "100" }])]
  }),
  vector({
    name: "trust_limit_zero",
    rule: "2.5",
    about: "A limit of 0 with a balance left is a modification, not a deletion",
    tx: trust({ LimitAmount: limit(issuer, "0") }),
    nodes: [modifiedLine(held({ balance: "5" }), { LowLimit: limit(alice, "100") })],
    events: [set([{ field: "limit", previous: "100", value: "0" }], { limit: "0", balance: "5" })]
  }),
  vector({
    name: "trust_same_value",
    rule: "2.5",
    about: "Limits are compared as numbers: 100.0 is 100",
    tx: trust(),
    nodes: [modifiedLine(held({ lowLimit: "100" }), { LowLimit: limit(alice, "100.0") })]
  }),
  vector({
    name: "trust_freeze_by_issuer",
    rule: "2.5",
    about: "The sender of a TrustSet is the account: an issuer's freeze names the issuer",
    tx: trust({ Account: issuer, LimitAmount: limit(alice, "0"), Flags: 0x0010_0000 }),
    nodes: [
      modifiedLine(held({ lowLimit: "100", balance: "5", flags: LOW_RESERVE | 0x0080_0000 }), {
        Flags: LOW_RESERVE
      })
    ],
    events: [
      set([{ field: "freeze", previous: false, value: true }], {
        account: issuer,
        counterparty: alice,
        limit: "0",
        limit_peer: "100",
        balance: "-5",
        freeze: true,
        changed_by: issuer
      })
    ]
  }),
  vector({
    name: "trust_changes_order",
    rule: "2.5",
    about: "Changes are sorted by field; a quality that was removed has no value",
    tx: trust({ LimitAmount: limit(issuer, "50"), Flags: 0x0010_0000 }),
    nodes: [
      modifiedLine(held({ lowLimit: "50", flags: LOW_RESERVE | 0x0040_0000 }), {
        Flags: LOW_RESERVE,
        LowLimit: limit(alice, "100"),
        LowQualityOut: 7
      })
    ],
    events: [
      set(
        [
          { field: "freeze", previous: false, value: true },
          { field: "limit", previous: "100", value: "50" },
          { field: "quality_out", previous: 7 }
        ],
        { limit: "50", freeze: true }
      )
    ]
  }),
  vector({
    name: "trust_peer_changes",
    rule: "2.5",
    about: "Changes of the other side have the ending _peer",
    tx: trust(),
    nodes: [
      modifiedLine(
        { ...held({ lowLimit: "100", highLimit: "2", flags: LOW_RESERVE | 0x0028_0000 }), HighQualityIn: 9 },
        { Flags: LOW_RESERVE, HighLimit: limit(issuer, "1"), HighQualityIn: 8 }
      )
    ],
    events: [
      set(
        [
          { field: "limit_peer", previous: "1", value: "2" },
          { field: "no_ripple_peer", previous: false, value: true },
          { field: "peer_authorized", previous: false, value: true },
          { field: "quality_in_peer", previous: 8, value: 9 }
        ],
        { limit_peer: "2", no_ripple_peer: true, peer_authorized: true }
      )
    ]
  }),
  vector({
    name: "trust_deep_freeze",
    rule: "2.5",
    about: "A deep freeze is set and a freeze cleared",
    tx: trust({ Flags: 0x0040_0000 }),
    nodes: [
      modifiedLine(held({ lowLimit: "100", flags: LOW_RESERVE | 0x0200_0000 }), {
        Flags: LOW_RESERVE | 0x0040_0000
      })
    ],
    events: [
      set(
        [
          { field: "deep_freeze", previous: false, value: true },
          { field: "freeze", previous: true, value: false }
        ],
        { deep_freeze: true }
      )
    ]
  }),
  vector({
    name: "trust_quality_added",
    rule: "2.5",
    about: "A first quality is not in Previous: it is known from the transaction",
    tx: trust({ QualityIn: 900 }),
    nodes: [modifiedLine({ ...held({ lowLimit: "100" }), LowQualityIn: 900 }, {})],
    events: [set([{ field: "quality_in", value: 900 }], { quality_in: 900 })]
  }),
  vector({
    name: "trust_quality_beside_limit",
    rule: "D29",
    about: "A first quality beside a changed limit is reported too",
    tx: trust({ QualityIn: 900, QualityOut: 950 }),
    nodes: [
      modifiedLine(
        { ...held({ lowLimit: "100" }), LowQualityIn: 900, LowQualityOut: 950 },
        { LowLimit: limit(alice, "50"), LowQualityOut: 940 }
      )
    ],
    events: [
      set(
        [
          { field: "limit", previous: "50", value: "100" },
          { field: "quality_in", value: 900 },
          { field: "quality_out", previous: 940, value: 950 }
        ],
        { quality_in: 900, quality_out: 950 }
      )
    ]
  }),
  vector({
    name: "trust_quality_high_side",
    rule: "D29",
    about: "The high side's first quality",
    tx: trust({ Account: issuer, LimitAmount: limit(alice, "3"), QualityOut: 950 }),
    nodes: [
      modifiedLine(
        { ...held({ lowLimit: "100", highLimit: "3" }), HighQualityOut: 950 },
        { HighLimit: limit(issuer, "2") }
      )
    ],
    events: [
      set(
        [
          { field: "limit", previous: "2", value: "3" },
          { field: "quality_out", value: 950 }
        ],
        {
          account: issuer,
          counterparty: alice,
          limit: "3",
          limit_peer: "100",
          quality_out: 950,
          changed_by: issuer
        }
      )
    ]
  }),
  vector({
    name: "trust_quality_not_asked",
    rule: "2.5",
    about: "A quality that the transaction does not ask for is no change",
    tx: trust(),
    nodes: [
      modifiedLine({ ...held({ lowLimit: "100" }), LowQualityIn: 900 }, { LowLimit: limit(alice, "50") })
    ],
    events: [set([{ field: "limit", previous: "50", value: "100" }], { quality_in: 900 })]
  }),
  vector({
    name: "trust_balance_only",
    rule: "2.5",
    about: "A changed balance is not a changed setting",
    tx: { TransactionType: "Payment", Destination: bob, Amount: { currency: "USD", issuer, value: "1" } },
    nodes: [
      modifiedLine(held({ lowLimit: "100", balance: "4" }), { Balance: held({ balance: "5" }).Balance })
    ],
    events: [
      event(
        "payment.issued",
        { sender: alice, receiver: bob, amount: { currency: "USD", issuer, value: "1" } },
        [alice, bob]
      )
    ]
  }),
  vector({
    name: "trust_reserve_bits_only",
    rule: "2.5",
    about: "The reserve flags and the flag of AMMs are no settings",
    tx: trust(),
    nodes: [modifiedLine(held({ lowLimit: "100" }), { Flags: HIGH_RESERVE | 0x0100_0000 })]
  }),
  vector({
    name: "trust_noop",
    rule: "2.5",
    about: "A TrustSet that changes nothing has no RippleState node",
    tx: trust()
  }),
  vector({
    name: "trust_removed",
    rule: "2.5",
    about: "A line that was set to its default is deleted: no trustline.modified beside it",
    tx: trust({ LimitAmount: limit(issuer, "0") }),
    nodes: [
      deleted("RippleState", id(1), line({ low: alice, high: issuer }), {
        Flags: LOW_RESERVE,
        LowLimit: limit(alice, "100")
      })
    ],
    events: [gone({ previous_limit: "100" })]
  }),
  vector({
    name: "trust_removed_by_peer",
    rule: "2.5",
    about: "previous_limit is the account's own: the other side's limit does not count",
    tx: trust({ LimitAmount: limit(issuer, "0") }),
    nodes: [
      deleted("RippleState", id(1), line({ low: alice, high: issuer }), {
        Flags: LOW_RESERVE,
        HighLimit: limit(issuer, "100")
      })
    ],
    events: [gone({})]
  }),
  vector({
    name: "trust_deleted_by_payment",
    rule: "2.5",
    about: "A line that a payment emptied is seen from the side that had the reserve before",
    tx: { TransactionType: "Payment", Account: issuer, Destination: bob, Amount: "1" },
    nodes: [
      deleted("RippleState", id(1), line({ low: alice, high: issuer }), {
        Balance: held({ balance: "-5" }).Balance,
        Flags: HIGH_RESERVE
      })
    ],
    events: [
      gone({ account: issuer, counterparty: alice, tx_type: "Payment" }),
      event("payment.xrp", { sender: issuer, receiver: bob, amount: "1" }, [issuer, bob])
    ]
  }),
  vector({
    name: "trust_both_reserves",
    rule: "2.5",
    about: "Both sides have the reserve and the sender is no side: the low side is the account",
    tx: { TransactionType: "AMMWithdraw", Account: carol },
    nodes: [created("RippleState", id(1), held({ flags: LOW_RESERVE | HIGH_RESERVE, balance: "3" }))],
    events: [made({ balance: "3", tx_type: "AMMWithdraw", auto_created: true })]
  }),
  vector({
    name: "trust_no_reserve_sender",
    rule: "2.5",
    about: "No side has the reserve: the sender is the account if it is a side",
    tx: { TransactionType: "AMMDeposit", Account: issuer },
    nodes: [created("RippleState", id(1), held({ flags: 0, balance: "3" }))],
    events: [
      made({
        account: issuer,
        counterparty: alice,
        balance: "-3",
        tx_type: "AMMDeposit",
        auto_created: true
      })
    ]
  }),
  vector({
    name: "trust_zero_has_no_sign",
    rule: "2.5",
    about: "0 from the high side's view has no sign",
    tx: trust({ Account: issuer, LimitAmount: limit(alice, "9") }),
    nodes: [
      created(
        "RippleState",
        id(1),
        line({ low: alice, high: issuer, highLimit: "9", flags: HIGH_RESERVE, balance: "0" })
      )
    ],
    events: [made({ account: issuer, counterparty: alice, limit: "9" })]
  }),
  vector({
    name: "trust_sign_of_scientific",
    rule: "2.5",
    about: "The sign changes in the ledger's text form, which is kept",
    tx: trust({ Account: issuer, LimitAmount: limit(alice, "9999999999999999e80") }),
    nodes: [
      created(
        "RippleState",
        id(1),
        line({
          low: alice,
          high: issuer,
          highLimit: "9999999999999999e80",
          flags: HIGH_RESERVE,
          balance: "-1234567890123456e-40"
        })
      )
    ],
    events: [
      made({
        account: issuer,
        counterparty: alice,
        limit: "9999999999999999e80",
        balance: "1234567890123456e-40"
      })
    ]
  }),
  vector({
    name: "maker_gets_line",
    rule: "2.5",
    about: "A trade gives an account its first tokens: the line is made automatically",
    tx: { TransactionType: "OfferCreate", Account: bob, TakerGets: "9", TakerPays: limit(issuer, "1") },
    nodes: [created("RippleState", id(1), held({ balance: "1" }))],
    events: [made({ balance: "1", tx_type: "OfferCreate", auto_created: true })]
  }),
  vector({
    name: "trust_modified_by_other",
    rule: "2.5",
    about:
      "A setting changed by another type of transaction (made up) is seen from the side with the reserve",
    tx: { TransactionType: "AMMDeposit", Account: carol },
    nodes: [
      modifiedLine(line({ low: alice, high: issuer, flags: HIGH_RESERVE, highLimit: "4" }), {
        HighLimit: limit(issuer, "3")
      })
    ],
    events: [
      set([{ field: "limit", previous: "3", value: "4" }], {
        account: issuer,
        counterparty: alice,
        limit: "4",
        tx_type: "AMMDeposit",
        changed_by: carol
      })
    ]
  }),
  vector({
    name: "amm_create",
    rule: "2.5",
    about: "A new AMM: its account, the line of its liquidity tokens, and the pool's line",
    tx: { TransactionType: "AMMCreate", Amount: "100", Amount2: limit(issuer, "5"), TradingFee: 1 },
    nodes: [
      created("AccountRoot", id(9), { Account: bob, AMMID: hashNamed("amm"), Sequence: 0 }),
      created(
        "RippleState",
        id(1),
        line({ low: alice, high: bob, currency: `03${"A".repeat(38)}`, balance: "22", flags: LOW_RESERVE })
      ),
      created(
        "RippleState",
        id(2),
        line({ low: bob, high: issuer, balance: "5", flags: LOW_RESERVE | 0x0100_0000 })
      )
    ],
    events: [
      event(
        "account.created",
        {
          account: bob,
          created_by: alice,
          initial_balance: "0",
          pseudo_account_type: "amm",
          tx_type: "AMMCreate"
        },
        [alice, bob]
      ),
      event(
        "trustline.created:0",
        described({
          trustline_id: id(1),
          account: alice,
          counterparty: bob,
          currency: `03${"A".repeat(38)}`,
          balance: "22",
          tx_type: "AMMCreate",
          auto_created: true
        }),
        [alice, bob]
      ),
      event(
        "trustline.created:1",
        described({
          trustline_id: id(2),
          account: bob,
          balance: "5",
          amm_pool: true,
          tx_type: "AMMCreate",
          auto_created: true
        }),
        [bob, issuer]
      )
    ]
  }),
  vector({
    name: "amm_delete_incomplete",
    rule: "1.1",
    about: "A failed AMMDelete keeps the deletion of the AMM's lines",
    tx: {
      TransactionType: "AMMDelete",
      Account: carol,
      Asset: { currency: "XRP" },
      Asset2: { currency: "USD", issuer }
    },
    meta: { TransactionResult: "tecINCOMPLETE" },
    nodes: [
      deleted("RippleState", id(1), line({ low: alice, high: issuer })),
      deleted("RippleState", id(2), line({ low: bob, high: issuer }))
    ],
    events: [
      event(
        "trustline.deleted:0",
        described({ trustline_id: id(1), account: alice, tx_type: "AMMDelete" }),
        both
      ),
      event("trustline.deleted:1", described({ trustline_id: id(2), account: bob, tx_type: "AMMDelete" }), [
        bob,
        issuer
      ])
    ]
  })
]
