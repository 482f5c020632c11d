/**
 * ClickHouse, embedded as chDB from PyPI, runs the statements of docs/examples: they turn the values of the topic
 * of events into typed rows. The values are inserted, so this does not test how ClickHouse reads from Kafka.
 */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { eventOf } from "../../../support/deliver/events.ts"
import { pythonEnvironment } from "../../../support/servers/python.ts"

const TEST_MS = 120_000
const { missing, run } = pythonEnvironment("chdb==4.4.0", "chdb-core==26.9.0")

const statementsOf = (file: string): string => readFileSync(`docs/examples/${file}`, "utf8")

/** Inserts each value (base64) into `events_topic` after the statements; prints each row of `events`. */
const program = `
import base64, json, os, sys, tempfile
from chdb import session
given = json.loads(sys.argv[1])
db = session.Session()
for statement in given["statements"]:
    db.query(statement)
columns = "SELECT name || ' ' || type FROM system.columns WHERE table = 'events_topic' ORDER BY position"
structure = ", ".join(db.query(columns, "TSVRaw").data().split("\\n")[:-1])
for value in given["values"]:
    with tempfile.NamedTemporaryFile(delete=False) as file:
        file.write(base64.b64decode(value))
    source = f"file('{file.name}', '{given['format']}', '{structure}')"
    db.query(f"INSERT INTO events_topic SELECT * FROM {source}")
    os.unlink(file.name)
rows = "SELECT *, toDecimal128(payload.amount::String, 0)::String AS drops FROM events FINAL ORDER BY position"
print(db.query(rows, "JSONEachRow").data())
`

const FORMAT = /ENGINE = Kafka\([^)]*'(\w+)'\)/

/** The rows of `events` after the statements in `reading` moved these values from the topic's table. */
const load = (reading: string, values: ReadonlyArray<Uint8Array>) => {
  const table = statementsOf("clickhouse.sql").split(";\n")[0]!
  const statements = [
    table,
    ...reading.split(";\n").filter((one) => one.trim() !== "" && !one.includes("ReplacingMergeTree"))
  ].map((one) => one.replace(FORMAT, "ENGINE = Null"))
  const input = {
    statements,
    format: FORMAT.exec(reading)?.[1],
    values: values.map((value) => Buffer.from(value).toString("base64"))
  }
  return run(program, JSON.stringify(input))
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))
}

const events = [0, 1].map((position) => eventOf({ position }))
const plain = events.map((event) => Buffer.from(JSON.stringify(event)))
const rows = events.map((event) => ({
  ...event,
  timestamp: "2026-11-21 09:30:00",
  detected_at: "2026-11-21 09:30:01.500",
  drops: event.payload["amount"]
}))

describe.skipIf(missing !== undefined)(
  `the statements for ClickHouse${missing === undefined ? "" : ` (no ${missing} here)`}`,
  () => {
    it(
      "make one row of each event, also if it is read twice",
      () => assert.deepStrictEqual(load(statementsOf("clickhouse.sql"), [...plain, ...plain]), rows),
      TEST_MS
    )

    it(
      "make the same rows with and without a schema registry's prefix",
      () => {
        const [first, second] = plain
        const prefixed = Buffer.concat([Buffer.from([0, 0, 0, 0, 7]), second!])
        assert.deepStrictEqual(load(statementsOf("clickhouse-registry.sql"), [first!, prefixed]), rows)
      },
      TEST_MS
    )
  }
)
