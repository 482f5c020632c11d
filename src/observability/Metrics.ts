/** Every metric of the program in one table: its name, its unit in the name, what it counts. */
import { Effect, Metric } from "effect"

const counter = (name: string, description: string) => {
  const metric = Metric.counter(name, { description, incremental: true })
  return (network: string, by: number): Effect.Effect<void> =>
    by === 0 ? Effect.void : Metric.update(Metric.withAttributes(metric, { network }), by)
}

export const Metrics = {
  ledgersTaken: counter("ledgerhook_ledgers_taken_total", "Ledgers whose events are in the log"),
  eventsDetected: counter("ledgerhook_events_detected_total", "Events appended to the log"),
  detectionAlerts: counter(
    "ledgerhook_detection_alerts_total",
    "Events withheld because the ledger's data do not decide them"
  )
} as const
