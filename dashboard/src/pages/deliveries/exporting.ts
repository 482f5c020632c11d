/** Deliveries as files: which fields, as CSV and as NDJSON, and reading a list page by page for it. */
import type { Delivery, DeliveryPage } from "../../api/ledgerhook.ts"

/** The most rows that one file gets: the browser holds them in memory, and each 100 are a request. */
export const EXPORT_ROWS = 10_000

const fields = [
  "id",
  "created_at",
  "status",
  "event_type",
  "event_id",
  "webhook_id",
  "attempts",
  "response_status",
  "response_time_ms",
  "last_error",
  "next_attempt_at",
  "updated_at"
] as const satisfies ReadonlyArray<keyof Delivery>

/** A spreadsheet would run a text that begins like a formula. */
const cell = (value: string | number | null): string => {
  const text = value === null ? "" : String(value)
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}

const csvOf = (rows: ReadonlyArray<Delivery>): string =>
  [fields.join(), ...rows.map((row) => fields.map((field) => cell(row[field])).join())]
    .join("\r\n")
    .concat("\r\n")

const ndjsonOf = (rows: ReadonlyArray<Delivery>): string =>
  rows.map((row) => `${JSON.stringify(row)}\n`).join("")

export const fileFormats = {
  csv: { label: "CSV", type: "text/csv", write: csvOf },
  ndjson: { label: "NDJSON", type: "application/x-ndjson", write: ndjsonOf }
} as const

export type FileFormat = keyof typeof fileFormats

interface Read {
  readonly rows: ReadonlyArray<Delivery>
  /** Whether the list has more than were read. */
  readonly more: boolean
}

/** Reads a list from its newest row, up to `EXPORT_ROWS`. Throws if a page cannot be read, or when `signal` aborts. */
export const readAll = async (
  load: (cursor: string | undefined) => Promise<DeliveryPage>,
  onProgress: (rows: number) => void,
  signal: AbortSignal
): Promise<Read> => {
  const rows: Array<Delivery> = []
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
