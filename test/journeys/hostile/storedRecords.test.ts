/**
 * Records of the log that cannot be read, on every topic that a stage consumes: each becomes a dead letter or is skipped with a
 * reason, and none stops the records behind it.
 */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { EventIndex } from "../../../src/features/events/EventIndex.ts"
import { events } from "../../../src/features/events/IndexEvents.ts"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import {
  DELIVERIES_TOPIC,
  delayTopic,
  newWork,
  parseWork,
  REPLAYS_TOPIC
} from "../../../src/spine/domain/Delivery.ts"
import { CONFIG_TOPIC } from "../../../src/spine/domain/Webhook.ts"
import { eventsTopic, parseLedgerEvent } from "../../../src/spine/event/LedgerEvent.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { partitionOf } from "../../../src/spine/log/Topics.ts"
import { WebhookRegistry } from "../../../src/spine/registry/WebhookRegistry.ts"
import { route } from "../../../src/spine/route/Route.ts"
import { RoutedWebhooks } from "../../../src/spine/route/RoutedWebhooks.ts"
import { type DeadLetterStage, makeDeadLetters } from "../../../src/spine/store/DeadLetters.ts"
import { Outbox } from "../../../src/spine/store/outbox/Outbox.ts"
import { deliveryId } from "../../../src/spine/words/Ids.ts"
import {
  deliveringLayer,
  eventually,
  makeWebhook,
  queueEvents,
  queueReplayed,
  startDelivering,
  untilAll
} from "../../support/deliver/delivering.ts"
import { eventOf, recordOf } from "../../support/deliver/events.ts"
import { makeReceiver } from "../../support/deliver/receiver.ts"
import { damagedCopies, noRecords } from "./damaged.ts"

const MOST = 10_000

/** Appends the values under one key. Returns the offsets of the partition. */
const append = Effect.fnUntraced(function* (
  topic: string,
  key: string,
  values: ReadonlyArray<string | null>
) {
  const log = yield* Log
  const positions = yield* log.transaction({ append: values.map((value) => ({ topic, key, value })) })
  return positions.map(({ offset }) => offset)
})

/** The sources of the stage's dead letters. */
const deadLettersOf = Effect.fnUntraced(function* (stage: DeadLetterStage) {
  const { rows } = yield* (yield* makeDeadLetters).newest(MOST)
  return new Set(rows.filter((row) => row.stage === stage).map(({ source }) => source))
})

/** A delivery whose only work is what the test appends. */
const queueRow = Effect.fnUntraced(function* (webhookId: string) {
  const store = yield* DeliveryStore
  const event = eventOf({ position: 9 })
  const id = deliveryId(event.detected_at, event.position, webhookId, event.event_id)
  const row = {
    id,
    webhookId,
    accountId: "acct_1",
    network: event.network,
    eventId: event.event_id,
    eventType: event.event_type,
    eventOffset: 0
  }
  yield* store.insertPending([row], event.detected_at)
  return [id]
})

describe.each([DELIVERIES_TOPIC, REPLAYS_TOPIC, delayTopic(2), delayTopic(10)])("on %s", (topic) => {
  it.live("a record that is no work becomes a dead letter, and the work behind it is delivered", () =>
    Effect.gen(function* () {
      const receiver = yield* makeReceiver()
      const webhookId = yield* makeWebhook(receiver.url)
      const [id] = yield* queueEvents(webhookId, 1)
      const work = newWork(id!, webhookId, eventOf({}))
      const damaged = damagedCopies({ ...work, row: { account_id: "acct_1", event_offset: 0 } }).map(
        ({ value }) => value
      )
      const unreadable = [
        ...noRecords,
        null,
        ...damaged.filter((value) => parseWork(value)?.webhook_id !== webhookId)
      ]
      assert.isAbove(unreadable.length, 200)
      const offsets = yield* append(topic, webhookId, unreadable)
      // Work that can be read and is of no use, such as that of an unknown delivery or one that is due in the year 6429.
      yield* append(
        topic,
        webhookId,
        damaged.filter((value) => parseWork(value)?.webhook_id === webhookId)
      )
      const good = yield* topic === REPLAYS_TOPIC ? queueReplayed(webhookId, 1) : queueEvents(webhookId, 1)
      const [last] = yield* queueRow(webhookId)
      yield* append(topic, webhookId, [JSON.stringify({ ...work, delivery_id: last })])
      yield* startDelivering
      yield* untilAll([id!, last!, ...good], "delivered")
      const isWaiting = topic.startsWith("webhooks.delay.")
      const partition = partitionOf(topic, webhookId)
      yield* eventually(
        Effect.map(deadLettersOf("deliver"), (sources) => {
          // The delay stage moves a record that it cannot read to the delivery actor, which gives it a new offset.
          const expected = offsets.filter((offset) => !sources.has(`${topic}/${partition}@${offset}`))
          assert.deepStrictEqual(isWaiting ? [] : expected, [])
          assert.isAtLeast(sources.size, Math.min(unreadable.length, 1_000))
        })
      )
    }).pipe(Effect.scoped, Effect.provide(deliveringLayer()))
  )
})

it.live("work that would make a row of another time than its event's becomes a dead letter", () =>
  Effect.gen(function* () {
    const receiver = yield* makeReceiver()
    const webhookId = yield* makeWebhook(receiver.url)
    const event = eventOf({})
    const ids = [`dlv_${"Z".repeat(26)}`, `dlv_7${"Z".repeat(25)}`, `dlv_${"0".repeat(26)}`, "__proto__"]
    const works = ids.map((id) => ({
      ...newWork(id, webhookId, event),
      row: { account_id: "acct_1", event_offset: 0 }
    }))
    const offsets = yield* append(
      DELIVERIES_TOPIC,
      webhookId,
      works.map((work) => JSON.stringify(work))
    )
    const good = yield* queueEvents(webhookId, 1)
    yield* startDelivering
    yield* untilAll(good, "delivered")
    const partition = partitionOf(DELIVERIES_TOPIC, webhookId)
    const sources = yield* deadLettersOf("deliver")
    for (const offset of offsets) assert.isTrue(sources.has(`${DELIVERIES_TOPIC}/${partition}@${offset}`))
  }).pipe(Effect.scoped, Effect.provide(deliveringLayer()))
)

describe(`on ${eventsTopic("mainnet")}`, () => {
  /** Events of the right form that no webhook of the test gets. */
  const isReadable = (value: string): boolean => parseLedgerEvent(value)?.network === "mainnet"

  it.live(
    "a record that is no event is a dead letter for both readers, and they read the events behind it",
    () =>
      Effect.gen(function* () {
        const log = yield* Log
        const sql = yield* SqlClient.SqlClient
        const receiver = yield* makeReceiver()
        const webhookId = yield* makeWebhook(receiver.url)
        const damaged = damagedCopies(eventOf({})).map(({ value }) => value)
        const unreadable = [...noRecords, null, ...damaged.filter((value) => !isReadable(value))]
        assert.isAbove(unreadable.length, 150)
        const offsets = yield* append(eventsTopic("mainnet"), "mainnet", unreadable)
        yield* append(eventsTopic("mainnet"), "mainnet", damaged.filter(isReadable))
        const good = eventOf({ ledgerIndex: 90_000_001 })
        yield* log.transaction({ append: [recordOf(good)] })
        yield* Effect.forkScoped(Effect.all([route(["mainnet"]), events(["mainnet"])], { concurrency: 2 }))
        yield* startDelivering
        const id = deliveryId(good.detected_at, good.position, webhookId, good.event_id)
        yield* untilAll([id], "delivered")
        yield* eventually(
          Effect.gen(function* () {
            const stored = yield* sql`SELECT FROM events WHERE event_id = ${good.event_id}`
            assert.strictEqual(stored.length, 1)
            for (const stage of ["route", "events"] as const) {
              const sources = yield* deadLettersOf(stage)
              const missing = offsets.filter(
                (offset) => !sources.has(`${eventsTopic("mainnet")}/0@${offset}`)
              )
              assert.deepStrictEqual(missing, [], stage)
            }
          })
        )
      }).pipe(Effect.scoped, Effect.provide(EventIndex.layer.pipe(Layer.provideMerge(deliveringLayer()))))
  )
})

describe(`on ${CONFIG_TOPIC}`, () => {
  it.live(
    "a record that is no webhook is a dead letter for both readers, once, and the changes behind it are seen",
    () =>
      Effect.gen(function* () {
        const log = yield* Log
        const registry = yield* WebhookRegistry
        const receiver = yield* makeReceiver()
        const webhookId = yield* makeWebhook(receiver.url)
        const [record] = yield* log.read({ topic: CONFIG_TOPIC, partition: 0, offset: 0 }, 1)
        const whole = JSON.parse(record!.value!)
        const damaged = damagedCopies(whole).map(({ value }) => value)
        yield* startDelivering
        yield* Effect.forkScoped(route(["mainnet"]))
        const offsets = yield* append(CONFIG_TOPIC, webhookId, [...noRecords, ...damaged, record!.value])
        yield* append(CONFIG_TOPIC, "wh_of_nobody", [...noRecords, ...damaged])
        yield* append(CONFIG_TOPIC, "__proto__", [record!.value, null])
        yield* registry.upToDate
        yield* (yield* RoutedWebhooks).upToDate
        assert.strictEqual(registry.get(webhookId)?.url.href, receiver.url)
        for (const stage of ["route", "deliver"] as const)
          yield* eventually(
            Effect.map(deadLettersOf(stage), (sources) => {
              for (const offset of offsets.slice(0, noRecords.length))
                assert.isTrue(sources.has(`${CONFIG_TOPIC}/0@${offset}`), `${stage}: ${offset}`)
            })
          )
        // Each start reads the whole topic again.
        const total = Effect.map(
          Effect.flatMap(makeDeadLetters, ({ newest }) => newest(0)),
          (found) => found.total
        )
        const before = yield* total
        const context = yield* Layer.build(
          Layer.fresh(Layer.merge(WebhookRegistry.layer, RoutedWebhooks.layer))
        )
        yield* Context.get(context, WebhookRegistry).upToDate
        yield* Context.get(context, RoutedWebhooks).upToDate
        assert.strictEqual(yield* total, before)
        const later = yield* makeWebhook(receiver.url)
        yield* registry.upToDate
        assert.isDefined(registry.get(later))
        yield* untilAll(yield* queueEvents(webhookId, 1), "delivered")
      }).pipe(
        Effect.scoped,
        Effect.provide(deliveringLayer()),
        // A line for each record that is skipped.
        Effect.provide(Logger.layer([]))
      )
  )

  it.live("rows of the outbox that no consumer can read are published, and the rows behind them too", () =>
    Effect.gen(function* () {
      const outbox = yield* Outbox
      const receiver = yield* makeReceiver()
      const webhookId = yield* makeWebhook(receiver.url)
      yield* startDelivering
      const work = newWork("dlv_none", webhookId, eventOf({}))
      for (const topic of [CONFIG_TOPIC, DELIVERIES_TOPIC])
        yield* outbox.insert(noRecords.map((value) => ({ topic, key: webhookId, value })))
      yield* outbox.insert([{ topic: DELIVERIES_TOPIC, key: webhookId, value: JSON.stringify(work) }])
      yield* eventually(
        // Deliver reads both topics.
        Effect.map(deadLettersOf("deliver"), ({ size }) => assert.strictEqual(size, 2 * noRecords.length))
      )
      yield* untilAll(yield* queueEvents(webhookId, 1), "delivered")
    }).pipe(Effect.scoped, Effect.provide(deliveringLayer()))
  )
})
