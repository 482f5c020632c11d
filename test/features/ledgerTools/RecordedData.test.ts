/** Reads recorded ledgers in every supported form, and reports faults with their place. */

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { ledgerToolsLimits } from "../../../src/features/ledgerTools/Limits.ts"
import { type Item, makeRecordedReader } from "../../../src/features/ledgerTools/RecordedData.ts"
import { makeLineSplitter } from "../../../src/terminal/InputFile.ts"
import { corpusFiles, corpusFolder, corpusPresent } from "../../support/ledger/corpusLedgers.ts"

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
  return [...text.split("\n").flatMap((line) => [...reader.line(line)]), ...reader.end()]
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
    it(`reads ${form}`, () => assert.deepStrictEqual(told(read(text)), expected))
  }

  it("returns each line's events before the next line arrives", () => {
    const reader = makeRecordedReader()
    assert.deepStrictEqual(told([...reader.line(JSON.stringify(ledger(5)))]), ["ledger 5 with 1"])
  })

  const faults: ReadonlyArray<readonly [what: string, text: string, expected: ReadonlyArray<RegExp>]> = [
    ["nothing", "", [/^1: the file contains no ledger or transaction/]],
    ["blank lines", "\n\n \n", [/^\d: the file contains no ledger or transaction/]],
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
    [
      "a fault in a document for which the parser names no place, in its line",
      '[\n{"a":1},\n{"a": x},\n{"a":1}\n]',
      [/^3: not valid JSON: Unexpected token 'x'\.$/]
    ],
    ["a document cut short behind a name", '{\n "a": {\n "b"', [/^3: not valid JSON: it ends too early\.$/]],
    ["control characters as escapes", "\u001b[2J", [/^1: not valid JSON: Unexpected token '\\u001b'\.$/]],
    [
      "1,800 nested arrays",
      "[".repeat(1_800) + "]".repeat(1_800),
      [/^1: arrays and objects nested more than 100 levels deep/]
    ],
    [
      "arrays nested over many lines, at the line that is too deep",
      "[\n".repeat(5_000),
      [/^101: arrays and obj/]
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

  it("continues after a bad line, and reports its number", () => {
    const said = told(read(`${JSON.stringify(ledger(5))}\n{"a":\n${JSON.stringify(ledger(6))}`))
    assert.deepStrictEqual(said, [
      "ledger 5 with 1",
      "2: not valid JSON: it ends too early.",
      "ledger 6 with 1"
    ])
  })

  it("continues after lines that are too deep or too long", () => {
    const good = JSON.stringify(ledger(5))
    const deep = `${"[".repeat(101)}${"]".repeat(101)}`
    const long = `[${" ".repeat(ledgerToolsLimits.recordedTextLength)}]`
    assert.deepStrictEqual(
      told(read([good, deep, long, good].join("\n"))).map((said) => said.slice(0, 30)),
      [
        "ledger 5 with 1",
        "2: arrays and objects nested m",
        "3: longer than 128 million cha",
        "ledger 5 with 1"
      ]
    )
  })

  it("ignores brackets in strings", () => {
    const noted = { ...transaction, note: `\\"${"[{".repeat(200)}` }
    assert.deepStrictEqual(told(read(JSON.stringify(ledger(5, [noted])))), ["ledger 5 with 1"])
  })

  it("names the faulty line of a long document, and stops reading at the limit", () => {
    const good = JSON.stringify(transaction, null, 2).split("\n")
    const lines = ["[", ...Array.from({ length: 5_000 }, () => [...good, ","]).flat(), "}"]
    assert.deepStrictEqual(told(read(lines.join("\n"))), [
      `${lines.length}: not valid JSON: Unexpected token '}'.`
    ])
    const reader = makeRecordedReader()
    const filler = " ".repeat(ledgerToolsLimits.recordedTextLength / 2)
    assert.deepStrictEqual(told(["[", filler, filler].flatMap((line) => [...reader.line(line)])), [
      "3: longer than 128 million characters; put each ledger on its own line."
    ])
    assert.isTrue(reader.isDone())
    assert.deepStrictEqual([...reader.line("{}"), ...reader.end()], [])
  })
})

describe("lines of a file", () => {
  const split = (longest: number, ...chunks: ReadonlyArray<string>) => {
    const splitter = makeLineSplitter(longest)
    return [...chunks.flatMap(splitter.push), ...splitter.end()]
  }

  it("are the same however the text is cut into chunks", () => {
    for (const chunks of [["a\r\nbc\n\nd"], ["a", "\r", "\nb", "c\n", "\n", "d"], ["a\r\nbc\n\nd\n"]])
      assert.deepStrictEqual(split(10, ...chunks), ["a", "bc", "", "d"])
  })

  it("are cut at the longest allowed length", () => {
    assert.deepStrictEqual(split(3, "abc\nabcd\nabcdefg", "hij\n", "k"), ["abc", "abcd", "abcd", "k"])
  })
})

describe.skipIf(!corpusPresent)("real data (skipped without ../shared/xrpl-corpus)", () => {
  it("is final and complete", () => {
    for (const file of corpusFiles()) {
      const items = read(readFileSync(join(corpusFolder, file), "utf8"))
      assert.deepStrictEqual(
        items.map((item) => (item._tag === "Fault" ? item.message : item._tag)),
        ["Recorded"],
        file
      )
    }
  })
})
