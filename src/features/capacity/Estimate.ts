/** How large an installation is, from its load and from what an event and a delivery cost. Pure. */
import { DELIVERIES_TOPIC } from "../../spine/domain/Delivery.ts"
import { partitionsOf, type RetentionSettings, retentionOf } from "../../spine/log/Topics.ts"
import { kept, oneProcess, several, stored } from "./Costs.ts"

export interface Load {
  readonly eventsPerSecond: number
  readonly webhooks: number
  /** How many webhooks want an event, on average. */
  readonly matches: number
  /** Account filters of a webhook, on average. */
  readonly filters: number
}

export interface Retention extends RetentionSettings {
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

const DAY_S = 86_400
const MS = 1_000
/** A process runs JavaScript on one core. The other half of it works off outages. */
const BUSY = 0.5
/** So that one may end. */
const AT_LEAST = 2

const percent = (part: number): string => `${Math.round(part * 100)} %`

type ProcessRoles = keyof typeof several.event.processes

/** Of the load of one process on one core, with its log in PostgreSQL. */
const inOne = (events: number, deliveries: number) => {
  const of = (part: keyof typeof oneProcess.event) =>
    oneProcess.event[part] * events + oneProcess.delivery[part] * deliveries
  const program = of("program") / MS
  return {
    cores: { program, postgresql: of("database") / MS, kafka: null },
    processes: null,
    walBytes: of("wal"),
    cost: oneProcess,
    warnings:
      program > BUSY
        ? [
            `One process would be busy ${percent(program)} of the time. Share the roles between several, with Kafka.`
          ]
        : []
  }
}

/** Of processes that share the roles. */
const inSeveral = (events: number, deliveries: number) => {
  const of = (part: "database" | "broker" | "wal") =>
    several.event[part] * events + several.delivery[part] * deliveries
  const coresOf = (roles: ProcessRoles) =>
    (several.event.processes[roles] * events + several.delivery.processes[roles] * deliveries) / MS
  const all = Object.keys(several.event.processes) as ReadonlyArray<ProcessRoles>
  const most = partitionsOf(DELIVERIES_TOPIC)
  const deliver = Math.max(AT_LEAST, Math.ceil(coresOf("deliver,delay") / BUSY))
  return {
    cores: {
      program: several.idle.program + all.reduce((sum, roles) => sum + coresOf(roles), 0),
      postgresql: several.idle.database + of("database") / MS,
      kafka: several.idle.broker + of("broker") / MS
    },
    processes: {
      api: AT_LEAST,
      ingest: AT_LEAST,
      "events,route": AT_LEAST,
      "deliver,delay": Math.min(deliver, most),
      replay: 1
    },
    walBytes: of("wal"),
    cost: several,
    warnings: [
      ...(["ingest", "events,route"] as const)
        .filter((roles) => coresOf(roles) > BUSY)
        .map(
          (roles) =>
            `One process with the roles ${roles} works on a network, and would be busy ${percent(coresOf(roles))} of the time.`
        ),
      ...(deliver > most
        ? [`${deliver} processes would have to deliver, but at most ${most} share the webhooks.`]
        : [])
    ]
  }
}

export const estimateOf = (load: Load, retention: Retention, onKafka: boolean): Estimate => {
  const { eventsPerSecond: events, filters, matches, webhooks } = load
  const deliveries = events * matches
  const { cores, cost, processes, walBytes, warnings } = (onKafka ? inSeveral : inOne)(events, deliveries)
  const eventSeconds = retention.retentionEventsMs / MS
  const deliverySeconds = retention.retentionDeliveriesMs / MS
  const workSeconds = (retentionOf(DELIVERIES_TOPIC, retention) ?? 0) / MS
  return {
    deliveries_per_second: deliveries,
    cores,
    processes,
    bytes: {
      webhooks: webhooks * (stored.webhook.disk + filters * stored.filter.disk),
      events: kept.event * events * eventSeconds,
      deliveries: kept.delivery * deliveries * deliverySeconds,
      log: cost.event.log * events * eventSeconds + cost.delivery.log * deliveries * workSeconds,
      wal_a_day: walBytes * DAY_S,
      route_memory: webhooks * (stored.webhook.memory + filters * stored.filter.memory)
    },
    warnings
  }
}
