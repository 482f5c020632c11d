/**
 * Moves what the log has, if the other store has another kind of log: events, transactions and markers that are retained, the
 * webhooks' configurations, and the work that is not finished. Positions are translated, because a copied record has
 * another offset. It may be killed and run again at any point.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SettingsShape } from "../../../spine/config/Config.ts"
import { historyTopics } from "../../../spine/domain/Backfill.ts"
import { DELIVERIES_TOPIC, parseWork } from "../../../spine/domain/Delivery.ts"
import {
  EVENT_LOG_GROUP,
  eventsTopic,
  type LedgerMarker,
  type LedgerTopics,
  ledgersTopic
} from "../../../spine/event/LedgerEvent.ts"
import { type Network, networks } from "../../../spine/event/Network.ts"
import { transactionsTopic } from "../../../spine/event/TransactionRecord.ts"
import { BackfillStore } from "../../../spine/ledger/backfill/BackfillStore.ts"
import type { Log, LogReader, Partition, Position } from "../../../spine/log/Log.ts"
import { partitionsOf, usedTopics } from "../../../spine/log/Topics.ts"
import { OUTBOX_POSITION } from "../../../spine/store/outbox/Outbox.ts"
import { showProgress } from "../../../terminal/ProgressLine.ts"
import { compareCopies, copyPartition, finishCopies, type Unit } from "./CopyTopics.ts"
import type { MovedRun } from "./MoveTables.ts"
import type { OffsetMap } from "./OffsetMap.ts"

type Source = LogReader["Service"]
type Target = Log["Service"]

const ROUTE_GROUP = "route"
/** The group that reads each work topic. Only what it has not finished is copied. */
const readerOf = (topic: string): string | undefined =>
  topic.startsWith("webhooks.delay.")
    ? "delay"
    : topic.startsWith("webhooks.") && topic !== OUTBOX_POSITION.topic
      ? "deliver"
      : undefined

const partitionsOfTopic = (topic: string): ReadonlyArray<Partition> =>
  Array.from({ length: partitionsOf(topic) }, (_, partition) => ({ topic, partition }))

type Placed = Pick<
  LedgerMarker,
  "first_event_offset" | "first_transaction_offset" | "transaction_record_count"
>

/**
 * A marker with the offsets that its ledger's first event and transaction have in the other log. `transactions`:
 * undefined if they are not moved. Then the marker does not name them either.
 */
const markerFor = (events: OffsetMap, transactions: OffsetMap | undefined) => (value: string | null) => {
  if (value === null) return null
  // Written by ingest in this shape.
  const {
    first_transaction_offset: first,
    transaction_record_count: count,
    ...marker
  } = JSON.parse(value) as Placed
  const next = (map: OffsetMap, offset: number | null) => (offset === null ? null : map.next(offset))
  return marker.first_event_offset === null && count === undefined
    ? value
    : JSON.stringify({
        ...marker,
        first_event_offset: next(events, marker.first_event_offset),
        ...(count !== undefined &&
          transactions !== undefined && {
            transaction_record_count: count,
            first_transaction_offset: next(transactions, first ?? null)
          })
      })
}

/** Work with the offset that its event has in the other log, if its delivery may have no row yet. */
const workFor = (eventMaps: ReadonlyMap<string, OffsetMap>) => (value: string | null) => {
  const work = value === null ? undefined : parseWork(value)
  if (work?.row === undefined) return value
  const { event, row } = work
  const moved = eventMaps.get(eventsTopic(event.network))!.next(row.event_offset)
  return JSON.stringify({ ...work, row: { ...row, event_offset: moved } })
}

interface TopicsToMove extends LedgerTopics {
  /** The topic of transactions, with RAW_TRANSACTIONS. */
  readonly transactions?: string
  readonly eventUnits: ReadonlyArray<Unit>
  readonly markerUnits: ReadonlyArray<Unit>
  /** The groups that read the events. */
  readonly groups: ReadonlyArray<string>
}

/** A network's topics. The events and markers of a range of history must stay consecutive. */
const topicsOf = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  network: Network,
  rawTransactions: boolean
) {
  const { ranges } = yield* BackfillStore.make.pipe(Effect.provideService(SqlClient.SqlClient, sql))
  const history = yield* ranges(network)
  const units = (of: ReadonlyArray<Unit>) =>
    of.filter(({ records }) => records > 0).toSorted((a, b) => a.offset - b.offset)
  const own: TopicsToMove = {
    ledgers: ledgersTopic(network),
    events: eventsTopic(network),
    ...(rawTransactions && { transactions: transactionsTopic(network) }),
    eventUnits: [],
    markerUnits: [],
    groups: [ROUTE_GROUP, EVENT_LOG_GROUP]
  }
  const past: TopicsToMove = {
    ...historyTopics(network),
    eventUnits: units(history.map(({ eventOffset, events }) => ({ offset: eventOffset, records: events }))),
    markerUnits: units(
      history.map(({ firstLedger, lastLedger, markerOffset }) => ({
        offset: markerOffset,
        records: lastLedger - firstLedger + 1
      }))
    ),
    groups: [EVENT_LOG_GROUP]
  }
  return [own, past]
})

const runsOf = (topic: string, { runs }: OffsetMap): ReadonlyArray<MovedRun> =>
  runs.map((run) => ({ topic, ...run }))

/** Returns where the records of the events and ledgers topics are now, and how many records were copied. */
export const moveLog = Effect.fnUntraced(function* (
  source: Source,
  target: Target,
  sql: SqlClient.SqlClient,
  { rawTransactions }: Pick<SettingsShape, "rawTransactions">
) {
  const topics = (yield* Effect.forEach(networks, (network) =>
    topicsOf(sql, network, rawTransactions)
  )).flat()
  const ledgerTopics = topics.flatMap(({ events, ledgers, transactions = [] }) =>
    [events, ledgers].concat(transactions)
  )
  const others = usedTopics(networks, { rawTransactions }).filter((topic) => !ledgerTopics.includes(topic))

  const startOf = Effect.fnUntraced(function* (partition: Partition) {
    const { end, start } = yield* source.offsets(partition)
    const group = readerOf(partition.topic)
    const from = group === undefined ? start : Math.max(start, yield* source.committed(group, partition))
    return { from, records: end - from }
  })
  const partitions = [...ledgerTopics, ...others].flatMap(partitionsOfTopic)
  const starts = new Map(
    yield* Effect.forEach(partitions, (partition) =>
      Effect.map(startOf(partition), (start) => [`${partition.topic} ${partition.partition}`, start] as const)
    )
  )
  const total = [...starts.values()].reduce((sum, { records }) => sum + Math.max(0, records), 0)
  yield* Effect.logInfo(`moving up to ${total} records of the log`)
  const show = yield* showProgress("copied", Math.max(1, total), "records of the log")
  let done = 0
  const onCopied = (records: number) => {
    done += records
    return show(done)
  }
  const copy = (
    partition: Partition,
    options: {
      readonly units?: ReadonlyArray<Unit>
      readonly rewrite?: (value: string | null) => string | null
    } = {}
  ) => {
    const { from } = starts.get(`${partition.topic} ${partition.partition}`)!
    return copyPartition(source, target, { partition, from, onCopied, ...options })
  }

  const runs: Array<MovedRun> = []
  const eventMaps = new Map<string, OffsetMap>()
  const positions: Array<{ readonly group: string; readonly position: Position }> = []
  for (const { events, ledgers, transactions, eventUnits, groups, markerUnits } of topics) {
    const ofEvents = { topic: events, partition: 0 }
    yield* copy(ofEvents, { units: eventUnits })
    const eventMap = yield* compareCopies(source, target, ofEvents)
    eventMaps.set(events, eventMap)
    const ofTransactions = transactions === undefined ? undefined : { topic: transactions, partition: 0 }
    if (ofTransactions !== undefined) yield* copy(ofTransactions)
    const transactionMap = ofTransactions && (yield* compareCopies(source, target, ofTransactions))
    const ofLedgers = { topic: ledgers, partition: 0 }
    const rewrite = markerFor(eventMap, transactionMap)
    yield* copy(ofLedgers, { units: markerUnits, rewrite })
    const ledgerMap = yield* compareCopies(source, target, ofLedgers, rewrite)
    runs.push(...runsOf(events, eventMap), ...runsOf(ledgers, ledgerMap))
    for (const group of groups) {
      const offset = Math.max(0, eventMap.next(yield* source.committed(group, ofEvents)))
      positions.push({ group, position: { ...ofEvents, offset } })
    }
  }
  for (const partition of others.flatMap(partitionsOfTopic))
    yield* copy(partition, partition.topic === DELIVERIES_TOPIC ? { rewrite: workFor(eventMaps) } : {})
  positions.push({
    group: OUTBOX_POSITION.group,
    position: {
      topic: OUTBOX_POSITION.topic,
      partition: OUTBOX_POSITION.partition,
      offset: yield* source.committed(OUTBOX_POSITION.group, OUTBOX_POSITION)
    }
  })
  for (const { group, position } of positions)
    yield* target.transaction({ append: [], commit: { group, positions: [position] } })
  return { runs, copied: done, finish: finishCopies(target, partitions) }
})
