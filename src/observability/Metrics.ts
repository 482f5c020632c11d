/** Every metric of the program in one table: its name, its unit in the name, what it counts. */
import { Effect, Metric } from "effect"

/** A counter with one label: told the label's value and by how much. */
const counter = (name: string, label: string, description: string) => {
  const metric = Metric.counter(name, { description, incremental: true })
  return (value: string, by: number): Effect.Effect<void> =>
    by === 0 ? Effect.void : Metric.update(Metric.withAttributes(metric, { [label]: value }), by)
}

export const Metrics = {
  ledgersTaken: counter("ledgerhook_ledgers_taken_total", "network", "Ledgers whose events are in the log"),
  eventsDetected: counter("ledgerhook_events_detected_total", "network", "Events appended to the log"),
  detectionAlerts: counter(
    "ledgerhook_detection_alerts_total",
    "network",
    "Events withheld: the ledger's data do not decide them, or they do not match their published schema"
  ),
  /** Stages: `events`, `route`, `replay`, `deliver`, `alerts`. */
  quarantined: counter(
    "ledgerhook_quarantined_total",
    "stage",
    "Records that the store could not take and that were put into quarantine"
  ),
  /** Outcomes: `delivered`, `retrying`, `failed` (the last attempt of a series). */
  deliveryAttempts: counter("ledgerhook_delivery_attempts_total", "outcome", "Attempts that were recorded"),
  /** Outcomes: `sent`, `logged` (no server, or no address), `retrying`, `given up`. */
  mails: counter("ledgerhook_mails_total", "outcome", "Tries to send a mail to an account")
} as const
