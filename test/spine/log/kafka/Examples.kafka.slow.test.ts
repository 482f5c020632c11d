/**
 * The examples in Java and Python (docs/examples, docs/data-teams.md) read the public topics as they are written there:
 * each committed event once, with and without a schema registry's prefix, and into PostgreSQL exactly once although
 * the loader is killed.
 */
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Reactivity } from "effect/reactivity"
import type { KafkaSettings } from "../../../../src/spine/config/Config.ts"
import { fetchJars, missing as missingForJava } from "../../../kafka/broker.ts"
import { waitUntil } from "../../../support/http/apiClient.ts"
import { kafkaBrokers, kafkaFor } from "../../../support/log/kafka.ts"
import { EVENTS_EACH, writeLedgers } from "../../../support/log/kafkaLedgers.ts"
import { pythonEnvironment } from "../../../support/servers/python.ts"
import { databaseUrl, makeDatabase } from "../../../support/store/postgres.ts"
import { codeBlocks } from "../../../support/tree/markdown.ts"

const PAGE = "docs/data-teams.md"
const TOPIC = "xrpl.testnet.events"
const TEST_MS = 120_000
/** Shorter than the test's timeout, so that a program that waits in vain ends and its output is shown. */
const PROGRAM_MS = 60_000

const hasKafka = kafkaBrokers().length > 0
const noJava = missingForJava()
const { missing: noPython, python } = hasKafka
  ? pythonEnvironment("confluent-kafka==2.16.1", "psycopg[binary]==3.3.9")
  : { missing: undefined, python: "" }

const blockWith = (language: string, text: string): string =>
  codeBlocks(PAGE, language).find((block) => block.includes(text)) ??
  assert.fail(`${PAGE} has no ${language} example with ${text}`)

const replaced = (code: string, { brokers, topicPrefix }: KafkaSettings) =>
  code.replaceAll("localhost:9092", brokers.join(",")).replaceAll("xrpl.mainnet.events", topicPrefix + TOPIC)

/** Starts the program; it is killed when the scope closes. */
const startReader = (
  command: string,
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {}
) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      spawn(command, args, {
        env: { ...process.env, ...environment },
        stdio: ["ignore", "pipe", "pipe"],
        timeout: PROGRAM_MS,
        killSignal: "SIGKILL"
      })
    ),
    (child) => Effect.sync(() => void child.kill("SIGKILL"))
  )

/** The first `count` events that the program prints. */
const firstEvents = (command: string, args: ReadonlyArray<string>, count: number) =>
  Effect.scoped(
    Effect.flatMap(startReader(command, args), (child) =>
      Effect.promise(async () => {
        let errors = ""
        child.stderr.setEncoding("utf8").on("data", (text: string) => {
          errors += text
        })
        const lines: Array<string> = []
        for await (const line of createInterface(child.stdout))
          if (lines.push(line) === count) return lines.map((one) => JSON.parse(one))
        return assert.fail(`it ended after ${lines.length} events: ${errors}`)
      })
    )
  )

const LEDGERS = [100, 101, 102, 103]
const SCHEMA_ID = 7

/** Two ledgers as plain JSON, then two with a registry's prefix. */
const written = Effect.gen(function* () {
  const kafka = yield* kafkaFor((topic) => topic.startsWith("xrpl.testnet."))
  yield* writeLedgers(kafka, LEDGERS.slice(0, 2))
  yield* writeLedgers(kafka, LEDGERS.slice(2), new Map([[TOPIC, SCHEMA_ID]]))
  return kafka
})

const expected = LEDGERS.flatMap((ledger) =>
  Array.from({ length: EVENTS_EACH }, (_, position) => [ledger, position])
)

const places = (events: ReadonlyArray<Record<string, unknown>>) =>
  events.map(({ ledger_index, position }) => [Number(ledger_index), position])

const named = (name: string, missing: string | undefined) =>
  `${name}${missing === undefined ? "" : ` (no ${missing} here)`}`

describe.skipIf(!hasKafka || noJava !== undefined)(named("the example in Java", noJava), () => {
  it.live(
    "reads each committed event once, in order, with Kafka's own client",
    () =>
      Effect.gen(function* () {
        const kafka = yield* written
        const folder = yield* Effect.acquireRelease(
          Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-java-"))),
          (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
        )
        const file = join(folder, "Events.java")
        const warehouse = `class Warehouse {
  static long nextOffset() { return 0; }
  static void store(String json, long nextOffset) { System.out.println(json); }
}`
        writeFileSync(
          file,
          `${replaced(readFileSync("docs/examples/Events.java", "utf8"), kafka)}\n${warehouse}\n`
        )
        const events = yield* firstEvents("java", ["-cp", join(fetchJars(), "*"), file], expected.length)
        assert.deepStrictEqual(places(events), expected)
      }),
    TEST_MS
  )
})

describe.skipIf(!hasKafka || noPython !== undefined)(named("the example in Python", noPython), () => {
  const reader = blockWith("python", "confluent_kafka")

  it.live(
    "reads each committed event once, in order, with librdkafka",
    () =>
      Effect.gen(function* () {
        const kafka = yield* written
        const store =
          "def store(event, next_offset): print(json.dumps(event), flush=True)\nnext_offset = lambda: 0"
        const program = replaced(reader.replace("consumer = ", `${store}\nconsumer = `), kafka)
        const events = yield* firstEvents(python, ["-c", program], expected.length)
        assert.deepStrictEqual(places(events), expected)
      }),
    TEST_MS
  )

  it.live(
    "loads each event and ledger exactly once into PostgreSQL, although it is killed in a batch",
    () =>
      Effect.gen(function* () {
        const kafka = yield* written
        const database = yield* makeDatabase
        const sql = yield* PgClient.make({ ...database, maxConnections: 1 }).pipe(
          Effect.provide(Reactivity.layer)
        )
        // The test's database has the service's own tables, so the loader gets a schema of its own.
        yield* sql.unsafe(`CREATE SCHEMA warehouse`)
        const environment = {
          KAFKA_BROKERS: kafka.brokers.join(","),
          KAFKA_TOPIC_PREFIX: kafka.topicPrefix,
          NETWORK: "testnet",
          DATABASE_URL: `${databaseUrl(database)}&options=-csearch_path%3Dwarehouse`
        }
        const loader = readFileSync("docs/examples/postgresql.py", "utf8")
        const small = loader.replace("BATCH_RECORDS = 10_000", "BATCH_RECORDS = 4")
        /** A loader that is killed inside the transaction of the batch with the third ledger. */
        const dying = small.replace(
          "        cursor.execute(LEDGERS)\n",
          `$&        cursor.execute("SELECT FROM events WHERE ledger_index = 102")
        if cursor.rowcount > 0: os.kill(os.getpid(), 9)\n`
        )
        assert.strictEqual(new Set([loader, small, dying]).size, 3)
        const rows = sql<{ readonly ledger_index: bigint; readonly position: number }>`
          SELECT ledger_index, position FROM warehouse.events ORDER BY ledger_index, position`
        const missing = sql.unsafe<{
          readonly ledger_index: bigint
          readonly loaded: bigint
          readonly linked: boolean
        }>(blockWith("sql", "lag(ledger_hash)").replace(/FROM (events|ledgers)/g, "FROM warehouse.$1"))
        const killed = yield* startReader(python, ["-c", dying], environment)
        yield* waitUntil(
          Effect.sync(() => killed.exitCode !== null || killed.signalCode !== null),
          "60 seconds"
        )
        assert.strictEqual(killed.signalCode, "SIGKILL")
        assert.isBelow((yield* rows).length, expected.length)
        const resumed = yield* startReader(python, ["-c", small], environment)
        const ledgers = sql`SELECT FROM warehouse.ledgers`
        yield* waitUntil(
          Effect.map(
            Effect.all([rows, ledgers]),
            ([loaded, markers]) => loaded.length >= expected.length && markers.length >= LEDGERS.length
          ),
          "60 seconds"
        )
        assert.deepStrictEqual(places(yield* rows), expected)
        assert.deepStrictEqual(yield* missing, [])
        yield* sql`DELETE FROM warehouse.events WHERE ledger_index = 101 AND position = 2`
        yield* sql`DELETE FROM warehouse.ledgers WHERE ledger_index = 102`
        assert.deepStrictEqual(
          (yield* missing).map(({ ledger_index, linked, loaded }) => [
            Number(ledger_index),
            Number(loaded),
            linked
          ]),
          [
            [101, 2, true],
            [103, 3, false]
          ]
        )

        // What the page says to do for a column more: an offset of 0 fills the rows that are missing.
        resumed.kill("SIGKILL")
        yield* sql`UPDATE warehouse.offsets SET next_offset = 0`
        yield* startReader(python, ["-c", loader], environment)
        yield* waitUntil(
          Effect.map(missing, (found) => found.length === 0),
          "60 seconds"
        )
        assert.deepStrictEqual(places(yield* rows), expected)
      }),
    TEST_MS
  )
})
