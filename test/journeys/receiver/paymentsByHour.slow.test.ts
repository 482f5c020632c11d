/**
 * The statements on files and the worked example in docs/data-teams.md, as they stand there: DuckDB counts the payments
 * of what `events export` writes, says which hours are complete, and notices a file or a ledger that is missing.
 */
import { globSync, rmSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { exported, FIRST, simulatedLedgers, take } from "../../features/export/exporting.ts"
import { readerPackages } from "../../support/journeys/exportedRows.ts"
import { events, memoryLayer } from "../../support/ledger/ingesting.ts"
import { makeFolder } from "../../support/program/makeFolder.ts"
import { pythonEnvironment } from "../../support/servers/python.ts"
import { codeBlocks } from "../../support/tree/markdown.ts"

const { missing, run } = pythonEnvironment(...readerPackages)

const TEST_MS = 180_000
const PAGE = "docs/data-teams.md"
const isOfExample = (block: string) => /\b(manifests|payments_by_hour)\b/.test(block)
const statements = codeBlocks(PAGE, "sql").filter(isOfExample).join("\n")

/** Prints the rows of each statement that returns rows, as JSON. */
const program = `
import duckdb, json, os, sys
os.chdir(sys.argv[1])
db = duckdb.connect()
# A slow statement would print its progress among the rows.
db.execute("SET enable_progress_bar = false")
for statement in duckdb.extract_statements(sys.argv[2]):
    if statement.type != duckdb.StatementType.SELECT:
        db.execute(statement)
        continue
    query = statement.query.strip().rstrip(";")
    print(json.dumps([json.loads(row) for (row,) in db.execute(f"SELECT to_json(t) FROM ({query}) t").fetchall()]))
`

const filesSql = codeBlocks(PAGE, "sql").find((block) => block.startsWith("-- DuckDB")) ?? ""
const filesPython = codeBlocks(PAGE, "python").find((block) => block.includes("pandas.read_parquet")) ?? ""

/** Prints what the statements below "Files" say: of DuckDB and ClickHouse the rows, of pandas and polars how many. */
const filesProgram = `
import duckdb, json, os, pandas, polars, sys
from chdb import session
os.chdir(sys.argv[1])
duckdb.sql("SET enable_progress_bar = false")
duck, click = sys.argv[2].split("-- ClickHouse")
for row in sorted(duckdb.sql(duck).fetchall()): print(json.dumps([str(row[0]), row[1], round(row[2], 6)]))
rows = session.Session().query(click.replace("'lake", f"'{os.getcwd()}/lake"), "JSONCompactEachRow").data()
for row in sorted(map(json.loads, rows.splitlines())): print(json.dumps([row[0], int(row[1]), round(float(row[2]), 6)]))
in_pandas, in_polars = map(eval, sys.argv[3].strip().splitlines())
print(json.dumps([len(in_pandas), in_polars.collect().height]))
`

interface Hour {
  readonly network: string
  readonly hour: string
  readonly payments: number
  readonly xrp: number
  readonly complete: boolean
}

const results = (folder: string): readonly [ReadonlyArray<Record<string, unknown>>, ReadonlyArray<Hour>] => {
  const [proof, hours] = run(program, folder, statements.replaceAll("'lake/", "'"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
  return [proof, hours]
}

const ledgers = simulatedLedgers(100, 20)
/** `2026-11-21T09:30:00Z` → `2026-11-21 09:00:00`, as DuckDB prints it. */
const hourOf = (timestamp: string) => `${timestamp.slice(0, 10)} ${timestamp.slice(11, 13)}:00:00`

describe.skipIf(missing !== undefined)(
  `the worked example for data teams${missing === undefined ? "" : ` (no ${missing} here)`}`,
  () => {
    it.effect(
      "counts the payments of each hour as they were detected, and proves which hours are complete",
      () =>
        Effect.gen(function* () {
          yield* take(ledgers)
          const folder = yield* makeFolder
          yield* exported(folder, { format: "parquet" })
          const [proof, hours] = results(folder)
          assert.deepStrictEqual(proof, [{ network: "mainnet", all_ledgers: true, all_events: true }])
          const expected = new Map<string, { payments: number; drops: bigint }>()
          for (const { event_type, payload, timestamp } of yield* events) {
            if (event_type !== "payment.xrp") continue
            const { drops, payments } = expected.get(hourOf(timestamp)) ?? { drops: 0n, payments: 0 }
            const sum = drops + BigInt(String(payload["amount"]))
            expected.set(hourOf(timestamp), { payments: payments + 1, drops: sum })
          }
          assert.isAbove(expected.size, 50)
          assert.deepStrictEqual(
            hours.map(({ hour, payments, xrp }) => [
              hour.replace("+00", ""),
              payments,
              Math.round(xrp * 1e6)
            ]),
            [...expected].map(([hour, { drops, payments }]) => [hour, payments, Number(drops)])
          )
          // The first ledger closed at 12:00:00, so its hour is whole; the last one at 06:00:00, so its hour is not.
          const incomplete = hours.filter(({ complete }) => !complete).map(({ hour }) => hour.slice(0, 13))
          assert.deepStrictEqual(incomplete, ["2026-11-23 06"])
        }).pipe(Effect.provide(memoryLayer())),
      TEST_MS
    )

    it.effect(
      "gives the same sums as the statements for DuckDB and ClickHouse beside the columns",
      () =>
        Effect.gen(function* () {
          yield* take(ledgers)
          const folder = yield* makeFolder
          yield* exported(join(folder, "lake"), { format: "parquet" })
          const lines = run(filesProgram, folder, filesSql, filesPython).trimEnd().split("\n")
          const printed = lines.map((line) => JSON.parse(line))
          const all = yield* events
          assert.deepStrictEqual(printed.pop(), [all.length, all.length])
          const payments = all.filter(({ event_type }) => event_type === "payment.xrp")
          const expected = [...Map.groupBy(payments, ({ timestamp }) => timestamp.slice(0, 10))].map(
            ([date, of]) => [
              date,
              of.length,
              of.reduce((sum, { payload }) => sum + Number(payload["amount"]), 0) / 1e6
            ]
          )
          assert.lengthOf(expected, 4)
          assert.deepStrictEqual(printed, [...expected, ...expected])
        }).pipe(Effect.provide(memoryLayer())),
      TEST_MS
    )

    it.effect(
      "notices a file that is missing, and a ledger that is",
      () =>
        Effect.gen(function* () {
          yield* take(ledgers.filter(({ ledger_index }) => ledger_index !== FIRST + 40))
          const folder = yield* makeFolder
          yield* exported(folder, { format: "parquet" })
          const [proof, hours] = results(folder)
          assert.deepStrictEqual(proof, [{ network: "mainnet", all_ledgers: false, all_events: true }])
          const incomplete = hours.filter(({ complete }) => !complete).map(({ hour }) => hour.slice(0, 13))
          assert.sameMembers(incomplete, ["2026-11-21 14", "2026-11-21 15", "2026-11-23 06"])
          rmSync(globSync(`${folder}/**/type=payment.xrp/*.parquet`)[0]!)
          assert.deepStrictEqual(results(folder)[0], [
            { network: "mainnet", all_ledgers: false, all_events: false }
          ])
        }).pipe(Effect.provide(memoryLayer())),
      TEST_MS
    )
  }
)
