/**
 * A day of simulated ledgers through the real service, exported while it runs: row by row what a webhook for all types
 * got, and the same to DuckDB, pandas and polars. An export that is killed continues and ends with the same files, in a
 * folder and in S3.
 */
import { globSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { expectedEventIds } from "../../src/features/simulator/Chain.ts"
import { eventFilesIn, filesIn, jsonIn, linesOf } from "../features/export/exporting.ts"
import { makeReceiver } from "../support/deliver/receiver.ts"
import { apiClient, createWebhook, waitUntil } from "../support/http/apiClient.ts"
import { eventOfRow, readerPackages } from "../support/journeys/exportedRows.ts"
import { makeSimulatedLedger } from "../support/ledger/simulatedLedger.ts"
import { makeFolder } from "../support/program/makeFolder.ts"
import { type RunningProgram, runProgram, startProgram } from "../support/program/program.ts"
import { startService } from "../support/program/serviceProcess.ts"
import { pythonEnvironment } from "../support/servers/python.ts"
import { hasS3Server, makeS3Server } from "../support/servers/s3Server.ts"

const { missing, run } = pythonEnvironment(...readerPackages)

const ADMIN_KEY = "svc_live_0123456789abcdefghijklmnopqrstuv"
const DAY = "2026-01-15"
const NEXT_DAY = "2026-01-16"
const STEP_MS = 120_000
/** A ledger before the day, the day, and one after it. */
const LEDGERS = 86_400_000 / STEP_MS + 2

/**
 * Prints the rows of all Parquet files as JSON lines, then how many amounts have another DECIMAL than text, what DuckDB
 * counts in each format, and what each reader counts in each column of all files at once.
 */
const readAll = `
import duckdb, json, pandas, polars, sys
parquet, lines = sys.argv[1:]
db = duckdb.connect()
db.execute("SET TimeZone = 'UTC'")
db.execute(f"CREATE VIEW events AS SELECT * FROM read_parquet('{parquet}/**/*.parquet', hive_partitioning = true)")
for (row,) in db.execute("SELECT to_json(events) FROM events").fetchall():
    print(row)
amounts = [name for name, kind, *_ in db.execute("DESCRIBE events").fetchall() if kind.startswith("STRUCT(drops")]
wrong = " UNION ALL ".join(f"""SELECT count(*) FROM events WHERE {a}.drops_decimal IS DISTINCT FROM CAST({a}.drops AS DECIMAL(20, 0))
  OR CAST({a}.value_decimal AS DOUBLE) <> CAST({a}.value AS DOUBLE)
  OR ({a}.value_decimal IS NULL AND length({a}.value) < 10)""" for a in amounts)
print(json.dumps([len(amounts), db.execute(f"SELECT sum(column0)::INT FROM ({wrong}) t(column0)").fetchone()[0]]))
count = "SELECT type, CAST(date AS VARCHAR), count(*)::INT FROM {}('{}', hive_partitioning = true) GROUP BY ALL ORDER BY ALL"
print(json.dumps(db.execute(count.format("read_parquet", parquet + "/**/*.parquet")).fetchall()))
print(json.dumps(db.execute(count.format("read_json", lines + "/**/*.ndjson.gz")).fetchall()))
columns = [name for name, *_ in db.execute("DESCRIBE events").fetchall()]
ducks = db.execute("SELECT " + ", ".join(f'count("{name}")' for name in columns) + ", sum(amount.drops_decimal) FROM events").fetchone()
print(json.dumps(dict(zip(columns + ["sum"], map(int, ducks))), sort_keys=True))
pandas_frame = pandas.read_parquet(parquet, dtype_backend="pyarrow")
print(json.dumps({**{name: int(pandas_frame[name].count()) for name in pandas_frame.columns}, "sum": int(pandas_frame.amount.struct.field("drops_decimal").sum())}, sort_keys=True))
polars_frame = polars.scan_parquet(parquet, hive_partitioning=True, hidden_file_prefix=["_"]).collect()
print(json.dumps({**{name: polars_frame[name].count() for name in polars_frame.columns}, "sum": int(polars_frame["amount"].struct.field("drops_decimal").sum())}, sort_keys=True))
globbed = polars.scan_parquet(parquet + "/**/*.parquet", hive_partitioning=True).select(polars.len()).collect().item()
plain = pandas.read_parquet(parquet)
print(json.dumps([globbed, len(plain)]))
`

const title = `a day of events${missing === undefined ? "" : ` (no ${missing} here)`}`
describe.skipIf(missing !== undefined)(title, () => {
  it.live(
    "is the same in Parquet files, read by DuckDB, as in the deliveries, row by row",
    () =>
      Effect.gen(function* () {
        let ledgerMs = Date.parse(`${DAY}T00:00:00Z`) - STEP_MS
        const real = yield* Clock.Clock
        const clock: Clock.Clock = { ...real, currentTimeMillisUnsafe: () => ledgerMs }
        const ledger = yield* makeSimulatedLedger({
          seed: 5,
          networkId: 0,
          transactionsPerLedger: 6,
          hashing: "digest"
        }).pipe(Effect.provideService(Clock.Clock, clock))
        const receiver = yield* makeReceiver()
        const environment = {
          DATA_DIR: yield* makeFolder,
          ADMIN_KEY,
          XRPL_MAINNET_URLS: ledger.url,
          XRPL_MAINNET_START: String((yield* ledger.head).header.ledger_index),
          DELIVERY_ALLOW_HTTP: "true",
          DELIVERY_ALLOW_PRIVATE_ADDRESSES: "true"
        }
        const service = yield* startService(environment)
        yield* createWebhook(apiClient(service.apiUrl, ADMIN_KEY), {
          url: receiver.url,
          event_types: ["*"],
          include: ["memos", "balance_changes"],
          max_in_flight: 32
        })
        const expected = new Set<string>()
        for (let i = 1; i < LEDGERS; i++) {
          ledgerMs += STEP_MS
          for (const id of expectedEventIds(yield* ledger.close)) expected.add(id)
        }
        yield* waitUntil(
          Effect.sync(
            () => new Set(receiver.received.map(({ event }) => event.event_id)).size >= expected.size
          ),
          "240 seconds"
        )

        const [parquet, lines, hours, killed] = [
          yield* makeFolder,
          yield* makeFolder,
          yield* makeFolder,
          yield* makeFolder
        ]
        const command = (format: string, out: string, ...more: ReadonlyArray<string>) => [
          ...["events", "export", "--from", DAY, "--to", NEXT_DAY],
          ...["--format", format, "--out", out, ...more]
        ]
        const exportNow = (args: ReadonlyArray<string>, more: Readonly<Record<string, string>> = {}) => {
          const { code, stderr, stdout } = runProgram(args, {
            cwd: lines,
            environment: { ...environment, ...more }
          })
          assert.strictEqual(code, 0, stderr)
          return JSON.parse(stdout)
        }
        for (const [format, out] of [
          ["parquet", parquet],
          ["ndjson", lines]
        ] as const)
          assert.include(exportNow(command(format, out)), { ok: true, periods: 1, network: "mainnet" })
        assert.include(exportNow(command("ndjson", hours, "--per", "hour")), { ok: true, periods: 24 })

        const ofDay = new Map(
          receiver.received
            .map(({ event: { webhook_id: _, ...event } }) => event)
            .filter((event) => String(event["timestamp"]).startsWith(DAY))
            .map((event) => [event.event_id, event])
        )
        assert.isAbove(ofDay.size, 2_000)
        const printed = run(readAll, parquet, lines).trimEnd().split("\n")
        const [amounts, inParquet, inLines, inDuckDb, inPandas, inPolars, lengths] = printed
          .splice(-7)
          .map((line) => JSON.parse(line))
        const rows = printed.map((line) => eventOfRow("duckdb", JSON.parse(line)))
        assert.lengthOf(rows, ofDay.size)
        for (const { event, record } of rows) {
          assert.deepStrictEqual<unknown>(event, ofDay.get(String(event.event_id)))
          assert.include(record, { date: DAY, rules_version: 2 })
          assert.isNotEmpty(record.accounts)
          assert.isTrue(Number.isSafeInteger(record.detected_at) && Number.isSafeInteger(record.position))
        }
        assert.strictEqual(new Set(rows.map(({ event }) => event.event_id)).size, ofDay.size)
        assert.isAbove(amounts[0], 8)
        assert.strictEqual(amounts[1], 0)
        // No reader loses a column or a value.
        assert.deepStrictEqual(inPandas, inDuckDb)
        assert.deepStrictEqual(inPolars, inDuckDb)
        assert.isAbove(inDuckDb.sum, 0)
        assert.deepStrictEqual(lengths, [ofDay.size, ofDay.size])

        const mainnet = jsonIn(join(parquet, "network=mainnet/_manifest.json"))
        const counts = Object.entries(mainnet.events_by_type).map(([type, count]) => [type, DAY, count])
        assert.isAbove(counts.length, 15)
        assert.sameDeepMembers(inParquet, counts)
        assert.deepStrictEqual(inLines, inParquet)
        assert.deepStrictEqual(mainnet.gaps, [])
        assert.strictEqual(mainnet.ledgers[0].last_ledger - mainnet.ledgers[0].first_ledger + 1, LEDGERS - 2)
        const [part] = jsonIn(join(parquet, `network=mainnet/date=${DAY}/_manifest.json`)).parts
        const sums = part.files.map(({ path, sha256 }: Readonly<Record<string, unknown>>) => [path, sha256])
        assert.deepStrictEqual(Object.fromEntries(sums), eventFilesIn(parquet))
        const linesIn = (folder: string) => globSync(join(folder, "**/*.gz")).sort().flatMap(linesOf)
        assert.sameMembers(linesIn(hours), linesIn(lines))

        /** Kills a run as soon as `begun`. */
        const killedWhen = (
          begun: () => boolean,
          args: ReadonlyArray<string>,
          more: Readonly<Record<string, string>> = {}
        ) =>
          Effect.scoped(
            Effect.gen(function* () {
              const program = yield* startProgram(args, {
                cwd: killed,
                environment: { ...environment, ...more }
              })
              yield* waitUntil(Effect.sync(begun), "60 seconds")
              yield* program.signalGroup("SIGKILL")
            })
          )
        const filesBelow = (folder: string, pattern: string) => globSync(join(folder, pattern)).length > 0
        const byHour = command("ndjson", killed, "--per", "hour")
        yield* killedWhen(() => filesBelow(killed, "**/events-03.ndjson.gz"), byHour)
        assert.isFalse(filesBelow(killed, "**/events-23.ndjson.gz"))
        exportNow(byHour)
        assert.deepStrictEqual(filesIn(killed), filesIn(hours))

        /** Follows from the day on until `meanwhile` is done; then SIGTERM ends it in order. */
        const followingTo = <E, R>(
          out: string,
          more: ReadonlyArray<string>,
          settings: Readonly<Record<string, string>>,
          meanwhile: (program: RunningProgram) => Effect.Effect<unknown, E, R>
        ) =>
          Effect.scoped(
            Effect.gen(function* () {
              const args = ["events", "export", "--follow", "--from", DAY, "--out", out, ...more]
              const program = yield* startProgram(args, {
                cwd: killed,
                environment: { ...environment, ...settings }
              })
              yield* meanwhile(program)
              yield* program.signal("SIGTERM")
              assert.strictEqual(yield* program.ended, 0)
            })
          )
        const followed = yield* makeFolder
        yield* followingTo(followed, [], {}, (program) =>
          Effect.gen(function* () {
            yield* program.printed(/"date":"2026-01-15","hour":23,/)
            const { code, stderr } = runProgram(command("ndjson", followed), { cwd: killed, environment })
            assert.strictEqual(code, 1)
            assert.match(
              stderr,
              /^ledgerhook: another export of mainnet writes to the same place; one at a time/
            )
          })
        )
        assert.deepStrictEqual(filesIn(followed), filesIn(hours))

        if (!hasS3Server) return
        const server = yield* makeS3Server
        yield* followingTo(
          "s3://warehouse/followed",
          ["--per", "day", "--format", "parquet"],
          server.environment,
          (program) =>
            Effect.gen(function* () {
              yield* program.said(/the storage cannot be used now: .*; trying again in 1 s\.$/)
              yield* server.start
              yield* program.printed(/"date":"2026-01-15","hour":null,/)
            })
        )
        assert.deepStrictEqual(filesIn(join(server.folder, "followed")), filesIn(parquet))
        yield* server.start
        const lake = join(server.folder, "lake")
        yield* killedWhen(
          () => filesBelow(lake, "**/*.parquet"),
          command("parquet", "s3://warehouse/lake"),
          server.environment
        )
        exportNow(command("parquet", "s3://warehouse/lake"), server.environment)
        assert.deepStrictEqual(filesIn(lake), filesIn(parquet))
      }),
    600_000
  )
})
