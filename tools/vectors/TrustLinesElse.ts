/** Vectors of docs/detection-rules.md 2.5: lines whose settings stay, deleted lines, and lines that others make. */
import type { JsonObject } from "../../src/spine/event/Ledger.ts"
import { alice, bob, carol, created, deleted, event, hashNamed, id, issuer, vector } from "./Build.ts"
import { described, HIGH_RESERVE, LOW_RESERVE, line } from "./Lines.ts"
import { both, gone, held, limit, made, modifiedLine, set, trust } from "./TrustLines.ts"

const peers = ["", "_peer"]
const flag = (field: string): JsonObject => ({ field, previous: false, value: true })
const flags = ["authorized", "deep_freeze", "freeze", "no_ripple", "peer_authorized"]

export const trustLinesElse = [
  vector({
    name: "trust_all_settings",
    rule: "2.5",
    about: "All 14 settings of a line, sorted by name (made up)",
    tx: trust(),
    nodes: [
      modifiedLine(
        {
          ...held({ lowLimit: "100", highLimit: "2", flags: LOW_RESERVE | 0x06fc_0000 }),
          LowQualityIn: 3,
          HighQualityIn: 4,
          LowQualityOut: 5,
          HighQualityOut: 6
        },
        {
          Flags: LOW_RESERVE,
          LowLimit: limit(alice, "10"),
          HighLimit: limit(issuer, "20"),
          LowQualityIn: 30,
          HighQualityIn: 40,
          LowQualityOut: 50,
          HighQualityOut: 60
        }
      )
    ],
    events: [
      set(
        [
          flag("authorized"),
          ...["deep_freeze", "freeze"].flatMap((name) => peers.map((peer) => flag(name + peer))),
          { field: "limit", previous: "10", value: "100" },
          { field: "limit_peer", previous: "20", value: "2" },
          flag("no_ripple"),
          flag("no_ripple_peer"),
          flag("peer_authorized"),
          { field: "quality_in", previous: 30, value: 3 },
          { field: "quality_in_peer", previous: 40, value: 4 },
          { field: "quality_out", previous: 50, value: 5 },
          { field: "quality_out_peer", previous: 60, value: 6 }
        ],
        {
          limit_peer: "2",
          quality_in: 3,
          quality_out: 5,
          ...Object.fromEntries(flags.map((name) => [name, true])),
          ...Object.fromEntries(["deep_freeze", "freeze", "no_ripple"].map((name) => [`${name}_peer`, true]))
        }
      )
    ]
  }),
  vector({
    name: "trust_quality_default",
    rule: "2.5",
    about: "A TrustSet that asks for no quality, or for the default, did not set the quality that is there",
    several: [{ QualityIn: 0 }, { QualityIn: 1_000_000_000 }, { QualityOut: 5 }].map((asked, n) => ({
      tx: trust({ ...asked, Sequence: 7 + n }),
      nodes: [
        modifiedLine(
          { ...held({ lowLimit: "100" }), LowQualityIn: 5, HighQualityIn: 5 },
          { LowLimit: limit(alice, "50") }
        )
      ]
    })),
    events: [0, 1, 2].map((of) => ({
      ...set([{ field: "limit", previous: "50", value: "100" }], { quality_in: 5 }),
      of
    }))
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
