/**
 * A day of simulated ledgers with every event type through the real service on Kafka, which is killed in the middle.
 * What foreign programs read, from the topic and from exported files, is compared row by row with what a webhook for
 * all types got, and as CloudEvents with what one of that format got.
 */
import { globSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { expectedEventIds } from "../../../src/features/simulator/Chain.ts"
import { eventTypes } from "../../../src/spine/event/EventType.ts"
import { linesOf } from "../../features/export/exporting.ts"
import { makeReceiver, type Received } from "../../support/deliver/receiver.ts"
import { apiClient, createWebhook, waitUntil } from "../../support/http/apiClient.ts"
import {
  asReadBy,
  eventOfRecord,
  eventOfRow,
  printRows,
  readerPackages,
  readers
} from "../../support/journeys/exportedRows.ts"
import { makeSimulatedLedger } from "../../support/ledger/simulatedLedger.ts"
import { kafkaBrokers, kafkaFor } from "../../support/log/kafka.ts"
import { readByKafkajs } from "../../support/log/kafkajs.ts"
import { hasKcat, readByKcat } from "../../support/log/kcat.ts"
import { makeFolder } from "../../support/program/makeFolder.ts"
import { runProgram } from "../../support/program/program.ts"
import { startService } from "../../support/program/serviceProcess.ts"
import { pythonEnvironment } from "../../support/servers/python.ts"
import { codeBlocks } from "../../support/tree/markdown.ts"

const hasKafka = kafkaBrokers().length > 0 && hasKcat
const { missing, run } = hasKafka
  ? pythonEnvironment("confluent-kafka==2.16.1", ...readerPackages)
  : { missing: undefined, run: () => "" }

const ADMIN_KEY = "svc_live_0123456789abcdefghijklmnopqrstuv"
const TOPIC = "xrpl.mainnet.events"
const DAY = "2026-01-15"
const NEXT_DAY = "2026-01-16"
const STEP_MS = 480_000
const LEDGERS = 86_400_000 / STEP_MS

const confluent =
  codeBlocks("docs/data-teams.md", "python").find((block) => block.includes("confluent_kafka")) ??
  assert.fail("the page has no reader in Python")

/** The page's reader, until it has printed `count` values. */
const confluentProgram = (count: number) =>
  confluent
    .replace('"localhost:9092"', "sys.argv[1]")
    .replace('"xrpl.mainnet.events"', "sys.argv[2]")
    .replace(
      "consumer = ",
      `import sys
next_offset = lambda: 0
values = []
def store(event, next_offset):
    values.append(json.dumps(event, ensure_ascii=False, separators=(",", ":")))
    if len(values) == ${count}:
        print("\\n".join(values))
        sys.exit()
consumer = `
    )

/** The first delivery of each event. After a kill, one may be sent again. */
const byEventId = (received: ReadonlyArray<Received>) =>
  new Map(received.toReversed().map((one) => [String(one.headers["x-service-event-id"]), one]))

const sequence = (ledgerIndex: number, position: number) =>
  `${String(ledgerIndex).padStart(10, "0")}.${String(position).padStart(6, "0")}`

const attributes = ["specversion", "id", "source", "type", "subject", "time", "sequence"]

const title = `foreign readers${missing === undefined ? "" : ` (no ${missing} here)`}`
describe.skipIf(!hasKafka || missing !== undefined)(title, () => {
  it.live(
    "find in the topic and in the files of a day exactly the events that webhooks got, although the service is killed",
    () =>
      Effect.gen(function* () {
        let ledgerMs = Date.parse(`${DAY}T00:00:00Z`) - STEP_MS
        const real = yield* Clock.Clock
        const clock: Clock.Clock = { ...real, currentTimeMillisUnsafe: () => ledgerMs }
        const ledger = yield* makeSimulatedLedger({
          seed: 9,
          networkId: 0,
          transactionsPerLedger: 12,
          hashing: "digest"
        }).pipe(Effect.provideService(Clock.Clock, clock))
        const [receiver, cloudReceiver] = [yield* makeReceiver(), yield* makeReceiver()]
        const kafka = yield* kafkaFor(() => false)
        const environment = {
          DATA_DIR: yield* makeFolder,
          ADMIN_KEY,
          KAFKA_BROKERS: kafka.brokers.join(","),
          KAFKA_TOPIC_PREFIX: kafka.topicPrefix,
          XRPL_MAINNET_URLS: ledger.url,
          XRPL_MAINNET_START: String((yield* ledger.head).header.ledger_index),
          DELIVERY_ALLOW_HTTP: "true",
          DELIVERY_ALLOW_PRIVATE_ADDRESSES: "true"
        }
        let service = yield* startService(environment)
        const client = apiClient(service.apiUrl, ADMIN_KEY)
        const wanted = { event_types: ["*"], include: ["memos", "balance_changes"], max_in_flight: 64 }
        yield* createWebhook(client, { ...wanted, url: receiver.url })
        yield* createWebhook(client, { ...wanted, url: cloudReceiver.url, format: "cloudevents" })
        const expected = new Set<string>()
        // One more, on the next day, shows that the day has ended.
        for (let i = 1; i <= LEDGERS + 1; i++) {
          ledgerMs += STEP_MS
          const closed = yield* ledger.close
          if (i <= LEDGERS) for (const id of expectedEventIds(closed)) expected.add(id)
          if (i !== LEDGERS / 2) continue
          yield* receiver.until((received) => received.length > expected.size / 2)
          yield* service.kill
          service = yield* startService(environment)
        }
        const onDay = (received: ReadonlyArray<Received>) =>
          new Map([...byEventId(received)].filter(([id]) => expected.has(id)))
        yield* waitUntil(
          Effect.sync(() =>
            [receiver, cloudReceiver].every(({ received }) => onDay(received).size === expected.size)
          ),
          "300 seconds"
        )
        const delivered = onDay(receiver.received)
        const asCloudEvents = onDay(cloudReceiver.received)
        assert.sameMembers(
          [...new Set([...delivered.values()].map(({ event }) => event.event_type))],
          [...eventTypes]
        )

        const isExpected = (value: string) => expected.has(JSON.parse(value).event_id)
        const messages = yield* Effect.promise(() => readByKcat(kafka, TOPIC))
        const values = messages.map(({ payload }) => payload)
        const byKafkajs = yield* Effect.promise(() => readByKafkajs(kafka, TOPIC, values.length))
        assert.deepStrictEqual(
          byKafkajs.map(({ value }) => value.toString()),
          values
        )
        const byConfluent = run(
          confluentProgram(values.length),
          environment.KAFKA_BROKERS,
          kafka.topicPrefix + TOPIC
        )
        assert.deepStrictEqual(byConfluent.trimEnd().split("\n"), values)

        const records = values.filter(isExpected).map(eventOfRecord)
        assert.lengthOf(records, expected.size)
        for (const { event, record } of records) {
          const { event: sent, headers } = delivered.get(event.event_id) ?? assert.fail(event.event_id)
          const { webhook_id: _, ...envelope } = sent
          assert.deepStrictEqual<unknown>(event, envelope)
          assert.strictEqual(headers["x-service-sequence"], sequence(event.ledger_index, record.position))
        }
        for (const { headers = {} } of byKafkajs) {
          const sent = asCloudEvents.get(String(headers["ce_id"]))
          if (sent === undefined) continue
          for (const name of attributes)
            assert.strictEqual(String(headers[`ce_${name}`]), sent.headers[`ce-${name}`], name)
        }

        const [parquet, lines] = [yield* makeFolder, yield* makeFolder]
        for (const [format, out] of [
          ["parquet", parquet],
          ["ndjson", lines]
        ] as const) {
          const command = ["--from", DAY, "--to", NEXT_DAY, "--format", format, "--out", out]
          const { code, stderr } = runProgram(["events", "export", ...command], { cwd: out, environment })
          assert.strictEqual(code, 0, stderr)
        }
        const inLines = globSync(join(lines, "**/*.gz")).flatMap(linesOf)
        assert.sameMembers(inLines, values.filter(isExpected))
        const byId = new Map(records.map((one) => [one.event.event_id, one]))
        for (const reader of readers) {
          const rows = run(printRows, reader, parquet)
            .trimEnd()
            .split("\n")
            .map((line) => JSON.parse(line))
          assert.lengthOf(rows, expected.size, reader)
          const seen = new Set<unknown>()
          for (const row of rows) {
            const found = eventOfRow(reader, row)
            const record = byId.get(String(found.event.event_id)) ?? assert.fail(String(found.event.event_id))
            assert.deepStrictEqual<unknown>(found, asReadBy(reader, record), reader)
            seen.add(found.event.event_id)
          }
          assert.strictEqual(seen.size, expected.size, reader)
        }
      }),
    900_000
  )
})
