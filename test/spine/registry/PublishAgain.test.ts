/** `webhooks.config` agrees with the database again, after the topic was made again or the database went back. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { DELIVERIES_TOPIC } from "../../../src/spine/domain/Delivery.ts"
import { CONFIG_TOPIC } from "../../../src/spine/domain/Webhook.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { partitionsOf } from "../../../src/spine/log/Topics.ts"
import { makeIsWhole, makePublishAgain } from "../../../src/spine/registry/PublishAgain.ts"
import { OUTBOX_POSITION, Outbox } from "../../../src/spine/store/outbox/Outbox.ts"
import { publishBatch } from "../../../src/spine/store/outbox/OutboxPublisher.ts"
import * as MemoryLog from "../../support/log/memory/MemoryLog.ts"
import { settingsLayer } from "../../support/program/settings.ts"
import { TestDatabase } from "../../support/store/postgres.ts"
import { insertAccount, insertWebhook } from "../../support/store/rows.ts"

const stores = Outbox.layer.pipe(
  Layer.provideMerge(MemoryLog.layer),
  Layer.provideMerge(TestDatabase),
  Layer.provideMerge(settingsLayer())
)

const place = { topic: CONFIG_TOPIC, partition: 0 }

const publishAllOf = Effect.flatMap(Log, publishBatch).pipe(
  Effect.repeat({ until: (id) => id === undefined })
)

/** The newest state of each webhook in the topic: its URL, or null if it is deleted. */
const inTopic = Effect.gen(function* () {
  const log = yield* Log
  const records = yield* log.read({ ...place, offset: 0 }, 1_000)
  return Object.fromEntries(
    records.map(({ key, value }) => [key, value === null ? null : JSON.parse(value).url])
  )
})

const look = Effect.flatten(makePublishAgain)
const isWhole = Effect.flatten(makeIsWhole)

/** As if all topics were deleted and made again. */
const anotherLog = Layer.fresh(MemoryLog.layer)

const threeWebhooks = Effect.gen(function* () {
  yield* insertAccount("acct_config")
  for (const id of ["wh_a", "wh_b", "wh_c"]) yield* insertWebhook("acct_config", undefined, id)
})

describe("webhooks.config", () => {
  it.effect("gets every webhook again after it was made again, and nothing is routed before", () =>
    Effect.gen(function* () {
      yield* threeWebhooks
      assert.isTrue(yield* isWhole)
      assert.strictEqual(yield* look, 0)
      assert.strictEqual(yield* look, 0)
      yield* Effect.gen(function* () {
        assert.isFalse(yield* isWhole)
        assert.strictEqual(yield* look, 3)
        assert.isTrue(yield* isWhole)
        yield* publishAllOf
        assert.sameMembers(Object.keys(yield* inTopic), ["wh_a", "wh_b", "wh_c"])
        assert.strictEqual(yield* look, 0)
      }).pipe(Effect.provide(anotherLog))
    }).pipe(Effect.provide(stores))
  )

  it.effect("says what the database says after that went back, also of what it no longer knows", () =>
    Effect.gen(function* () {
      yield* threeWebhooks
      const log = yield* Log
      const outbox = yield* Outbox
      const sql = yield* SqlClient.SqlClient
      yield* look
      // Published before the database went back: a webhook that it has lost, and many changes.
      const published = 1_000
      yield* log.transaction({
        append: [{ topic: CONFIG_TOPIC, key: "wh_lost", value: '{"id":"wh_lost"}' }],
        commit: { group: OUTBOX_POSITION.group, positions: [{ ...OUTBOX_POSITION, offset: published + 1 }] }
      })
      // Afterwards: a change, and other work for the log, under ids that count as published.
      yield* sql.withTransaction(
        outbox.insert([{ topic: DELIVERIES_TOPIC, key: "wh_a", value: '{"kept":true}' }])
      )
      assert.isUndefined(yield* publishBatch(log))
      assert.strictEqual(yield* look, 4)
      yield* publishAllOf
      const found = yield* inTopic
      assert.sameMembers(Object.keys(found), ["wh_a", "wh_b", "wh_c", "wh_lost"])
      assert.isNull(found["wh_lost"])
      const work = yield* Effect.forEach(Array(partitionsOf(DELIVERIES_TOPIC)).keys(), (partition) =>
        log.read({ topic: DELIVERIES_TOPIC, partition, offset: 0 }, 10)
      )
      assert.deepStrictEqual(
        work.flat().map(({ value }) => value),
        ['{"kept":true}']
      )
      assert.isAbove(yield* outbox.headId, published)
      assert.strictEqual(yield* look, 0)
    }).pipe(Effect.provide(stores))
  )
})
