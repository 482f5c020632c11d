/**
 * `/v1/webhooks`. This file checks only fields that depend on the settings or the key; the contract checks the rest.
 */
import { Clock, Effect, Option, Semaphore } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ownerOf } from "../../http/Authentication.ts"
import { afterCommit, change } from "../../http/Change.ts"
import { Caller } from "../../http/ContractParts.ts"
import { Forbidden, faultOf } from "../../http/Errors.ts"
import { makeTurns } from "../../http/guard/Turns.ts"
import { makePage } from "../../http/Pages.ts"
import { checkRules } from "../../http/RequestRules.ts"
import { orUnavailable } from "../../http/StoreFailures.ts"
import { Settings } from "../../spine/config/Config.ts"
import { Limits } from "../../spine/config/Limits.ts"
import { hasScope, type Owner } from "../../spine/domain/ApiKey.ts"
import { calledUrl } from "../../spine/domain/EndpointUrl.ts"
import { defaultOrdering } from "../../spine/domain/Ordering.ts"
import { HIDDEN_VALUE } from "../../spine/domain/RequestHeaders.ts"
import { defaultSigning, type SigningScheme, STANDARD_SECRET_FORM } from "../../spine/domain/Signing.ts"
import { generateSecret } from "../../spine/domain/WebhookSecret.ts"
import { defaultNetwork } from "../../spine/event/Network.ts"
import { defaultFormat } from "../../spine/event/RequestFormat.ts"
import { ReadSql } from "../../spine/store/Sql.ts"
import { SecretBox } from "../../spine/store/secrets/SecretBox.ts"
import { randomId } from "../../spine/words/Ids.ts"
import { iso } from "../../spine/words/IsoTime.ts"
import { makeDeliveryStats } from "../statistics/DeliveryStats.ts"
import { lastAnswers } from "../statistics/LastAnswers.ts"
import { webhookStatsShown } from "../statistics/ShownStats.ts"
import { END_AT_ONCE, makeEndQueue } from "./DeletedQueues.ts"
import { filterError } from "./FilterFaults.ts"
import { webhookBounds } from "./Limits.ts"
import { canSign, FILTER_FIELD, newWebhookRules, webhookRules } from "./WebhookBodyRules.ts"
import { type Health, shownHealth } from "./WebhookHealth.ts"
import { makeReadHealth } from "./WebhookHealthQueries.ts"
import { limitReached, noWebhook } from "./WebhookRefusals.ts"
import { webhookOrders } from "./WebhookRules.ts"
import { type PayloadFilterMismatch, type WebhookSeen, WebhookStore } from "./WebhookStore.ts"
import { type Webhook, webhooksApi } from "./WebhooksContract.ts"

/**
 * How long the API waits between committing a rotation and answering: the lease, plus half of it for a slow event loop
 * or database.
 */
const ROTATION_MS = 1.5 * Limits.webhookViewLeaseMs

/** Lists the fields one by one, so that a new column is not published by accident. */
const webhookOf = (row: WebhookSeen, health: Health): Webhook => ({
  id: row.id,
  url: calledUrl(row.url),
  description: row.description,
  event_types: row.event_types,
  account_filters: row.account_filters,
  account_filters_count: row.account_filters_count,
  payload_filter: row.payload_filter,
  network: row.network,
  status: row.status,
  health: shownHealth(health),
  consecutive_failures: row.consecutive_failures,
  max_in_flight: row.max_in_flight,
  max_per_second: row.max_per_second,
  paused: row.paused_at !== null,
  ordering: row.ordering,
  signing: row.signing,
  format: row.format,
  include: row.include,
  compression: row.compression,
  batch: row.batch,
  headers: Object.fromEntries(Object.keys(row.headers).map((name) => [name, HIDDEN_VALUE])),
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
  disabled_at: row.disabled_at === null ? null : iso(row.disabled_at),
  disabled_reason: row.disabled_reason
})

const filterMismatch = ({ problems }: PayloadFilterMismatch) =>
  Effect.fail(filterError(problems, FILTER_FIELD))

const unique = <A extends string>(values: ReadonlyArray<A>): ReadonlyArray<A> => [...new Set(values)]

const storedSecretUnfit = (id: string) =>
  faultOf(
    "signing",
    `must not contain standard: the webhook's secret is not ${STANDARD_SECRET_FORM}. Make a new secret first: POST /v1/webhooks/${id}/rotate-secret`
  )

export const webhooksLayer = HttpApiBuilder.group(
  webhooksApi,
  "webhooks",
  Effect.fnUntraced(function* (handlers) {
    const settings = yield* Settings
    const page = yield* makePage
    const webhooks = yield* WebhookStore
    const read = yield* ReadSql
    const { statsOfWebhooks } = makeDeliveryStats(read)
    const endQueue = yield* makeEndQueue
    const secrets = yield* SecretBox
    const searchTurns = makeTurns(1)
    const searches = yield* Semaphore.make(Limits.heavyRequestsAtOnce)

    const readHealth = yield* makeReadHealth
    const shown = (row: WebhookSeen) =>
      // The row of a webhook stays for as long as its deliveries, so it has a health.
      Effect.map(readHealth([row.id]), (healths) => webhookOf(row, healths.get(row.id)!))

    /** A rotation at the same time does no harm: new secrets are generated, and each of them can sign. */
    const storedSecretFault = Effect.fnUntraced(function* (
      owner: Owner,
      id: string,
      signing: ReadonlyArray<SigningScheme> | undefined
    ) {
      if (signing?.includes("standard") !== true) return undefined
      const row = Option.getOrUndefined(yield* webhooks.find(owner, id))
      if (row === undefined) return undefined
      const secret = yield* Effect.orDie(Effect.fromResult(secrets.open(row.sealed_secret)))
      return canSign(signing, secret) ? undefined : storedSecretUnfit(id)
    })

    return handlers.handleAll({
      create: Effect.fnUntraced(
        function* ({ payload }) {
          const caller = yield* Caller
          const network = payload.network ?? defaultNetwork[caller.environment]
          const now = yield* Clock.currentTimeMillis
          const secret = payload.secret ?? generateSecret()
          yield* checkRules(newWebhookRules, payload, settings)
          const creation = webhooks.create(
            {
              id: randomId("wh_", now),
              account_id: caller.accountId,
              network,
              url: calledUrl(payload.url),
              description: payload.description ?? null,
              event_types: unique(payload.event_types),
              account_filters: unique(payload.account_filters ?? []),
              payload_filter: payload.payload_filter ?? null,
              max_in_flight: payload.max_in_flight ?? webhookBounds.defaultInFlight,
              max_per_second: payload.max_per_second ?? null,
              paused: payload.paused ?? false,
              ordering: payload.ordering ?? defaultOrdering,
              signing: unique(payload.signing ?? defaultSigning),
              format: payload.format ?? defaultFormat,
              include: unique(payload.include ?? []),
              compression: payload.compression ?? null,
              batch: payload.batch ?? null,
              headers: payload.headers ?? {},
              sealed_secret: secrets.seal(secret)
            },
            now
          )
          // Its row is not there for others before the change is committed.
          return { ...(yield* change(Effect.flatMap(creation, shown))), secret }
        },
        Effect.catchTag("WebhookLimit", limitReached),
        Effect.catchTag("PayloadFilterMismatch", filterMismatch),
        orUnavailable
      ),

      list: Effect.fnUntraced(function* ({ query }) {
        const caller = yield* Caller
        const owner = ownerOf(caller)
        const { event_type, health, network, search, sort = webhookOrders[0], stats: period, status } = query
        if (period !== undefined && !hasScope(caller.scopes, "deliveries:read")) {
          return yield* Forbidden.because(
            "stats needs the scope deliveries:read, which this key lacks; leave out stats to list the webhooks.",
            { param: "stats" }
          )
        }
        const nowMs = yield* Clock.currentTimeMillis
        const filter = { status, health, search, network, eventType: event_type, sort }
        const list = ["webhooks", owner.accountId, ...owner.networks, ...Object.values(filter)]
        const readsAll =
          [search, health, network, event_type].some((one) => one !== undefined) || sort === "health"
        const readPage = (after: string | undefined, limit: number) => {
          const found = webhooks.list(owner, { ...filter, after }, nowMs, limit)
          // Several searches of an account would keep other accounts waiting.
          return readsAll ? searchTurns.run(owner.accountId, searches.withPermit(found)) : found
        }
        const rowPage = yield* page(query, list, readPage, (row) => row)
        const healths = yield* readHealth(rowPage.data.map(({ id }) => id))
        const webhookPage = {
          ...rowPage,
          data: rowPage.data.map((row) => webhookOf(row, healths.get(row.id)!))
        }
        if (period === undefined) return webhookPage
        const ids = webhookPage.data.map(({ id }) => id)
        const statsOf = yield* statsOfWebhooks(owner, ids, period, nowMs)
        const answers = yield* lastAnswers(read, ids)
        const data = webhookPage.data.map((webhook) => {
          const { id } = webhook
          const stats = webhookStatsShown(statsOf.get(id), healths.get(id)!.waiting, answers.get(id))
          return { ...webhook, stats }
        })
        return { ...webhookPage, data }
      }, orUnavailable),

      health: Effect.fnUntraced(function* () {
        const owner = ownerOf(yield* Caller)
        const counted = webhooks.countByHealth(owner)
        return { states: yield* searchTurns.run(owner.accountId, searches.withPermit(counted)) }
      }, orUnavailable),

      get: Effect.fnUntraced(function* ({ params }) {
        const row = yield* webhooks.find(ownerOf(yield* Caller), params.id)
        return Option.isNone(row) ? yield* noWebhook(params.id) : yield* shown(row.value)
      }, orUnavailable),

      change: Effect.fnUntraced(
        function* ({ params, payload }) {
          const owner = ownerOf(yield* Caller)
          const storedSecret = yield* storedSecretFault(owner, params.id, payload.signing)
          yield* checkRules(webhookRules, payload, settings, storedSecret)
          const changes = {
            ...payload,
            ...(payload.url === undefined ? {} : { url: calledUrl(payload.url) }),
            ...(payload.event_types === undefined ? {} : { event_types: unique(payload.event_types) }),
            ...(payload.account_filters === undefined
              ? {}
              : { account_filters: unique(payload.account_filters) }),
            ...(payload.signing === undefined ? {} : { signing: unique(payload.signing) }),
            ...(payload.include === undefined ? {} : { include: unique(payload.include) })
          }
          const row = yield* webhooks.change(owner, params.id, changes, yield* Clock.currentTimeMillis)
          return Option.isNone(row) ? yield* noWebhook(params.id) : yield* shown(row.value)
        },
        Effect.catchTag("WebhookLimit", limitReached),
        Effect.catchTag("PayloadFilterMismatch", filterMismatch),
        orUnavailable
      ),

      remove: Effect.fnUntraced(function* ({ params }) {
        const owner = ownerOf(yield* Caller)
        const removed = yield* webhooks.remove(owner, params.id, yield* Clock.currentTimeMillis)
        if (!removed) return yield* noWebhook(params.id)
        // The webhook is deleted already. DeletedQueues.ts ends the deliveries that are left.
        yield* Effect.ignore(endQueue(owner, params.id, END_AT_ONCE), { log: "Warn" })
      }, orUnavailable),

      rotateSecret: Effect.fnUntraced(function* ({ params, payload }) {
        const owner = ownerOf(yield* Caller)
        const now = yield* Clock.currentTimeMillis
        // From `rotatedAt` on, every attempt of every process uses the new secret (WebhookRegistry, `current`).
        const rotatedAt = now + ROTATION_MS
        const graceMs = (payload?.grace_seconds ?? 0) * 1_000
        const secret = generateSecret()
        const rotation = {
          sealedSecret: secrets.seal(secret),
          previousUntil: graceMs === 0 ? null : rotatedAt + graceMs
        }
        const row = yield* change(webhooks.rotateSecret(owner, params.id, rotation, now))
        if (Option.isNone(row)) return yield* noWebhook(params.id)
        yield* afterCommit(Effect.sleep(ROTATION_MS))
        return { id: params.id, secret, rotated_at: iso(rotatedAt) }
      }, orUnavailable)
    })
  })
)
