/** Tables are aligned over several pages, and stored text cannot control the terminal. */
import { assert, describe, it } from "@effect/vitest"
import { GREEN } from "../../src/terminal/Colour.ts"
import { type Column, makeTable } from "../../src/terminal/Table.ts"

interface Item {
  readonly name: string
  readonly status: string
}

const columns: ReadonlyArray<Column<Item>> = [
  { head: "STATUS", cell: ({ status }) => status, colour: () => GREEN },
  { head: "NAME", cell: ({ name }) => name }
]

describe("a table", () => {
  it("is aligned, and its columns only grow from page to page", () => {
    const table = makeTable(columns, false)
    assert.deepStrictEqual(
      [
        ...table.lines([{ status: "suspended", name: "a" }], true),
        ...table.lines([{ status: "on", name: "b" }], false),
        ...table.lines([{ status: "on the way", name: "c" }], false)
      ],
      ["STATUS     NAME", "suspended  a", "on         b", "on the way  c"]
    )
  })

  it("has colours if they are enabled, and the same width with them", () => {
    assert.deepStrictEqual(makeTable(columns, true).lines([{ status: "on", name: "a" }], true), [
      "\u001b[1mSTATUS\u001b[0m  \u001b[1mNAME\u001b[0m",
      "\u001b[32mon\u001b[0m      a"
    ])
  })

  it("escapes control characters and direction overrides", () => {
    const [row] = makeTable(columns, false).lines([{ status: "a\u001b[2Jb", name: "c\u202ed\ne" }], false)
    assert.strictEqual(row, "a\\u001b[2Jb  c\\u202ed\\u000ae")
  })
})
