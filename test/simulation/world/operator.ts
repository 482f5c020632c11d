/**
 * What customers and the operator do while faults happen: they create, disable, pause, change and delete webhooks, retry
 * deliveries, replay events, suspend the account and lower its quota, through the stores that the API and the commands
 * use. Remembers what each webhook wanted, and from when to when.
 */

import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { AccountStore } from "../../../src/features/accounts/AccountStore.ts"
import { ApiKeyStore } from "../../../src/features/accounts/ApiKeyStore.ts"
import { DeliveryQueries } from "../../../src/features/deliveries/DeliveryQueries.ts"
import { type RefusedJob, ReplayStore } from "../../../src/features/replay/ReplayStore.ts"
import type { SeededRandom } from "../../../src/features/simulator/SeededRandom.ts"
import type { WebhookChange } from "../../../src/features/webhooks/WebhookChange.ts"
import { WebhookStore } from "../../../src/features/webhooks/WebhookStore.ts"
import { UsageStore } from "../../../src/spine/deliveries/UsageStore.ts"
import { historyEventsTopic } from "../../../src/spine/domain/Backfill.ts"
import type { Batch } from "../../../src/spine/event/Batch.ts"
import { eventsTopic, parseLedgerEvent } from "../../../src/spine/event/LedgerEvent.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { Outbox } from "../../../src/spine/store/outbox/Outbox.ts"
import type { ReadSql } from "../../../src/spine/store/Sql.ts"
import { SecretBox } from "../../../src/spine/store/secrets/SecretBox.ts"
import { SECRET } from "../../support/deliver/delivering.ts"
import {
  choosePastWish,
  chooseWish,
  fieldsOf,
  filtersOf,
  type Occurring,
  type TimedEvent,
  type Wish,
  wantsPast
} from "../wishes.ts"
import { ACCOUNT, NETWORK, simulatedSettings } from "./node.ts"
import type { Receiver } from "./receivers.ts"

/** A quota is used up at the latest after so many further attempts. */
const SOON_USED_UP = 8
const owner = { accountId: ACCOUNT, networks: [NETWORK] } as const
const EVENTS = { topic: eventsTopic(NETWORK), partition: 0 }
const HISTORY_EVENTS = { topic: historyEventsTopic(NETWORK), partition: 0 }

/** From the request on, a wish may apply; from the answer on it does, until the next one is requested. */
export interface Version {
  readonly askedMs: number
  readonly answeredMs: number
  /** Undefined: nothing, because the webhook is disabled or deleted. */
  readonly wish: Wish | undefined
}

export interface SimulatedWebhook {
  readonly id: string
  readonly receiver: Receiver
  readonly maxInFlight: number
  readonly strict: boolean
  readonly maxPerSecond: number | null
  readonly batch: Batch | null
  readonly versions: Array<Version>
  /** When it was paused: from the answer on nothing is sent, until it is asked to send again. */
  readonly pauses: Array<{ readonly answeredMs: number; endAskedMs: number }>
}

export interface Replayed {
  readonly id: string
  readonly webhookId: string
  readonly eventIds: ReadonlyArray<string>
}

/** When the deliveries of the account waited, because it was suspended or its quota was used up. */
export interface HoldTime {
  /** From the request on they may wait, and from then on all processes let them wait. */
  readonly askedMs: number
  knownMs: number
  /** They may resume after the request that ended it, and have resumed from then on. */
  endAskedMs: number
  endKnownMs: number
}

export interface OperatorParts {
  readonly chance: SeededRandom
  readonly nowMs: () => number
  readonly webhooks: Array<SimulatedWebhook>
  readonly replays: Array<Replayed>
  readonly holds: Array<HoldTime>
  /** Whether the account is suspended and gets a quota at times. */
  readonly mayHold: boolean
  readonly occurring: Occurring
  /** Events of ledgers before the service's first one, which replays may want; empty without history servers. */
  readonly past: ReadonlyArray<TimedEvent>
}

export const operatorLayer = <E, R>(
  sql: Layer.Layer<SqlClient.SqlClient | ReadSql, E, R>,
  log: Log["Service"],
  settings: { readonly disableAfter: number; readonly hasHistory: boolean }
) =>
  Layer.mergeAll(
    WebhookStore.layer,
    DeliveryQueries.layer,
    ReplayStore.layer,
    UsageStore.layer,
    Layer.provide(AccountStore.layer, ApiKeyStore.layer)
  ).pipe(
    Layer.provideMerge(Layer.mergeAll(Outbox.layer, SecretBox.layer, Layer.succeed(Log, log))),
    Layer.provideMerge(sql),
    Layer.provideMerge(simulatedSettings(settings.disableAfter, settings.hasHistory))
  )

const isActive = ({ versions }: SimulatedWebhook) => versions.at(-1)?.wish !== undefined

export const createWebhook = Effect.fnUntraced(function* (
  parts: OperatorParts,
  made: Omit<SimulatedWebhook, "versions" | "pauses">
) {
  const store = yield* WebhookStore
  const secrets = yield* SecretBox
  const wish = chooseWish(parts.occurring, parts.chance)
  const askedMs = parts.nowMs()
  yield* store.create(
    {
      id: made.id,
      account_id: ACCOUNT,
      network: NETWORK,
      url: `https://receiver.example/${made.id}`,
      description: null,
      ...fieldsOf(wish),
      max_in_flight: made.maxInFlight,
      max_per_second: made.maxPerSecond,
      paused: false,
      ordering: made.strict ? "strict" : "first_attempt",
      signing: ["service"],
      format: "ledgerhook",
      include: [],
      compression: null,
      batch: made.batch,
      headers: {},
      sealed_secret: secrets.seal(SECRET)
    },
    askedMs
  )
  parts.webhooks.push({ ...made, versions: [{ askedMs, answeredMs: parts.nowMs(), wish }], pauses: [] })
})

const isPaused = ({ pauses }: SimulatedWebhook) => pauses.at(-1)?.endAskedMs === Number.POSITIVE_INFINITY

const pause = Effect.fnUntraced(function* (parts: OperatorParts, webhook: SimulatedWebhook, paused: boolean) {
  const store = yield* WebhookStore
  if (!paused) webhook.pauses.at(-1)!.endAskedMs = parts.nowMs()
  yield* store.change(owner, webhook.id, { paused }, parts.nowMs())
  if (paused) webhook.pauses.push({ answeredMs: parts.nowMs(), endAskedMs: Number.POSITIVE_INFINITY })
})

const change = Effect.fnUntraced(function* (
  parts: OperatorParts,
  webhook: SimulatedWebhook,
  wish: Wish | undefined,
  change: WebhookChange | "delete"
) {
  const store = yield* WebhookStore
  const askedMs = parts.nowMs()
  if (change === "delete") yield* store.remove(owner, webhook.id, askedMs)
  else yield* store.change(owner, webhook.id, change, askedMs)
  webhook.versions.push({ askedMs, answeredMs: parts.nowMs(), wish })
})

/**
 * Remembers the webhooks that the service has disabled since `sinceMs`, when this was last called. Returns the
 * consecutive failures of the active ones.
 */
export const noteDisabled = Effect.fnUntraced(function* (parts: OperatorParts, sinceMs: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly id: string; readonly active: boolean; readonly failures: number }>`
    SELECT id, status = 'active' AS active, consecutive_failures AS failures
    FROM webhooks WHERE deleted_at IS NULL ORDER BY id`
  for (const { id, active } of rows) {
    const webhook = parts.webhooks.find((one) => one.id === id)!
    if (!active && isActive(webhook))
      webhook.versions.push({ askedMs: sinceMs, answeredMs: parts.nowMs(), wish: undefined })
  }
  return new Map(rows.flatMap(({ active, failures, id }) => (active ? [[id, failures] as const] : [])))
})

/** Activates every disabled webhook, and ends every pause. */
export const activateAll = Effect.fnUntraced(function* (parts: OperatorParts) {
  const sql = yield* SqlClient.SqlClient
  for (const webhook of parts.webhooks.filter(isPaused)) yield* pause(parts, webhook, false)
  const disabled = yield* sql<{ readonly id: string }>`
    SELECT id FROM webhooks WHERE status = 'disabled' AND deleted_at IS NULL ORDER BY id`
  for (const { id } of disabled) {
    const webhook = parts.webhooks.find((one) => one.id === id)!
    const wish = webhook.versions.findLast((version) => version.wish !== undefined)?.wish
    yield* change(parts, webhook, wish, { status: "active" })
  }
})

const eventsIn = Effect.fnUntraced(function* (partition: typeof EVENTS) {
  const log = yield* Log
  const records = yield* log.read({ ...partition, offset: 0 }, 10_000)
  return records.map(({ value }) => parseLedgerEvent(value)!)
})

const retryNow = Effect.fnUntraced(function* ({ chance, nowMs }: OperatorParts) {
  const sql = yield* SqlClient.SqlClient
  const queries = yield* DeliveryQueries
  const rows = yield* sql<{ readonly id: string; readonly event: string }>`
    SELECT id, event_id AS event FROM deliveries WHERE status IN ('failed', 'retrying') ORDER BY id LIMIT 5`
  const row = chance.pickOrNone(rows)
  if (row === undefined) return
  const events = [...(yield* eventsIn(EVENTS)), ...(yield* eventsIn(HISTORY_EVENTS))]
  const event = events.find(({ event_id }) => event_id === row.event)!
  yield* queries.retry(owner, row.id, event, nowMs())
})

/** A replay by event ids or by filters. */
const replayJob = Effect.fnUntraced(function* (parts: OperatorParts, webhook: SimulatedWebhook) {
  const { chance, nowMs, occurring, past, replays } = parts
  const jobs = yield* ReplayStore
  const events = yield* eventsIn(EVENTS)
  if (events.length === 0) return
  const id = `rpl_job_${String(replays.length).padStart(26, "0")}`
  const log = yield* Log
  const { end: endOffset } = yield* log.offsets(EVENTS)
  const job = { id, webhookId: webhook.id, endOffset }
  let eventIds: ReadonlyArray<string>
  let made: "queued" | RefusedJob
  if (chance.flip(past.length > 0 ? 0.2 : 0.5)) {
    eventIds = chance
      .shuffle(events)
      .slice(0, chance.int(1, 12))
      .map(({ event_id }) => event_id)
    made = yield* jobs.create(owner, { ...job, eventIds, estimatedEvents: eventIds.length }, nowMs())
  } else {
    const all = [...past, ...events]
    const closedMs = all.map(({ timestamp }) => Date.parse(timestamp))
    const wish = choosePastWish(occurring, chance, closedMs)
    // Without a beginning, the service's own events are meant.
    const replayed = wish.sinceMs === undefined ? events : all
    eventIds = replayed.filter((event) => wantsPast(wish, event)).map(({ event_id }) => event_id)
    // A low estimate makes the job read single ledgers if it names accounts, a high one the whole log.
    const estimatedEvents = chance.pick([0, 1_000_000])
    made = yield* jobs.create(owner, { ...job, filters: filtersOf(wish), estimatedEvents }, nowMs())
  }
  if (made === "queued") replays.push({ id, webhookId: webhook.id, eventIds })
})

const retryAll = Effect.fnUntraced(function* (parts: OperatorParts, webhook: SimulatedWebhook, n: number) {
  const jobs = yield* ReplayStore
  const id = `rpl_job_${String(n).padStart(26, "9")}`
  const retry = { statuses: ["failed", "retrying"] as const }
  yield* jobs.create(
    owner,
    { id, webhookId: webhook.id, retry, estimatedEvents: 1, endOffset: 0 },
    parts.nowMs()
  )
})

/** Suspends the account, or gives it a quota of a few more attempts than it has made. */
export const beginHold = Effect.fnUntraced(function* (
  { chance, holds, nowMs }: OperatorParts,
  mostAttempts: number
) {
  const accounts = yield* AccountStore
  const { deliveries } = yield* Effect.flatMap(UsageStore, (usage) => usage.usageOf(ACCOUNT, nowMs()))
  const never = Number.POSITIVE_INFINITY
  const hold = { askedMs: nowMs(), knownMs: never, endAskedMs: never, endKnownMs: never }
  holds.push(hold)
  const change = chance.flip(0.5)
    ? { suspended: true }
    : { own: { monthlyDeliveries: deliveries + chance.int(0, mostAttempts) } }
  yield* accounts.change(ACCOUNT, change, nowMs())
  return hold
})

/** Ends suspension and quota. */
export const endHold = Effect.fnUntraced(function* ({ holds, nowMs }: OperatorParts) {
  const accounts = yield* AccountStore
  for (const hold of holds) hold.endAskedMs = Math.min(hold.endAskedMs, nowMs())
  yield* accounts.change(ACCOUNT, { suspended: false, own: { monthlyDeliveries: null } }, nowMs())
})

const isHeld = ({ holds }: OperatorParts) => holds.at(-1)?.endAskedMs === Number.POSITIVE_INFINITY

/** With history servers, replays are most of the requests: few of them want history and get it. */
const requestsOf = ({ past }: OperatorParts) => {
  const replays = Array.from({ length: past.length > 0 ? 6 : 2 }, () => "replay" as const)
  return ["disable", "pause", "pause", "change", "delete", "retry", "retry", "retry all", ...replays] as const
}

/** One request, chosen by the seed. `n` is different for each. Returns what was requested. */
export const act = Effect.fnUntraced(function* (parts: OperatorParts, n: number) {
  const { chance, mayHold, webhooks } = parts
  if (mayHold && chance.flip(isHeld(parts) ? 0.4 : 0.1)) {
    if (isHeld(parts)) yield* endHold(parts)
    else yield* beginHold(parts, SOON_USED_UP)
    return isHeld(parts) ? "deliveries of the account must wait" : "deliveries of the account may resume"
  }
  const webhook = chance.pick(webhooks)
  const kind = chance.pick(requestsOf(parts))
  const active = isActive(webhook)
  if (kind === "retry") yield* retryNow(parts)
  else if (!active) {
    const wish = webhook.versions.findLast((version) => version.wish !== undefined)?.wish
    const store = yield* WebhookStore
    if (Option.isSome(yield* store.find(owner, webhook.id)))
      yield* change(parts, webhook, wish, { status: "active" })
    return `activate ${webhook.id}`
  } else if (kind === "disable") yield* change(parts, webhook, undefined, { status: "disabled" })
  else if (kind === "pause") yield* pause(parts, webhook, !isPaused(webhook))
  else if (kind === "change") {
    const wish = chooseWish(parts.occurring, parts.chance)
    yield* change(parts, webhook, wish, fieldsOf(wish))
  } else if (kind === "delete") {
    if (webhooks.filter(isActive).length > 2 && chance.flip(0.3))
      yield* change(parts, webhook, undefined, "delete")
  } else if (kind === "replay") yield* replayJob(parts, webhook)
  else yield* retryAll(parts, webhook, n)
  return `${kind} ${webhook.id}`
})
