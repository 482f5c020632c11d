/**
 * Measures 1, 2 and 4 processes with the role `deliver` on a real Kafka and PostgreSQL, which send queued work to
 * receivers in a separate process. All share the cores of one machine, so it shows only what the processes cost one
 * another. It needs a Kafka broker.
 */
import { Effect, Layer } from "effect"
import { Settings } from "../src/spine/config/Config.ts"
import { DeliveryStore } from "../src/spine/deliveries/DeliveryStore.ts"
import { Partitions } from "../src/spine/deliveries/Partitions.ts"
import { ensureTopics } from "../src/spine/log/kafka/ClusterTopics.ts"
import * as KafkaLog from "../src/spine/log/kafka/KafkaLog.ts"
import { SecretBox } from "../src/spine/store/secrets/SecretBox.ts"
import { missing } from "../test/kafka/broker.ts"
import { startProcess } from "../test/support/program/serviceProcess.ts"
import type { Arrival } from "./support/arrivalsProgram.ts"
import type { Benchmark } from "./support/Benchmark.ts"
import { type Child, startChild } from "./support/Child.ts"
import { queueWorks, worksOf } from "./support/delivering.ts"
import { brokers, databaseUrl } from "./support/kafka.ts"
import { storeLayer } from "./support/store.ts"
import { makeEvents, makeWebhooks } from "./support/webhooks.ts"

const PROCESSES = [1, 2, 4]
const WEBHOOKS = 96
/** How many events each webhook gets. All deliveries fit into the lanes' memory. */
const EVENTS = 100
const BODY_BYTES = 1_024
const LOOK_MS = 50

const environmentOf = (url: string, kafkaBrokers: string, processes: number) => ({
  DATABASE_URL: url,
  KAFKA_BROKERS: kafkaBrokers,
  KAFKA_TOPIC_PREFIX: `of${processes}.`,
  SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
  XRPL_MAINNET_URLS: "",
  DELIVERY_ALLOW_HTTP: "true",
  DELIVERY_ALLOW_PRIVATE_ADDRESSES: "true"
})

const layerOf = (environment: Readonly<Record<string, string>>) =>
  Layer.mergeAll(DeliveryStore.layer, Partitions.layer, SecretBox.layer).pipe(
    Layer.provideMerge(
      Layer.unwrap(
        Effect.gen(function* () {
          const settings = yield* Settings
          const { kafka } = settings
          if (kafka === undefined) throw new Error("KAFKA_BROKERS is not set")
          yield* ensureTopics(kafka, settings)
          return KafkaLog.layer(kafka)
        })
      )
    ),
    Layer.provideMerge(storeLayer(environment))
  )

const measure = (
  processes: number,
  environment: Readonly<Record<string, string>>,
  receiver: Child,
  port: unknown
) =>
  Effect.gen(function* () {
    const { accountId, ids } = yield* makeWebhooks(
      Array.from({ length: WEBHOOKS }, (_, i) => `http://127.0.0.${i + 1}:${port}/hook`)
    )
    yield* Effect.forEach(
      Array.from({ length: processes }),
      () => startProcess({ ...environment, ROLES: "deliver", LOG_LEVEL: "info" }, /starting/),
      { concurrency: "unbounded" }
    )
    const arrivalsOf = Effect.fnUntraced(function* (count: number) {
      const times: Array<number> = []
      const seen = new Set<string>()
      while (seen.size < count) {
        yield* Effect.sleep(LOOK_MS)
        // Sent by support/arrivalsProgram.ts.
        for (const [id, , atMs] of (yield* receiver.ask("arrivals")) as ReadonlyArray<Arrival>) {
          if (seen.has(id)) continue
          seen.add(id)
          times.push(atMs)
        }
      }
      return times
    })
    // Once these have arrived, each partition has an owner and all connections are open.
    yield* queueWorks(worksOf(makeEvents(2, BODY_BYTES, processes * 10), ids), accountId)
    yield* arrivalsOf(2 * WEBHOOKS)
    yield* queueWorks(worksOf(makeEvents(EVENTS, BODY_BYTES, processes * 10 + 1), ids), accountId)
    const times = yield* arrivalsOf(EVENTS * WEBHOOKS)
    return ((times.length - 1) * 1_000) / (Math.max(...times) - Math.min(...times))
  }).pipe(Effect.scoped, Effect.provide(layerOf(environment)))

const benchmark: Benchmark = {
  description: "deliveries by 1, 2 and 4 deliver processes on Kafka and PostgreSQL, all on this machine",
  target: "reported",
  run: Effect.fnUntraced(function* (report) {
    const lacking = missing()
    if (lacking !== undefined) return yield* Effect.logWarning(`scale is left out: there is no ${lacking}`)
    const kafkaBrokers = yield* brokers
    const url = yield* databaseUrl
    const receiver = yield* startChild("arrivalsProgram.ts")
    const port = yield* receiver.ask()
    let ofOne: number | undefined
    for (const processes of PROCESSES) {
      const perSecond = yield* measure(processes, environmentOf(url, kafkaBrokers, processes), receiver, port)
      report({
        name: `scale.${processes}`,
        value: perSecond,
        unit: "deliveries/s",
        ratio: ofOne === undefined ? null : perSecond / ofOne,
        target: null,
        better: "higher"
      })
      ofOne ??= perSecond
    }
  })
}

export default benchmark
