/**
 * Prints lists and single items: tables on a terminal, JSON when piped or with --json. Lists of any length are read
 * and printed page by page: as an array with one element per line, or as a table whose columns only grow. Stored text
 * cannot control the terminal, because control characters are escaped.
 */
import { Effect } from "effect"
import { Limits } from "../spine/config/Limits.ts"
import { printable } from "../spine/words/Printable.ts"
import { BOLD, painter } from "./Colour.ts"
import { switchFlag } from "./Flags.ts"
import { Invocation, type InvocationShape, stdoutColour } from "./Invocation.ts"
import { printableLines } from "./JsonText.ts"
import { print } from "./Output.ts"

export const json = switchFlag("json", "Print JSON (default when the output is piped)")

export interface Column<A> {
  readonly head: string
  readonly cell: (item: A) => string
  /** An SGR colour code. */
  readonly colour?: (item: A) => number | undefined
}

const GAP = "  "
const shown = (text: string): string => printable(text, text.length)

/** A table that is printed in pages: the next `lines` are aligned with the previous ones. */
export const makeTable = <A>(columns: ReadonlyArray<Column<A>>, colour: boolean) => {
  const paint = painter(colour)
  const widths = columns.map(({ head }) => head.length)
  const line = (cells: ReadonlyArray<string>, codes: ReadonlyArray<number | undefined>) =>
    cells
      .map((cell, i) => {
        const last = i === cells.length - 1
        return paint(cell, codes[i]) + (last ? "" : " ".repeat(widths[i]! - cell.length))
      })
      .join(GAP)
      .trimEnd()
  const head = () =>
    line(
      columns.map((column) => column.head),
      columns.map(() => BOLD)
    )
  const lines = (items: ReadonlyArray<A>, withHead: boolean): ReadonlyArray<string> => {
    const rows = items.map((item) => columns.map(({ cell }) => shown(cell(item))))
    for (const row of rows) row.forEach((cell, i) => (widths[i] = Math.max(widths[i]!, cell.length)))
    const codes = (item: A) => columns.map((column) => column.colour?.(item))
    return [...(withHead ? [head()] : []), ...rows.map((row, i) => line(row, codes(items[i]!)))]
  }
  return { lines }
}

export const inJson = ({ stdoutTerminal }: InvocationShape, wanted: boolean): boolean =>
  wanted || !stdoutTerminal

/** A page of a JSON array, one element per line. */
const jsonLines = (items: ReadonlyArray<unknown>, first: boolean, more: boolean): string => {
  if (first && items.length === 0) return "[]"
  const elements = items.map((item) => shown(JSON.stringify(item))).join(",\n")
  return `${first ? "[\n" : ""}${elements}${more ? "," : "\n]"}`
}

/** Prints a whole list. `page` returns at most `limit` items after `last`. */
export const printList = Effect.fnUntraced(function* <A, E, R>(options: {
  readonly json: boolean
  readonly page: (last: A | undefined, limit: number) => Effect.Effect<ReadonlyArray<A>, E, R>
  readonly columns: ReadonlyArray<Column<A>>
  readonly toJson: (item: A) => unknown
  /** Printed on a terminal if the list is empty. */
  readonly none: string
}) {
  const invocation = yield* Invocation
  const table = makeTable(options.columns, stdoutColour(invocation))
  let last: A | undefined
  while (true) {
    const read: ReadonlyArray<A> = yield* options.page(last, Limits.largeRows + 1)
    const items = read.slice(0, Limits.largeRows)
    const first = last === undefined
    const more = read.length > items.length
    if (inJson(invocation, options.json)) yield* print(jsonLines(items.map(options.toJson), first, more))
    else yield* print(items.length === 0 ? options.none : table.lines(items, first).join("\n"))
    if (!more) return
    last = items.at(-1)
  }
})

/** The `page` of a list that is in memory. */
export const pageOf =
  <A>(items: ReadonlyArray<A>) =>
  (last: A | undefined, limit: number) => {
    const from = last === undefined ? 0 : items.indexOf(last) + 1
    return Effect.succeed(items.slice(from, from + limit))
  }

export type Field = readonly [name: string, value: string]

/** Prints one item: a line per field and `note` below, or `value` as JSON. */
export const printOne = Effect.fnUntraced(function* (options: {
  readonly json: boolean
  readonly fields: ReadonlyArray<Field>
  readonly value: unknown
  readonly note: string
}) {
  const invocation = yield* Invocation
  if (inJson(invocation, options.json))
    return yield* print(printableLines(JSON.stringify(options.value, null, 2)))
  const width = Math.max(...options.fields.map(([name]) => name.length))
  const lines = options.fields.map(([name, value]) => `${name.padEnd(width)}${GAP}${shown(value)}`)
  yield* print([...lines, "", options.note].join("\n"))
})
