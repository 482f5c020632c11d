/**
 * A process whose SECRETS_KEY does not open a webhook's secret: the deliveries wait, and end in no other way. Two
 * processes share PostgreSQL and the log, and have different keys.
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Logger, Result } from "effect"
import { SqlClient } from "effect/sql"
import type { Environment } from "../../../src/spine/config/Config.ts"
import { Recorder } from "../../../src/spine/deliver/record/Recorder.ts"
import { Sender } from "../../../src/spine/deliver/send/Sender.ts"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import { newWork } from "../../../src/spine/domain/Delivery.ts"
import { CONFIG_TOPIC } from "../../../src/spine/domain/Webhook.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { AccountHolds } from "../../../src/spine/registry/AccountHolds.ts"
import { RegistryLimits, registryLimits } from "../../../src/spine/registry/Limits.ts"
import { WebhookRegistry } from "../../../src/spine/registry/WebhookRegistry.ts"
import { configRecord, type WebhookRow } from "../../../src/spine/registry/WebhookRow.ts"
import { makeSecretBox, SecretBox } from "../../../src/spine/store/secrets/SecretBox.ts"
import { readKeys } from "../../../src/spine/store/secrets/SecretKeys.ts"
import {
  appendWork,
  deliveringLayer,
  deliveringSettings,
  eventOf,
  eventually,
  makeWebhook,
  queueEvents,
  queueReplayed,
  SECRET,
  setStatus,
  startDelivering,
  untilAll
} from "../../support/deliver/delivering.ts"
import { deliveryIdsOf, makeReceiver, signatureHolds } from "../../support/deliver/receiver.ts"
import { testSettings } from "../../support/program/settings.ts"

const key = (byte: number) => ({ SECRETS_KEY: Buffer.alloc(32, byte).toString("base64") })
const MINE = key(1)
const OTHERS = key(2)

const boxOf = (environment: Environment) => {
  const keys = Result.getOrThrow(readKeys(testSettings(environment)))
  return makeSecretBox(keys, () => Result.succeed(keys))
}

/** What a process has for itself. The database and the log are shared. */
const processWith = Effect.fnUntraced(function* (environment: Environment) {
  const said: Array<string> = []
  const context = yield* Layer.build(
    Layer.fresh(
      Layer.mergeAll(Recorder.layer, AccountHolds.layer, WebhookRegistry.layer, Sender.layer).pipe(
        Layer.provide(SecretBox.layer),
        Layer.provide(deliveringSettings(environment)),
        Layer.provide(Logger.layer([Logger.make(({ message }) => void said.push(String(message)))]))
      )
    )
  )
  return {
    said,
    registry: Context.get(context, WebhookRegistry),
    start: startDelivering.pipe(Effect.provide(context))
  }
})

const publishSealed = Effect.fnUntraced(function* (webhookId: string, sealed: string) {
  const sql = yield* SqlClient.SqlClient
  const log = yield* Log
  const [row] = yield* sql<WebhookRow>`
    UPDATE webhooks SET sealed_secret = ${sealed} WHERE id = ${webhookId} RETURNING *`
  yield* log.transaction({ append: [configRecord(row!)] })
})

const untilSpilled = (ids: ReadonlyArray<string>) =>
  eventually(
    Effect.gen(function* () {
      const states = yield* (yield* DeliveryStore).states(ids)
      for (const id of ids) assert.deepInclude(states.get(id), { status: "pending", parked: true }, id)
    })
  )

describe("while a process cannot open a webhook's secret", () => {
  it.live("its deliveries wait, and a process that can open it sends them, each once", () =>
    Effect.gen(function* () {
      const receiver = yield* makeReceiver()
      const sealed = yield* makeWebhook(receiver.url)
      const batched = yield* makeWebhook(receiver.url, { batch: { max_events: 10, max_wait_ms: 5 } })
      const readable = yield* makeWebhook(receiver.url)
      yield* publishSealed(readable, boxOf(OTHERS).seal(SECRET))

      // The backlog of an earlier process, and work that comes while this one runs.
      const other = yield* processWith(OTHERS)
      const first = yield* queueEvents(sealed, 2)
      const stage = yield* other.start
      const live = [...first, ...(yield* queueEvents(sealed, 3)), ...(yield* queueEvents(batched, 4))]
      const replays = yield* queueReplayed(sealed, 2)
      const sent = yield* queueEvents(readable, 1)
      yield* untilAll(sent, "delivered")
      yield* untilSpilled([...live, ...replays])
      yield* stage.stop
      // Another start with the same key finds the backlog, and leaves it.
      const again = yield* processWith(OTHERS)
      const stageAgain = yield* again.start
      const more = yield* queueEvents(sealed, 1)
      yield* untilSpilled([...live, ...replays, ...more])
      yield* stageAgain.stop
      assert.deepStrictEqual(receiver.received.flatMap(deliveryIdsOf), sent)

      const { id } = boxOf(MINE)
        .seal("")
        .match(/^v1\.(?<id>\w+)/)!.groups!
      const waits = other.said.filter((line) => line.includes("wait"))
      assert.lengthOf(waits, 1)
      for (const part of [sealed, batched, `key ${id}`]) assert.include(waits[0], part)
      assert.notInclude(waits[0], readable)

      const mine = yield* processWith(MINE)
      const waiting = [...live, ...replays, ...more]
      yield* mine.start
      yield* untilAll(waiting, "delivered")
      assert.sameMembers(receiver.received.flatMap(deliveryIdsOf), [...sent, ...waiting])
      for (const one of receiver.received) assert.isTrue(signatureHolds(SECRET, one))
    }).pipe(Effect.scoped, Effect.provide(deliveringLayer(MINE)))
  )

  it.live("retries wait too, and none is signed with the secret before", () =>
    Effect.gen(function* () {
      let status = 503
      const receiver = yield* makeReceiver(() => status)
      const webhookId = yield* makeWebhook(receiver.url)
      const process = yield* processWith(MINE)
      yield* process.start
      const ids = yield* queueEvents(webhookId, 2)
      yield* untilAll(ids, "retrying")
      // Another process has replaced the secret.
      yield* publishSealed(webhookId, boxOf(OTHERS).seal("whsec_of_later"))
      yield* process.registry.upToDate
      status = 200
      yield* eventually(
        Effect.gen(function* () {
          const states = yield* (yield* DeliveryStore).states(ids)
          for (const id of ids) assert.deepInclude(states.get(id), { status: "retrying", parked: true })
        })
      )
      assert.lengthOf(receiver.received, 2)
      yield* publishSealed(webhookId, boxOf(MINE).seal("whsec_of_later"))
      yield* untilAll(ids, "delivered")
      for (const one of receiver.received.slice(2)) assert.isTrue(signatureHolds("whsec_of_later", one))
    }).pipe(Effect.scoped, Effect.provide(deliveringLayer({ ...MINE, DELIVERY_RETRY_DELAYS: "500ms,10ms" })))
  )

  it.live("they resume without a restart once its key file has the key", () => {
    const folder = mkdtempSync(join(tmpdir(), "sealed-secrets-"))
    const withFile: Environment = { SECRETS_KEY: undefined, DATA_DIR: folder }
    return Effect.gen(function* () {
      const receiver = yield* makeReceiver()
      // It makes a key file of its own.
      const process = yield* processWith(withFile)
      const webhookId = yield* makeWebhook(receiver.url)
      yield* process.start
      const ids = yield* queueEvents(webhookId, 3)
      yield* untilSpilled(ids)
      writeFileSync(join(folder, "secrets.key"), MINE.SECRETS_KEY)
      yield* untilAll(ids, "delivered")
      yield* eventually(
        Effect.sync(() => assert.include(process.said.at(-1), "the deliveries of all webhooks resume"))
      )
    }).pipe(
      Effect.scoped,
      Effect.ensuring(Effect.sync(() => rmSync(folder, { recursive: true }))),
      Effect.provide(deliveringLayer(MINE)),
      Effect.provideService(RegistryLimits, { ...registryLimits, openSecretsMs: 20 })
    )
  })

  it.live("its deletion ends them", () =>
    Effect.gen(function* () {
      const process = yield* processWith(OTHERS)
      const webhookId = yield* makeWebhook("https://example.com/")
      yield* process.start
      const [id] = yield* queueEvents(webhookId, 1)
      yield* untilSpilled([id!])
      yield* setStatus(webhookId, "deleted")
      yield* process.registry.upToDate
      const [later] = yield* queueEvents(webhookId, 1)
      yield* untilAll([later!], "failed")
    }).pipe(Effect.scoped, Effect.provide(deliveringLayer(MINE)))
  )
})

it.live("deliveries of a webhook whose only record cannot be read wait for one that can", () =>
  Effect.gen(function* () {
    const log = yield* Log
    const receiver = yield* makeReceiver()
    const webhookId = yield* makeWebhook(receiver.url)
    yield* log.transaction({ append: [{ topic: CONFIG_TOPIC, key: webhookId, value: '{"version":2}' }] })
    yield* log.applyRetention
    const process = yield* processWith(MINE)
    yield* process.start
    const ids = yield* queueEvents(webhookId, 1)
    yield* untilSpilled(ids)
    yield* setStatus(webhookId, "active")
    yield* untilAll(ids, "delivered")
    // A second record of the same work is a duplicate, as always.
    yield* appendWork([newWork(ids[0]!, webhookId, yield* eventOf(ids[0]!))])
    assert.lengthOf(receiver.received, 1)
  }).pipe(Effect.scoped, Effect.provide(deliveringLayer(MINE)))
)
