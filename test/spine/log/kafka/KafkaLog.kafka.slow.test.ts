/** The log on a real Kafka passes the suite of all logs. */
import { assert, describe, it } from "@effect/vitest"
import { Admin } from "@platformatic/kafka"
import { Context, Effect, Fiber, Layer } from "effect"
import { DELIVERIES_TOPIC, REPLAYS_TOPIC } from "../../../../src/spine/domain/Delivery.ts"
import * as KafkaLog from "../../../../src/spine/log/kafka/KafkaLog.ts"
import { ownName } from "../../../../src/spine/log/kafka/Names.ts"
import { clientOptions } from "../../../../src/spine/log/kafka/Options.ts"
import { Log } from "../../../../src/spine/log/Log.ts"
import { waitUntil } from "../../../support/http/apiClient.ts"
import { kafkaBrokers, kafkaFor } from "../../../support/log/kafka.ts"
import { suite } from "../conformance/log.ts"
import { suite as transactionsSuite } from "../conformance/transactions.ts"

const subject = Effect.map(
  kafkaFor((topic) => !topic.startsWith("webhooks.delay.") && !/main|dev/.test(topic)),
  (kafka) => ({
    dense: false,
    durable: true,
    open: Effect.map(Layer.build(KafkaLog.layer(kafka)), (context) => Context.get(context, Log))
  })
)

describe.skipIf(kafkaBrokers().length === 0)("Kafka log", () => {
  suite(subject)
  transactionsSuite(
    Effect.map(
      kafkaFor((topic) => topic.startsWith("xrpl.testnet.")),
      (kafka) => KafkaLog.layer(kafka)
    )
  )

  it.live("has consumer groups that begin with the prefix and name the program", () =>
    Effect.gen(function* () {
      const kafka = yield* kafkaFor((topic) => topic === DELIVERIES_TOPIC)
      const log = Context.get(yield* Layer.build(KafkaLog.layer(kafka)), Log)
      yield* Effect.forkScoped(
        log.consume({ group: "route", topics: [DELIVERIES_TOPIC] }, () => Effect.never)
      )
      const admin = yield* Effect.acquireRelease(
        Effect.sync(() => new Admin(clientOptions(kafka))),
        (opened) => Effect.promise(() => opened.close())
      )
      const groups = Effect.map(
        Effect.tryPromise(() => admin.listGroups({ types: ["consumer"] })),
        (all) => [...all.keys()].filter((id) => id.startsWith(kafka.topicPrefix))
      )
      yield* waitUntil(
        Effect.map(groups, (own) => own.length > 0),
        "30 seconds"
      )
      assert.deepStrictEqual(yield* groups, [`${kafka.topicPrefix}ledgerhook.route`])
      assert.strictEqual(ownName({ topicPrefix: "" }, "route"), "ledgerhook.route")
    }).pipe(Effect.scoped)
  )

  it.live(
    "with `together`, gives partition n of all topics to one owner, while owners come and go",
    () =>
      Effect.gen(function* () {
        const { open } = yield* subject
        const topics = [DELIVERIES_TOPIC, REPLAYS_TOPIC]
        const owner = Effect.gen(function* () {
          const log = yield* open
          const held = new Map(topics.map((topic) => [topic, new Set<number>()]))
          const fiber = yield* Effect.forkScoped(
            log.consume({ group: "together", topics, together: true }, ({ topic, partition }) =>
              Effect.acquireUseRelease(
                Effect.sync(() => held.get(topic)!.add(partition)),
                () => Effect.never,
                () => Effect.sync(() => held.get(topic)!.delete(partition))
              )
            )
          )
          const holds = (count: number) =>
            waitUntil(
              Effect.sync(() => [...held.values()].every(({ size }) => size === count)),
              "30 seconds"
            )
          const [deliveries, replays] = topics.map((topic) => held.get(topic)!)
          return {
            holds,
            same: () => assert.deepStrictEqual(deliveries, replays),
            stop: Fiber.interrupt(fiber)
          }
        })
        const first = yield* owner
        yield* first.holds(24)
        const second = yield* owner
        for (const one of [first, second]) yield* one.holds(12)
        for (const one of [first, second]) one.same()
        yield* first.stop
        yield* second.holds(24)
      }).pipe(Effect.scoped),
    90_000
  )
})
