/** A real registry: schemas are registered once, may only gain fields, and values carry their schema's id. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { publishedSchemas } from "../../../../src/spine/event/JsonSchemas.ts"
import type { JsonObject } from "../../../../src/spine/event/Ledger.ts"
import * as KafkaLog from "../../../../src/spine/log/kafka/KafkaLog.ts"
import { examineSchemas, registerSchemas } from "../../../../src/spine/log/kafka/SchemaRegistry.ts"
import { Log } from "../../../../src/spine/log/Log.ts"
import { eventOf, recordOf } from "../../../support/deliver/events.ts"
import { kafkaBrokers, kafkaFor } from "../../../support/log/kafka.ts"
import {
  askRegistry as ask,
  REGISTRY_STARTING_MS,
  Registry,
  registryMissing
} from "../../../support/log/registry.ts"
import { startService } from "../../../support/program/serviceProcess.ts"

const document = (name: string): JsonObject =>
  publishedSchemas().find(({ path }) => path === `records/${name}.schema.json`)!.document

/** The schema that an earlier version would have registered. */
const registerEarlier = (subject: string, earlier: JsonObject) =>
  ask(`/subjects/${subject}/versions`, { schemaType: "JSON", schema: JSON.stringify(earlier) })

const without = (schema: JsonObject, field: string): JsonObject => {
  const { [field]: _, ...properties } = schema["properties"] as JsonObject
  return { ...schema, properties }
}

/** The event schema of a version that had neither the optional field `uri` nor the last event type. */
const earlierEvent = (): JsonObject => {
  const earlier = JSON.parse(JSON.stringify(document("event")))
  delete earlier.properties.payload.properties.uri
  delete earlier.$defs.NftMinted.properties.uri
  earlier.oneOf.pop()
  delete earlier.$defs.CheckCancelled
  earlier.$defs.EventType.enum = earlier.$defs.EventType.enum.filter(
    (type: string) => type !== "check.cancelled"
  )
  return earlier
}

const withProperty = (schema: JsonObject, field: string, type: string): JsonObject => ({
  ...schema,
  properties: { ...(schema["properties"] as JsonObject), [field]: { type } }
})

const TEST_MS = 120_000

describe.skipIf(registryMissing || kafkaBrokers().length === 0)(
  "a schema registry on Confluent's API",
  () => {
    layer(Registry.layer, { timeout: REGISTRY_STARTING_MS, excludeTestServices: true })((test) => {
      test.effect(
        "keeps one schema for each public topic, however often the program starts",
        () =>
          Effect.gen(function* () {
            const { url } = yield* Registry
            const register = registerSchemas(url, "once.", ["mainnet", "testnet"], { rawTransactions: true })
            const [first, second] = yield* Effect.all([register, register], { concurrency: "unbounded" })
            assert.deepStrictEqual(first, second)
            assert.deepStrictEqual(yield* register, first)
            assert.strictEqual(first.size, 10)
            for (const [topic, id] of first) {
              const subject = `once.${topic}-value`
              assert.deepStrictEqual(yield* ask(`/subjects/${subject}/versions`), [1])
              assert.strictEqual((yield* ask(`/config/${subject}`)).compatibilityLevel, "BACKWARD_TRANSITIVE")
              const { schema, schemaType } = yield* ask(`/schemas/ids/${id}`)
              assert.strictEqual(schemaType, "JSON")
              assert.deepStrictEqual(
                JSON.parse(schema),
                document(/(event|ledger|transaction)s$/.exec(topic)![1]!)
              )
            }
          }),
        TEST_MS
      )

      test.effect("accepts a schema that has gained an optional field", () =>
        Effect.gen(function* () {
          const { url } = yield* Registry
          const subject = "grown.xrpl.testnet.ledgers-value"
          const earlier = yield* registerEarlier(subject, without(document("ledger"), "range_since"))
          const before = yield* examineSchemas(url, "grown.", ["testnet"])
          assert.deepStrictEqual(before[0], {
            subject,
            registered: false,
            known: true,
            accepted: true,
            strict: false
          })
          const ids = yield* registerSchemas(url, "grown.", ["testnet"])
          for (const state of yield* examineSchemas(url, "grown.", ["testnet"]))
            assert.deepStrictEqual([state.registered, state.strict, state.accepted], [true, true, true])
          assert.notStrictEqual(ids.get("xrpl.testnet.ledgers"), earlier.id)
          assert.deepStrictEqual(yield* ask(`/subjects/${subject}/versions`), [1, 2])
        })
      )

      test.effect(
        "accepts an event schema whose payloads have gained an optional field and an event type",
        () =>
          Effect.gen(function* () {
            const { url } = yield* Registry
            const subject = "payloads.xrpl.testnet.events-value"
            const earlier = yield* registerEarlier(subject, earlierEvent())
            const before = yield* examineSchemas(url, "payloads.", ["testnet"])
            assert.deepInclude(
              before.find((state) => state.subject === subject),
              { registered: false, accepted: true }
            )
            const ids = yield* registerSchemas(url, "payloads.", ["testnet"])
            assert.notStrictEqual(ids.get("xrpl.testnet.events"), earlier.id)
            assert.deepStrictEqual(yield* ask(`/subjects/${subject}/versions`), [1, 2])
          })
      )

      test.effect(
        "refuses one that cannot read what was written before, and so does the program to start",
        () =>
          Effect.gen(function* () {
            const { url } = yield* Registry
            const kafka = yield* kafkaFor(() => true)
            const subject = `${kafka.topicPrefix}xrpl.testnet.events-value`
            yield* registerEarlier(subject, withProperty(document("event"), "position", "string"))
            const refusal = new RegExp(
              `SCHEMA_REGISTRY_URL: the registry at [^ ]+ refuses this version's schema of ${subject}, because it cannot read`
            )
            const { message } = yield* Effect.flip(registerSchemas(url, kafka.topicPrefix, ["testnet"]))
            assert.match(message, refusal)
            assert.deepStrictEqual(yield* ask(`/subjects/${subject}/versions`), [1])
            const states = yield* examineSchemas(url, kafka.topicPrefix, ["testnet"])
            assert.deepStrictEqual(
              states.filter(({ accepted }) => !accepted).map((state) => state.subject),
              [subject]
            )

            const folder = mkdtempSync(join(tmpdir(), "ledgerhook-refused-"))
            yield* Effect.addFinalizer(() =>
              Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
            )
            const failed = yield* Effect.flip(
              startService({
                DATA_DIR: folder,
                KAFKA_BROKERS: kafka.brokers.join(","),
                KAFKA_TOPIC_PREFIX: kafka.topicPrefix,
                SCHEMA_REGISTRY_URL: url,
                XRPL_MAINNET_URLS: ""
              })
            )
            assert.match(failed.message, refusal)
          })
      )

      test.effect("gives the ids that values carry; with and without, they are read as the same JSON", () =>
        Effect.gen(function* () {
          const { url } = yield* Registry
          const kafka = yield* kafkaFor((topic) => topic === "xrpl.testnet.events")
          const ids = yield* registerSchemas(url, kafka.topicPrefix, ["testnet"])
          const events = [1, 2, 3].map((position) => recordOf(eventOf({ network: "testnet", position })))
          const open = (schemaIds?: ReadonlyMap<string, number>) =>
            Effect.map(Layer.build(KafkaLog.layer(kafka, schemaIds)), (context) => Context.get(context, Log))
          const [plain, registered] = [yield* open(), yield* open(ids)]
          yield* plain.transaction({ append: [events[0]!] })
          yield* registered.transaction({ append: [events[1]!] })
          yield* plain.transaction({ append: [events[2]!] })
          const from = { topic: "xrpl.testnet.events", partition: 0, offset: 0 }
          const read: Array<string | null> = []
          for (let offset = 0; read.length < 3; ) {
            const records = yield* plain.read({ ...from, offset }, 10)
            read.push(...records.map(({ value }) => value))
            offset = records.at(-1)!.offset + 1
          }
          assert.deepStrictEqual(
            read,
            events.map(({ value }) => value)
          )
        })
      )
    })
  }
)
