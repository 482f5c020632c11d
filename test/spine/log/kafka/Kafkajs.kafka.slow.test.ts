/** kafkajs with Confluent's registry client reads the public topics with exactly the code in docs/examples. */
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { publishedSchemas } from "../../../../src/spine/event/JsonSchemas.ts"
import { registerSchemas } from "../../../../src/spine/log/kafka/SchemaRegistry.ts"
import { kafkaBrokers, kafkaFor } from "../../../support/log/kafka.ts"
import { EVENTS_EACH, writeLedgers } from "../../../support/log/kafkaLedgers.ts"
import {
  askRegistry,
  REGISTRY_STARTING_MS,
  Registry,
  registryMissing
} from "../../../support/log/registry.ts"

const example = readFileSync("docs/examples/events.js", "utf8")

/** The example with other addresses, and with a `store` that prints. */
const exampleWith = (replacements: Readonly<Record<string, string>>): string => {
  let code = example
  for (const [shown, real] of Object.entries(replacements)) {
    assert.include(code, shown)
    code = code.replaceAll(shown, real)
  }
  return `const store = async (event) => console.log(JSON.stringify(event))\n${code}`
}

/** Shorter than the test's timeout, so that a program that only retries ends and its output is shown. */
const PROGRAM_MS = 60_000

/** The first `count` lines that the program prints; it is then ended. */
const firstLines = async (code: string, count: number): Promise<ReadonlyArray<string>> => {
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], {
    stdio: ["ignore", "pipe", "pipe"],
    timeout: PROGRAM_MS,
    killSignal: "SIGKILL"
  })
  let errors = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text
  })
  const lines: Array<string> = []
  try {
    for await (const line of createInterface(child.stdout)) {
      // kafkajs logs to standard output as well.
      if (line.startsWith('{"event_id"') && lines.push(line) === count) return lines
    }
    return assert.fail(`it ended after ${lines.length} events: ${errors}`)
  } finally {
    child.kill("SIGKILL")
  }
}

/** The schema as an earlier version of Ledgerhook would have registered it: another text with the same `$id`. */
const earlierSchema = (): string => {
  const { document } = publishedSchemas().find(({ path }) => path === "records/event.schema.json")!
  return JSON.stringify({ ...document, title: "Event record of an earlier version" })
}

const TEST_MS = 120_000
const TOPIC = "xrpl.testnet.events"

describe.skipIf(registryMissing || kafkaBrokers().length === 0)("kafkajs", () => {
  layer(Registry.layer, { timeout: REGISTRY_STARTING_MS, excludeTestServices: true })((test) => {
    test.effect(
      "reads each committed event once and in order: plain, and with either version of the schema",
      () =>
        Effect.gen(function* () {
          const { url } = yield* Registry
          const kafka = yield* kafkaFor((topic) => topic.startsWith("xrpl.testnet."))
          const { id: earlier } = yield* askRegistry(
            `/subjects/${kafka.topicPrefix}${TOPIC}-value/versions`,
            {
              schemaType: "JSON",
              schema: earlierSchema()
            }
          )
          const ids = yield* registerSchemas(url, kafka.topicPrefix, ["testnet"])
          assert.notStrictEqual(ids.get(TOPIC), earlier)
          yield* writeLedgers(kafka, [100, 101])
          yield* writeLedgers(kafka, [102, 103], new Map([[TOPIC, earlier]]))
          yield* writeLedgers(kafka, [104, 105], ids)

          const code = exampleWith({
            "http://localhost:8081": url,
            '"localhost:9092"': JSON.stringify(kafka.brokers).slice(1, -1),
            '"warehouse"': `"${kafka.topicPrefix}warehouse"`,
            "xrpl.mainnet.events": kafka.topicPrefix + TOPIC
          })
          const ledgers = [100, 101, 102, 103, 104, 105]
          const lines = yield* Effect.promise(() => firstLines(code, ledgers.length * EVENTS_EACH))
          assert.deepStrictEqual(
            lines
              .map((line) => JSON.parse(line))
              .map(({ ledger_index, network, position }) => [network, ledger_index, position]),
            ledgers.flatMap((ledgerIndex) =>
              Array.from({ length: EVENTS_EACH }, (_, position) => ["testnet", ledgerIndex, position])
            )
          )
        }),
      TEST_MS
    )
  })
})
