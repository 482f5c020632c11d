/**
 * Builds a process from its settings: which parts run, and which layers they need. This is the only file that knows
 * every stage. A role that fails reports `failed` in `Health` and is restarted; the other roles keep running.
 */
import { Clock, Console, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { SqlClient } from "effect/sql"
import packageJson from "../package.json" with { type: "json" }
import { operatorServerLayer, serverLayer } from "./api/Server.ts"
import { SyntheticEvents } from "./api/SyntheticEvents.ts"
import { type NetworkSettings, Settings, watchedNetworks } from "./config/Config.ts"
import { Limits } from "./config/Limits.ts"
import { Explanations } from "./coverage/Explanations.ts"
import { delay } from "./delay/Stage.ts"
import { Recorder } from "./deliver/record/Recorder.ts"
import { deliver } from "./deliver/Stage.ts"
import { Sender, watchSender } from "./deliver/send/Sender.ts"
import { detectLedger } from "./detect/Detect.ts"
import type { DetectionAlert } from "./domain/LedgerEvent.ts"
import type { Network } from "./domain/Network.ts"
import { signInUrl } from "./domain/Session.ts"
import { events } from "./events/Stage.ts"
import { indexTransactions } from "./events/Transactions.ts"
import { logLayer } from "./LogAdapter.ts"
import { history } from "./ledger/Backfill.ts"
import type { LedgerSource } from "./ledger/LedgerSource.ts"
import * as RippledSource from "./ledger/RippledSource.ts"
import type { SkipOrders } from "./ledger/SkippedLedgers.ts"
import { ingest } from "./ledger/Stage.ts"
import type { WithheldTransaction } from "./ledger/TransactionRecords.ts"
import { watchLog } from "./log/LogHealth.ts"
import { Mailer } from "./notify/Mailer.ts"
import { notify } from "./notify/Notify.ts"
import { UrlSender } from "./notify/UrlSender.ts"
import { Health, ledgerPart, type PartHealth } from "./observability/Health.ts"
import { otlpEndpoint } from "./observability/OtlpEndpoint.ts"
import * as ProcessMetrics from "./observability/ProcessMetrics.ts"
import { retryUntilSuccess } from "./observability/RetryUntilSuccess.ts"
import * as Telemetry from "./observability/Telemetry.ts"
import { replay } from "./replay/Stage.ts"
import { untilOlderStopped } from "./route/OlderDeliver.ts"
import { RoutedWebhooks } from "./route/RoutedWebhooks.ts"
import { route } from "./route/Stage.ts"
import { supervised, supervisedWithLease } from "./Supervised.ts"
import * as SimulatedSource from "./simulator/SimulatedSource.ts"
import { syntheticTransactions } from "./simulator/SyntheticTransactions.ts"
import { AccountStore } from "./storage/accounts/AccountStore.ts"
import { ApiKeyStore } from "./storage/accounts/ApiKeyStore.ts"
import { IdempotencyStore } from "./storage/accounts/IdempotencyStore.ts"
import { MailStore } from "./storage/accounts/MailStore.ts"
import { NoticeStore } from "./storage/accounts/NoticeStore.ts"
import { SessionStore } from "./storage/accounts/SessionStore.ts"
import { UsageStore } from "./storage/accounts/UsageStore.ts"
import { makeDeadLetters } from "./storage/DeadLetters.ts"
import { DeliveryQueries } from "./storage/deliveries/DeliveryQueries.ts"
import { DeliveryStore } from "./storage/deliveries/DeliveryStore.ts"
import { Partitions } from "./storage/deliveries/Partitions.ts"
import { TestDeliveries } from "./storage/deliveries/TestDeliveries.ts"
import { AlertStore } from "./storage/events/AlertStore.ts"
import { BackfillStore } from "./storage/events/BackfillStore.ts"
import { ChainRestarts } from "./storage/events/ChainRestarts.ts"
import { EventCounts } from "./storage/events/EventCounts.ts"
import { EventIndex } from "./storage/events/EventIndex.ts"
import { EventQueries } from "./storage/events/EventQueries.ts"
import { SkippedLedgers } from "./storage/events/SkippedLedgers.ts"
import { TransactionIndex } from "./storage/events/TransactionIndex.ts"
import { writeNetwork } from "./storage/Networks.ts"
import { Outbox } from "./storage/outbox/Outbox.ts"
import { outboxPublisherLayer } from "./storage/outbox/OutboxPublisher.ts"
import { WorkNotices } from "./storage/outbox/WorkNotices.ts"
import { presenceLayer } from "./storage/Processes.ts"
import { BackfillRequests } from "./storage/replays/BackfillRequests.ts"
import { ReplayStore } from "./storage/replays/ReplayStore.ts"
import { ReplayWork } from "./storage/replays/ReplayWork.ts"
import { RetryWork } from "./storage/replays/RetryWork.ts"
import * as Sql from "./storage/Sql.ts"
import { SecretBox } from "./storage/webhooks/SecretBox.ts"
import { requireKeys } from "./storage/webhooks/SecretRotation.ts"
import { WebhookStore } from "./storage/webhooks/WebhookStore.ts"
import { upkeep } from "./Upkeep.ts"
import { AccountHolds } from "./webhooks/AccountHolds.ts"
import { activeWebhooks } from "./webhooks/ActiveWebhooks.ts"
import { WebhookRegistry } from "./webhooks/WebhookRegistry.ts"
import { watchWebhooks } from "./webhooks/WebhooksHealth.ts"

/** Ingest of each network: from its servers, or from the simulated ledger. History where history servers are set. */
const ingestLayer = Layer.unwrap(
  Effect.gen(function* () {
    const { networks, rawTransactions, simulated, verify } = yield* Settings
    const deadLetters = yield* makeDeadLetters
    const health = yield* Health
    const store = yield* AlertStore
    const skippedLedgers = yield* SkippedLedgers
    const restarts = yield* ChainRestarts
    const sql = yield* SqlClient.SqlClient
    /** With Kafka, ingest continues while the database is away, as if there were no order. */
    const skipsOf = (network: Network): SkipOrders => ({
      reason: (index) => Effect.orElseSucceed(skippedLedgers.reason(network, index), () => undefined),
      skipped: (marker) =>
        skippedLedgers.note(network, marker).pipe(retryUntilSuccess("noting a skipped ledger")),
      count: Effect.orElseSucceed(skippedLedgers.count(network), () => undefined)
    })
    const recordAlerts = (network: Network) => (ledgerIndex: number, alerts: ReadonlyArray<DetectionAlert>) =>
      Clock.currentTimeMillis.pipe(
        Effect.flatMap((nowMs) => store.record(network, ledgerIndex, alerts, nowMs)),
        retryUntilSuccess("recording detection alerts")
      )
    const quarantine =
      (network: Network) => (ledgerIndex: number, withheld: ReadonlyArray<WithheldTransaction>) =>
        deadLetters
          .put(
            "ingest",
            withheld.map(({ hash, position, reason }) => ({
              source: `${network} ledger ${ledgerIndex}, transaction ${position}`,
              text: hash,
              reason
            }))
          )
          .pipe(retryUntilSuccess("recording transactions without a record"))
    const ingestOf = <E, R>(
      network: Network,
      start: NetworkSettings["start"],
      source: Layer.Layer<LedgerSource, E, R>
    ) =>
      supervisedWithLease(
        `ingest.${network}`,
        Effect.andThen(
          health.set(ledgerPart(network), { status: "starting", detail: "no ledger has been taken yet" }),
          ingest({
            network,
            start,
            detect: (ledger) => detectLedger(ledger, network),
            onAlerts: recordAlerts(network),
            rawTransactions,
            onWithheld: quarantine(network),
            skips: skipsOf(network),
            startsOver: ({ ledger_hash }) =>
              Effect.orElseSucceed(restarts.isOrdered(network, ledger_hash), () => false),
            share: (facts) =>
              writeNetwork(network, facts).pipe(
                Effect.ignore,
                Effect.provideService(SqlClient.SqlClient, sql)
              )
          }).pipe(Effect.provide(source), Effect.scoped)
        )
      )
    const historyOf = (network: Network, urls: ReadonlyArray<string>) =>
      supervisedWithLease(
        `history.${network}`,
        history({
          network,
          detect: (ledger) => detectLedger(ledger, network),
          onAlerts: recordAlerts(network),
          skips: skipsOf(network),
          source: RippledSource.layer({ network, urls, verify })
        })
      )
    return Layer.mergeAll(
      Layer.empty,
      ...networks.map(({ network, urls, start }) =>
        ingestOf(network, start, RippledSource.layer({ network, urls, verify }))
      ),
      ...networks.flatMap(({ network, historyUrls: urls }) =>
        urls.length === 0 ? [] : [historyOf(network, urls)]
      ),
      ...simulated.map((network) =>
        ingestOf(
          network,
          "latest",
          Layer.unwrap(Effect.map(activeWebhooks(network), SimulatedSource.layer))
        ).pipe(Layer.provide(WebhookRegistry.layer))
      )
    )
  })
)

const eventsLayer = Layer.unwrap(
  Effect.map(Settings, (settings) =>
    supervised(
      "events",
      events(watchedNetworks(settings), settings.rawTransactions ? indexTransactions : undefined)
    )
  )
)

const routeLayer = Layer.unwrap(
  Effect.map(Settings, (settings) =>
    supervised("route", Effect.andThen(untilOlderStopped, route(watchedNetworks(settings))))
  )
).pipe(Layer.provide([AccountHolds.layer, RoutedWebhooks.layer]))

/** The events for test deliveries, detected in transactions of the simulated ledger. */
export const syntheticEventsLayer = SyntheticEvents.layer({
  transactions: syntheticTransactions,
  detect: detectLedger
})

/** The API's part in `Health`. Its fact `address` is the address it listens at. */
export const apiPart = "api"

/**
 * Prints the addresses of the API and the dashboard. At the first start with a new database, also the admin key if it was
 * generated, and a link that signs in once; later, how to get such a link.
 */
const printAddressesAndFirstKey = Layer.effectDiscard(
  Effect.gen(function* () {
    const settings = yield* Settings
    const accounts = yield* AccountStore
    const now = yield* Clock.currentTimeMillis
    const { accountId, firstKeyId, keyToPrint } = yield* accounts.ensureFirstAccount(settings, now)
    const address = HttpServer.formatAddress((yield* HttpServer.HttpServer).address)
    const health = yield* Health
    yield* health.set(apiPart, { status: "ok", detail: `listening at ${address}`, facts: { address } })
    yield* Console.log(`Ledgerhook API: ${address}`)
    yield* Console.log(`Dashboard, for your browser: ${address}/`)
    if (keyToPrint !== undefined) yield* Console.log(`Admin key, shown this once: ${keyToPrint}`)
    if (firstKeyId === undefined) {
      yield* Console.log(`To sign in, use an API key, or a link: ledgerhook portal ${accountId}`)
    } else {
      // Without mainnet, a session of the admin key would see nothing.
      const isLive = watchedNetworks(settings).includes("mainnet")
      const keyId = isLive ? firstKeyId : yield* (yield* ApiKeyStore).keyForLinks(accountId, "test", now)
      const link = yield* (yield* SessionStore).makeLink(keyId, isLive ? "live" : "test", now)
      yield* Console.log(`Sign in, once within 10 minutes: ${signInUrl(address, link)}`)
    }
  })
)

/** The address of health and metrics, if it is not that of the API. */
const printOperatorAddress = Layer.effectDiscard(
  Effect.flatMap(HttpServer.HttpServer, ({ address }) =>
    Console.log(`Ledgerhook health and metrics: ${HttpServer.formatAddress(address)}`)
  )
)

/** The part `start` is `starting` until every part has been started, so that the process is not ready before. */
const reportStart = (health: PartHealth) =>
  Layer.effectDiscard(Effect.flatMap(Health, ({ set }) => set("start", health)))
const starting = reportStart({ status: "starting", detail: "parts of the process are still being started" })
const started = reportStart({ status: "ok", detail: "every part has been started" })

/**
 * The first step of a stop: `/readyz` answers 503 while everything still works. If other processes share the work, the
 * API serves on for a while, so that load balancers stop sending requests before connections are refused.
 */
const announceStop = Layer.effectDiscard(
  Effect.gen(function* () {
    const { kafka, roles: chosen } = yield* Settings
    const { set } = yield* Health
    const waitMs = kafka !== undefined && chosen.includes("api") ? Limits.stopNoticeMs : 0
    yield* Effect.addFinalizer(() =>
      Effect.andThen(
        set("start", { status: "failed", detail: "the process is stopping" }),
        Effect.sleep(waitMs)
      )
    )
  })
)

/** The start fails if the key of a stored secret is missing: its webhook's deliveries would wait. */
const secretBox = Layer.effectDiscard(requireKeys).pipe(Layer.provideMerge(SecretBox.layer))

/** All stores of the database. */
const stores = Layer.mergeAll(
  AccountStore.layer,
  AlertStore.layer,
  ChainRestarts.layer,
  SkippedLedgers.layer,
  WebhookStore.layer,
  DeliveryStore.layer,
  DeliveryQueries.layer,
  EventIndex.layer,
  EventQueries.layer,
  Explanations.layer.pipe(Layer.provide([EventQueries.layer, BackfillStore.layer])),
  EventCounts.layer,
  TransactionIndex.layer,
  ReplayStore.layer,
  ReplayWork.layer,
  RetryWork.layer,
  BackfillStore.layer,
  BackfillRequests.layer,
  UsageStore.layer,
  MailStore.layer,
  NoticeStore.layer,
  SessionStore.layer,
  TestDeliveries.layer,
  IdempotencyStore.layer
).pipe(
  Layer.provideMerge(Partitions.layer),
  Layer.provideMerge(
    Layer.mergeAll(
      ApiKeyStore.layer,
      Outbox.layer,
      secretBox,
      Layer.provideMerge(Layer.effectDiscard(watchLog), logLayer)
    )
  ),
  Layer.provideMerge(Health.layer)
)

const roleLayers = {
  api: printAddressesAndFirstKey.pipe(Layer.provideMerge(serverLayer), Layer.provide(syntheticEventsLayer)),
  ingest: ingestLayer,
  events: eventsLayer,
  route: routeLayer,
  deliver: Layer.merge(
    supervised("deliver", deliver),
    Layer.effectDiscard(Effect.andThen(watchSender, watchWebhooks))
  ).pipe(Layer.provide([Recorder.layer, Sender.layer, AccountHolds.layer, WebhookRegistry.layer])),
  delay: supervised("delay", delay),
  replay: supervised("replay", replay).pipe(Layer.provide(WorkNotices.layer))
}

const operatorLayer = printOperatorAddress.pipe(Layer.provide(operatorServerLayer))

const notifyLayer = supervised("mail", notify).pipe(
  Layer.provide([Mailer.layer, UrlSender.layer, WorkNotices.layer])
)

const upkeepLayer = supervisedWithLease("retention", upkeep)

const parts = Layer.unwrap(
  Effect.map(Settings, ({ opsPort, roles: chosen }) =>
    Layer.mergeAll(
      upkeepLayer,
      // Both roles write to the outbox: the API when a webhook changes, deliver when it disables one.
      chosen.includes("api") || chosen.includes("deliver")
        ? Layer.merge(outboxPublisherLayer, notifyLayer)
        : Layer.empty,
      chosen.includes("api") && opsPort === undefined ? Layer.empty : operatorLayer,
      ...chosen.map((role) => roleLayers[role])
    )
  )
)

/** The roles of a process, its stores and its upkeep. Needs a database. */
export const roles = Layer.merge(announceStop, presenceLayer(packageJson.version)).pipe(
  Layer.provideMerge(started),
  Layer.provideMerge(parts),
  Layer.provide(starting),
  Layer.provideMerge(stores)
)

const processMetricsLayer = Layer.unwrap(
  Effect.map(Settings, ({ databaseUrl, dataDir, roles: chosen }) =>
    ProcessMetrics.layer({
      version: packageJson.version,
      roles: chosen,
      dataDir: databaseUrl === undefined ? dataDir : undefined
    })
  )
)

const telemetryLayer = Layer.unwrap(
  Effect.map(Settings, ({ telemetry }) =>
    Telemetry.layer(
      telemetry && {
        endpoint: otlpEndpoint(telemetry.endpoint, telemetry.headers),
        version: packageJson.version,
        limits: Limits.telemetry
      }
    )
  )
)

/** The whole process. `command` is shown to another process that tries to open the same embedded database. */
export const service = (command: string) =>
  roles.pipe(
    Layer.provideMerge(Sql.layer({ command, owner: true, answerLimit: true })),
    Layer.provideMerge(processMetricsLayer),
    // This layer is outermost, so it ends last and can send the last spans of the other layers.
    Layer.provide(telemetryLayer)
  )
