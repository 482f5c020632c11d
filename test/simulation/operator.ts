/**
 * What customers do while faults happen: they create, pause, change and delete webhooks, retry deliveries and replay
 * events, through the stores that the API uses. Remembers what each webhook wanted, and from when to when.
 */
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { Batch } from "../../src/domain/Batch.ts"
import type { EventType } from "../../src/domain/EventType.ts"
import { eventsTopic, type LedgerEvent, parseLedgerEvent } from "../../src/domain/LedgerEvent.ts"
import { EventLog } from "../../src/log/EventLog.ts"
import type { SeededRandom } from "../../src/simulator/SeededRandom.ts"
import { DeliveryQueries } from "../../src/storage/deliveries/DeliveryQueries.ts"
import { Outbox } from "../../src/storage/outbox/Outbox.ts"
import { ReplayStore } from "../../src/storage/replays/ReplayStore.ts"
import type { ReadSql } from "../../src/storage/Sql.ts"
import { SecretBox } from "../../src/storage/webhooks/SecretBox.ts"
import type { WebhookChange } from "../../src/storage/webhooks/WebhookRow.ts"
import { WebhookStore } from "../../src/storage/webhooks/WebhookStore.ts"
import { SECRET } from "../support/delivering.ts"
import { NETWORK, simulatedSettings } from "./node.ts"
import type { Receiver } from "./receivers.ts"

export const ACCOUNT = "acct_1"
const owner = { accountId: ACCOUNT, networks: [NETWORK] } as const

/** What a webhook wants. Undefined in its list: nothing, because it is disabled or deleted. */
export interface Wish {
  readonly types: ReadonlyArray<EventType> | undefined
  readonly accounts: ReadonlyArray<string>
}

/** From the request on, a wish may apply; from the answer on it does, until the next one is requested. */
export interface Version {
  readonly askedMs: number
  readonly answeredMs: number
  readonly wish: Wish | undefined
}

export interface SimulatedWebhook {
  readonly id: string
  readonly receiver: Receiver
  readonly maxInFlight: number
  readonly maxPerSecond: number | null
  readonly batch: Batch | null
  readonly versions: Array<Version>
}

export interface Replayed {
  readonly id: string
  readonly webhookId: string
  readonly eventIds: ReadonlyArray<string>
}

export const wants = (wish: Wish | undefined, event: LedgerEvent): boolean =>
  wish !== undefined &&
  (wish.types === undefined || wish.types.includes(event.event_type)) &&
  (wish.accounts.length === 0 || event.accounts.some((account) => wish.accounts.includes(account)))

export interface OperatorParts {
  readonly chance: SeededRandom
  readonly nowMs: () => number
  readonly webhooks: Array<SimulatedWebhook>
  readonly replays: Array<Replayed>
  /** Accounts and types that occur in the ledgers. */
  readonly accounts: ReadonlyArray<string>
  readonly types: ReadonlyArray<EventType>
}

export const operatorLayer = <E, R>(
  sql: Layer.Layer<SqlClient.SqlClient | ReadSql, E, R>,
  log: EventLog["Service"],
  disableAfter: number
) =>
  Layer.mergeAll(WebhookStore.layer, DeliveryQueries.layer, ReplayStore.layer).pipe(
    Layer.provideMerge(Layer.mergeAll(Outbox.layer, SecretBox.layer, Layer.succeed(EventLog, log))),
    Layer.provideMerge(sql),
    Layer.provide(simulatedSettings(disableAfter))
  )

const isActive = ({ versions }: SimulatedWebhook) => versions.at(-1)?.wish !== undefined

const wishOf = ({ accounts, chance, types }: OperatorParts): Wish => ({
  types: chance.flip(0.4) ? undefined : chance.shuffle(types).slice(0, chance.int(1, 4)),
  accounts: chance.flip(0.7) ? [] : chance.shuffle(accounts).slice(0, chance.int(1, 8))
})

const fieldsOf = ({ accounts, types }: Wish) => ({
  event_types: types ?? ["*"],
  account_filters: accounts
})

export const createWebhook = Effect.fnUntraced(function* (
  parts: OperatorParts,
  made: Omit<SimulatedWebhook, "versions">
) {
  const store = yield* WebhookStore
  const secrets = yield* SecretBox
  const wish = wishOf(parts)
  const askedMs = parts.nowMs()
  yield* store.create(
    {
      id: made.id,
      account_id: ACCOUNT,
      network: NETWORK,
      url: `https://receiver.example/${made.id}`,
      description: null,
      ...fieldsOf(wish),
      payload_filter: null,
      max_in_flight: made.maxInFlight,
      max_per_second: made.maxPerSecond,
      signing: ["service"],
      format: "ledgerhook",
      compression: null,
      batch: made.batch,
      headers: {},
      sealed_secret: secrets.seal(SECRET)
    },
    askedMs
  )
  parts.webhooks.push({ ...made, versions: [{ askedMs, answeredMs: parts.nowMs(), wish }] })
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
 * Remembers the webhooks that the service has disabled since `sinceMs`, when this was last called. Returns the most
 * consecutive failures of an active webhook.
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
  return Math.max(0, ...rows.map(({ active, failures }) => (active ? failures : 0)))
})

/** Activates every paused webhook. */
export const activateAll = Effect.fnUntraced(function* (parts: OperatorParts) {
  const sql = yield* SqlClient.SqlClient
  const paused = yield* sql<{ readonly id: string }>`
    SELECT id FROM webhooks WHERE status = 'disabled' AND deleted_at IS NULL ORDER BY id`
  for (const { id } of paused) {
    const webhook = parts.webhooks.find((one) => one.id === id)!
    const wish = webhook.versions.findLast((version) => version.wish !== undefined)?.wish
    yield* change(parts, webhook, wish, { status: "active" })
  }
})

const eventsSoFar = Effect.gen(function* () {
  const log = yield* EventLog
  const records = yield* log.read({ topic: eventsTopic(NETWORK), partition: 0, offset: 0 }, 10_000)
  return records.map(({ value }) => parseLedgerEvent(value)!)
})

const retryNow = Effect.fnUntraced(function* ({ chance, nowMs }: OperatorParts) {
  const sql = yield* SqlClient.SqlClient
  const queries = yield* DeliveryQueries
  const rows = yield* sql<{ readonly id: string; readonly event: string }>`
    SELECT id, event_id AS event FROM deliveries WHERE status IN ('failed', 'retrying') ORDER BY id LIMIT 5`
  const row = chance.pickOrNone(rows)
  if (row === undefined) return
  const event = (yield* eventsSoFar).find(({ event_id }) => event_id === row.event)!
  yield* queries.retry(owner, row.id, event, nowMs())
})

const replayJob = Effect.fnUntraced(function* (parts: OperatorParts, webhook: SimulatedWebhook) {
  const jobs = yield* ReplayStore
  const eventIds = parts.chance
    .shuffle(yield* eventsSoFar)
    .slice(0, parts.chance.int(1, 12))
    .map(({ event_id }) => event_id)
  if (eventIds.length === 0) return
  const id = `rpl_job_${String(parts.replays.length).padStart(26, "0")}`
  const job = { id, webhookId: webhook.id, eventIds, estimatedEvents: eventIds.length, endOffset: 0 }
  const made = yield* jobs.create(owner, job, parts.nowMs())
  if (made === "queued") parts.replays.push({ id, webhookId: webhook.id, eventIds })
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

/** One request, chosen by the seed. `n` is different for each. Returns what was requested. */
export const act = Effect.fnUntraced(function* (parts: OperatorParts, n: number) {
  const { chance, webhooks } = parts
  const webhook = chance.pick(webhooks)
  const kind = chance.pick(["pause", "change", "delete", "retry", "retry", "replay", "replay", "retry all"])
  const active = isActive(webhook)
  if (kind === "retry") yield* retryNow(parts)
  else if (!active) {
    const wish = webhook.versions.findLast((version) => version.wish !== undefined)?.wish
    const store = yield* WebhookStore
    if (Option.isSome(yield* store.find(owner, webhook.id)))
      yield* change(parts, webhook, wish, { status: "active" })
    return `activate ${webhook.id}`
  } else if (kind === "pause") yield* change(parts, webhook, undefined, { status: "disabled" })
  else if (kind === "change") {
    const wish = wishOf(parts)
    yield* change(parts, webhook, wish, fieldsOf(wish))
  } else if (kind === "delete") {
    if (webhooks.filter(isActive).length > 2 && chance.flip(0.3))
      yield* change(parts, webhook, undefined, "delete")
  } else if (kind === "replay") yield* replayJob(parts, webhook)
  else yield* retryAll(parts, webhook, n)
  return `${kind} ${webhook.id}`
})
