/**
 * CloudEvents' own library reads records of the topic of events through kafkajs, with the code in docs/data-teams.md.
 * Records of 0.2, which have no such headers, stay readable beside them.
 */
import { spawnSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { HTTP } from "cloudevents"
import { Context, Effect, Layer } from "effect"
import { parseLedgerEvent } from "../../../../src/spine/event/LedgerEvent.ts"
import { cloudEventHeaders } from "../../../../src/spine/event/RequestFormat.ts"
import { makeCursor } from "../../../../src/spine/log/Cursor.ts"
import * as KafkaLog from "../../../../src/spine/log/kafka/KafkaLog.ts"
import { LogReader } from "../../../../src/spine/log/Log.ts"
import { eventOf } from "../../../support/deliver/events.ts"
import { kafkaBrokers, kafkaFor } from "../../../support/log/kafka.ts"
import { readByKafkajs } from "../../../support/log/kafkajs.ts"
import { EVENTS_EACH, writeLedgers } from "../../../support/log/kafkaLedgers.ts"
import { hasKcat } from "../../../support/log/kcat.ts"
import { codeBlocks } from "../../../support/tree/markdown.ts"

const TOPIC = "xrpl.testnet.events"
const PREFIXED = new Map([[TOPIC, 7]])
const WEBHOOK = "wh_01KAJ0Q4M8000000G3T5W7Y9ZB"

const example =
  codeBlocks("docs/data-teams.md", "js").find((block) => block.includes("CloudEvents.toEvent")) ??
  assert.fail("docs/data-teams.md has no example of CloudEvents")

/** The attributes that a record and a request to a webhook have in common. */
const common = ({ id, source, specversion, subject, time, type, ...rest }: Record<string, unknown>) => ({
  ...{ id, source, specversion, subject, time, type },
  sequence: rest["sequence"]
})

describe.skipIf(kafkaBrokers().length === 0)("records of events as CloudEvents", () => {
  it.live("have the attributes that a webhook gets, and the record as data, with and without a prefix", () =>
    Effect.gen(function* () {
      const kafka = yield* kafkaFor((topic) => topic.startsWith("xrpl.testnet."))
      yield* writeLedgers(kafka, [100, 101])
      yield* writeLedgers(kafka, [102, 103], PREFIXED)
      const messages = yield* Effect.promise(() => readByKafkajs(kafka, TOPIC, 4 * EVENTS_EACH))
      const code = `${example}
const messages = JSON.parse((await import("node:fs")).readFileSync(0, "utf8"), (_, value) =>
  value?.type === "Buffer" ? Buffer.from(value.data) : value)
console.log(JSON.stringify(messages.map(cloudEvent)))`
      const { status, stderr, stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", code], {
        input: JSON.stringify(messages),
        encoding: "utf8"
      })
      assert.strictEqual(status, 0, stderr)
      const events: ReadonlyArray<Record<string, unknown>> = JSON.parse(stdout)
      assert.lengthOf(events, 4 * EVENTS_EACH)
      for (const [i, event] of events.entries()) {
        const value = messages[i]!.value.toString().replace(/^\0[\s\S]{4}/, "")
        const record = parseLedgerEvent(value) ?? assert.fail("not an event")
        const sent = HTTP.toEvent({
          headers: { "content-type": "application/json", ...cloudEventHeaders(record, WEBHOOK) },
          body: JSON.stringify(record.payload)
        })
        assert.deepStrictEqual(common(event), common(JSON.parse(JSON.stringify(sent))))
        assert.deepStrictEqual(event["data"], JSON.parse(value))
        assert.strictEqual(event["datacontenttype"], "application/json")
      }
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(!hasKcat)("are read by the service like records of 0.2, which lack the headers", () =>
    Effect.gen(function* () {
      const kafka = yield* kafkaFor((topic) => topic.startsWith("xrpl.testnet."))
      const old = JSON.stringify(eventOf({ network: "testnet", ledgerIndex: 99 }))
      const header = "event-type=payment.xrp"
      const { status } = spawnSync(
        "kcat",
        ["-P", "-b", kafka.brokers.join(","), "-t", kafka.topicPrefix + TOPIC, "-k", "testnet", "-H", header],
        { input: old }
      )
      assert.strictEqual(status, 0)
      yield* writeLedgers(kafka, [100])
      const log = Context.get(yield* Layer.build(KafkaLog.readerLayer(kafka)), LogReader)
      const { next } = makeCursor(log, { topic: TOPIC, partition: 0, offset: 0 })
      const records = yield* Effect.forEach([1, 2, 3, 4], () =>
        Effect.map(next, (record) => record ?? assert.fail("a record is missing"))
      )
      assert.deepStrictEqual(
        records.map(({ value }) => parseLedgerEvent(value)?.ledger_index),
        [99, 100, 100, 100]
      )
      const names = ["event-type", "event-id", "ledger-index", "content-type"]
      assert.deepStrictEqual(
        records.map(({ headers }) => Object.keys(headers)),
        [["event-type"], names, names, names]
      )
    }).pipe(Effect.scoped)
  )
})
