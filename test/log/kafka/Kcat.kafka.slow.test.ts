/** A consumer that is not ours, librdkafka's `kcat`, reads the public topics as topics/README.md says it can. */
import { spawnSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { KafkaSettings } from "../../../src/config/Config.ts"
import { kafkaBrokers, kafkaFor } from "../../support/kafka.ts"
import { EVENTS_EACH, writeLedgers } from "../../support/kafkaLedgers.ts"

const hasKcat = spawnSync("kcat", ["-V"]).status === 0
if (!hasKcat && process.env["REQUIRE_KAFKA"] === "1") {
  throw new Error("REQUIRE_KAFKA: no consumer outside of Node can be had here; install kcat.")
}

interface Message {
  readonly offset: number
  readonly key: string
  readonly headers: ReadonlyArray<string>
  readonly payload: string
}

/** Everything that is committed in the topic, by a process of its own. */
const consume = ({ brokers, topicPrefix }: KafkaSettings, topic: string): ReadonlyArray<Message> => {
  const { status, stdout, stderr } = spawnSync(
    "kcat",
    [
      ...["-b", brokers.join(","), "-t", topicPrefix + topic],
      ...["-C", "-o", "beginning", "-e", "-q", "-J", "-X", "isolation.level=read_committed"]
    ],
    { encoding: "utf8", timeout: 60_000 }
  )
  assert.strictEqual(status, 0, stderr)
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))
}

const LEDGERS = [100, 101, 102, 103]
const SCHEMA_ID = 7

const written = (schemaIds?: ReadonlyMap<string, number>) =>
  Effect.gen(function* () {
    const kafka = yield* kafkaFor((topic) => topic.startsWith("xrpl.testnet."))
    yield* writeLedgers(kafka, LEDGERS, schemaIds)
    return kafka
  })

describe.skipIf(!hasKcat || kafkaBrokers().length === 0)("a consumer outside of Node (Debian's kcat)", () => {
  it.live("reads each committed event once, in ledger order, with its key and headers", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const messages = consume(yield* written(), "xrpl.testnet.events")
        const events = messages.map(({ payload }) => JSON.parse(payload))
        assert.deepStrictEqual(
          events.map(({ ledger_index, position }) => [ledger_index, position]),
          LEDGERS.flatMap((ledgerIndex) => [0, 1, 2].map((position) => [ledgerIndex, position]))
        )
        for (const [i, { headers, key }] of messages.entries()) {
          const { event_id, event_type, ledger_index } = events[i]
          assert.strictEqual(key, "testnet")
          assert.deepStrictEqual(headers, [
            ...["event-type", event_type, "event-id", event_id],
            ...["ledger-index", String(ledger_index), "content-type", "application/json"]
          ])
        }
      })
    )
  )

  it.live("finds by a ledger's marker all of the ledger's events, and no aborted ones", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const kafka = yield* written()
        const events = consume(kafka, "xrpl.testnet.events")
        const markers = consume(kafka, "xrpl.testnet.ledgers").map(({ payload }) => JSON.parse(payload))
        assert.deepStrictEqual(
          markers.map(({ ledger_index }) => ledger_index),
          LEDGERS
        )
        for (const { event_count, first_event_offset, ledger_index } of markers) {
          const from = events.findIndex(({ offset }) => offset === first_event_offset)
          const own = events.slice(from, from + event_count).map(({ payload }) => JSON.parse(payload))
          assert.deepStrictEqual(
            own.map((event) => [event.ledger_index, event.position]),
            [0, 1, 2].map((position) => [ledger_index, position])
          )
        }
      })
    )
  )

  it.live("sees Confluent's prefix before the JSON where a registry is used", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const kafka = yield* written(new Map([["xrpl.testnet.events", SCHEMA_ID]]))
        const events = consume(kafka, "xrpl.testnet.events")
        assert.strictEqual(events.length, LEDGERS.length * EVENTS_EACH)
        for (const { payload } of events) {
          assert.deepStrictEqual([...Buffer.from(payload).subarray(0, 5)], [0, 0, 0, 0, SCHEMA_ID])
          assert.strictEqual(JSON.parse(payload.slice(5)).network, "testnet")
        }
        assert.match(consume(kafka, "xrpl.testnet.ledgers")[0]!.payload, /^\{/)
      })
    )
  )
})
