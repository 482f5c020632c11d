/**
 * The parts list: which layers a process is made of, by its settings. The only place that picks adapters, and the only
 * one that knows every stage. A role that fails says so in its health and begins anew; it does not stop the others.
 */
import { Clock, Console, Effect, Layer, Schedule } from "effect"
import { HttpServer } from "effect/http"
import { outboxPublisherLayer } from "./api/OutboxPublisher.ts"
import { serverLayer } from "./api/Server.ts"
import { Settings } from "./config/Config.ts"
import type { Role } from "./config/Definitions.ts"
import { Limits } from "./config/Limits.ts"
import { patiently } from "./config/Retrying.ts"
import { delay } from "./delay/Stage.ts"
import { Recorder } from "./deliver/Recorder.ts"
import { Sender } from "./deliver/Sender.ts"
import { deliver } from "./deliver/Stage.ts"
import { detectLedger } from "./detect/Detect.ts"
import type { DetectionAlert } from "./domain/LedgerEvent.ts"
import type { Network } from "./domain/Network.ts"
import * as RippledSource from "./ledger/RippledSource.ts"
import { ingest } from "./ledger/Stage.ts"
import * as EmbeddedEventLog from "./log/EmbeddedEventLog.ts"
import { EventLog } from "./log/EventLog.ts"
import { Health } from "./observability/Health.ts"
import { route } from "./route/Stage.ts"
import { AccountStore } from "./storage/AccountStore.ts"
import { AlertStore, forgetAlerts } from "./storage/AlertStore.ts"
import { ApiKeyStore } from "./storage/ApiKeyStore.ts"
import { DeliveryQueries } from "./storage/DeliveryQueries.ts"
import { DeliveryStore } from "./storage/DeliveryStore.ts"
import { Outbox } from "./storage/Outbox.ts"
import { maintain, Partitions } from "./storage/Partitions.ts"
import { SecretBox } from "./storage/SecretBox.ts"
import * as Sql from "./storage/Sql.ts"
import { WebhookStore } from "./storage/WebhookStore.ts"
import { WebhookRegistry } from "./webhooks/WebhookRegistry.ts"

const againSoon = Schedule.min([
  Schedule.exponential(Limits.roleRestartMs.first),
  Schedule.spaced(Limits.roleRestartMs.longest)
])

/** Runs a stage for the life of the process. */
const supervised = <E, R>(part: string, stage: Effect.Effect<unknown, E, R>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const health = yield* Health
      yield* Effect.forkScoped(
        health.set(part, { status: "ok", detail: "running" }).pipe(
          Effect.andThen(stage),
          Effect.sandbox,
          Effect.tapError((cause) =>
            Effect.andThen(
              Effect.logError(`${part} failed and begins anew`, cause),
              health.set(part, { status: "failed", detail: "failed; it is being started again" })
            )
          ),
          Effect.retry(againSoon)
        )
      )
    })
  )

const retention = Effect.gen(function* () {
  const log = yield* EventLog
  return yield* Effect.forever(
    Effect.andThen(
      log.applyRetention.pipe(patiently("retention of the log")),
      Effect.sleep(Limits.maintenanceMs)
    )
  )
})

/** Each network's ledgers, from its own servers. */
const ingestLayer = Layer.unwrap(
  Effect.gen(function* () {
    const { networks, verify } = yield* Settings
    const store = yield* AlertStore
    const recordAlerts = (network: Network) => (ledgerIndex: number, alerts: ReadonlyArray<DetectionAlert>) =>
      Clock.currentTimeMillis.pipe(
        Effect.flatMap((nowMs) => store.record(network, ledgerIndex, alerts, nowMs)),
        patiently("recording detection alerts")
      )
    return Layer.mergeAll(
      Layer.empty,
      ...networks.map(({ network, urls, start }) =>
        supervised(
          `ingest.${network}`,
          ingest({ network, start, detect: detectLedger, onAlerts: recordAlerts(network) })
        ).pipe(Layer.provide(RippledSource.layer({ network, urls, verify })))
      )
    )
  })
)

const routeLayer = Layer.unwrap(
  Effect.map(Settings, ({ networks }) =>
    networks.length === 0 ? Layer.empty : supervised("route", route(networks.map(({ network }) => network)))
  )
)

/** The API's part in `Health`; its fact `address` is where it listens. */
export const apiPart = "api"

/** Prints where the API is and, once in the life of a database, the key to begin with. */
const announce = Layer.effectDiscard(
  Effect.gen(function* () {
    const { adminKey } = yield* Settings
    const accounts = yield* AccountStore
    const { keyToPrint } = yield* accounts.ensureFirstAccount(adminKey, yield* Clock.currentTimeMillis)
    const address = HttpServer.formatAddress((yield* HttpServer.HttpServer).address)
    const health = yield* Health
    yield* health.set(apiPart, { status: "ok", detail: `listening at ${address}`, facts: { address } })
    yield* Console.log(`Ledgerhook API: ${address}`)
    if (keyToPrint !== undefined) yield* Console.log(`Admin key, shown this once: ${keyToPrint}`)
  })
)

/** The stores on one database, and the log in which the stages meet. */
const stores = Layer.mergeAll(
  AccountStore.layer,
  AlertStore.layer,
  WebhookStore.layer,
  DeliveryStore.layer,
  DeliveryQueries.layer,
  Partitions.layer
).pipe(
  Layer.provideMerge(
    Layer.mergeAll(ApiKeyStore.layer, Outbox.layer, SecretBox.layer, EmbeddedEventLog.layer)
  ),
  Layer.provideMerge(Health.layer)
)

const roleLayers = {
  api: announce.pipe(Layer.provideMerge(serverLayer)),
  ingest: ingestLayer,
  route: routeLayer,
  deliver: supervised("deliver", deliver).pipe(Layer.provide([Recorder.layer, Sender.layer])),
  delay: supervised("delay", delay)
}

/** All that a process does on a database: its roles and stores, with the upkeep of both. */
export const roles = Layer.unwrap(
  Effect.map(Settings, (settings) => {
    const chosen = (role: Role) => settings.roles.includes(role)
    return Layer.mergeAll(
      supervised("retention", Effect.raceAllFirst([maintain, forgetAlerts, retention])),
      // Both write to the outbox: the API webhooks' changes, deliver those it disables.
      chosen("api") || chosen("deliver") ? outboxPublisherLayer : Layer.empty,
      chosen("api") ? roleLayers.api : Layer.empty,
      chosen("ingest") ? roleLayers.ingest : Layer.empty,
      chosen("route") ? roleLayers.route : Layer.empty,
      chosen("deliver") ? roleLayers.deliver : Layer.empty,
      chosen("delay") ? roleLayers.delay : Layer.empty
    )
  })
).pipe(Layer.provide(WebhookRegistry.layer), Layer.provideMerge(stores))

/** The whole process; `command` names it to others that want the same embedded store. */
export const service = (command: string) => Layer.provideMerge(roles, Sql.layer({ command, owner: true }))
