/**
 * What must be true when a run has settled. Each check compares what the rows, the log and the receivers say with a
 * plain calculation from the ledgers, and returns what is wrong. Its name is what a failing run shows.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { stageLimits } from "../../src/config/StageLimits.ts"
import { deliveryId } from "../../src/domain/Ids.ts"
import {
  eventsTopic,
  type LedgerEvent,
  type LedgerMarker,
  ledgersTopic,
  parseLedgerEvent
} from "../../src/domain/LedgerEvent.ts"
import { EventLog } from "../../src/log/EventLog.ts"
import { type ClosedLedger, expectedEventIds } from "../../src/simulator/Chain.ts"
import { NETWORK } from "./node.ts"
import { type Replayed, type SimulatedWebhook, wants } from "./operator.ts"
import type { Request } from "./receivers.ts"

/** What a run leaves, besides the database and the log. */
export interface Evidence {
  readonly limits: Readonly<typeof stageLimits>
  readonly ledgers: ReadonlyArray<ClosedLedger>
  readonly webhooks: Array<SimulatedWebhook>
  readonly replays: Array<Replayed>
  /** When route committed which offset. */
  readonly routed: Array<{ readonly offset: number; readonly atMs: number }>
  /** Stages that died of something else than the log or the database. */
  readonly defects: Array<string>
  /** Processes that died, or were taken for dead. */
  kills: number
  /** Processes that went on after they were taken for dead. */
  zombies: number
  readonly disableAfter: number
  /** The most consecutive failures that an active webhook was seen with. */
  mostFailures: number
  /** Writes to the database that landed although the process was told that they failed. */
  answersLost: number
  /** When partitions may have moved to another process. */
  readonly moves: Array<number>
}

interface Row {
  readonly id: string
  readonly webhook: string
  readonly event: string
  readonly status: "pending" | "retrying" | "delivered" | "failed"
  readonly attempts: number
  readonly job: string | null
  readonly error: string | null
  readonly offset: number
  readonly endedMs: number
}

interface Outcome {
  readonly rows: ReadonlyArray<Row>
  /** Events with their offsets, and when they were appended. */
  readonly events: ReadonlyArray<{
    readonly event: LedgerEvent
    readonly offset: number
    readonly atMs: number
  }>
  readonly markers: ReadonlyArray<LedgerMarker>
  readonly loggedEvents: ReadonlyArray<string>
  readonly failedAttempts: ReadonlyMap<string, number>
  readonly counters: ReadonlyMap<string, number>
  readonly usage: number
}

type Check = (evidence: Evidence, outcome: Outcome) => ReadonlyArray<string>

/** One more than the delays of node.ts. */
const ATTEMPTS = 4
/** The clocks of two processes differ by at most this (simulate.ts). */
const CLOCKS_DIFFER_MS = 2_000

const readOutcome = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const log = yield* EventLog
  const records = (topic: string) => log.read({ topic, partition: 0, offset: 0 }, 100_000)
  const rows = yield* sql<Row>`
    SELECT id, webhook_id AS webhook, event_id AS event, status, attempts, replay_job_id AS job, last_error AS error,
           event_offset::float8 AS offset,
           extract(epoch FROM updated_at)::float8 * 1000 AS "endedMs" FROM deliveries ORDER BY id`
  const attempts = yield* sql<{ readonly id: string; readonly count: number }>`
    SELECT delivery_id AS id, count(*)::int AS count FROM attempts GROUP BY 1`
  const counters = yield* sql<{ readonly id: string; readonly count: number }>`
    SELECT id, consecutive_failures AS count FROM webhooks`
  const [usage] = yield* sql<{ readonly sum: number }>`
    SELECT coalesce(sum(deliveries), 0)::float8 AS sum FROM delivery_usage`
  const logged = yield* sql<{ readonly id: string }>`SELECT event_id AS id FROM events`
  return {
    rows,
    events: (yield* records(eventsTopic(NETWORK))).map(({ offset, timestamp, value }) => ({
      event: parseLedgerEvent(value)!,
      offset,
      atMs: timestamp
    })),
    markers: (yield* records(ledgersTopic(NETWORK))).map(({ value }) => JSON.parse(value!) as LedgerMarker),
    loggedEvents: logged.map(({ id }) => id),
    failedAttempts: new Map(attempts.map(({ id, count }) => [id, count])),
    counters: new Map(counters.map(({ id, count }) => [id, count])),
    usage: usage!.sum
  } satisfies Outcome
})

const differences = (
  expected: ReadonlyArray<string>,
  found: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const [wanted, have] = [new Set(expected), new Set(found)]
  return [
    ...expected.filter((id) => !have.has(id)).map((id) => `${id} is missing`),
    ...found.filter((id) => !wanted.has(id)).map((id) => `${id} should not be there`),
    ...found.filter((id, i) => found.indexOf(id) !== i).map((id) => `${id} is there twice`)
  ]
}

const everyLedgerOnce: Check = ({ ledgers }, { markers }) =>
  differences(
    ledgers.map(({ header }) => `${header.ledger_index} ${header.ledger_hash}`),
    markers.map(({ ledger_hash, ledger_index }) => `${ledger_index} ${ledger_hash}`)
  )

const everyEventOnce: Check = ({ ledgers }, { events }) => {
  const ids = events.map(({ event }) => event.event_id)
  return [
    ...differences(ledgers.flatMap(expectedEventIds), ids),
    ...ids.flatMap((id, i) =>
      events[i]!.event.ledger_index < (events[i - 1]?.event.ledger_index ?? 0)
        ? [`${id} is out of order`]
        : []
    )
  ]
}

const eventLogComplete: Check = (_, { events, loggedEvents }) =>
  differences(
    events.map(({ event }) => event.event_id),
    loggedEvents
  )

/** A wish counts if it applied all the time between the append of the event and its routing. */
const wantedDeliveries: Check = ({ webhooks, routed }, { events, rows }) => {
  const live = new Map(rows.flatMap((row) => (row.job === null ? [[row.id, row] as const] : [])))
  const problems: Array<string> = []
  for (const { event, offset, atMs } of events) {
    const earliestMs = atMs - CLOCKS_DIFFER_MS
    const routedMs = routed.find((commit) => commit.offset > offset)?.atMs ?? Number.POSITIVE_INFINITY
    for (const { id: webhook, versions } of webhooks) {
      const id = deliveryId(event.detected_at, event.position, webhook, event.event_id)
      const possible = versions.filter(
        ({ askedMs }, i) =>
          askedMs <= routedMs && (versions[i + 1]?.answeredMs ?? Number.POSITIVE_INFINITY) >= earliestMs
      )
      const votes = possible.map(({ wish }) => wants(wish, event))
      const certain = possible[0]?.answeredMs !== undefined && possible[0].answeredMs <= earliestMs
      const what = `${event.event_id} for ${webhook} (offset ${offset}, delivery ${id})`
      if (certain && votes.every((vote) => vote) && !live.has(id)) problems.push(`${what} is missing`)
      if (votes.every((vote) => !vote) && live.has(id)) problems.push(`${what} was not wanted`)
      live.delete(id)
    }
  }
  return [...problems, ...[...live.keys()].map((id) => `${id} has an id that no event and webhook give`)]
}

const isKept = (webhooks: ReadonlyArray<SimulatedWebhook>, id: string): boolean =>
  webhooks.find((one) => one.id === id)?.versions.at(-1)?.wish !== undefined

/** An attempt that was under way when its webhook was deleted leaves its own error. */
const endedWithReason: Check = ({ webhooks }, { rows }) =>
  rows.flatMap(({ attempts, error, id, status, webhook }) =>
    status === "delivered" || (status === "failed" && error !== null && error !== "")
      ? status === "failed" && attempts < ATTEMPTS && error!.startsWith("HTTP") && isKept(webhooks, webhook)
        ? [`${id} failed after ${attempts} attempts: ${error}`]
        : []
      : [`${id} ended ${status}, ${error}`]
  )

const requestsOf = ({ webhooks }: Evidence): ReadonlyMap<string, ReadonlyArray<Request>> =>
  Map.groupBy(
    webhooks.flatMap(({ receiver }) => receiver.requests),
    ({ deliveryId }) => deliveryId
  )

/** The rows say what the receivers saw. Only a killed process may have sent what no row says. */
const statusesTrue: Check = (evidence, { rows }) => {
  const requests = requestsOf(evidence)
  const known = new Set(rows.map(({ id }) => id))
  return [
    ...[...requests.keys()].filter((id) => !known.has(id)).map((id) => `${id} was sent and has no row`),
    ...rows.flatMap(({ attempts, id, status }) => {
      const seen = requests.get(id) ?? []
      const accepted = seen.filter((request) => request.accepted).length
      return [
        ...(status === "delivered" && accepted === 0
          ? [`${id} is delivered, but no request was accepted`]
          : []),
        ...(status !== "delivered" && accepted > 0 && evidence.kills === 0
          ? [`${id} is ${status}, but a request was accepted`]
          : []),
        ...(seen.length < attempts
          ? [`${id} has ${attempts} attempts, but ${seen.length} requests arrived`]
          : [])
      ]
    })
  ]
}

const attemptsRecorded: Check = (_, { failedAttempts, rows }) =>
  rows.flatMap(({ attempts, id, status }) => {
    const expected = attempts - (status === "delivered" ? 1 : 0)
    const found = failedAttempts.get(id) ?? 0
    return found === expected ? [] : [`${id} has ${found} failed attempts recorded instead of ${expected}`]
  })

/** At most the windows and what may be unrecorded, for each death. */
const repeatsBounded: Check = (evidence, { rows }) => {
  const { kills, limits, webhooks } = evidence
  const windows = webhooks.reduce(
    (sum, { batch, maxInFlight }) => sum + maxInFlight * (batch?.max_events ?? 1),
    0
  )
  const requests = requestsOf(evidence)
  const repeats = rows.reduce((sum, { attempts, id }) => sum + (requests.get(id)?.length ?? 0) - attempts, 0)
  const most = kills * (windows + limits.unrecordedMost)
  return repeats > most ? [`${repeats} requests were repeated, at most ${most} may be`] : []
}

const firstsInOrder: Check = ({ webhooks, zombies }, { rows }) => {
  if (zombies > 0) return []
  const live = new Set(rows.flatMap(({ id, job }) => (job === null ? [id] : [])))
  return webhooks.flatMap(({ id, receiver }) => {
    const firsts = [...new Set(receiver.requests.map(({ deliveryId }) => deliveryId))].filter((one) =>
      live.has(one)
    )
    return firsts.flatMap((one, i) => (one < (firsts[i - 1] ?? "") ? [`${one} of ${id} left too late`] : []))
  })
}

const windowsKept: Check = ({ webhooks, zombies }) =>
  zombies > 0
    ? []
    : webhooks.flatMap(({ batch, id, maxInFlight, receiver }) => [
        ...(receiver.mostOpen > maxInFlight ? [`${id} had ${receiver.mostOpen} requests open`] : []),
        ...receiver.arrivals.flatMap(({ deliveries }) =>
          deliveries > (batch?.max_events ?? 1) ? [`${id} got ${deliveries} deliveries in a request`] : []
        )
      ])

/**
 * A full bucket, what flows in, another full bucket for each time that the webhook may have a new owner, and what was
 * on its way: attempts that have their token and wait for the database leave together when it answers.
 */
const ratesKept: Check = ({ moves, webhooks }) =>
  webhooks.flatMap(({ id, maxInFlight, maxPerSecond, receiver: { arrivals } }) => {
    if (maxPerSecond === null) return []
    const firstMs = arrivals[0]?.atMs ?? 0
    return arrivals.flatMap(({ atMs }, last) => {
      const owners = 1 + moves.filter((movedMs) => movedMs >= firstMs && movedMs <= atMs).length
      const tooMany = arrivals.slice(0, last + 1).find((first, i) => {
        const most = maxPerSecond * (owners + (atMs - first.atMs) / 1_000)
        return last - i + 1 > most + maxInFlight
      })
      return tooMany === undefined ? [] : [`${id} got more than ${maxPerSecond} requests a second at ${atMs}`]
    })
  })

/** At most what failed since the last delivery. Processes differ in their clocks, which the rows' times are from. */
const countersRight: Check = ({ webhooks }, { counters, rows, usage }) => {
  const attempts = rows.reduce((sum, row) => sum + row.attempts, 0)
  return [
    ...(usage === attempts ? [] : [`the quota counted ${usage} attempts instead of ${attempts}`]),
    ...webhooks.flatMap(({ id, versions }) => {
      // Activating a webhook begins the count anew.
      const alwaysActive = versions.every(({ wish }) => wish !== undefined)
      const own = rows.filter(({ attempts, webhook }) => webhook === id && attempts > 0)
      const deliveredMs = Math.max(
        0,
        ...own.map(({ endedMs, status }) => (status === "delivered" ? endedMs : 0))
      )
      const failed = own
        .filter(({ endedMs, status }) => status === "failed" && endedMs >= deliveredMs - CLOCKS_DIFFER_MS)
        .reduce((sum, row) => sum + Math.ceil(row.attempts / ATTEMPTS), 0)
      const count = counters.get(id) ?? 0
      return [
        ...(count > failed ? [`${id} has ${count} consecutive failures instead of at most ${failed}`] : []),
        ...(alwaysActive &&
        deliveredMs === 0 &&
        count < own.filter(({ status }) => status === "failed").length
          ? [`${id} has only ${count} consecutive failures`]
          : [])
      ]
    })
  ]
}

/** After a batch of outcomes a webhook is disabled, unless the process dies or does not hear what it has written. */
const failingDisabled: Check = ({ answersLost, disableAfter, kills, limits, mostFailures }) => {
  const most = disableAfter + limits.recorderBatch * (2 + kills + answersLost)
  return mostFailures > most
    ? [`an active webhook had ${mostFailures} consecutive failures, at most ${most} may be`]
    : []
}

const replaysComplete: Check = ({ replays }, { rows }) =>
  replays.flatMap(({ eventIds, id }) =>
    differences(
      eventIds,
      rows.filter(({ job }) => job === id).map(({ event }) => event)
    )
      // A job ends early if its webhook is deleted or disabled.
      .filter((text) => !text.endsWith("is missing"))
      .map((text) => `${id}: ${text}`)
  )

const noDefects: Check = ({ defects }) => defects

export const checks: Readonly<Record<string, Check>> = {
  everyLedgerOnce,
  everyEventOnce,
  eventLogComplete,
  wantedDeliveries,
  endedWithReason,
  statusesTrue,
  attemptsRecorded,
  repeatsBounded,
  firstsInOrder,
  windowsKept,
  ratesKept,
  countersRight,
  failingDisabled,
  replaysComplete,
  noDefects
}

export interface Problem {
  readonly check: string
  readonly what: string
}

export const check = Effect.fnUntraced(function* (evidence: Evidence) {
  const outcome = yield* readOutcome
  return Object.entries(checks).flatMap(([name, one]) =>
    one(evidence, outcome).map((what): Problem => ({ check: name, what }))
  )
})
