/** Lists as files: as CSV and as NDJSON, and reading a list page by page for it. Pure but for the reading. */

/** The most rows that one file gets: the browser holds them in memory, and each 100 are a request. */
export const EXPORT_ROWS = 10_000

/** The columns of a CSV file. An NDJSON file has the rows as the API gives them. */
export type Fields<Row> = Readonly<Record<string, (row: Row) => unknown>>

/** The fields of these names. */
export const fieldsOf = <Row extends object>(names: ReadonlyArray<keyof Row & string>): Fields<Row> =>
  Object.fromEntries(names.map((name) => [name, (row: Row) => row[name]]))

const textOf = (value: unknown): string =>
  value == null
    ? ""
    : Array.isArray(value)
      ? value.join(" ")
      : typeof value === "object"
        ? JSON.stringify(value)
        : String(value)

/** A spreadsheet would run a text that begins like a formula. */
const cell = (value: unknown): string => {
  const text = textOf(value)
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}

const csvOf = <Row>(rows: ReadonlyArray<Row>, fields: Fields<Row>): string =>
  [
    Object.keys(fields).join(),
    ...rows.map((row) =>
      Object.values(fields)
        .map((of) => cell(of(row)))
        .join()
    )
  ]
    .join("\r\n")
    .concat("\r\n")

const ndjsonOf = (rows: ReadonlyArray<unknown>): string =>
  rows.map((row) => `${JSON.stringify(row)}\n`).join("")

export const fileFormats = {
  csv: { label: "CSV", type: "text/csv", write: csvOf },
  ndjson: { label: "NDJSON", type: "application/x-ndjson", write: ndjsonOf }
} as const

export type FileFormat = keyof typeof fileFormats

/** `deliveries-2026-11-26T101500.csv` */
export const fileName = (what: string, at: Date, format: FileFormat): string =>
  `${what}-${at.toISOString().slice(0, 19).replaceAll(":", "")}.${format}`

interface Page<Row> {
  readonly data: ReadonlyArray<Row>
  readonly next_cursor: string | null
}

interface Read<Row> {
  readonly rows: ReadonlyArray<Row>
  /** Whether the list has more than were read. */
  readonly more: boolean
}

/** Reads a list from its newest row, up to `EXPORT_ROWS`. Throws if a page cannot be read, or when `signal` aborts. */
export const readAll = async <Row>(
  load: (cursor: string | undefined) => Promise<Page<Row>>,
  onProgress: (rows: number) => void,
  signal: AbortSignal
): Promise<Read<Row>> => {
  const rows: Array<Row> = []
  let cursor: string | undefined
  do {
    const page = await load(cursor)
    signal.throwIfAborted()
    rows.push(...page.data)
    onProgress(rows.length)
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined && rows.length < EXPORT_ROWS)
  return { rows: rows.slice(0, EXPORT_ROWS), more: cursor !== undefined || rows.length > EXPORT_ROWS }
}
