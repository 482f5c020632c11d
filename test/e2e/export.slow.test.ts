/**
 * A day of simulated ledgers through the real service, exported while it runs and loaded into DuckDB: row by row what
 * a webhook for all types got. An export that is killed continues and ends with the same files.
 */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { expectedEventIds } from "../../src/simulator/Chain.ts"
import { apiClient, createWebhook, waitUntil } from "../support/apiClient.ts"
import { filesIn, makeFolder } from "../support/exporting.ts"
import { runProgram, startProgram } from "../support/program.ts"
import { pythonEnvironment } from "../support/python.ts"
import { makeReceiver } from "../support/receiver.ts"
import { startService } from "../support/serviceProcess.ts"
import { makeSimulatedLedger } from "../support/simulatedLedger.ts"

const { missing, run } = pythonEnvironment("duckdb==2.0.0")

const ADMIN_KEY = "svc_live_0123456789abcdefghijklmnopqrstuv"
const DAY = "2026-01-15"
const NEXT_DAY = "2026-01-16"
const STEP_MS = 120_000
/** A ledger before the day, the day, and one after it. */
const LEDGERS = 86_400_000 / STEP_MS + 2

/** Prints the rows of all Parquet files as JSON lines, and then what DuckDB counts in each format. */
const readAll = `
import duckdb, glob, json, sys
parquet, lines = sys.argv[1:]
db = duckdb.connect()
db.execute("SET TimeZone = 'UTC'")
for path in sorted(glob.glob(parquet + "/type=*")):
    for (row,) in db.execute(f"SELECT to_json(t) FROM read_parquet('{path}/*/*.parquet', hive_partitioning = false) t").fetchall():
        print(row)
count = "SELECT type, CAST(date AS VARCHAR), count(*)::INT FROM {}('{}', union_by_name = true) GROUP BY ALL ORDER BY ALL"
print(json.dumps(db.execute(count.format("read_parquet", parquet + "/*/*/*.parquet")).fetchall()))
print(json.dumps(db.execute(count.format("read_json", lines + "/*/*/*.ndjson.gz")).fetchall()))
`

type Row = Readonly<Record<string, unknown>>

const isRow = (value: unknown): value is Row =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The JSON of the event that a row of Parquet stands for: docs/data-teams.md says how the two differ. */
const asEvent = (value: unknown): unknown => {
  if (typeof value === "string") return value.replace(/^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\+00$/, "$1T$2Z")
  if (Array.isArray(value)) return value.map(asEvent)
  if (!isRow(value)) return value
  const present = Object.entries(value).filter(([, inner]) => inner !== null)
  if (present.length === 1 && present[0]![0] === "drops") return present[0]![1]
  return Object.fromEntries(present.map(([key, inner]) => [key, asEvent(inner)]))
}

/** A record has beside its payload what the webhook asked to have in it. */
const withIncluded = ({ balance_changes, memos, memos_truncated, ...row }: Row): Row => ({
  ...row,
  payload: {
    ...(row["payload"] as Row),
    ...(memos !== undefined && { memos }),
    ...(memos_truncated !== undefined && { memos_truncated }),
    ...(balance_changes !== undefined && { balance_changes })
  }
})

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

        const [parquet, lines, killed] = [yield* makeFolder, yield* makeFolder, yield* makeFolder]
        const command = (format: string, out: string) => [
          ...["events", "export", "--from", DAY, "--to", NEXT_DAY],
          ...["--format", format, "--out", out]
        ]
        for (const [format, out] of [
          ["parquet", parquet],
          ["ndjson", lines]
        ] as const) {
          const { code, stderr, stdout } = runProgram(command(format, out), { cwd: out, environment })
          assert.strictEqual(code, 0, stderr)
          assert.include(JSON.parse(stdout), { ok: true, days: 1, network: "mainnet" })
        }

        const ofDay = new Map(
          receiver.received
            .map(({ event: { webhook_id: _, ...event } }) => event)
            .filter((event) => String(event["timestamp"]).startsWith(DAY))
            .map((event) => [event.event_id, event])
        )
        assert.isAbove(ofDay.size, 2_000)
        const printed = run(readAll, parquet, lines).trimEnd().split("\n")
        const [inParquet, inLines] = printed.splice(-2)
        const rows = printed.map((line) => asEvent(JSON.parse(line)) as Row)
        assert.lengthOf(rows, ofDay.size)
        for (const row of rows) {
          const { accounts, detected_at, position, rules_version, ...event } = withIncluded(row)
          assert.deepStrictEqual<unknown>(event, ofDay.get(String(event["event_id"])))
          assert.strictEqual(rules_version, 2)
          assert.isNotEmpty(accounts)
          assert.isTrue(Number.isSafeInteger(detected_at) && Number.isSafeInteger(position))
        }
        assert.strictEqual(new Set(rows.map((row) => row["event_id"])).size, ofDay.size)

        const manifest = JSON.parse(readFileSync(join(parquet, "manifest.json"), "utf8"))
        const [mainnet] = manifest.networks
        const counts = Object.entries(mainnet.events_by_type).map(([type, count]) => [type, DAY, count])
        assert.isAbove(counts.length, 15)
        assert.sameDeepMembers(JSON.parse(inParquet!), counts)
        assert.deepStrictEqual(JSON.parse(inLines!), JSON.parse(inParquet!))
        assert.deepStrictEqual(mainnet.gaps, [])
        assert.strictEqual(mainnet.ledgers[0].last_ledger - mainnet.ledgers[0].first_ledger + 1, LEDGERS - 2)
        const sums = mainnet.days[0].files.map(({ path, sha256 }: Row) => [path, sha256])
        const { "manifest.json": _, ...files } = filesIn(parquet)
        assert.deepStrictEqual(Object.fromEntries(sums), files)

        yield* Effect.scoped(
          Effect.gen(function* () {
            const program = yield* startProgram(command("parquet", killed), { cwd: killed, environment })
            yield* waitUntil(
              Effect.sync(() => globSync(join(killed, "**/*.part")).length > 0),
              "60 seconds"
            )
            yield* program.signalGroup("SIGKILL")
          })
        )
        assert.notProperty(filesIn(killed), "manifest.json")
        assert.strictEqual(runProgram(command("parquet", killed), { cwd: killed, environment }).code, 0)
        assert.deepStrictEqual(filesIn(killed), filesIn(parquet))
      }),
    600_000
  )
})
