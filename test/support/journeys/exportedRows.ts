/**
 * Readers of exported Parquet files, each in Python: they print each row of a folder as JSON. And the events that such
 * rows stand for. Nothing else in the tests of readers knows the layout of the files and their columns.
 */

export const readers = ["duckdb", "pandas", "polars", "chdb"] as const
export type Reader = (typeof readers)[number]

export const readerPackages = [
  "duckdb==2.0.0",
  "pandas==3.1.1",
  "polars==2.1.0",
  "pyarrow==26.0.1",
  "chdb==4.4.0",
  "chdb-core==26.9.0"
] as const

/** Arguments: the reader and the folder. */
export const printRows = `
import datetime, decimal, json, sys
reader, folder = sys.argv[1:]

def plain(value):
    if isinstance(value, dict): return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)): return [plain(one) for one in value]
    if isinstance(value, (datetime.date, datetime.datetime)): return value.isoformat()
    if isinstance(value, decimal.Decimal): return str(value)
    if isinstance(value, bytes): return value.decode()
    return value if isinstance(value, (str, int, bool)) else None

if reader == "duckdb":
    import duckdb
    db = duckdb.connect()
    db.execute("SET TimeZone = 'UTC'")
    db.execute("SET enable_progress_bar = false")
    files = f"read_parquet('{folder}/**/*.parquet', hive_partitioning = true)"
    for (row,) in db.execute(f"SELECT to_json(t) FROM {files} t").fetchall(): print(row)
elif reader == "pandas":
    import pandas
    for row in pandas.read_parquet(folder, dtype_backend="pyarrow").to_dict("records"): print(json.dumps(plain(row)))
elif reader == "polars":
    import polars
    frame = polars.scan_parquet(folder, hive_partitioning=True, hidden_file_prefix=["_"]).collect()
    for row in frame.to_dicts(): print(json.dumps(plain(row)))
else:
    from chdb import session
    settings = "use_hive_partitioning = 1, output_format_json_quote_64bit_integers = 0"
    files = f"file('{folder}/**/*.parquet', Parquet)"
    print(session.Session().query(f"SELECT * FROM {files} SETTINGS {settings}", "JSONEachRow").data(), end="")
`

type Row = Readonly<Record<string, unknown>>

const isRow = (value: unknown): value is Row =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const TIME = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.0+)?(?:\+00(?::00)?|Z)?$/

/** The JSON that a value of a column stands for. A DECIMAL repeats the text beside it. */
const asJson = (value: unknown): unknown => {
  if (typeof value === "string") return value.replace(TIME, "$1T$2Z")
  if (Array.isArray(value)) return value.map(asJson)
  if (!isRow(value)) return value
  const fields = Object.entries(value)
    .filter(([name]) => !name.endsWith("_decimal"))
    .map(([name, inner]) => [name, asJson(inner)] as const)
    .filter(([, inner]) => inner !== null && inner !== undefined)
  if (fields.length === 1 && fields[0]![0] === "drops") return fields[0]![1]
  // A reader may make a struct without values of a missing amount.
  return fields.length === 0 ? undefined : Object.fromEntries(fields)
}

/** ClickHouse has no missing list: it is empty. Some readers show JSON as JSON, others as text. */
const repaired = (reader: Reader, fields: Row): Row =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => {
      if (!Array.isArray(value)) return [[name, value]]
      if (reader === "chdb" && value.length === 0) return []
      return [
        [name, value.map((one) => (name === "changes" && typeof one === "string" ? JSON.parse(one) : one))]
      ]
    })
  )

interface BalanceChange {
  readonly account: string
  readonly change: unknown
}

/** What a webhook with everything included gets, and what the record has beside it. */
export const eventOfRow = (reader: Reader, row: Row) => {
  const { accounts, balance_changes, date, detected_at, position, rules_version, type, ...fields } = repaired(
    reader,
    asJson(row) as Row
  )
  const { event_id, ledger_index, network, timestamp, ...payload } = fields
  const changes = balance_changes as ReadonlyArray<BalanceChange> | undefined
  const included = changes?.map(({ account, change }) => {
    if (!isRow(change)) return { account, asset: "XRP", change }
    const { value, ...asset } = change
    return { account, asset, change: value }
  })
  return {
    event: {
      event_id,
      event_type: type,
      ledger_index,
      timestamp,
      network,
      payload: { ...payload, ...(included !== undefined && { balance_changes: included }) }
    },
    record: { accounts, date, detected_at, position, rules_version }
  }
}

type Event = ReturnType<typeof eventOfRecord>

/** The event as the reader can show it: in ClickHouse an empty list is like a missing one. */
export const asReadBy = (reader: Reader, { event, record }: Event): Event =>
  reader === "chdb"
    ? { event: { ...event, payload: repaired(reader, event.payload) }, record }
    : { event, record }

/** A record of the topic has beside its payload what the webhook asked to have in it. */
export const eventOfRecord = (value: string) => {
  const {
    accounts,
    balance_changes,
    detected_at,
    memos,
    memos_truncated,
    position,
    rules_version,
    ...event
  } = JSON.parse(value)
  return {
    event: {
      ...event,
      payload: {
        ...event.payload,
        ...(memos !== undefined && { memos }),
        ...(memos_truncated !== undefined && { memos_truncated }),
        ...(balance_changes !== undefined && { balance_changes })
      }
    },
    record: { accounts, date: event.timestamp.slice(0, 10), detected_at, position, rules_version }
  }
}
