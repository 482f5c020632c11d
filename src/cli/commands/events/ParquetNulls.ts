/**
 * Writes the columns of a row group that have no value in it. Most columns of a file are such: one schema for all event
 * types has many that a type lacks. Their pages are all alike, so the library encodes one, which is copied. If it encoded
 * each, 100,000 payments would take 21 s instead of 3.
 */
import { ByteWriter, ParquetWriter } from "hyparquet-writer"
import { type Column, type Fields, schemaElements } from "./ParquetColumns.ts"

interface Leaf {
  /** Its column at the top. */
  readonly column: string
  readonly path: Array<string>
  readonly type: "BYTE_ARRAY" | "INT64" | "BOOLEAN" | "FIXED_LEN_BYTE_ARRAY"
  readonly repeated: boolean
}

const leavesOf = (
  column: string,
  path: ReadonlyArray<string>,
  of: Column,
  repeated: boolean
): Array<Leaf> => {
  if (of.kind === "list") return leavesOf(column, [...path, "list", "element"], of.element, true)
  if (of.kind === "struct")
    return Object.entries(of.fields).flatMap(([name, inner]) =>
      leavesOf(column, [...path, name], inner, repeated)
    )
  const type = schemaElements({ leaf: of }).at(-1)?.type
  return type === undefined ? [] : [{ column, path: [...path], type, repeated }]
}

/** The library writes a level of fewer rows in bits, whose bytes depend on the depth of the column; from here on in runs. */
export const ALIKE_FROM_ROWS = 8

type Options = Omit<ConstructorParameters<typeof ParquetWriter>[0], "writer" | "schema">

/** A page of so many nulls, at least `ALIKE_FROM_ROWS`, and what the footer says about it. */
const encoded = (repeated: boolean, rows: number, options: Options) => {
  const writer = new ByteWriter()
  const text: Column = { kind: "text" }
  const schema = [...schemaElements({ nulls: repeated ? { kind: "list", element: text } : text })]
  const file = new ParquetWriter({ ...options, writer, schema })
  const start = writer.offset
  const data = new Array<undefined>(rows).fill(undefined)
  file.write({ columnData: [{ name: "nulls", data, offsetIndex: false }], rowGroupSize: rows })
  return { bytes: new Uint8Array(writer.buffer.slice(start, writer.index)), group: file.row_groups[0]! }
}

/** Completes the row groups of a writer that were written without the columns that have no value. */
export const nullColumns = (columns: Fields, writer: ParquetWriter, options: Options) => {
  const leaves = Object.entries(columns).flatMap(([name, column]) => leavesOf(name, [name], column, false))
  return (present: ReadonlySet<string>, rows: number): void => {
    const group = writer.row_groups.at(-1)!
    const pages = [encoded(false, rows, options), encoded(true, rows, options)] as const
    const written = group.columns[Symbol.iterator]()
    // In the order of the schema.
    group.columns = leaves.map(({ column, path, repeated, type }) => {
      if (present.has(column)) return written.next().value!
      const { bytes, group: alike } = pages[repeated ? 1 : 0]
      const offset = BigInt(writer.writer.offset)
      writer.writer.appendBytes(bytes)
      group.total_byte_size += alike.total_byte_size
      return {
        file_offset: offset,
        meta_data: { ...alike.columns[0]!.meta_data!, type, path_in_schema: path, data_page_offset: offset }
      }
    })
  }
}
