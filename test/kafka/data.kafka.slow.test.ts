/** What `npm run kafka -- --registry --data DIR` keeps, and the registry of docker-compose.yml: topics, records, schemas. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { parseYaml } from "@redocly/openapi-core"
import { Context, Effect, Layer } from "effect"
import type { KafkaSettings } from "../../src/spine/config/Config.ts"
import { applyPlan, identityOf, planOf } from "../../src/spine/log/kafka/ClusterTopics.ts"
import * as KafkaLog from "../../src/spine/log/kafka/KafkaLog.ts"
import { registerSchemas } from "../../src/spine/log/kafka/SchemaRegistry.ts"
import { Log } from "../../src/spine/log/Log.ts"
import { eventOf, recordOf } from "../support/deliver/events.ts"
import { REGISTRY_STARTING_MS, registryMissing } from "../support/log/registry.ts"
import { missing, startBroker } from "./broker.ts"
import { keptInKafka, startRegistry } from "./registry.ts"

// The cast is safe: the file is part of this repository.
const { services } = parseYaml(
  readFileSync(join(import.meta.dirname, "../../docker-compose.yml"), "utf8")
) as {
  readonly services: { readonly registry: { readonly environment: Readonly<Record<string, string>> } }
}

const CONTAINERS = "kafka:19092"
const DAY_MS = 86_400_000
const SETTINGS = { retentionEventsMs: DAY_MS, retentionTransactionsMs: DAY_MS, rawTransactions: false }

/** A broker and a registry on the data in the folder, until the scope ends. */
const running = (folder: string) =>
  Effect.gen(function* () {
    const broker = yield* Effect.acquireRelease(
      Effect.promise(() => startBroker(folder)),
      ({ stop }) => Effect.promise(stop)
    )
    const environment = Object.fromEntries(
      Object.entries(services.registry.environment).map(([name, value]) => [
        name,
        value.replace(CONTAINERS, broker.brokers)
      ])
    )
    const registry = yield* Effect.acquireRelease(
      Effect.promise(() => startRegistry(folder, { environment })),
      ({ stop }) => Effect.promise(stop)
    )
    const kafka: KafkaSettings = {
      brokers: [broker.brokers],
      ssl: false,
      sasl: undefined,
      clientId: "test",
      topicPrefix: "",
      schemaRegistryUrl: undefined
    }
    const ids = yield* registerSchemas(registry.url, "", ["testnet"])
    const context = yield* Layer.build(KafkaLog.layer(kafka, ids))
    return { kafka, ids, identity: yield* identityOf(kafka), log: Context.get(context, Log) }
  })

describe.skipIf(missing() !== undefined || registryMissing)(
  "Kafka and a registry that keep their data",
  () => {
    it.live(
      "are the same cluster after a restart, with its topics, records and ids of schemas",
      () =>
        Effect.gen(function* () {
          const folder = yield* Effect.acquireRelease(
            Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-data-"))),
            (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
          )
          const record = recordOf(eventOf({ network: "testnet", position: 1 }))
          const first = yield* Effect.scoped(
            Effect.gen(function* () {
              const { ids, identity, kafka, log } = yield* running(folder)
              yield* applyPlan(kafka, yield* planOf(kafka, SETTINGS))
              yield* log.transaction({ append: [record] })
              return { ids, identity }
            })
          )
          yield* Effect.scoped(
            Effect.gen(function* () {
              const { ids, identity, log } = yield* running(folder)
              assert.deepStrictEqual(identity, first.identity)
              assert.deepStrictEqual([...ids], [...first.ids])
              const [read] = yield* log.read({ topic: record.topic, partition: 0, offset: 0 }, 10)
              assert.strictEqual(read?.value, record.value)
            })
          )
        }),
      REGISTRY_STARTING_MS
    )

    it("docker-compose.yml and npm run kafka give the registry the same storage", () => {
      const { APICURIO_COMPAT_JSON_SCHEMA_USE_APITOMY, ...storage } = services.registry.environment
      assert.deepStrictEqual(storage, keptInKafka(CONTAINERS))
    })
  }
)
