/**
 * What must be true when a run has settled. Each check compares what the rows, the log and the receivers say with a
 * plain calculation from the ledgers, and returns what is wrong. Its name is what a failing run shows.
 */
import { Effect } from "effect"
import { QUOTA_USED_UP, webhookEndOf } from "../../src/features/replay/Endings.ts"
import { expectedEventIds } from "../../src/features/simulator/Chain.ts"
import { ledgerOfEventId } from "../../src/spine/event/EventId.ts"
import { deliveryId } from "../../src/spine/words/Ids.ts"
import { type Evidence, readOutcome } from "./evidence.ts"
import {
  ATTEMPTS,
  type Check,
  CLOCKS_DIFFER_MS,
  firstsInOrder,
  holdsKept,
  pausesKept,
  ratesKept,
  strictOrderKept,
  windowsKept
} from "./sendingChecks.ts"
import { wants } from "./wishes.ts"
import type { SimulatedWebhook } from "./world/operator.ts"
import type { Request } from "./world/receivers.ts"

const WEBHOOK_ENDS = (["disabled", "deleted"] as const).map((webhook) => webhookEndOf(webhook)!.error)

/** How the reason begins if history servers do not send a ledger. */
const NO_HISTORY = "History before ledger"

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

/** History holds no ledger twice and no other ones, and of each that it holds every event once. */
const pastLedgersOnce: Check = ({ past }, { pastEvents, pastMarkers }) => {
  const known = new Map(past.map((ledger) => [ledger.header.ledger_hash, ledger]))
  const hashes = pastMarkers.map(({ ledger_hash }) => ledger_hash)
  const held = [...new Set(hashes)].filter((hash) => known.has(hash))
  return [
    ...differences(held, hashes),
    ...differences(
      held.flatMap((hash) => expectedEventIds(known.get(hash)!)),
      pastEvents
    )
  ]
}

const eventLogComplete: Check = (_, { events, loggedEvents, pastEvents }) =>
  differences([...events.map(({ event }) => event.event_id), ...pastEvents], loggedEvents)

/**
 * A wish counts if it applied all the time between the append of the event and its routing. While the deliveries of
 * the account wait, events are not routed to its webhooks.
 */
const wantedDeliveries: Check = ({ failovers, holds, webhooks, routed }, { events, rows }) => {
  const live = new Map(rows.flatMap((row) => (row.job === null ? [[row.id, row] as const] : [])))
  const problems: Array<string> = []
  for (const { event, offset, atMs } of events) {
    const earliestMs = atMs - CLOCKS_DIFFER_MS
    const routedMs = routed.find((commit) => commit.offset > offset)?.atMs ?? Number.POSITIVE_INFINITY
    const mayWait = holds.some((hold) => hold.askedMs <= routedMs && hold.endKnownMs >= earliestMs)
    const waits = holds.some((hold) => hold.knownMs <= earliestMs && hold.endAskedMs >= routedMs)
    for (const { id: webhook, versions } of webhooks) {
      const id = deliveryId(event.detected_at, event.position, webhook, event.event_id)
      const possible = versions.filter(
        ({ askedMs }, i) =>
          askedMs <= routedMs && (versions[i + 1]?.answeredMs ?? Number.POSITIVE_INFINITY) >= earliestMs
      )
      const votes = possible.map(({ wish }) => wants(wish, event))
      const certain = possible[0]?.answeredMs !== undefined && possible[0].answeredMs <= earliestMs
      const what = `${event.event_id} for ${webhook} (offset ${offset}, delivery ${id})`
      if (certain && !mayWait && votes.every((vote) => vote) && !live.has(id))
        problems.push(`${what} is missing`)
      if (waits && live.has(id)) problems.push(`${what} was queued although deliveries waited`)
      if (votes.every((vote) => !vote) && live.has(id)) problems.push(`${what} was not wanted`)
      live.delete(id)
    }
  }
  // An attempt that ended after the database had gone back is recorded, and the event is detected at another time.
  if (failovers > 0) return problems
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

/**
 * The rows say what the receivers saw. Only a killed process may have sent what no row says, and a database that lost its
 * newest transactions has no row of some deliveries: their events have others (`wantedDeliveries`).
 */
const statusesTrue: Check = (evidence, { rows }) => {
  const requests = requestsOf(evidence)
  const known = new Set(rows.map(({ id }) => id))
  return [
    ...[...requests.keys()]
      .filter((id) => evidence.failovers === 0 && !known.has(id))
      .map((id) => `${id} was sent and has no row`),
    ...rows.flatMap(({ attempts, id, status }) => {
      const seen = requests.get(id) ?? []
      const accepted = seen.filter((request) => request.accepted).length
      return [
        ...(status === "delivered" && accepted === 0
          ? [`${id} is delivered, but no request was accepted`]
          : []),
        ...(status !== "delivered" && accepted > 0 && evidence.kills + evidence.suspensions === 0
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

/**
 * For each death, and each suspension of the machine, at most the window of every webhook, and `unrecordedMost` over all;
 * and what the database has lost the record of.
 */
const repeatsBounded: Check = (evidence, { rows }) => {
  const { kills, limits, suspensions, unknownRequests, webhooks } = evidence
  const requests = requestsOf(evidence)
  const known = new Set(rows.map(({ id }) => id))
  const own = webhooks.map(({ batch, id, maxInFlight, receiver }) => ({
    id,
    window: maxInFlight * (batch?.max_events ?? 1),
    unknown: unknownRequests.get(id) ?? 0,
    repeats: rows
      .filter(({ webhook }) => webhook === id)
      .reduce(
        (sum, row) => sum + (requests.get(row.id)?.length ?? 0) - row.attempts,
        receiver.requests.filter(({ deliveryId }) => !known.has(deliveryId)).length
      )
  }))
  const all = {
    id: "all webhooks",
    window: own.reduce((sum, { window }) => sum + window, 0),
    unknown: own.reduce((sum, { unknown }) => sum + unknown, 0),
    repeats: own.reduce((sum, { repeats }) => sum + repeats, 0)
  }
  return [...own, all].flatMap(({ id, repeats, unknown, window }) => {
    const most = (kills + suspensions) * (window + limits.unrecordedMost) + unknown
    return repeats > most ? [`${repeats} requests to ${id} were repeated, at most ${most} may be`] : []
  })
}

/** The run of failures, the webhook's state and its incidents are written together, whatever was killed. */
const healthAgrees: Check = (_, { wrongHealth }) => wrongHealth.map((id) => `the health of ${id} disagrees`)

/** What a webhook wanted of a ledger has a row at the end, and had ended when its progress was said to be that far. */
const progressAgrees: Check = ({ ledgers, progress, settledProgress }, { rows }) => {
  const live = Map.groupBy(
    rows.filter(({ job }) => job === null),
    ({ webhook }) => webhook
  )
  const newest = ledgers.at(-1)!.header.ledger_index
  return [
    ...[...progress, ...settledProgress].flatMap(({ completeThrough, ended, webhook }) =>
      (live.get(webhook) ?? []).flatMap(({ event, id }) =>
        ledgerOfEventId(event) <= (completeThrough ?? 0) && !ended.has(id)
          ? [
              `${webhook} was said to be complete through ${completeThrough}, but ${id} of ${event} had not ended`
            ]
          : []
      )
    ),
    ...settledProgress.flatMap(({ completeThrough, webhook }) =>
      completeThrough === newest || completeThrough === null
        ? []
        : [`${webhook} is complete through ${completeThrough} instead of ${newest}`]
    )
  ]
}

/** What a webhook would have got if it had been active, and its account not on hold, is in a gap of it. */
const gapsCover: Check = ({ routed, webhooks }, { events, gaps, rows }) => {
  const live = new Set(rows.flatMap(({ id, job }) => (job === null ? [id] : [])))
  return events.flatMap(({ event, offset, atMs }) => {
    const earliestMs = atMs - CLOCKS_DIFFER_MS
    const routedMs = routed.find((commit) => commit.offset > offset)?.atMs ?? Number.POSITIVE_INFINITY
    return webhooks.flatMap(({ id, versions }) => {
      if (!isKept(webhooks, id) || (versions[0]?.answeredMs ?? Number.POSITIVE_INFINITY) > earliestMs)
        return []
      const until = versions.filter(({ askedMs }) => askedMs <= routedMs)
      const wishes = until.flatMap(({ wish }, i) =>
        wish !== undefined &&
        (versions.slice(i + 1).find((next) => next.wish !== undefined)?.answeredMs ??
          Number.POSITIVE_INFINITY) >= earliestMs
          ? [wish]
          : []
      )
      const isIn = gaps.some(
        ({ from, to, webhook }) =>
          webhook === id && from <= event.ledger_index && event.ledger_index <= (to ?? event.ledger_index)
      )
      const delivery = deliveryId(event.detected_at, event.position, id, event.event_id)
      return wishes.length > 0 && wishes.every((wish) => wants(wish, event)) && !live.has(delivery) && !isIn
        ? [`${event.event_id} was not queued for ${id}, and is in no gap`]
        : []
    })
  })
}

/** At most what failed since the last delivery. Processes differ in their clocks, which the rows' times are from. */
const countersRight: Check = ({ clocksDifferMs, webhooks }, { countedAttempts, counters, rows, usage }) => {
  const attempts = rows.reduce((sum, row) => sum + row.attempts, 0)
  return [
    ...(usage === attempts ? [] : [`the quota counted ${usage} attempts instead of ${attempts}`]),
    ...(countedAttempts === attempts
      ? []
      : [`the statistics counted ${countedAttempts} attempts instead of ${attempts}`]),
    ...webhooks.flatMap(({ id, versions }) => {
      // Activating a webhook begins the count anew.
      const alwaysActive = versions.every(({ wish }) => wish !== undefined)
      const own = rows.filter(({ attempts, webhook }) => webhook === id && attempts > 0)
      const deliveredMs = Math.max(
        0,
        ...own.map(({ endedMs, status }) => (status === "delivered" ? endedMs : 0))
      )
      const failed = own
        .filter(({ endedMs, status }) => status === "failed" && endedMs >= deliveredMs - clocksDifferMs)
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

const failingDisabled: Check = ({ notDisabled }) =>
  notDisabled.map((id) => `${id} stayed active, although it had to be disabled`)

/**
 * A job ends early if its webhook is disabled or deleted, the quota is used up, or no server sends the history that it
 * wants, also because the clock jumps while it waits for one. It then says so.
 */
const replaysComplete: Check = (evidence, { jobs, rows }) =>
  evidence.replays.flatMap(({ eventIds, id, webhookId }) => {
    const { historyFails, holds, leasesLost, webhooks } = evidence
    const { error, status } = jobs.get(id)!
    const lacksHistory = (historyFails || leasesLost > 0) && error?.startsWith(NO_HISTORY) === true
    const found = rows.filter(({ job }) => job === id).map(({ event }) => event)
    const mayLack = status === "failed" || !isKept(webhooks, webhookId)
    const reasons = [...WEBHOOK_ENDS, ...(holds.length > 0 ? [QUOTA_USED_UP.error] : [])]
    return [
      ...(status === "completed" || (status === "failed" && (reasons.includes(error) || lacksHistory))
        ? []
        : [`${id} ended ${status}, ${error}`]),
      ...differences(eventIds, found)
        .filter((text) => !(mayLack && text.endsWith("is missing")))
        .map((text) => `${id} (${status}): ${text}`)
    ]
  })

const noDefects: Check = ({ defects }) => defects

export const checks: Readonly<Record<string, Check>> = {
  everyLedgerOnce,
  everyEventOnce,
  pastLedgersOnce,
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
  healthAgrees,
  progressAgrees,
  gapsCover,
  failingDisabled,
  holdsKept,
  pausesKept,
  strictOrderKept,
  replaysComplete,
  noDefects
}

export interface Problem {
  readonly check: string
  readonly what: string
}

export const check = Effect.fnUntraced(function* (evidence: Evidence) {
  const outcome = yield* readOutcome(evidence)
  return Object.entries(checks).flatMap(([name, one]) =>
    one(evidence, outcome).map((what): Problem => ({ check: name, what }))
  )
})
