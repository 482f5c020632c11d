/**
 * The metrics of the report of the whole service. One "of one process" is shown by the process that has the lease
 * `retention`, because its number is that of the whole service.
 */
import { roles } from "../../spine/config/Definitions.ts"
import { healthStates } from "../../spine/domain/HealthState.ts"
import { gauge } from "../../spine/observe/MetricKinds.ts"
import { network } from "../../spine/observe/Metrics.ts"
import { becauseOf, stages } from "./model/Stages.ts"

const parts = "`database`, `log`, `ledger.<network>`, `registry`, `mail`, `keys`, `clock`, `disk`"

export const ReportMetrics = {
  oldestSeconds: gauge(
    "ledgerhook_oldest_seconds",
    "How long the oldest item of a stage has been due: because of the service itself, of a webhook (its speed, rate, " +
      "failures or quota) or of the world outside. Of one process",
    { stage: stages, network: `${network}, or nothing`, because: becauseOf }
  ),
  waiting: gauge("ledgerhook_waiting", "Items that wait in a stage. Of one process", {
    stage: stages,
    network: `${network}, or nothing`,
    because: becauseOf
  }),
  backlogLeft: gauge(
    "ledgerhook_backlog_left_seconds",
    "When what waits because of the service will be gone, at the rate of the last minutes. +Inf: it does not shrink. " +
      "NaN: unknown. Of one process",
    { stage: stages, network: `${network}, or nothing` }
  ),
  processes: gauge("ledgerhook_processes", "Processes that do the work of a role. Of one process", {
    role: roles
  }),
  partOk: gauge("ledgerhook_part_ok", "1 if what this process needs works, 0 if it has failed", {
    part: parts
  }),
  partDegraded: gauge("ledgerhook_part_degraded", "1 if it works, but slowly or not for everything", {
    part: parts
  }),
  webhooks: gauge("ledgerhook_webhooks", "Webhooks in each state of health. Of one process", {
    health: healthStates
  }),
  webhookHosts: gauge(
    "ledgerhook_webhook_hosts",
    "Hosts of webhooks that something was sent to within the last hour, and those of them that fail. Of one process",
    { state: ["failing", "all"] }
  )
} as const
