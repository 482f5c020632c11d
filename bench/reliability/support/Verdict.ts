/**
 * What a run did to the promises. After the faults have ended, it stops the ledgers, waits until nothing is left to do,
 * and compares the chain's own expectation, the delivery rows and what the receivers saw.
 */

import { Clock, Effect } from "effect"
import { deliverLimits } from "../../../src/spine/deliver/Limits.ts"
import type { Cluster } from "./Cluster.ts"
import { kindNames, kinds } from "./Receivers.ts"

interface Row {
  readonly id: string
  readonly webhook_id: string
  readonly event_id: string
  readonly status: string
  readonly attempts: number
  readonly last_error: string | null
}

/** Counted since the run's start. */
export interface Totals {
  readonly deliveries: number
  /** One sentence each. */
  readonly lost: ReadonlyArray<string>
  /** Accepted, but the database has lost the record: PostgreSQL went back, and Kafka did not. */
  readonly forgotten: number
  /** Requests beyond the recorded attempts. */
  readonly duplicates: number
  /** Deliveries to receivers that answer in time, which ended `failed` all the same. */
  readonly failedWrongly: ReadonlyArray<string>
  /** First requests after one of a later delivery. A failed attempt may arrive late or never: it does not count. */
  readonly outOfOrder: number
}

/** What one deliver process may repeat: docs/stages.md, "What a crash repeats at most". */
export const repeatedMost = kindNames.reduce(
  (sum, name) => sum + kinds[name].window,
  deliverLimits.unrecordedMost
)

/** Without any change for this long, what is left never ends. A slow machine may need long, but it moves. */
const SETTLE_MS = 180_000
/** If rows were lost, nothing says how many there will be. */
const SETTLE_LOST_MS = 30_000
const LOOK_MS = 500

interface Progress {
  readonly made: number
  readonly open: number
  /** Changes with each recorded attempt. */
  readonly attempts: number
}

/** Waits until every expected delivery has a row and every row has ended. The ledgers do not flow meanwhile. */
const settle = Effect.fnUntraced(function* ({ load, pair, rows, store, webhooks }: Cluster) {
  const settleMs = pair !== undefined && store === "kafka" ? SETTLE_LOST_MS : SETTLE_MS
  load.flowing = false
  let before = ""
  let deadline = 0
  while (true) {
    yield* Effect.sleep(LOOK_MS)
    // A ledger that was being closed when they stopped is counted now.
    const wanted = load.expected.size * webhooks.size
    const found = yield* rows<Progress>(
      `SELECT count(*)::int AS made, (count(*) FILTER (WHERE status IN ('pending', 'retrying')))::int AS open,
              sum(attempts)::int AS attempts
       FROM deliveries`
    ).pipe(Effect.orElseSucceed(() => []))
    if (found.some(({ made, open }) => made >= wanted && open === 0)) return
    const nowMs = yield* Clock.currentTimeMillis
    const now = JSON.stringify(found)
    if (now !== before) deadline = nowMs + settleMs
    if (nowMs > deadline) return
    before = now
  }
})

/** How many stand behind a later one. The ids of deliveries are in the order of the ledger. */
const inversions = (ids: ReadonlyArray<string>): number => {
  let newest = ""
  let count = 0
  for (const id of ids) {
    if (id < newest) count++
    else newest = id
  }
  return count
}

export const verdictOf = Effect.fnUntraced(function* (cluster: Cluster) {
  yield* settle(cluster)
  const { load, pair, receivers, rows, store, webhooks } = cluster
  const found = yield* rows<Row>(
    "SELECT id, webhook_id, event_id, status, attempts, last_error FROM deliveries ORDER BY id"
  )
  const lost: Array<string> = []
  const failedWrongly: Array<string> = []
  const have = new Set<string>()
  const retried = new Set<string>()
  let duplicates = 0
  let forgotten = 0
  for (const { id, webhook_id, event_id, status, attempts, last_error } of found) {
    const name = webhooks.get(webhook_id)
    have.add(`${webhook_id} ${event_id}`)
    const seen = receivers.seen.get(id) ?? { requests: 0, accepted: 0 }
    duplicates += Math.max(0, seen.requests - attempts)
    if (attempts > 1) retried.add(id)
    const where = `${id} to ${name}`
    if (status === "delivered" && seen.accepted === 0) lost.push(`${where}: delivered, never accepted`)
    if (status === "failed" && last_error === null) lost.push(`${where}: failed without a reason`)
    if (status !== "delivered" && status !== "failed") lost.push(`${where}: still ${status}`)
    if (status === "failed" && name !== undefined && kinds[name].healthy)
      failedWrongly.push(`${where}: ${last_error}`)
  }
  // If the database went back, the event was detected again, and its deliveries have other ids.
  const known = new Set(found.map(({ id }) => id))
  if (store === "embedded")
    for (const [id, { requests }] of receivers.seen) if (!known.has(id)) duplicates += requests
  for (const [webhookId, name] of webhooks) {
    for (const eventId of load.expected) {
      if (have.has(`${webhookId} ${eventId}`)) continue
      if (pair !== undefined && store === "kafka" && receivers.accepted(name, eventId)) forgotten++
      else lost.push(`${eventId} to ${name}: no delivery`)
    }
  }
  if (pair !== undefined) {
    const chain = yield* cluster.verified
    if (chain !== undefined) lost.push(chain)
  }
  const totals: Totals = {
    deliveries: found.length,
    lost,
    forgotten,
    duplicates,
    failedWrongly,
    outOfOrder: kindNames.reduce(
      (sum, name) => sum + inversions((receivers.firstsOf(name) ?? []).filter((id) => !retried.has(id))),
      0
    )
  }
  load.flowing = true
  return totals
})
