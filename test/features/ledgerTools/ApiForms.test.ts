/** `ledger detect` reads, or refuses, every form in docs/detection-rules.md 1.7 in which servers give transactions. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { readVectors } from "../../../src/features/ledgerTools/conformance/Vectors.ts"
import { type Item, makeRecordedReader } from "../../../src/features/ledgerTools/RecordedData.ts"

const TIME = 800_000_000
const ISO = "2025-05-08T06:13:20Z"
const INDEX = 105
const hash = "AB".repeat(32)
const ledger_hash = "CD".repeat(32)
const fields = { TransactionType: "Payment", Account: "r1", Destination: "r2" }
const v1 = { ...fields, Amount: "5", DeliverMax: "5", hash }
const v2 = { ...fields, DeliverMax: "5" }
const meta = { AffectedNodes: [], TransactionIndex: 0, TransactionResult: "tesSUCCESS" }
const validated = true

const header = {
  closed: true,
  ledger_hash,
  parent_hash: "EF".repeat(32),
  transaction_hash: "12".repeat(32),
  close_time: TIME,
  close_time_iso: ISO,
  parent_close_time: TIME - 4
}
const answer = (result: object) => ({ id: 1, result, status: "success", type: "response" })
const ledgerAnswer = (ledger_index: number | string, transactions: ReadonlyArray<object>) => ({
  ledger: { ...header, ledger_index, transactions },
  ledger_hash,
  ledger_index: INDEX,
  validated
})
const listed = (...transactions: ReadonlyArray<object>) => ({
  ...{ account: "r1", ledger_index_min: 1, ledger_index_max: 200, limit: 2, validated },
  transactions
})
const place = { ledger_index: INDEX, ledger_hash, close_time_iso: ISO }
const inTime = { date: TIME, ledger_index: INDEX }
const streamed = { type: "transaction", status: "closed", engine_result: "tesSUCCESS", validated }

const tx1 = { ...v1, ...inTime, inLedger: INDEX, meta, validated }
const tx2 = { tx_json: { ...v2, ...inTime }, hash, meta, ...place, validated }
const ofAccount1 = { tx: { ...v1, ...inTime, inLedger: INDEX }, meta, validated }
const ofAccount2 = { tx_json: { ...v2, ...inTime }, hash, meta, ...place, validated }
const ofLedger1 = { ...v1, metaData: meta }
const ofLedger2 = { tx_json: v2, hash, meta, ...place, validated }
const stream1 = { ...streamed, ...place, transaction: { ...v1, date: TIME }, meta }
const stream2 = { ...streamed, ...place, tx_json: { ...v2, date: TIME }, hash, meta }
const proposed = {
  ...{ type: "transaction", status: "proposed", engine_result: "tesSUCCESS" },
  ...{ ledger_current_index: INDEX, validated: false }
}
const blobs1 = { tx_blob: "12", meta: "20" }
const blobs2 = { tx_blob: "12", meta_blob: "20" }

/** A ledger with one payment. The cast is safe: the vectors' page describes this form. */
const inBytes = readVectors().find(({ name }) => name === "xrp_direct")!.input.binary as unknown as {
  readonly ledger: {
    readonly ledger_data: string
    readonly transactions: ReadonlyArray<Readonly<Record<string, string>>>
  }
}

const found = { index: INDEX, time: TIME, hash }
const neither =
  /neither a ledger with its transactions nor a transaction with hash and metadata, in JSON form/
const unreadable = /^1 of the 1 transactions of ledger 105 have no type, hash or metadata in JSON form\.$/

interface Found {
  readonly index: number
  readonly time: number | undefined
  /** Of all transactions. */
  readonly hash: string | undefined
}

/** A pattern: refused with this reason. */
type Expected = RegExp | ReadonlyArray<Found>

/** By the first two columns of the table. */
const rows: Readonly<Record<string, readonly [form: object, expected: Expected]>> = {
  "`ledger` 1": [ledgerAnswer(String(INDEX), [ofLedger1]), [found]],
  "`ledger` 2": [ledgerAnswer(INDEX, [ofLedger2]), [found]],
  "`tx` 1": [tx1, [found]],
  "`tx` 2": [tx2, [found]],
  "`transaction_entry` 1": [
    { tx_json: v1, metadata: meta, ledger_index: INDEX, ledger_hash, validated },
    [{ ...found, time: undefined }]
  ],
  "`transaction_entry` 2": [{ tx_json: v2, hash, meta, ...place, validated }, [found]],
  "`account_tx`, `nft_history`, `mptoken_issuance_history` 1": [
    listed(ofAccount1, ofAccount1),
    [found, found]
  ],
  "`account_tx`, `nft_history`, `mptoken_issuance_history` 2": [
    listed(ofAccount2, ofAccount2),
    [found, found]
  ],
  "stream `transactions`, `accounts`, `books`, `account_history_tx_stream` 1": [stream1, [found]],
  "stream `transactions`, `accounts`, `books`, `account_history_tx_stream` 2": [stream2, [found]],
  "stream `transactions_proposed`, `accounts_proposed` 1": [
    { ...proposed, transaction: v1 },
    /^"status" is "proposed", so this is not final; it must be "closed" or absent\.$/
  ],
  "stream `transactions_proposed`, `accounts_proposed` 2": [
    { ...proposed, tx_json: v2, hash },
    /^"status" is "proposed", so this is not final; it must be "closed" or absent\.$/
  ],
  "`simulate` 1, 2": [
    { applied: false, engine_result: "tesSUCCESS", ledger_index: INDEX, tx_json: { ...v2, hash }, meta },
    /^"applied" is false, so this is not final; it must be true or absent\.$/
  ],
  "`submit`, `submit_multisigned` 1, 2": [
    { accepted: true, applied: true, engine_result: "tesSUCCESS", tx_blob: "12", tx_json: v1 },
    neither
  ],
  "`tx_history` 1": [{ index: 0, txs: [{ ...v1, ledger_index: INDEX }] }, neither],
  "`ledger` with `binary` 2": [
    inBytes,
    [{ index: 105_000_000, time: 817_000_000, hash: inBytes.ledger.transactions[0]!.hash }]
  ],
  "any of these with `binary` 1": [ledgerAnswer(INDEX, [blobs1]), unreadable],
  "any of these with `binary` 2": [ledgerAnswer(INDEX, [{ ...blobs2, hash }]), unreadable]
}

const read = (text: string): ReadonlyArray<Item> => {
  const reader = makeRecordedReader()
  return [...text.split("\n").flatMap((line) => [...reader.line(line)]), ...reader.end()]
}

/** What is found, or the only fault's message. */
const told = (text: string) => {
  const items = read(text)
  const [first] = items
  if (first?._tag === "Fault") return items.length === 1 ? first.message : "several faults"
  return items.map((item) =>
    item._tag === "Fault"
      ? item.message
      : {
          index: item.ledger.ledger_index,
          time: item.ledger.close_time,
          hash: item.ledger.transactions.map((transaction) => transaction.hash).join()
        }
  )
}

const check = (text: string, expected: Expected) => {
  const said = told(text)
  if (expected instanceof RegExp) assert.match(String(said), expected)
  else assert.deepStrictEqual<unknown>(said, expected)
}

describe("a form of the API", () => {
  for (const [name, [form, expected]] of Object.entries(rows)) {
    it(`${name}: is ${expected instanceof RegExp ? "refused" : "read"}, as an answer and as its result`, () => {
      check(JSON.stringify(answer(form)), expected)
      check(JSON.stringify(form), expected)
      check(JSON.stringify(form, null, 1), expected)
    })
  }

  it("may be one of many in an array and in JSON lines", () => {
    const rowsRead = Object.values(rows).flatMap(([form, expected]) =>
      expected instanceof RegExp ? [] : [{ form: answer(form), expected }]
    )
    const forms = rowsRead.map(({ form }) => form)
    const all = rowsRead.flatMap(({ expected }) => expected)
    assert.deepStrictEqual<unknown>(told(JSON.stringify(forms)), all)
    assert.deepStrictEqual<unknown>(told(forms.map((form) => JSON.stringify(form)).join("\n")), all)
  })

  it("has a test if it has a row in the table of the rules", () => {
    const rules = readFileSync("docs/detection-rules.md", "utf8")
    const section = rules.slice(rules.indexOf("### 1.7"), rules.indexOf("### 1.8"))
    const documented = Array.from(
      section.matchAll(/^\| (.*?`.*?) \| ([12]) \|/gm),
      ([, form, version]) => `${form} ${version}`
    )
    assert.isNotEmpty(documented)
    assert.includeMembers(Object.keys(rows), documented)
  })

  it("may be a single transaction in binary form, which is refused", () => {
    for (const form of [
      { tx: "12", meta: "20", hash, date: TIME, ledger_index: INDEX, validated },
      { ...blobs2, hash, ledger_index: INDEX, validated }
    ])
      check(JSON.stringify(answer(form)), neither)
    check(JSON.stringify(listed({ ...blobs1, ledger_index: INDEX, validated })), /^item 1: neither/)
  })

  it("may give index, hash and time in several places and types", () => {
    for (const form of [
      { ...tx1, ledger_index: String(INDEX), hash: hash.toLowerCase() },
      { ...v1, meta, inLedger: INDEX, date: TIME },
      { tx_json: { ...v1, ...inTime }, meta },
      { tx: { ...v1, ...inTime }, hash: 7, ledger_index: "x", meta },
      { tx_json: v2, hash, meta, ledger_index: INDEX, date: "2025-05-08T06:13:20.000Z", close_time: TIME },
      { tx_json: v2, hash, meta, ledger_index: INDEX, close_time_iso: "2025-05-08T06:13:20.000Z" }
    ])
      check(JSON.stringify(form), [found])
    check(JSON.stringify({ tx_json: v2, hash, meta, close_time_iso: "yesterday" }), [
      { ...found, index: 0, time: undefined }
    ])
  })
})

describe("a document that says it is not final", () => {
  const forms = { tx1, tx2, ofAccount1, ofLedger1, ofLedger2, stream1, stream2 }

  it("causes no event, wherever the flag stands", () => {
    for (const [name, form] of Object.entries(forms)) {
      for (const flag of ["validated", "applied"]) {
        const no = { [flag]: false }
        const reason = new RegExp(
          `^(?:item 1: )?"${flag}" is false, so this is not final; it must be true or absent\\.$`
        )
        check(JSON.stringify({ ...form, ...no }), reason)
        check(JSON.stringify({ ...answer(form), ...no }), reason)
        check(JSON.stringify(answer({ ...form, ...no })), reason)
        check(JSON.stringify(listed({ ...form, ...no })), reason)
        check(JSON.stringify({ ...listed(form), ...no }), reason)
        const whole = ledgerAnswer(INDEX, [form])
        check(JSON.stringify(ledgerAnswer(INDEX, [{ ...form, ...no }])), reason)
        check(JSON.stringify({ ...whole, ...no }), reason)
        check(JSON.stringify(answer({ ...whole, ledger: { ...whole.ledger, ...no } })), reason)
        check(JSON.stringify({ ...whole.ledger, ...no }), reason)
        for (const within of ["tx_json", "transaction", "tx"])
          if (within in form) check(JSON.stringify({ ...form, [within]: { ...v1, ...no } }), reason)
        assert.isNotString(told(JSON.stringify(form)), name)
      }
    }
  })

  it("may say so of a ledger that is open, and of a proposed transaction with metadata", () => {
    const { ledger, ...rest } = ledgerAnswer(INDEX, [ofLedger2])
    check(JSON.stringify({ ledger: { ...ledger, closed: false }, ...rest }), /^"closed" is false, so/)
    check(JSON.stringify({ ledger: { ...ledger, accepted: false } }), /^"accepted" is false, so/)
    check(
      JSON.stringify({ ledger, ledger_current_index: INDEX }),
      /^"ledger_current_index" is 105, so this is not final; it must be absent\.$/
    )
    check(
      JSON.stringify({ ...stream2, status: "proposed" }),
      /^"status" is "proposed", so this is not final; it must be "closed" or absent\.$/
    )
  })

  it("says so with every value but true, and says nothing without the flag or with null", () => {
    for (const value of ["false", "true", "", 0, 1, {}, []])
      check(JSON.stringify({ ...tx1, validated: value }), /^"validated" is .*, so this is not final/)
    check(JSON.stringify({ ...tx1, validated: "x\u001b".repeat(100) }), /^"validated" is "x\\u001b/)
    const { validated: _, ...silent } = tx1
    for (const form of [tx1, silent, { ...tx1, validated: null }]) check(JSON.stringify(form), [found])
  })

  it("does not keep the other transactions of a list or file from being read", () => {
    const items = read(
      JSON.stringify([
        { ...tx1, validated: false },
        tx2,
        listed(ofAccount1, { ...ofAccount1, validated: false })
      ])
    )
    assert.deepStrictEqual(
      items.map((item) => (item._tag === "Fault" ? item.message : item.ledger.ledger_index)),
      [
        'item 1: "validated" is false, so this is not final; it must be true or absent.',
        INDEX,
        INDEX,
        'item 3: item 2: "validated" is false, so this is not final; it must be true or absent.'
      ]
    )
  })
})

describe("a ledger that is not complete", () => {
  const entry = (index: number) => ({
    tx_json: v2,
    hash: String(index).repeat(64),
    meta: { ...meta, TransactionIndex: index }
  })

  it("causes no event, and the fault is that of ingest", () => {
    for (const [expected, change] of [
      [/^ledger 105 has transactions in its header, but none is listed\.$/, { transactions: [] }],
      [/^transaction 0 of ledger 105 is missing\.$/, { transactions: [entry(1), entry(2)] }],
      [/^transaction 1 of ledger 105 is missing\.$/, { transactions: [entry(2), entry(0)] }],
      [/^transaction 1 of ledger 105 is missing\.$/, { transactions: [entry(0), entry(0)] }],
      [
        /^transaction A+ of ledger 105 has no result\.$/,
        { transactions: [{ ...entry(0), hash: "A".repeat(64), meta: { TransactionIndex: 0 } }] }
      ],
      [
        /^1 of the 2 transactions of ledger 105 have no type, hash or metadata/,
        { transactions: [entry(0), { tx_json: v2 }] }
      ],
      [
        /^2 of the 2 transactions of ledger 105 have no type, hash or metadata/,
        { transactions: [hash, hash] }
      ],
      [/^ledger 105 has no valid ledger_hash\.$/, { ledger_hash: "AB" }],
      [/^ledger 105 has no valid transaction_hash\.$/, { transaction_hash: 0 }],
      [/^ledger 105 has no valid close_time\.$/, { close_time: 2 ** 32 }],
      [/^ledger 105 has no valid parent_close_time\.$/, { parent_close_time: -1 }]
    ] as const)
      check(JSON.stringify({ ...header, ledger_index: INDEX, transactions: [], ...change }), expected)
  })

  it("is not one that is empty, or whose header is absent or null", () => {
    const nothing = { ledger_index: INDEX, transactions: [] }
    const none = { index: INDEX, time: undefined, hash: "" }
    check(JSON.stringify({ ...header, ...nothing, transaction_hash: "0".repeat(64) }), [
      { ...none, time: TIME }
    ])
    check(JSON.stringify({ ledger_index: INDEX, transactions: [entry(1), entry(0)] }), [
      { ...none, hash: `${"0".repeat(64)},${"1".repeat(64)}` }
    ])
    const unknown = { ledger_hash: null, parent_hash: null, close_time: null, transaction_hash: null }
    check(JSON.stringify({ ...unknown, ...nothing }), [none])
  })

  it("is not a list of transactions of several ledgers, which may have any index", () => {
    check(JSON.stringify(listed({ ...ofAccount2, meta: { ...meta, TransactionIndex: 7 } })), [found])
    check(JSON.stringify(listed()), [])
  })

  it("is not an answer without a readable index, which is no ledger", () => {
    check(JSON.stringify({ ...header, transactions: [ofLedger2] }), neither)
    check(JSON.stringify({ ledger_index: "x", transactions: [ofLedger2] }), neither)
  })
})

describe("an index or a time that no ledger can have", () => {
  const wrong = [-1, 1.5, 2 ** 32, 1e308, "4294967296", "-1", "99999999999"]
  const sentence = (name: string) =>
    new RegExp(`^its ${name} must be a whole number from 0 to 4294967295\\.$`)

  it("is refused in a recorded transaction, wherever it stands", () => {
    for (const value of wrong) {
      for (const name of ["ledger_index", "close_time", "date"])
        for (const form of [{ ...tx1, [name]: value }, answer({ ...tx1, [name]: value })])
          check(JSON.stringify(form), sentence(name))
      check(JSON.stringify({ ...tx1, inLedger: value, ledger_index: undefined }), sentence("inLedger"))
      check(JSON.stringify({ ...tx2, tx_json: { ...v2, date: value } }), sentence("date"))
    }
    const iso = /^its close_time_iso must be a time from 2000-01-01T00:00:00Z to 2136-02-07T06:28:15Z\.$/
    for (const time of ["2136-02-07T06:28:16Z", "1999-12-31T23:59:59Z", "2025-13-01T00:00:00Z"])
      check(JSON.stringify({ ...tx1, date: undefined, close_time_iso: time }), iso)
  })

  it("is refused in a ledger", () => {
    for (const value of wrong)
      for (const form of [
        { ...header, ledger_index: value, transactions: [ofLedger1] },
        { ...ledgerAnswer(INDEX, [ofLedger2]), ledger: { ...header, ledger_index: value, transactions: [] } }
      ])
        check(JSON.stringify(form), sentence("ledger_index"))
  })

  it("may be the largest, which is an event's time", () => {
    const largest = { ledger_index: 2 ** 32 - 1, date: 2 ** 32 - 1, inLedger: undefined }
    check(JSON.stringify({ ...tx1, ...largest }), [{ ...found, index: 2 ** 32 - 1, time: 2 ** 32 - 1 }])
  })

  it("does not keep the other transactions of a list from being read", () => {
    const list = [{ ...tx1, date: 2 ** 32 }, tx2]
    assert.deepStrictEqual(
      read(JSON.stringify(list)).map((item) => item._tag),
      ["Fault", "Recorded"]
    )
  })
})
