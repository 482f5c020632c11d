/**
 * The examples in Java (docs/examples) and Python (docs/data-teams.md) read the public topics as they are written there: each
 * committed event once, with and without a schema registry's prefix, and into a table exactly once although the
 * reader is killed.
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
import type { KafkaSettings } from "../../../src/config/Config.ts"
import { fetchJars, missing as missingForJava } from "../../kafka/broker.ts"
import { waitUntil } from "../../support/apiClient.ts"
import { kafkaBrokers, kafkaFor } from "../../support/kafka.ts"
import { EVENTS_EACH, writeLedgers } from "../../support/kafkaLedgers.ts"
import { codeBlocks } from "../../support/markdown.ts"
import { databaseUrl, makeDatabase } from "../../support/postgres.ts"
import { pythonEnvironment } from "../../support/python.ts"

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

const replaced = (
  code: string,
  { brokers, topicPrefix }: KafkaSettings,
  more: Record<string, string> = {}
) => {
  const replacements = {
    "localhost:9092": brokers.join(","),
    "xrpl.mainnet.events": topicPrefix + TOPIC,
    ...more
  }
  return Object.entries(replacements).reduce((text, [shown, real]) => text.replaceAll(shown, real), code)
}

/** Starts the program; it is killed when the scope closes. */
const startReader = (command: string, args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], timeout: PROGRAM_MS, killSignal: "SIGKILL" })
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
    "loads each event exactly once into a table, although it is killed",
    () =>
      Effect.gen(function* () {
        const kafka = yield* written
        const database = yield* makeDatabase
        const sql = yield* PgClient.make({ ...database, maxConnections: 1 }).pipe(
          Effect.provide(Reactivity.layer)
        )
        // The test's database has the service's own tables, so the reader gets a schema of its own.
        yield* sql.unsafe(`CREATE SCHEMA warehouse`)
        for (const statement of blockWith("sql", "CREATE TABLE offsets").split(";\n"))
          yield* sql.unsafe(statement.replace("CREATE TABLE ", "CREATE TABLE warehouse."))
        const url = `${databaseUrl(database)}&options=-csearch_path%3Dwarehouse`
        const program = replaced(`${blockWith("python", "psycopg.connect")}\n${reader}`, kafka, {
          "dbname=warehouse": url
        })
        /** A reader that is killed just before it stores one more event, inside the transaction. */
        const dying = program.replace(
          '        database.execute(\n            "INSERT INTO offsets',
          `        if event["ledger_index"] == 102: __import__("os").kill(__import__("os").getpid(), 9)\n$&`
        )
        assert.notStrictEqual(dying, program)
        const rows = sql<{ readonly ledger_index: bigint; readonly position: number }>`
          SELECT ledger_index, position FROM warehouse.events ORDER BY ledger_index, position`
        const child = yield* startReader(python, ["-c", dying])
        yield* waitUntil(
          Effect.sync(() => child.exitCode !== null || child.signalCode !== null),
          "60 seconds"
        )
        assert.deepStrictEqual(places(yield* rows), expected.slice(0, 2 * EVENTS_EACH))
        yield* startReader(python, ["-c", program])
        yield* waitUntil(
          Effect.map(rows, (found) => found.length >= expected.length),
          "60 seconds"
        )
        assert.deepStrictEqual(places(yield* rows), expected)
        const [kept] = yield* sql<{ readonly next_offset: bigint }>`SELECT next_offset FROM warehouse.offsets`
        assert.isAbove(Number(kept?.next_offset), expected.length)
      }),
    TEST_MS
  )
})
