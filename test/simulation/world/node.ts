/**
 * A process of the simulation: the stages of its roles over its own clients of the database and the log, as
 * `src/app/Roles.ts` starts them. A stage that fails is restarted; `failed` gets the cause.
 */

import { type Cause, Effect, Layer, Logger, Metric, Random, Schedule } from "effect"
import type { SqlClient } from "effect/sql"
import { DeliveryQueries } from "../../../src/features/deliveries/DeliveryQueries.ts"
import { EventCounts } from "../../../src/features/events/EventCounts.ts"
import { EventIndex } from "../../../src/features/events/EventIndex.ts"
import { events } from "../../../src/features/events/IndexEvents.ts"
import { keepGaps } from "../../../src/features/progress/GapUpkeep.ts"
import { replay } from "../../../src/features/replay/ReplayJobs.ts"
import { ReplayWork } from "../../../src/features/replay/ReplayWork.ts"
import { RetryWork } from "../../../src/features/replay/RetryWork.ts"
import { keepTotals } from "../../../src/features/statistics/DeliveryTotals.ts"
import { keepEndingQueues } from "../../../src/features/webhooks/DeletedQueues.ts"
import type { Settings } from "../../../src/spine/config/Config.ts"
import { Limits } from "../../../src/spine/config/Limits.ts"
import { delay } from "../../../src/spine/delay/Delay.ts"
import { deliver } from "../../../src/spine/deliver/Deliver.ts"
import { Recorder } from "../../../src/spine/deliver/record/Recorder.ts"
import type { Sender } from "../../../src/spine/deliver/send/Sender.ts"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import { Partitions } from "../../../src/spine/deliveries/Partitions.ts"
import { UsageStore } from "../../../src/spine/deliveries/UsageStore.ts"
import { detectLedger } from "../../../src/spine/detect/Detect.ts"
import { history } from "../../../src/spine/ledger/backfill/BackfillHistory.ts"
import { BackfillRequests } from "../../../src/spine/ledger/backfill/BackfillRequests.ts"
import { BackfillStore } from "../../../src/spine/ledger/backfill/BackfillStore.ts"
import { ingest } from "../../../src/spine/ledger/ingest/Ingest.ts"
import type { LedgerSource } from "../../../src/spine/ledger/servers/LedgerSource.ts"
import type { Log } from "../../../src/spine/log/Log.ts"
import { makePace, ReaderPace } from "../../../src/spine/log/ReaderPace.ts"
import { LogIsBack, type LogWentBack, StartAnew } from "../../../src/spine/log/StartAnew.ts"
import { Health } from "../../../src/spine/observe/Health.ts"
import * as Telemetry from "../../../src/spine/observe/Telemetry.ts"
import { AccountHolds } from "../../../src/spine/registry/AccountHolds.ts"
import { DisableWebhooks } from "../../../src/spine/registry/DisableWebhooks.ts"
import { WebhookRegistry } from "../../../src/spine/registry/WebhookRegistry.ts"
import { route } from "../../../src/spine/route/Route.ts"
import { RoutedWebhooks } from "../../../src/spine/route/RoutedWebhooks.ts"
import { Leases } from "../../../src/spine/store/Leases.ts"
import { Outbox } from "../../../src/spine/store/outbox/Outbox.ts"
import { publishOutbox } from "../../../src/spine/store/outbox/OutboxPublisher.ts"
import { WorkNotices } from "../../../src/spine/store/outbox/WorkNotices.ts"
import { SecretBox } from "../../../src/spine/store/secrets/SecretBox.ts"
import { settingsLayer } from "../../support/program/settings.ts"
import { FIRST_LEDGER } from "./ledgerServers.ts"
import { type AllStages, limitsLayer } from "./limits.ts"
import { DEADLINE_MS } from "./receivers.ts"
import type { Store } from "./store.ts"
import type { Process } from "./timeline.ts"

export const NETWORK = "mainnet"
export const ACCOUNT = "acct_1"
/** Nobody connects to it: the stages get their servers as layers. */
const SIMULATED_SERVER = "wss://ledgers.example"

export const simulatedSettings = (disableAfter: number, hasHistory: boolean) =>
  settingsLayer({
    ...(hasHistory
      ? { XRPL_MAINNET_URLS: SIMULATED_SERVER, XRPL_MAINNET_HISTORY_URLS: SIMULATED_SERVER }
      : {}),
    DELIVERY_RETRY_DELAYS: "200ms,600ms,2s",
    DELIVERY_TIMEOUT: `${DEADLINE_MS}ms`,
    DELIVERY_JITTER: "0",
    DISABLE_AFTER_FAILURES: String(disableAfter)
  })

export interface NodeParts {
  readonly process: Process
  readonly store: Store
  readonly log: Layer.Layer<Log, unknown, SqlClient.SqlClient | Settings>
  readonly startAnew: (because: LogWentBack) => Effect.Effect<void>
  readonly logIsBack: boolean
  readonly sender: Layer.Layer<Sender>
  readonly source: Layer.Layer<LedgerSource>
  /** The history servers; undefined: there are none. */
  readonly historySource: Layer.Layer<LedgerSource> | undefined
  readonly limits: AllStages
  readonly disableAfter: number
  readonly seed: number
  readonly failed: (part: string, cause: Cause.Cause<unknown>) => void
  /** Called whenever the process learns whether the account's deliveries wait. */
  readonly held: (isHeld: boolean) => void
}

/** No notice arrives: the work is found by looking. */
const noNotices = Layer.succeed(WorkNotices)({ next: () => Effect.sleep(Limits.workPollMs) })

export const restart = Schedule.spaced(Limits.roleRestartMs.first)

const stages = (parts: NodeParts) => {
  const supervised = <E, R>(part: string, stage: Effect.Effect<unknown, E, R>) =>
    Layer.effectDiscard(
      Effect.forkScoped(
        stage.pipe(
          Effect.sandbox,
          Effect.tapError((cause) => Effect.sync(() => parts.failed(part, cause))),
          Effect.retry(restart)
        )
      )
    )
  const ingesting = Effect.flatMap(Leases, (leases) =>
    leases.hold(`ingest.${NETWORK}`)(
      ingest({ network: NETWORK, start: FIRST_LEDGER, detect: detectLedger }).pipe(
        Effect.provide(parts.source),
        Effect.scoped
      )
    )
  )
  const { historySource } = parts
  const fetchingHistory =
    historySource === undefined
      ? Effect.never
      : Effect.flatMap(Leases, (leases) =>
          leases.hold(`history.${NETWORK}`)(
            history({
              network: NETWORK,
              detect: detectLedger,
              onAlerts: () => Effect.void,
              source: historySource
            })
          )
        )
  const upkeep = Effect.flatMap(Leases, (leases) =>
    leases.hold("retention")(Effect.raceAllFirst([keepEndingQueues, keepGaps, keepTotals]))
  )
  const holds = Effect.map(AccountHolds, ({ get, subscribe }) => {
    const tell = () => parts.held(get(ACCOUNT) !== undefined)
    tell()
    subscribe(tell)
  })
  return Layer.mergeAll(
    Layer.effectDiscard(holds),
    supervised("ingest", ingesting),
    supervised("history", fetchingHistory),
    supervised("events", events([NETWORK])),
    supervised("route", route([NETWORK])),
    supervised("deliver", deliver).pipe(Layer.provide(Recorder.layer)),
    supervised("delay", delay),
    supervised("replay", replay),
    supervised("outbox", publishOutbox),
    supervised("retention", upkeep)
  )
}

/** The process; it runs until it is interrupted, which is an orderly stop. */
export const node = (parts: NodeParts): Effect.Effect<never, unknown> => {
  const { process, seed, store, log, limits, sender } = parts
  const layers = stages(parts).pipe(
    Layer.provide(Layer.mergeAll(WebhookRegistry.layer, RoutedWebhooks.layer, AccountHolds.layer)),
    Layer.provide(
      Layer.mergeAll(
        UsageStore.layer,
        DisableWebhooks.layer,
        DeliveryStore.layer,
        DeliveryQueries.layer,
        EventIndex.layer,
        EventCounts.layer,
        BackfillStore.layer,
        Partitions.layer,
        ReplayWork.layer,
        RetryWork.layer,
        BackfillRequests.layer,
        Leases.layer,
        Health.layer,
        noNotices,
        sender
      )
    ),
    Layer.provide(Layer.mergeAll(Outbox.layer, SecretBox.layer, log)),
    Layer.provide(Layer.succeed(StartAnew, parts.startAnew)),
    Layer.provide(Layer.succeed(LogIsBack, parts.logIsBack)),
    Layer.provide(store.clientOf(process)),
    Layer.provide(simulatedSettings(parts.disableAfter, parts.historySource !== undefined)),
    Layer.provide(Telemetry.layer(undefined)),
    Layer.provide(limitsLayer(limits)),
    // A killed process would be counted as waiting for ever.
    Layer.provide(Layer.succeed(ReaderPace, makePace())),
    Layer.provide(Logger.layer([]))
  )
  // A process has its own services: without `fresh` it would share those that were built before it.
  return Layer.launch(Layer.fresh(layers)).pipe(
    Effect.provideService(Metric.MetricRegistry, new Map()),
    Random.withSeed(seed)
  )
}
