/**
 * Past ledgers for replays: their events, markers and event-log rows, as ingest and the events stage write them. It
 * also creates replay jobs without the API.
 */
import { assert } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { EventIndex } from "../../../src/features/events/EventIndex.ts"
import { ReplayStore } from "../../../src/features/replay/ReplayStore.ts"
import { ReplayWork } from "../../../src/features/replay/ReplayWork.ts"
import { RetryWork } from "../../../src/features/replay/RetryWork.ts"
import type { Environment } from "../../../src/spine/config/Config.ts"
import { type EventPosition, eventTopicOf } from "../../../src/spine/domain/Backfill.ts"
import { type DeliveryWork, REPLAYS_TOPIC } from "../../../src/spine/domain/Delivery.ts"
import type { ReplayFilters } from "../../../src/spine/domain/Replay.ts"
import {
  EVENT_LOG_GROUP,
  eventsTopic,
  type LedgerEvent,
  type LedgerMarker
} from "../../../src/spine/event/LedgerEvent.ts"
import type { Network } from "../../../src/spine/event/Network.ts"
import { BackfillRequests } from "../../../src/spine/ledger/backfill/BackfillRequests.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { StoredEvents } from "../../../src/spine/log/ledgers/StoredEvents.ts"
import { partitionOf } from "../../../src/spine/log/Topics.ts"
import { WorkNotices } from "../../../src/spine/store/outbox/WorkNotices.ts"
import { randomId } from "../../../src/spine/words/Ids.ts"
import { addresses, eventOf, pick, recordOf, types } from "../../support/deliver/events.ts"
import { storesLayer } from "../../support/http/api.ts"
import { hashOf } from "../../support/ledger/chain.ts"
import { markerRecords } from "../../support/ledger/markers.ts"
import { generator } from "../../support/ledger/misbehavingServer.ts"
import { insertAccount, insertWebhook } from "../../support/store/rows.ts"

export interface PastLedger {
  readonly index: number
  readonly closeTime: string
  readonly events: ReadonlyArray<LedgerEvent>
}

const markerOf = ({ index, closeTime, events }: PastLedger, firstOffset: number | null): LedgerMarker => ({
  ledger_index: index,
  ledger_hash: hashOf(`ledger ${index}`),
  parent_hash: hashOf(`ledger ${index - 1}`),
  close_time: closeTime,
  transaction_count: events.length,
  event_count: events.length,
  first_event_offset: firstOffset,
  detected_at: Date.parse(closeTime) + 1_500,
  range_since: 1
})

export const FIRST_LEDGER = 90_000_000
export const BEGAN = Date.parse("2026-10-01T00:00:00Z")
const SECOND = 1_000

export const isoSecond = (unixMs: number): string => `${new Date(unixMs).toISOString().slice(0, 19)}Z`

/** Ledgers that close `stepSeconds` apart; the seed chooses up to six events for each. */
export const pastLedgers = (
  seed: number,
  count: number,
  {
    network = "mainnet",
    stepSeconds = 4,
    first = FIRST_LEDGER
  }: {
    readonly network?: Network
    readonly stepSeconds?: number
    readonly first?: number
  } = {}
): ReadonlyArray<PastLedger> => {
  const chance = generator(seed)
  return Array.from({ length: count }, (_, i) => {
    const closeTime = isoSecond(BEGAN + i * stepSeconds * SECOND)
    const events = Array.from({ length: Math.floor(chance() * 7) }, (_, position) =>
      eventOf({
        network,
        ledgerIndex: first + i,
        position,
        type: pick(chance, types),
        timestamp: closeTime,
        accounts: addresses.filter(() => chance() < 0.4)
      })
    )
    return { index: first + i, closeTime, events }
  })
}

/** Appends each ledger in its own transaction, as ingest does. */
export const appendLedgers = Effect.fnUntraced(function* (
  ledgers: ReadonlyArray<PastLedger>,
  network: Network = "mainnet"
) {
  const log = yield* Log
  for (const ledger of ledgers) {
    yield* log.transaction({
      append: ledger.events.map(recordOf),
      appendThen: (positions) => markerRecords(network, [markerOf(ledger, positions[0]?.offset ?? null)])
    })
  }
})

/** Does what the events stage does with the first events, but does not commit the last `uncommitted` offsets. */
export const indexEvents = Effect.fnUntraced(function* (events: ReadonlyArray<LedgerEvent>, uncommitted = 0) {
  const log = yield* Log
  const store = yield* EventIndex
  yield* store.insert(events, BEGAN)
  const position = {
    topic: eventsTopic(events[0]!.network),
    partition: 0,
    offset: events.length - uncommitted
  }
  yield* log.transaction({ append: [], commit: { group: EVENT_LOG_GROUP, positions: [position] } })
})

export const writeLedgers = (ledgers: ReadonlyArray<PastLedger>, network: Network = "mainnet") =>
  Effect.andThen(appendLedgers(ledgers, network), indexEvents(ledgers.flatMap(({ events }) => events)))

export const eventsOf = (ledgers: ReadonlyArray<PastLedger>): ReadonlyArray<LedgerEvent> =>
  ledgers.flatMap(({ events }) => events)

export const ACCOUNT = "acct_1"
export const owner = { accountId: ACCOUNT, networks: ["mainnet"] as const }

export const replayingWith = (environment: Environment = {}) =>
  Layer.mergeAll(
    ReplayWork.layer,
    RetryWork.layer,
    BackfillRequests.layer,
    WorkNotices.layer,
    StoredEvents.layer
  ).pipe(Layer.provideMerge(storesLayer(environment)))
export const replayingLayer = replayingWith()

/** Creates a webhook and queues the wanted job for it. */
export const queueJob = Effect.fnUntraced(function* (wanted: {
  readonly eventIds?: ReadonlyArray<string>
  readonly filters?: ReplayFilters
  readonly estimatedEvents?: number
}) {
  const log = yield* Log
  const jobs = yield* ReplayStore
  yield* insertAccount(ACCOUNT)
  const webhookId = yield* insertWebhook(ACCOUNT)
  const id = randomId("rpl_job_", Date.now())
  const { end } = yield* log.offsets({ topic: eventsTopic("mainnet"), partition: 0 })
  const result = yield* jobs.create(
    owner,
    {
      id,
      webhookId,
      eventIds: wanted.eventIds,
      filters: wanted.filters,
      estimatedEvents: wanted.eventIds?.length ?? wanted.estimatedEvents ?? 1_000,
      endOffset: end
    },
    Date.now()
  )
  assert.strictEqual(result, "queued")
  return { id, webhookId }
})

export const claim = Effect.gen(function* () {
  const work = yield* ReplayWork
  return Option.getOrThrow(yield* work.claim(Date.now()))
})

export const jobRow = Effect.fnUntraced(function* (id: string) {
  const jobs = yield* ReplayStore
  return Option.getOrThrow(yield* jobs.find(owner, id))
})

interface DeliveryRow {
  readonly id: string
  readonly event_id: string
  readonly status: string
  readonly last_error: string | null
}

export const rowsOf = Effect.fnUntraced(function* (jobId: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<DeliveryRow>`
    SELECT id, event_id, status, last_error FROM deliveries WHERE replay_job_id = ${jobId} ORDER BY id`
})

/** The webhook's work in the log, in log order. */
export const workOf = Effect.fnUntraced(function* (webhookId: string) {
  const log = yield* Log
  const partition = { topic: REPLAYS_TOPIC, partition: partitionOf(REPLAYS_TOPIC, webhookId) }
  const records = yield* log.read({ ...partition, offset: 0 }, 100_000)
  return records
    .map(({ value }) => JSON.parse(value!) as DeliveryWork)
    .filter((work) => work.webhook_id === webhookId)
})

export const distinct = <A>(values: ReadonlyArray<A>): ReadonlyArray<A> => [...new Set(values)]

/** The ids of the events that the log has at the offsets stored in the job's rows. */
const eventsAtRows = Effect.fnUntraced(function* (jobId: string) {
  const log = yield* Log
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<Omit<EventPosition, "eventId"> & { readonly network: Network }>`
    SELECT network, from_history AS "fromHistory", event_offset::float8 AS offset
    FROM deliveries WHERE replay_job_id = ${jobId} ORDER BY id`
  return yield* Effect.forEach(rows, ({ fromHistory, network, offset }) =>
    Effect.map(
      log.read({ topic: eventTopicOf(network, fromHistory), partition: 0, offset }, 1),
      ([record]) => (JSON.parse(record!.value!) as LedgerEvent).event_id
    )
  )
})

/** Checks that rows and work contain exactly these events, each once, in ledger order. */
export const assertQueued = Effect.fnUntraced(function* (
  { id, webhookId }: { readonly id: string; readonly webhookId: string },
  expected: ReadonlyArray<LedgerEvent>
) {
  const ids = expected.map(({ event_id }) => event_id)
  const rows = yield* rowsOf(id)
  assert.deepStrictEqual(
    rows.map((row) => row.event_id),
    ids
  )
  assert.deepStrictEqual(yield* eventsAtRows(id), ids)
  assert.isTrue(rows.every(({ status }) => status === "pending"))
  const work = yield* workOf(webhookId)
  assert.deepStrictEqual(
    distinct(work.map(({ delivery_id }) => delivery_id)),
    rows.map((row) => row.id)
  )
  assert.isTrue(work.every((one) => one.replay === true && one.attempt === 1))
})
