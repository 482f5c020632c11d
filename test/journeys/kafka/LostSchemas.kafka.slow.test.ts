/** A schema registry that is away, or loses everything while the service runs: what is repaired, and what is not. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { SchemaRegistry } from "@kafkajs/confluent-schema-registry"
import { Ajv2020 } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import { Effect, Schedule } from "effect"
import { lastInKafka, oldestSchemaIds } from "../../../src/features/operate/doctor/LastTaken.ts"
import { schemaRegistryCheck } from "../../../src/features/operate/doctor/SchemaRegistryCheck.ts"
import type { KafkaSettings } from "../../../src/spine/config/Config.ts"
import { ledgersTopic } from "../../../src/spine/event/LedgerEvent.ts"
import * as KafkaLog from "../../../src/spine/log/kafka/KafkaLog.ts"
import { encodeValue } from "../../../src/spine/log/kafka/WireFormat.ts"
import { LogReader } from "../../../src/spine/log/Log.ts"
import { freePort } from "../../kafka/javaServer.ts"
import { startRegistry } from "../../kafka/registry.ts"
import { waitUntil } from "../../support/http/apiClient.ts"
import { makeSimulatedLedger } from "../../support/ledger/simulatedLedger.ts"
import { kafkaBrokers, kafkaFor } from "../../support/log/kafka.ts"
import { REGISTRY_STARTING_MS, registryMissing } from "../../support/log/registry.ts"
import { startProcess } from "../../support/program/serviceProcess.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-lost-schemas-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

/** Keeps its schemas in memory only. */
const registryOn = (logs: string, port: number) =>
  Effect.acquireRelease(
    Effect.promise(() => startRegistry(logs, { port })),
    ({ stop }) => Effect.promise(stop)
  )

const ask = (url: string, body?: object) =>
  Effect.promise(async () => {
    const response = await fetch(url, {
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
      headers: { "content-type": "application/vnd.schemaregistry.v1+json" }
    })
    return { status: response.status, body: JSON.parse(await response.text()) }
  })

/** The marker of a ledger, once it is there. */
const markerOf = (kafka: KafkaSettings, ledgerIndex: number) =>
  Effect.gen(function* () {
    const log = yield* LogReader
    const last = log.last({ topic: ledgersTopic("mainnet"), partition: 0 })
    const found = yield* Effect.repeat(last, {
      until: (record) => JSON.parse(record?.value ?? "{}").ledger_index === ledgerIndex,
      schedule: Schedule.spaced("100 millis")
    }).pipe(Effect.timeout("60 seconds"))
    return found!
  }).pipe(Effect.provide(KafkaLog.readerLayer(kafka)), Effect.scoped)

describe.skipIf(registryMissing || kafkaBrokers().length === 0)("a schema registry that fails", () => {
  it.live(
    "gets schemas that it has lost again within a minute, and new records name ids that it knows",
    () =>
      Effect.gen(function* () {
        const logs = yield* folder
        const port = yield* Effect.promise(freePort)
        const kafka = yield* kafkaFor(() => true)
        const ledger = yield* makeSimulatedLedger({
          seed: 5,
          networkId: 0,
          transactionsPerLedger: 10,
          hashing: "digest"
        })
        const first = yield* registryOn(logs, port)
        // Another team was there before, so the emptied registry counts otherwise.
        const other = yield* ask(`${first.url}/subjects/other-value/versions`, {
          schemaType: "JSON",
          schema: '{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}'
        })
        assert.strictEqual(other.status, 200)
        const { output } = yield* startProcess(
          {
            DATA_DIR: join(logs, "data"),
            KAFKA_BROKERS: kafka.brokers.join(","),
            KAFKA_TOPIC_PREFIX: kafka.topicPrefix,
            SCHEMA_REGISTRY_URL: first.url,
            XRPL_MAINNET_URLS: ledger.url,
            XRPL_MAINNET_START: String((yield* ledger.head).header.ledger_index)
          },
          /Ledgerhook API: /
        )
        const closed = Effect.map(ledger.close, ({ header }) => header.ledger_index)
        const { schemaId: before } = yield* markerOf(kafka, yield* closed)
        assert.strictEqual((yield* ask(`${first.url}/schemas/ids/${before}`)).status, 200)

        yield* Effect.promise(first.stop)
        const second = yield* registryOn(logs, port)
        yield* waitUntil(
          Effect.sync(() => output().includes("the schema registry had lost")),
          "90 seconds"
        )
        const newest = yield* markerOf(kafka, yield* closed)
        const decoded = yield* Effect.promise(() =>
          new SchemaRegistry(
            { host: second.url },
            { JSON: { ajvInstance: addFormats.default(new Ajv2020()) } }
          ).decode(encodeValue(newest.value!, newest.schemaId))
        )
        assert.strictEqual(decoded.ledger_index, (yield* ledger.head).header.ledger_index)

        // Without the other team's schema the ids have moved, and that cannot be repaired.
        assert.notStrictEqual(newest.schemaId, before)
        assert.match(
          output(),
          new RegExp(
            `the schema registry has given other ids \\(.*${newest.schemaId} instead of ${before}[,)]`
          )
        )
        const networks = ["mainnet"] as const
        const { detail, status } = yield* schemaRegistryCheck(
          second.url,
          kafka.topicPrefix,
          networks,
          lastInKafka(kafka, networks),
          oldestSchemaIds(kafka, networks)
        )
        assert.strictEqual(status, "problem", detail)
        assert.match(detail, /does not have the schemas that old records name: \d+ \(xrpl\.mainnet\.events\)/)
      }).pipe(Effect.scoped),
    REGISTRY_STARTING_MS
  )

  it.live(
    "is waited for by a start, if it is away",
    () =>
      Effect.gen(function* () {
        const logs = yield* folder
        const port = yield* Effect.promise(freePort)
        const kafka = yield* kafkaFor(() => false)
        const { output } = yield* startProcess(
          {
            DATA_DIR: join(logs, "data"),
            KAFKA_BROKERS: kafka.brokers.join(","),
            KAFKA_TOPIC_PREFIX: kafka.topicPrefix,
            SCHEMA_REGISTRY_URL: `http://127.0.0.1:${port}/apis/ccompat/v7`,
            XRPL_MAINNET_URLS: ""
          },
          /the start waits for the schema registry: SCHEMA_REGISTRY_URL: /
        )
        assert.notInclude(output(), "Ledgerhook API")
        yield* registryOn(logs, port)
        yield* waitUntil(
          Effect.sync(() => output().includes("Ledgerhook API")),
          "90 seconds"
        )
      }).pipe(Effect.scoped),
    REGISTRY_STARTING_MS
  )
})
