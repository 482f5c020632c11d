/** Vectors of docs/detection-rules.md 2.5: trust lines. */
import type { JsonObject } from "../../src/spine/event/Ledger.ts"
import { alice, created, type Expected, event, id, issuer, modified, vector } from "./Build.ts"
import { described, HIGH_RESERVE, LOW_RESERVE, line } from "./Lines.ts"

export const trust = (tx: object = {}) => ({
  TransactionType: "TrustSet",
  LimitAmount: { currency: "USD", issuer, value: "100" },
  ...tx
})
export const limit = (of: string, value: string, currency = "USD") => ({ currency, issuer: of, value })
/** alice is the low side, issuer the high one. */
export const held = (fields: object = {}) => line({ low: alice, high: issuer, flags: LOW_RESERVE, ...fields })
export const both = [alice, issuer]

export const made = (fields: JsonObject, accounts: ReadonlyArray<string> = both): Expected =>
  event(
    "trustline.created",
    described({ trustline_id: id(1), account: alice, tx_type: "TrustSet", auto_created: false, ...fields }),
    accounts
  )
export const set = (changes: ReadonlyArray<JsonObject>, fields: JsonObject = {}): Expected =>
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
export const gone = (fields: JsonObject): Expected =>
  event(
    "trustline.deleted",
    described({ trustline_id: id(1), account: alice, tx_type: "TrustSet", ...fields }),
    both
  )
export const modifiedLine = (fields: JsonObject, previous?: JsonObject) =>
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
    rule: "2.5",
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
    rule: "2.5",
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
  })
]
