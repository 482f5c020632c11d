/** All metrics of the program in one table. The name contains the unit. */
import { Effect, Metric } from "effect"

/** A counter with one label. Call it with the label's value and the amount to add. */
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
    "Events withheld because the ledger data is ambiguous or the event does not match its published schema"
  ),
  /** Stages: `events`, `route`, `replay`, `deliver`, `alerts`. */
  quarantined: counter(
    "ledgerhook_quarantined_total",
    "stage",
    "Records moved to quarantine because they could not be read or stored"
  ),
  /** Outcomes: `delivered`, `retrying`, `failed` (the last attempt of a series). */
  deliveryAttempts: counter("ledgerhook_delivery_attempts_total", "outcome", "Recorded delivery attempts"),
  /** Reasons: `reader` (the reader closed it), `slow`, `stalled`, `key`, `unchecked`, `log`, `stop`. */
  streamsEnded: counter("ledgerhook_streams_ended_total", "reason", "Event streams that have ended"),
  /** Outcomes: `sent`, `logged` (no server, or no address), `retrying`, `given up`. */
  mails: counter("ledgerhook_mails_total", "outcome", "Attempts to send a mail to an account")
} as const
