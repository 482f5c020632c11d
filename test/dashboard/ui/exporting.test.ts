/** Lists of the dashboard as files. */
import { assert, describe, it } from "@effect/vitest"
import {
  EXPORT_ROWS,
  fieldsOf,
  fileFormats,
  fileName,
  readAll
} from "../../../dashboard/src/ui/list/exporting.ts"

interface Row {
  readonly id: string
  readonly error: string | null
  readonly types: ReadonlyArray<string>
  readonly payload: object
}

const row: Row = { id: "a", error: null, types: ["nft.*", "dex.*"], payload: { amount: "1" } }
const fields = { ...fieldsOf<Row>(["id", "error", "types"]), payload: (one: Row) => one.payload }

describe("a file of a list", () => {
  it("is quoted where CSV needs it, and has no formulas", () => {
    const text = fileFormats.csv.write([row, { ...row, error: `=1+1, "x"` }], fields)
    assert.deepStrictEqual(text.split("\r\n"), [
      "id,error,types,payload",
      `a,,nft.* dex.*,"{""amount"":""1""}"`,
      `a,"'=1+1, ""x""",nft.* dex.*,"{""amount"":""1""}"`,
      ""
    ])
  })

  it("has a line for each row as NDJSON", () => {
    const lines = fileFormats.ndjson.write([row, row]).trimEnd().split("\n")
    assert.deepStrictEqual(
      lines.map((line) => JSON.parse(line)),
      [row, row]
    )
  })

  it("is named for what it has and when it was saved", () => {
    assert.strictEqual(
      fileName("events", new Date("2026-11-26T10:15:00.123Z"), "csv"),
      "events-2026-11-26T101500.csv"
    )
  })

  it("is read page by page up to the bound, says if there is more, and stops when it is aborted", async () => {
    const page = (cursor: string | undefined) =>
      Promise.resolve({ data: Array<Row>(100).fill(row), next_cursor: `${cursor}` })
    const seen: Array<number> = []
    const read = await readAll(page, (rows) => seen.push(rows), new AbortController().signal)
    assert.deepStrictEqual([read.rows.length, read.more, seen.at(-1)], [EXPORT_ROWS, true, EXPORT_ROWS])
    const short = await readAll(
      () => Promise.resolve({ data: [row], next_cursor: null }),
      () => {},
      new AbortController().signal
    )
    assert.deepStrictEqual([short.rows.length, short.more], [1, false])
    const refused = await readAll(page, () => {}, AbortSignal.abort()).catch((error: Error) => error.name)
    assert.strictEqual(refused, "AbortError")
  })
})
