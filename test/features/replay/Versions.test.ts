/**
 * A replay repeats what was published. An event of version 1 of the detection rules keeps its id and its bytes, also
 * for a webhook that wants fields which only later versions have: they are simply absent.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runJob } from "../../../src/features/replay/ReplayRunner.ts"
import { includables, withIncluded } from "../../../src/spine/event/Include.ts"
import { eventsTopic, type LedgerEvent, parseLedgerEvent } from "../../../src/spine/event/LedgerEvent.ts"
import { requestBody } from "../../../src/spine/event/RequestFormat.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { StoredEvents } from "../../../src/spine/log/ledgers/StoredEvents.ts"
import { markerRecords } from "../../support/ledger/markers.ts"
import { claim, indexEvents, pastLedgers, queueJob, replayingLayer, workOf } from "./replaying.ts"

const HASH = "C3A1".padEnd(64, "0")
const ID = `xrpl:90000000:${HASH}:payment.xrp`
/** What version 2 would find beside it, such as `source_tag`, is not there. */
const PAYLOAD = `{"tx_hash":"${HASH}","sender":"rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX","receiver":"rLXrxX6X9Ep8mvWwDaw3ooRehYfqDjnzdJ","amount":"17310000","destination_tag":4009078}`
const EVENT = `"event_id":"${ID}","event_type":"payment.xrp","ledger_index":90000000,"timestamp":"2026-10-01T00:00:00Z","network":"mainnet"`
/** As release 0.2 wrote it. */
const RECORD = `{${EVENT},"payload":${PAYLOAD},"accounts":["rLXrxX6X9Ep8mvWwDaw3ooRehYfqDjnzdJ","rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX"],"position":0,"detected_at":1790812801500}`

const POSITION = { eventId: ID, fromHistory: false, offset: 0 }

const writeRecord = Effect.gen(function* () {
  const log = yield* Log
  const [ledger] = pastLedgers(1, 1)
  yield* log.transaction({
    append: [{ topic: eventsTopic("mainnet"), key: "mainnet", value: RECORD }],
    appendThen: ([position]) =>
      markerRecords("mainnet", [
        {
          ledger_index: ledger!.index,
          ledger_hash: HASH,
          parent_hash: HASH,
          close_time: "2026-10-01T00:00:00Z",
          transaction_count: 1,
          event_count: 1,
          first_event_offset: position!.offset,
          detected_at: 1_790_812_801_500,
          range_since: 1
        }
      ])
  })
  yield* indexEvents([parseLedgerEvent(RECORD)!])
})

const assertAsPublished = (event: LedgerEvent, webhookId: string) => {
  for (const include of [[], includables]) {
    const sent = withIncluded(event, include)
    assert.strictEqual(
      requestBody("ledgerhook", sent, webhookId),
      `{${EVENT},"webhook_id":"${webhookId}","payload":${PAYLOAD}}`
    )
    assert.strictEqual(requestBody("cloudevents", sent, webhookId), PAYLOAD)
  }
}

describe("an event of version 1 of the rules", () => {
  for (const wanted of [{ filters: {} }, { eventIds: [ID] }])
    it.live(`is replayed byte for byte, asked for by ${Object.keys(wanted)}`, () =>
      Effect.gen(function* () {
        yield* writeRecord
        const { webhookId } = yield* queueJob(wanted)
        yield* Effect.flatMap(claim, runJob)
        const [work] = yield* workOf(webhookId)
        assert.strictEqual(work!.event.event_id, ID)
        assertAsPublished(work!.event, webhookId)
      }).pipe(Effect.scoped, Effect.provide(replayingLayer))
    )

  it.live("is read as it was written for a delivery that is retried from its row", () =>
    Effect.gen(function* () {
      yield* writeRecord
      const at = yield* (yield* StoredEvents).at("mainnet", [POSITION])
      const event = at(POSITION)
      assert.strictEqual(JSON.stringify(event), RECORD)
      assertAsPublished(event!, "wh_01KAJ0Q4M8000000G3T5W7Y9ZB")
    }).pipe(Effect.scoped, Effect.provide(replayingLayer))
  )
})
