/** What a run has still to do, so that nobody checks it before it has settled. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { historyEventsTopic } from "../../src/spine/domain/Backfill.ts"
import { DELIVERIES_TOPIC, REPLAYS_TOPIC } from "../../src/spine/domain/Delivery.ts"
import {
  EVENT_LOG_GROUP,
  eventsTopic,
  type LedgerMarker,
  ledgersTopic
} from "../../src/spine/event/LedgerEvent.ts"
import type { Log } from "../../src/spine/log/Log.ts"
import { partitionsOf } from "../../src/spine/log/Topics.ts"
import { OUTBOX_POSITION } from "../../src/spine/store/outbox/Outbox.ts"
import { NETWORK } from "./world/node.ts"

/** What a group has not read of a topic is not done. A delivery without a row is nowhere else than in the log. */
type ReadToTheEnd = ReadonlyArray<readonly [group: string, topic: string]>
const READ_BEFORE_DELIVER: ReadToTheEnd = [
  ["route", eventsTopic(NETWORK)],
  [EVENT_LOG_GROUP, eventsTopic(NETWORK)],
  [EVENT_LOG_GROUP, historyEventsTopic(NETWORK)]
]
const WORK_READ: ReadToTheEnd = [
  ["deliver", DELIVERIES_TOPIC],
  ["deliver", REPLAYS_TOPIC]
]

export const leftToDo = (log: Log["Service"], lastLedger: number) => {
  const unread = Effect.fnUntraced(function* (topics: ReadToTheEnd) {
    for (const [group, topic] of topics) {
      for (let partition = 0; partition < partitionsOf(topic); partition++) {
        const place = { topic, partition }
        const last = (yield* log.last(place))?.offset ?? -1
        const committed = yield* log.committed(group, place)
        if (committed <= last) return `${group} at ${committed} of ${topic}, before ${last}`
      }
    }
    return ""
  })
  /** What the stages up to route have not done of the ledgers up to that one; empty when it is all done. */
  const unrouted = Effect.fnUntraced(function* (ledgerIndex: number) {
    const marker = yield* log.last({ topic: ledgersTopic(NETWORK), partition: 0 })
    const taken = marker === undefined ? 0 : (JSON.parse(marker.value!) as LedgerMarker).ledger_index
    if (taken < ledgerIndex) return `ledgers after ${taken}`
    return yield* unread(READ_BEFORE_DELIVER)
  })
  /** What is still open; empty when all has settled. */
  const open = Effect.gen(function* () {
    const behind = yield* unrouted(lastLedger)
    if (behind !== "") return behind
    const unsettled = yield* unread(WORK_READ)
    if (unsettled !== "") return unsettled
    const sql = yield* SqlClient.SqlClient
    // A published row may stay until the next one is published.
    const [newest] = yield* sql<{
      readonly id: number
    }>`SELECT coalesce(max(id), 0)::float8 AS id FROM outbox`
    if ((yield* log.committed(OUTBOX_POSITION.group, OUTBOX_POSITION)) <= newest!.id) return "outbox"
    const rows = yield* sql<{ readonly open: string }>`
      SELECT id || ' ' || status || ' ' || attempts || CASE WHEN parked THEN ' parked' ELSE '' END AS open
      FROM deliveries WHERE status IN ('pending', 'retrying') OR parked
      UNION ALL SELECT id || ' ' || status FROM replay_jobs WHERE status IN ('queued', 'running')`
    return rows.map((row) => row.open).join(", ")
  })
  return { unrouted, open }
}
