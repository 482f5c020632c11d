/** Reads docs/detection-rules.md: its chapters, tables, and which events chapter 5 says that a transaction may cause. */
import { readFileSync } from "node:fs"

export const rulesPage = readFileSync("docs/detection-rules.md", "utf8")
const chapter = (number: string): string => rulesPage.split(`\n### ${number} `)[1]!.split("\n### ")[0]!

/** What stands in backticks. */
export const quoted = (text = ""): ReadonlyArray<string> =>
  Array.from(text.matchAll(/`([\w.]+)`/g), ([, name]) => name!)

/** The cells of the rows whose first cell has names. */
export const rows = (number: string): ReadonlyArray<ReadonlyArray<string>> =>
  Array.from(chapter(number).matchAll(/^\| (`.*) \|$/gm), ([, row]) =>
    row!.split("|").map((cell) => cell.trim())
  )

/** What a chapter says outside its tables. */
export const prose = (number: string): string => chapter(number).replace(/^\|.*$/gm, "")

export const firstCells = (number: string): ReadonlyArray<string> =>
  rows(number).flatMap(([cell]) => quoted(cell))

/** The events of each transaction type that may cause any. */
export const causes: ReadonlyMap<string, ReadonlyArray<string>> = new Map(
  rows("5.1").flatMap(([types, own, sideEffects]) => {
    const events = [...quoted(own), ...quoted(sideEffects)]
    return quoted(types).map((type) => [type, events] as const)
  })
)
