/** An independent consumer, `kcat` with librdkafka, reads the public topics as docs/data-teams.md says. */
import { spawnSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer } from "effect"
import type { KafkaSettings } from "../../../src/spine/config/Config.ts"
import * as KafkaLog from "../../../src/spine/log/kafka/KafkaLog.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { batchOf } from "../../features/events/transactions.ts"
import { chain, type RawTransaction } from "../../support/ledger/chain.ts"
import { corpusPresent, corpusRuns } from "../../support/ledger/corpusLedgers.ts"
import { kafkaBrokers, kafkaFor } from "../../support/log/kafka.ts"
import { EVENTS_EACH, writeLedgers } from "../../support/log/kafkaLedgers.ts"
import { hasKcat, readByKcat } from "../../support/log/kcat.ts"
import { codeBlocks } from "../../support/tree/markdown.ts"

const consume = (...of: Parameters<typeof readByKcat>) => Effect.promise(() => readByKcat(...of))

const LEDGERS = [100, 101, 102, 103]
const SCHEMA_ID = 7

const placeOf = ({ metaData }: RawTransaction) => Object(metaData).TransactionIndex as number

const written = (schemaIds?: ReadonlyMap<string, number>) =>
  Effect.gen(function* () {
    const kafka = yield* kafkaFor((topic) => topic.startsWith("xrpl.testnet."))
    yield* writeLedgers(kafka, LEDGERS, schemaIds)
    return kafka
  })

/** The commands of the page. Those that follow what happens are made to read what is there, and end. */
const commandsFor = ({ brokers, topicPrefix }: Pick<KafkaSettings, "brokers" | "topicPrefix">) =>
  codeBlocks("docs/data-teams.md", "sh")
    .flatMap((block) => block.split("\n"))
    .filter((line) => line.startsWith("kcat "))
    .map((line) =>
      line
        .replace("-o end", "-o beginning -e")
        .replace("localhost:9092", brokers.join(","))
        .replace("xrpl.mainnet.", `${topicPrefix}xrpl.testnet.`)
    )

const linesOf = (command: string) =>
  spawnSync("sh", ["-c", command], { encoding: "utf8", timeout: 30_000 }).stdout.trimEnd().split("\n")

describe.skipIf(!hasKcat || kafkaBrokers().length === 0)("a consumer outside of Node (Debian's kcat)", () => {
  it.live("reads each committed event once, in ledger order, with its key and headers", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const messages = yield* consume(yield* written(), "xrpl.testnet.events")
        const events = messages.map(({ payload }) => JSON.parse(payload))
        assert.deepStrictEqual(
          events.map(({ ledger_index, position }) => [ledger_index, position]),
          LEDGERS.flatMap((ledgerIndex) => [0, 1, 2].map((position) => [ledgerIndex, position]))
        )
        for (const [i, { headers, key }] of messages.entries()) {
          const { event_id, event_type, ledger_index, position } = events[i]
          assert.strictEqual(key, "testnet")
          assert.deepStrictEqual(headers, [
            ...["event-type", event_type, "event-id", event_id],
            ...["ledger-index", String(ledger_index), "content-type", "application/json"],
            ...["ce_specversion", "1.0", "ce_id", event_id, "ce_source", "urn:ledgerhook:testnet"],
            ...[
              "ce_type",
              event_type,
              "ce_subject",
              event_id.split(":")[2],
              "ce_time",
              "2025-05-08T06:13:20Z"
            ],
            ...["ce_sequence", `0000000${ledger_index}.00000${position}`]
          ])
        }
      })
    )
  )

  it.live("finds by a ledger's marker all of the ledger's events, and no aborted ones", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const kafka = yield* written()
        const events = yield* consume(kafka, "xrpl.testnet.events")
        const markers = (yield* consume(kafka, "xrpl.testnet.ledgers")).map(({ payload }) =>
          JSON.parse(payload)
        )
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

  it.live(
    "finds by a ledger's marker all of its transactions, as its server gave them, and no aborted ones",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const kafka = yield* kafkaFor((topic) => topic.startsWith("xrpl.testnet."))
          const ledgers = corpusPresent ? corpusRuns(0)[0]!.ledgers : chain(100, 103, { transactions: 5 })
          const log = Context.get(yield* Layer.build(KafkaLog.layer(kafka)), Log)
          const { append, appendThen } = batchOf("testnet", ledgers, Date.now())
          const dying = () => {
            throw new Error("the process dies before the markers")
          }
          assert.isTrue(Exit.isFailure(yield* Effect.exit(log.transaction({ append, appendThen: dying }))))
          yield* log.transaction({ append, ...(appendThen && { appendThen }) })
          const records = yield* consume(kafka, "xrpl.testnet.transactions")
          assert.lengthOf(records, append.length)
          const markers = (yield* consume(kafka, "xrpl.testnet.ledgers")).map(({ payload }) =>
            JSON.parse(payload)
          )
          for (const [i, marker] of markers.entries()) {
            const from = records.findIndex(({ offset }) => offset === marker.first_transaction_offset)
            const own = records.slice(Math.max(0, from)).slice(0, marker.transaction_record_count)
            const given = ledgers[i]!.transactions.toSorted((a, b) => placeOf(a) - placeOf(b))
            assert.lengthOf(own, given.length)
            for (const [place, { headers, key, payload }] of own.entries()) {
              const { hash, metaData } = given[place]!
              const record = JSON.parse(payload)
              assert.deepInclude(record, { hash, position: place, ledger_hash: marker.ledger_hash })
              assert.deepStrictEqual(record.meta, metaData)
              assert.strictEqual(key, "testnet")
              assert.deepStrictEqual(headers, [
                ...["transaction-hash", hash, "transaction-type", record.tx_json.TransactionType],
                ...["ledger-index", String(marker.ledger_index), "content-type", "application/json"]
              ])
            }
          }
        })
      )
  )

  it.live("is called as docs/data-teams.md shows", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { brokers, topicPrefix } = yield* written()
        const printed = commandsFor({ brokers, topicPrefix })
          .filter((command) => !command.includes("sed"))
          .map(linesOf)
        // The values; all retained events with offset, headers and value; the marker of the newest ledger.
        assert.deepStrictEqual(
          printed.map((lines) => lines.length),
          [LEDGERS.length * EVENTS_EACH, LEDGERS.length * EVENTS_EACH, 1]
        )
        for (const line of printed[0]!) assert.strictEqual(JSON.parse(line).network, "testnet")
        assert.match(printed[1]![0]!, /^\d+ event-type=payment\.xrp,.*\{"event_id"/)
        assert.strictEqual(JSON.parse(printed[2]![0]!).ledger_index, LEDGERS.at(-1))
      })
    )
  )

  it.live("sees Confluent's prefix before the JSON where a registry is used", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const kafka = yield* written(new Map([["xrpl.testnet.events", SCHEMA_ID]]))
        const events = yield* consume(kafka, "xrpl.testnet.events")
        assert.strictEqual(events.length, LEDGERS.length * EVENTS_EACH)
        for (const { payload } of events) {
          assert.deepStrictEqual([...Buffer.from(payload).subarray(0, 5)], [0, 0, 0, 0, SCHEMA_ID])
          assert.strictEqual(JSON.parse(payload.slice(5)).network, "testnet")
        }
        const withoutPrefix = commandsFor(kafka)
          .filter((command) => command.includes("sed"))
          .flatMap(linesOf)
        assert.deepStrictEqual(
          withoutPrefix,
          events.map(({ payload }) => payload.slice(5))
        )
        const [marker] = yield* consume(kafka, "xrpl.testnet.ledgers")
        assert.match(marker!.payload, /^\{/)
      })
    )
  )
})
