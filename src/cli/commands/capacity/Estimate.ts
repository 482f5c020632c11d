/** How large an installation is, from its load and from what an event and a delivery cost. Pure. */
import { DELIVERIES_TOPIC } from "../../../domain/Delivery.ts"
import { partitionsOf, retentionOf } from "../../../log/Topics.ts"
import { kept, oneProcess, several, stored } from "./Costs.ts"

export interface Load {
  readonly eventsPerSecond: number
  readonly webhooks: number
  /** How many webhooks want an event, on average. */
  readonly matches: number
  /** Account filters of a webhook, on average. */
  readonly filters: number
}

export interface Retention {
  readonly retentionEventsMs: number
  readonly retentionDeliveriesMs: number
}

export interface Estimate {
  readonly deliveries_per_second: number
  /** Cores that are busy on average. */
  readonly cores: { readonly program: number; readonly postgresql: number; readonly kafka: number | null }
  /** How many processes to start with each set of roles; null for one process with all. */
  readonly processes: Readonly<Record<string, number>> | null
  readonly bytes: {
    readonly webhooks: number
    readonly events: number
    readonly deliveries: number
    /** In Kafka, of one copy. */
    readonly log: number
    readonly wal_a_day: number
    /** In a process with the role `route`, for its webhooks. */
    readonly route_memory: number
  }
  /** What this load is too large for, as sentences. */
  readonly warnings: ReadonlyArray<string>
}

const DAY_MS = 86_400_000
const MS = 1_000
/** A process runs JavaScript on one core. The other half of it works off outages. */
const BUSY = 0.5
/** So that one may end. */
const AT_LEAST = 2

/** How many processes share this many busy cores. */
const processesFor = (cores: number): number => Math.max(AT_LEAST, Math.ceil(cores / BUSY))

export const estimateOf = (load: Load, retention: Retention, onKafka: boolean): Estimate => {
  const { eventsPerSecond: events, filters, matches, webhooks } = load
  const deliveries = events * matches
  const cost = onKafka ? several : oneProcess
  /** For each second, of what one event and one delivery take. */
  const rate = (of: (one: (typeof cost)["event"] | (typeof cost)["delivery"]) => number) =>
    of(cost.event) * events + of(cost.delivery) * deliveries
  const cores = (of: Parameters<typeof rate>[0]) => rate(of) / MS
  const eventSeconds = retention.retentionEventsMs / MS
  const workSeconds = (retentionOf(DELIVERIES_TOPIC, retention) ?? 0) / MS
  const stageCores = (stage: "ingest" | "route") =>
    (several.event[stage] * events + several.delivery[stage] * deliveries) / MS
  const program = cores((one) => one.program)
  const deliverCores = (several.delivery.program * deliveries) / MS
  const mostDeliver = partitionsOf(DELIVERIES_TOPIC)
  const deliver = processesFor(deliverCores)
  const warnings = onKafka
    ? [
        ...(["ingest", "route"] as const)
          .filter((stage) => stageCores(stage) > BUSY)
          .map(
            (stage) =>
              `One process has the role ${stage} for a network, and would be busy for ${Math.round(stageCores(stage) * 100)} % of the time.`
          ),
        ...(deliver > mostDeliver ? [`At most ${mostDeliver} processes share the webhooks.`] : [])
      ]
    : program > BUSY
      ? [
          `One process would be busy for ${Math.round(program * 100)} % of the time: share the roles between several, with Kafka.`
        ]
      : []
  return {
    deliveries_per_second: deliveries,
    cores: {
      program,
      postgresql: cores((one) => one.database),
      kafka: onKafka ? (several.event.broker * events + several.delivery.broker * deliveries) / MS : null
    },
    processes: onKafka
      ? {
          api: AT_LEAST,
          ingest: AT_LEAST,
          "events,route": AT_LEAST,
          "deliver,delay": Math.min(deliver, mostDeliver),
          replay: 1
        }
      : null,
    bytes: {
      webhooks: webhooks * (stored.webhook.disk + filters * stored.filter.disk),
      events: kept.event * events * eventSeconds,
      deliveries: (kept.delivery * deliveries * retention.retentionDeliveriesMs) / MS,
      log: cost.event.log * events * eventSeconds + cost.delivery.log * deliveries * workSeconds,
      wal_a_day: (rate((one) => one.wal) * DAY_MS) / MS,
      route_memory: webhooks * (stored.webhook.memory + filters * stored.filter.memory)
    },
    warnings
  }
}
