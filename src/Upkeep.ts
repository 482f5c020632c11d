/** What one process at a time, the one with the lease `retention`, does for all: retention, totals, figures of all work. */
import { Effect } from "effect"
import { Settings, watchedNetworks } from "./config/Config.ts"
import { Limits } from "./config/Limits.ts"
import { keepGaps } from "./coverage/GapUpkeep.ts"
import { DELIVERIES_TOPIC, REPLAYS_TOPIC } from "./domain/Delivery.ts"
import { historyEventsTopic } from "./domain/History.ts"
import { EVENT_LOG_GROUP, eventsTopic } from "./domain/LedgerEvent.ts"
import type { Network } from "./domain/Network.ts"
import { EventLog } from "./log/EventLog.ts"
import { type ConsumerGroup, showRecordsBehind } from "./log/RecordsBehind.ts"
import { deleteEvery } from "./observability/ClockTrust.ts"
import { forgetAnswers } from "./storage/accounts/IdempotencyStore.ts"
import { keepEndingQueues } from "./storage/deliveries/DeletedQueues.ts"
import { keepTotals } from "./storage/deliveries/DeliveryTotals.ts"
import { maintain } from "./storage/deliveries/Retention.ts"
import { forgetEndedRows } from "./storage/EndedRows.ts"
import { forgetAlerts } from "./storage/events/AlertStore.ts"
import { maintainEvents } from "./storage/events/EventStore.ts"
import { forgetQuarantined } from "./storage/Quarantine.ts"
import { watchRoles } from "./storage/RoleMetrics.ts"
import { showWork } from "./storage/WorkMetrics.ts"
import { keepHealth } from "./storage/webhooks/HealthUpkeep.ts"
import { forgetPreviousSecrets } from "./storage/webhooks/WebhookStore.ts"

const retention = Effect.gen(function* () {
  const log = yield* EventLog
  return yield* log.applyRetention.pipe(deleteEvery("retention of the log", Limits.maintenanceMs))
})

const consumerGroups = (networks: ReadonlyArray<Network>): ReadonlyArray<ConsumerGroup> => [
  { group: EVENT_LOG_GROUP, topics: networks.flatMap((one) => [eventsTopic(one), historyEventsTopic(one)]) },
  { group: "route", topics: networks.map(eventsTopic) },
  { group: "deliver", topics: [DELIVERIES_TOPIC, REPLAYS_TOPIC] }
]

export const upkeep = Effect.raceAllFirst([
  maintain,
  maintainEvents,
  forgetAlerts,
  forgetAnswers,
  forgetEndedRows,
  forgetQuarantined,
  forgetPreviousSecrets,
  keepEndingQueues,
  keepGaps,
  keepHealth,
  keepTotals,
  retention,
  watchRoles,
  showWork,
  Effect.flatMap(Settings, (settings) => showRecordsBehind(consumerGroups(watchedNetworks(settings))))
])
