/** Recorded ledgers in every form people have them, and faults with their place. */
import { assert, describe, it } from "@effect/vitest"
import { type Item, makeRecordedReader } from "../../src/cli/RecordedData.ts"

const transaction = {
  hash: "A".repeat(64),
  tx_json: { TransactionType: "Payment", Account: "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh" },
  meta: { TransactionIndex: 0, TransactionResult: "tesSUCCESS", AffectedNodes: [] },
  ledger_index: 7
}
const ledger = (index: number, transactions: ReadonlyArray<unknown> = [transaction]) => ({
  ledger_index: index,
  transactions
})

const read = (text: string): ReadonlyArray<Item> => {
  const reader = makeRecordedReader()
  return [...text.split("\n").flatMap(reader.line), ...reader.end()]
}

const told = (items: ReadonlyArray<Item>): ReadonlyArray<string> =>
  items.map((item) =>
    item._tag === "Fault"
      ? `${item.line}: ${item.message}`
      : `ledger ${item.ledger.ledger_index} with ${item.ledger.transactions.length}`
  )

describe("recorded data", () => {
  const forms: ReadonlyArray<readonly [form: string, text: string, expected: ReadonlyArray<string>]> = [
    ["a ledger", JSON.stringify(ledger(5)), ["ledger 5 with 1"]],
    ["a ledger over many lines", JSON.stringify(ledger(5), null, 2), ["ledger 5 with 1"]],
    ["an answer of the API", JSON.stringify({ result: { ledger: ledger(5) } }), ["ledger 5 with 1"]],
    ["an empty ledger", JSON.stringify(ledger(5, [])), ["ledger 5 with 0"]],
    ["a single transaction", JSON.stringify(transaction), ["ledger 7 with 1"]],
    ["an array of both", JSON.stringify([ledger(5), transaction]), ["ledger 5 with 1", "ledger 7 with 1"]],
    [
      "an array over many lines",
      JSON.stringify([ledger(5), ledger(6)], null, 2),
      ["ledger 5 with 1", "ledger 6 with 1"]
    ],
    [
      "JSON lines of anything, with blank lines and Windows line ends",
      `${JSON.stringify(ledger(5))}\r\n\n${JSON.stringify(transaction)}\n${JSON.stringify([ledger(8), ledger(9)])}\n`,
      ["ledger 5 with 1", "ledger 7 with 1", "ledger 8 with 1", "ledger 9 with 1"]
    ],
    ["text with a byte order mark", `\uFEFF${JSON.stringify(ledger(5))}`, ["ledger 5 with 1"]],
    ["an empty array", "[]", []]
  ]
  for (const [form, text, expected] of forms) {
    it(`takes ${form}`, () => assert.deepStrictEqual(told(read(text)), expected))
  }

  it("gives each line's events before the next line is there", () => {
    const reader = makeRecordedReader()
    assert.deepStrictEqual(told(reader.line(JSON.stringify(ledger(5)))), ["ledger 5 with 1"])
  })

  const faults: ReadonlyArray<readonly [what: string, text: string, expected: ReadonlyArray<RegExp>]> = [
    ["nothing", "", [/^1: no ledger or transaction/]],
    ["blank lines", "\n\n \n", [/^\d: no ledger or transaction/]],
    ["no JSON", "hello", [/^1: not valid JSON: /]],
    [
      "a fault in a document, in its line",
      '\n{\n "a": 1,\n x}',
      [/^4: not valid JSON: Expected double-quoted property name\.$/]
    ],
    [
      "a document cut short, in its last line",
      '{\n "a": [1,\n',
      [/^2: not valid JSON: it ends too early\.$/]
    ],
    ["a value that is neither", '{"a":1}', [/^1: neither a ledger/]],
    ["a header without its transactions", '{"ledger_index":5,"ledger_hash":"AB"}', [/^1: neither a ledger/]],
    ["items of an array, by number", '[{"a":1},2]', [/^1: item 1: neither/, /^1: item 2: neither/]]
  ]
  for (const [what, text, expected] of faults) {
    it(`names ${what}`, () => {
      const said = told(read(text))
      assert.strictEqual(said.length, expected.length, said.join("\n"))
      for (const [index, pattern] of expected.entries()) assert.match(said[index]!, pattern)
    })
  }

  it("goes on after a bad line, and says which it was", () => {
    const said = told(read(`${JSON.stringify(ledger(5))}\n{"a":\n${JSON.stringify(ledger(6))}`))
    assert.deepStrictEqual(said, [
      "ledger 5 with 1",
      "2: not valid JSON: it ends too early.",
      "ledger 6 with 1"
    ])
  })

  it("counts transactions that cannot be read and keeps the others", () => {
    const said = told(read(JSON.stringify(ledger(5, [transaction, { hash: "B".repeat(64) }]))))
    assert.match(said[0]!, /^1: 1 of the ledger's 2 transactions/)
    assert.strictEqual(said[1], "ledger 5 with 1")
  })
})
