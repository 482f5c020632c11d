/** Values that the published schemas must refuse. Each row is the schema's own example with one fault. */
import { assert, describe, it } from "@effect/vitest"
import { type EventType, eventTypes } from "../../src/spine/event/EventType.ts"
import type { Json, JsonObject } from "../../src/spine/event/Ledger.ts"
import { isJsonObject } from "../../src/spine/event/NormaliseLedger.ts"
import {
  BATCH,
  codeAccepts,
  complaints,
  ENVELOPE,
  EVENT_RECORD,
  LEDGER_RECORD,
  payloadPath,
  readSchema
} from "./support.ts"

const exampleOf = (path: string): JsonObject => {
  const examples = readSchema(path)["examples"]
  const [first] = Array.isArray(examples) ? examples : []
  return isJsonObject(first) ? first : assert.fail(`${path} has no example`)
}

/** Asserts that the schema file and the schema in the code both refuse the payload. */
const assertRefused = (type: EventType, payload: JsonObject, why: string) => {
  assert.isNotEmpty(complaints(payloadPath(type), payload), `${type}: ${why}`)
  assert.isFalse(codeAccepts(type, payload), `${type}: ${why}`)
}

const without = (value: JsonObject, field: string): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([key]) => key !== field))

describe.each(eventTypes)("%s", (type) => {
  const schema = readSchema(payloadPath(type))
  const example = exampleOf(payloadPath(type))
  const fields = Object.keys(isJsonObject(schema["properties"]) ? schema["properties"] : {})

  it("refuses an extra field", () => {
    assertRefused(type, { ...example, memo: "x" }, "memo")
  })

  it("refuses a missing required field, and takes a missing optional one", () => {
    const required = Array.isArray(schema["required"]) ? schema["required"] : []
    assert.include(required, "tx_hash")
    for (const field of Object.keys(example)) {
      const rest = without(example, field)
      if (required.includes(field)) assertRefused(type, rest, `no ${field}`)
      else assert.isEmpty(complaints(payloadPath(type), rest), field)
    }
  })

  it("refuses null and a wrong type in every field", () => {
    for (const field of fields)
      for (const wrong of [null, { wrong: 1 }, ["wrong"], -1.5])
        assertRefused(type, { ...example, [field]: wrong }, `${field} ${JSON.stringify(wrong)}`)
  })
})

const hash = "F".repeat(64)
const address = "rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX"
const token = { currency: "USD", issuer: address, value: "1" }
const mpt = { mpt_issuance_id: "0".repeat(48), value: "1" }

type Row = readonly [type: EventType, field: string, values: ReadonlyArray<Json>]

const settings = (...changes: ReadonlyArray<JsonObject>): Json => changes
const lines = settings

const refused: ReadonlyArray<Row> = [
  ["payment.xrp", "tx_hash", [hash.toLowerCase(), hash.slice(1), `${hash}F`]],
  ["payment.xrp", "amount", ["1.5", "1e6", "", "+1", 17310000, token, mpt]],
  ["payment.xrp", "sender", [`X${address.slice(1)}`, "r0PxNd4wM6oW3hD13URmyASe2jHQ56rQxX", `${address} `]],
  ["payment.xrp", "destination_tag", [-1, 4_294_967_296, 1.5, "1"]],
  [
    "payment.issued",
    "amount",
    ["17310000", { ...token, value: 1 }, { ...token, extra: 1 }, { currency: "USD", issuer: address }]
  ],
  [
    "payment.issued",
    "amount",
    [
      { ...token, currency: "US" },
      { ...token, currency: "ABCDEFABCD" },
      { ...token, currency: "é$$" }
    ]
  ],
  [
    "payment.issued",
    "amount",
    [
      { ...token, value: "1." },
      { ...token, value: ".5" },
      { ...token, value: "01" },
      { ...token, value: "NaN" }
    ]
  ],
  [
    "payment.issued",
    "amount",
    [
      { ...mpt, value: "1.5" },
      { ...mpt, issuer: address },
      { ...mpt, mpt_issuance_id: hash }
    ]
  ],
  ["payment.issued", "invoice_id", ["order 5", hash.toLowerCase()]],
  ["nft.minted", "transfer_fee", [50_001, -1]],
  ["nft.minted", "flags", [65_536]],
  ["nft.minted", "uri", ["https://example.com", "ABC"]],
  [
    "nft.offer_created",
    "expiration",
    ["2025-11-21T00:26:47.000Z", "2025-11-21", "2025-11-21T00:26:47+00:00", 817_000_007]
  ],
  ["nft.offer_cancelled", "reason", ["unfunded", "Cancelled", ""]],
  [
    "dex.offer_partial",
    "filled_taker_gets",
    [{ ...token, value: "1e3" }, { ...token, value: "1.50" }, "1.5"]
  ],
  ["dex.offer_cancelled", "reason", ["other", "killed", ""]],
  ["dex.offer_cancelled", "tx_type", ["", "Offer Cancel"]],
  ["check.cancelled", "reason", ["other", "unfunded"]],
  ["trustline.created", "balance", [token, "1 USD", ""]],
  ["trustline.created", "amm_pool", [false]],
  ["trustline.modified", "changes", [[], lines({ field: "balance", previous: "1", value: "2" })]],
  [
    "trustline.modified",
    "changes",
    [lines({ field: "freeze", value: true }), lines({ field: "limit", previous: "1" })]
  ],
  [
    "trustline.modified",
    "changes",
    [lines({ field: "quality_in" }), lines({ field: "quality_in", value: "1" })]
  ],
  ["account.created", "pseudo_account_type", ["bot"]],
  ["account.created", "initial_balance", [token]],
  [
    "account.settings_changed",
    "changes",
    [[], settings({ setting: "password_spent", previous: false, value: true })]
  ],
  [
    "account.settings_changed",
    "changes",
    [settings({ setting: "no_freeze", value: true }), settings({ setting: "domain" })]
  ],
  [
    "account.settings_changed",
    "changes",
    [
      settings({ setting: "domain", value: "example.com" }),
      settings({ setting: "transfer_rate", value: "1005000000" })
    ]
  ],
  [
    "account.settings_changed",
    "changes",
    [
      settings({ setting: "email_hash", value: hash }),
      settings({ setting: "signer_list", value: { quorum: 1 } })
    ]
  ]
]

const accepted: ReadonlyArray<Row> = [
  ["payment.xrp", "amount", ["-1", "0", "100000000000000000"]],
  ["payment.xrp", "destination_tag", [0, 4_294_967_295]],
  [
    "payment.issued",
    "amount",
    [
      token,
      mpt,
      { ...token, value: "1000000000000000e-3" },
      { ...token, value: "-25" },
      { ...token, currency: "O))" }
    ]
  ],
  ["nft.offer_created", "amount", ["0", "-25", token, mpt]],
  ["dex.offer_filled", "remaining_taker_pays", ["-5", { ...token, value: "9999999999999999e80" }, mpt]],
  [
    "dex.offer_filled",
    "filled_taker_pays",
    [{ ...token, value: "0.00000000000000000000000000012345678901234567890123" }]
  ],
  [
    "trustline.modified",
    "changes",
    [lines({ field: "quality_in", value: 7 }), lines({ field: "quality_out", previous: 7 })]
  ],
  [
    "account.settings_changed",
    "changes",
    [
      settings({ setting: "domain", previous: "AB" }),
      settings({ setting: "transfer_rate", value: 4_294_967_295 })
    ]
  ],
  [
    "account.settings_changed",
    "changes",
    [
      settings({
        setting: "signer_list",
        previous: { quorum: 1, signers: [{ account: address, weight: 1, wallet_locator: hash }] }
      })
    ]
  ]
]

describe("payloads", () => {
  it.each(refused)("of %s refuse in %s what the ledger's rules exclude: %j", (type, field, values) => {
    for (const value of values)
      assertRefused(
        type,
        { ...exampleOf(payloadPath(type)), [field]: value },
        `${field} ${JSON.stringify(value)}`
      )
  })

  it.each(accepted)("of %s take in %s all that the ledger may hold: %j", (type, field, values) => {
    for (const value of values) {
      const payload = { ...exampleOf(payloadPath(type)), [field]: value }
      assert.deepStrictEqual(complaints(payloadPath(type), payload), [])
      assert.isTrue(codeAccepts(type, payload), JSON.stringify(value))
    }
  })
})

const around: ReadonlyArray<readonly [path: string, field: string, values: ReadonlyArray<Json>]> = [
  [
    ENVELOPE,
    "event_id",
    ["xrpl:0:5:payment.xrp", `xrpl:01:${hash}:payment.xrp`, `the service:1:${hash}:payment.xrp`]
  ],
  [
    ENVELOPE,
    "event_id",
    [`xrpl:1:${hash.toLowerCase()}:payment.xrp`, `xrpl:1:${hash}:payment.xrp:`, `xrpl:1:${hash}:payment`]
  ],
  [ENVELOPE, "event_type", ["payment", "nft.*", "payment.XRP"]],
  [ENVELOPE, "ledger_index", [0, "94084608", 1.5]],
  [ENVELOPE, "timestamp", [null, "2025-11-21T00:26:41.000Z", "2025-13-41T00:26:41Z"]],
  [ENVELOPE, "network", ["mainnet2", "sidechain"]],
  [ENVELOPE, "webhook_id", ["01KAJ0Q4M8000000G3T5W7Y9ZB", "wh_1", "dlv_01KAJ0Q4M8000000G3T5W7Y9ZB", null]],
  [ENVELOPE, "payload", [null, [], "{}"]],
  [EVENT_RECORD, "accounts", [[], [address, address], ["alice"]]],
  [EVENT_RECORD, "position", [-1, "0"]],
  [EVENT_RECORD, "rules_version", [0, 1.5, "2", null]],
  [EVENT_RECORD, "memos", [[], [{ data: "C" }], [{ data: null }], [{ text: "C0" }], "C0"]],
  [EVENT_RECORD, "memos_truncated", [false, null]],
  [
    EVENT_RECORD,
    "balance_changes",
    [
      [{ account: address, asset: "XRP", change: "1e6" }],
      [{ account: address, asset: "XRP", change: 5 }],
      [{ account: address, asset: "USD", change: "5" }],
      [{ account: address, asset: { currency: "USD" }, change: "5" }],
      [{ account: address, asset: { mpt_issuance_id: "5" }, change: "5" }],
      [{ account: "alice", asset: "XRP", change: "5" }]
    ]
  ],
  [LEDGER_RECORD, "first_event_offset", [-1, "7"]],
  [LEDGER_RECORD, "rules_version", [0, "2"]],
  [LEDGER_RECORD, "parent_hash", [null, ""]]
]

describe("envelope and records", () => {
  /** Releases before 0.3 wrote records without them. */
  const optional = new Set(["rules_version", "memos", "balance_changes"])

  it.each([ENVELOPE, EVENT_RECORD, LEDGER_RECORD])("%s takes no field that it does not name", (path) => {
    const example = exampleOf(path)
    for (const field of Object.keys(example))
      assert.strictEqual(complaints(path, without(example, field)).length === 0, optional.has(field), field)
    assert.isNotEmpty(complaints(path, { ...example, extra: 1 }))
  })

  it.each(around)("%s refuses a wrong %s: %j", (path, field, values) => {
    for (const value of values)
      assert.isNotEmpty(complaints(path, { ...exampleOf(path), [field]: value }), JSON.stringify(value))
  })

  it("refuse a record whose payload is of another type, or incomplete", () => {
    const record = exampleOf(EVENT_RECORD)
    for (const type of eventTypes) {
      const payload = exampleOf(payloadPath(type))
      assert.deepStrictEqual(complaints(EVENT_RECORD, { ...record, event_type: type, payload }), [], type)
      assert.isNotEmpty(complaints(EVENT_RECORD, { ...record, event_type: type, payload: {} }), type)
      const other = type === "check.cashed" ? "nft.minted" : "check.cashed"
      assert.isNotEmpty(complaints(EVENT_RECORD, { ...record, event_type: other, payload }), type)
    }
  })
})

describe("a batch", () => {
  const event = exampleOf(ENVELOPE)
  const item = { delivery_id: "dlv_01KAJ0Q4M8000000G3T5W7Y9ZB", event }

  it("has 1 to 500 events", () => {
    const accepted = [0, 1, 500, 501].filter(
      (length) =>
        complaints(
          BATCH,
          Array.from({ length }, () => item)
        ).length === 0
    )
    assert.deepStrictEqual(accepted, [1, 500])
  })

  it("refuses an item that is incomplete, wrong or another object", () => {
    const wrong = [
      item.event,
      { ...item, extra: 1 },
      { ...item, delivery_id: "wh_01KAJ0Q4M8000000G3T5W7Y9ZB" },
      { ...item, event: without(event, "webhook_id") }
    ]
    for (const one of wrong) assert.isNotEmpty(complaints(BATCH, [item, one]), JSON.stringify(one))
    assert.isNotEmpty(complaints(BATCH, item))
  })
})
