/**
 * Builds a process from its settings: which parts run, and which layers they need. This is the only file that knows
 * every stage. A role that fails reports `failed` in `Health` and is restarted; the other roles keep running.
 */

import { Clock, Console, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { SqlClient } from "effect/sql"
import packageJson from "../../package.json" with { type: "json" }
import { AccountStore } from "../features/accounts/AccountStore.ts"
import { ApiKeyStore } from "../features/accounts/ApiKeyStore.ts"
import { SessionStore } from "../features/accounts/SessionStore.ts"
import { adminEmail, adminKey } from "../features/accounts/Settings.ts"
import { AlertStore } from "../features/events/AlertStore.ts"
import { ChainRestarts } from "../features/events/ChainRestarts.ts"
import { SkippedLedgers } from "../features/events/SkipOrders.ts"
import { writeNetwork } from "../features/operate/NetworkRows.ts"
import { presenceLayer } from "../features/operate/ProcessRows.ts"
import * as SimulatedSource from "../features/simulator/SimulatedSource.ts"
import { IdempotencyStore } from "../http/IdempotencyStore.ts"
import { type NetworkSettings, Settings, watchedNetworks } from "../spine/config/Config.ts"
import { delay } from "../spine/delay/Delay.ts"
import { deliver } from "../spine/deliver/Deliver.ts"
import { Recorder } from "../spine/deliver/record/Recorder.ts"
import { Sender, watchSender } from "../spine/deliver/send/Sender.ts"
import { DeliveryStore } from "../spine/deliveries/DeliveryStore.ts"
import { Partitions } from "../spine/deliveries/Partitions.ts"
import { UsageStore } from "../spine/deliveries/UsageStore.ts"
import { detectLedger } from "../spine/detect/Detect.ts"
import { signInUrl } from "../spine/domain/Session.ts"
import type { DetectionAlert } from "../spine/event/LedgerEvent.ts"
import type { Network } from "../spine/event/Network.ts"
import { logLayer } from "../spine/LogAdapter.ts"
import { history } from "../spine/ledger/backfill/BackfillHistory.ts"
import { BackfillRequests } from "../spine/ledger/backfill/BackfillRequests.ts"
import { BackfillStore } from "../spine/ledger/backfill/BackfillStore.ts"
import { ingest } from "../spine/ledger/ingest/Ingest.ts"
import type { SkipOrders } from "../spine/ledger/ingest/SkippedLedgers.ts"
import type { WithheldTransaction } from "../spine/ledger/ingest/TransactionRecords.ts"
import type { LedgerSource } from "../spine/ledger/servers/LedgerSource.ts"
import * as RippledSource from "../spine/ledger/servers/RippledSource.ts"
import { watchLog } from "../spine/log/LogHealth.ts"
import { apiPart, Health, ledgerPart, type PartHealth } from "../spine/observe/Health.ts"
import { otlpEndpoint } from "../spine/observe/OtlpEndpoint.ts"
import * as ProcessMetrics from "../spine/observe/ProcessMetrics.ts"
import { retryUntilSuccess } from "../spine/observe/RetryUntilSuccess.ts"
import * as Telemetry from "../spine/observe/Telemetry.ts"
import { AccountHolds } from "../spine/registry/AccountHolds.ts"
import { activeWebhooks } from "../spine/registry/ActiveWebhooks.ts"
import { DisableWebhooks } from "../spine/registry/DisableWebhooks.ts"
import { publishAgainLayer } from "../spine/registry/PublishAgain.ts"
import { WebhookRegistry } from "../spine/registry/WebhookRegistry.ts"
import { watchWebhooks } from "../spine/registry/WebhooksHealth.ts"
import { route } from "../spine/route/Route.ts"
import { RoutedWebhooks } from "../spine/route/RoutedWebhooks.ts"
import { makeDeadLetters } from "../spine/store/DeadLetters.ts"
import { Outbox } from "../spine/store/outbox/Outbox.ts"
import { outboxPublisherLayer } from "../spine/store/outbox/OutboxPublisher.ts"
import * as Sql from "../spine/store/Sql.ts"
import { supervised, supervisedWithLease } from "../spine/store/Supervised.ts"
import { SecretBox } from "../spine/store/secrets/SecretBox.ts"
import { appLimits } from "./Limits.ts"
import { metrics } from "./Metrics.ts"
import { operatorServerLayer, serverLayer } from "./Server.ts"
import { type Service, services, storesOfFeatures } from "./Services.ts"
import { upkeep } from "./Upkeep.ts"

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

const routeLayer = Layer.unwrap(
  Effect.map(Settings, (settings) => supervised("route", route(watchedNetworks(settings))))
).pipe(Layer.provide([AccountHolds.layer, RoutedWebhooks.layer]))

/**
 * Prints the addresses of the API and the dashboard. At the first start with a new database, also the admin key if it was
 * generated, and a link that signs in once; later, how to get such a link.
 */
const printAddressesAndFirstKey = Layer.effectDiscard(
  Effect.gen(function* () {
    const settings = yield* Settings
    const accounts = yield* AccountStore
    const now = yield* Clock.currentTimeMillis
    const { accountId, firstKeyId, keyToPrint } = yield* accounts.ensureFirstAccount(
      { adminKey: settings.of(adminKey), adminEmail: settings.of(adminEmail) },
      now
    )
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
    const waitMs = kafka !== undefined && chosen.includes("api") ? appLimits.stopNoticeMs : 0
    yield* Effect.addFinalizer(() =>
      Effect.andThen(
        set("start", { status: "failed", detail: "the process is stopping" }),
        Effect.sleep(waitMs)
      )
    )
  })
)

/** All stores of the database. */
const stores = Layer.mergeAll(
  DeliveryStore.layer,
  BackfillStore.layer,
  BackfillRequests.layer,
  UsageStore.layer,
  DisableWebhooks.layer,
  IdempotencyStore.layer,
  storesOfFeatures
).pipe(
  Layer.provideMerge(Partitions.layer),
  Layer.provideMerge(
    Layer.mergeAll(Outbox.layer, SecretBox.layer, Layer.provideMerge(Layer.effectDiscard(watchLog), logLayer))
  ),
  Layer.provideMerge(Health.layer)
)

const roleLayers = {
  api: printAddressesAndFirstKey.pipe(Layer.provideMerge(serverLayer)),
  ingest: ingestLayer,
  route: routeLayer,
  deliver: Layer.merge(
    supervised("deliver", deliver),
    Layer.effectDiscard(Effect.andThen(watchSender, watchWebhooks))
  ).pipe(Layer.provide([Recorder.layer, Sender.layer, AccountHolds.layer, WebhookRegistry.layer])),
  delay: supervised("delay", delay)
}

const operatorLayer = printOperatorAddress.pipe(Layer.provide(operatorServerLayer))

const upkeepLayer = supervisedWithLease("retention", upkeep)

const stages = services.flatMap((service): ReadonlyArray<Service["stages"][number]> => service.stages)

const parts = Layer.unwrap(
  Effect.map(Settings, ({ opsPort, roles: chosen }) =>
    Layer.mergeAll(
      upkeepLayer,
      // Both roles write to the outbox: the API when a webhook changes, deliver when it disables one.
      chosen.includes("api") || chosen.includes("deliver")
        ? Layer.merge(outboxPublisherLayer, publishAgainLayer)
        : Layer.empty,
      chosen.includes("api") && opsPort === undefined ? Layer.empty : operatorLayer,
      ...chosen.flatMap((role) => (role in roleLayers ? [roleLayers[role as keyof typeof roleLayers]] : [])),
      ...stages.filter(({ roles }) => roles.some((role) => chosen.includes(role))).map(({ layer }) => layer)
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
      dataDir: databaseUrl === undefined ? dataDir : undefined,
      metrics
    })
  )
)

const telemetryLayer = Layer.unwrap(
  Effect.map(Settings, ({ telemetry }) =>
    Telemetry.layer(
      telemetry && {
        endpoint: otlpEndpoint(telemetry.endpoint, telemetry.headers),
        version: packageJson.version,
        limits: appLimits.telemetry
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
