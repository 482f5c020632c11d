/**
 * A sink of Kafka Connect reads the public topic of events with the settings in docs/data-teams.md: each committed
 * event once and in order, and none is lost when the worker is stopped or killed.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { KafkaSettings } from "../../../../src/spine/config/Config.ts"
import { missingForConnect, startWorker } from "../../../kafka/connect.ts"
import { waitUntil } from "../../../support/http/apiClient.ts"
import { kafkaBrokers, kafkaFor } from "../../../support/log/kafka.ts"
import { EVENTS_EACH, writeLedgers } from "../../../support/log/kafkaLedgers.ts"
import { codeBlocks } from "../../../support/tree/markdown.ts"

const PAGE = "docs/data-teams.md"
const TOPIC = "xrpl.testnet.events"
const TEST_MS = 120_000
const SCHEMA_ID = 7

const settings =
  codeBlocks(PAGE, "properties").find((block) => block.includes("JsonConverter")) ??
  assert.fail(`${PAGE} has no settings for Kafka Connect`)

/** The settings of the page, for a sink of Kafka's own that writes each value to a file as Java prints it. */
const connectorFor = (
  { topicPrefix }: KafkaSettings,
  file: string
): string => `name=warehouse-${topicPrefix}test
connector.class=org.apache.kafka.connect.file.FileStreamSinkConnector
file=${file}
${settings.replace("xrpl.mainnet.events", topicPrefix + TOPIC)}
# Kafka gives a killed worker's partition to the next one after 6 seconds, not 45.
consumer.override.session.timeout.ms=6000
`

const sink = Effect.gen(function* () {
  const kafka = yield* kafkaFor((topic) => topic.startsWith("xrpl.testnet."))
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-connect-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  const file = join(folder, "events.txt")
  return {
    kafka,
    lines: () => (existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : []),
    /** It is killed when the scope closes. */
    worker: Effect.acquireRelease(
      Effect.promise(() =>
        startWorker({ folder, brokers: kafka.brokers, connector: connectorFor(kafka, file) })
      ),
      ({ kill }) => Effect.promise(kill)
    )
  }
})

const field = (line: string, name: string) => Number(new RegExp(`\\b${name}=(\\d+)`).exec(line)?.[1])

/** The fields of each line: `{network=testnet, ledger_index=100, payload={amount=0, …}, …}`. */
const places = (lines: ReadonlyArray<string>) =>
  lines.map((line) => [
    field(line, "ledger_index"),
    field(line, "position"),
    field(/\bpayload=\{([^}]*)\}/.exec(line)?.[1] ?? "", "amount")
  ])

const placesOf = (...ledgers: ReadonlyArray<number>) =>
  ledgers.flatMap((ledger) =>
    Array.from({ length: EVENTS_EACH }, (_, position) => [ledger, position, position])
  )

const missing = missingForConnect()
if (missing !== undefined && process.env["REQUIRE_KAFKA"] === "1") {
  throw new Error(`REQUIRE_KAFKA: Kafka Connect cannot run here; install ${missing}.`)
}

describe.skipIf(kafkaBrokers().length === 0 || missing !== undefined)(
  `Kafka Connect with the page's settings${missing === undefined ? "" : ` (no ${missing} here)`}`,
  () => {
    it.live(
      "passes each committed event on in order, resumes after a stop, and repeats rather than loses after a kill",
      () =>
        Effect.gen(function* () {
          const { kafka, lines, worker } = yield* sink
          const received = (count: number) =>
            waitUntil(
              Effect.sync(() => lines().length >= count),
              "30 seconds"
            )
          yield* writeLedgers(kafka, [100, 101])
          const first = yield* worker
          yield* received(2 * EVENTS_EACH)
          yield* Effect.promise(first.stop)
          assert.deepStrictEqual(places(lines()), placesOf(100, 101))

          yield* writeLedgers(kafka, [102, 103])
          const second = yield* worker
          yield* received(4 * EVENTS_EACH)
          yield* Effect.promise(second.kill)
          assert.deepStrictEqual(places(lines()), placesOf(100, 101, 102, 103))

          yield* writeLedgers(kafka, [104])
          yield* worker
          yield* received(7 * EVENTS_EACH)
          assert.deepStrictEqual(places(lines()), placesOf(100, 101, 102, 103, 102, 103, 104))
        }),
      TEST_MS
    )

    it.live(
      "stops at a value with a registry's prefix, and does not skip it",
      () =>
        Effect.gen(function* () {
          const { kafka, lines, worker } = yield* sink
          yield* writeLedgers(kafka, [100])
          yield* writeLedgers(kafka, [101], new Map([[TOPIC, SCHEMA_ID]]))
          yield* writeLedgers(kafka, [102])
          const { url } = yield* worker
          const status = Effect.promise(() =>
            fetch(`${url}/connectors/warehouse-${kafka.topicPrefix}test/status`).then((answer) =>
              answer.text()
            )
          )
          yield* waitUntil(
            Effect.map(status, (text) => text.includes("FAILED")),
            "30 seconds"
          )
          assert.match(yield* status, /Converting byte\[\] to Kafka Connect data failed/)
          assert.isFalse(places(lines()).some(([ledger]) => ledger !== 100))
        }),
      TEST_MS
    )
  }
)
