/** Work says whether a person asked for its attempt or for an earlier one of its series, through outbox, log and recorder. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { DeliveryQueries } from "../../../src/features/deliveries/DeliveryQueries.ts"
import { type Outcome, Recorder } from "../../../src/spine/deliver/record/Recorder.ts"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import { type DeliveryWork, delayTopic } from "../../../src/spine/domain/Delivery.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { partitionOf } from "../../../src/spine/log/Topics.ts"
import {
  deliveringLayer,
  eventOf,
  eventually,
  makeWebhook,
  queueEvents,
  startDelivering,
  untilAll
} from "../../support/deliver/delivering.ts"
import { makeReceiver } from "../../support/deliver/receiver.ts"

const owner = { accountId: "acct_1", networks: ["mainnet"] as const }

/** Collects of each attempt that is recorded whether a person asked for it. */
const watchedBy = (recorded: Array<boolean>) =>
  Layer.effect(
    Recorder,
    Effect.map(Recorder, (own) => ({
      ...own,
      record: (outcomes: ReadonlyArray<Outcome>, onSettled: () => void) => {
        recorded.push(...outcomes.map(({ work }) => work.manual === true))
        own.record(outcomes, onSettled)
      }
    }))
  )

it.live("a manual retry is marked, with the attempts that follow it in the series", () => {
  const recorded: Array<boolean> = []
  return Effect.gen(function* () {
    const queries = yield* DeliveryQueries
    const log = yield* Log
    const store = yield* DeliveryStore
    const receiver = yield* makeReceiver(() => 503)
    const webhook = yield* makeWebhook(receiver.url)
    const ids = yield* queueEvents(webhook, 1)
    const id = ids[0]!
    const event = yield* eventOf(id)
    const retry = queries.retry(owner, id, event, Date.now())
    yield* startDelivering
    yield* untilAll(ids, "retrying")
    yield* retry
    yield* untilAll(ids, "failed")
    yield* retry
    yield* eventually(
      Effect.map(store.states(ids), (states) =>
        assert.deepInclude(states.get(id), { attempts: 4, status: "retrying" })
      )
    )
    // The retry is appended after its row is written.
    const afterwards = { topic: delayTopic(2), partition: partitionOf(delayTopic(2), webhook), offset: 1 }
    yield* log.awaitOffset(afterwards)
    assert.deepStrictEqual(recorded, [false, true, true, true])

    const waited: Array<DeliveryWork> = []
    for (const topic of [delayTopic(2), delayTopic(3)]) {
      const records = yield* log.read({ topic, partition: partitionOf(topic, webhook), offset: 0 }, 10)
      waited.push(...records.map(({ value }) => JSON.parse(value!) as DeliveryWork))
    }
    assert.deepStrictEqual(
      waited.map(({ attempt, ledger_index, manual }) => [attempt, ledger_index, manual === true]),
      [
        [2, event.ledger_index, false],
        [5, event.ledger_index, true],
        [3, event.ledger_index, true]
      ]
    )
  }).pipe(
    Effect.provide(watchedBy(recorded)),
    Effect.scoped,
    Effect.provide(DeliveryQueries.layer),
    Effect.provide(deliveringLayer({ DELIVERY_RETRY_DELAYS: "1h,100ms" }))
  )
})
