/**
 * Situations of an installation, and which alerts reach a person in each. A fault begins after an hour in which all is
 * well and ends again. test/features/operate/alertSamples.ts makes samples of it, and Prometheus' own checker evaluates the alerts.
 */

/** A value for a moment in seconds since the fault began. Undefined: there is no sample. */
export type At = (seconds: number) => number | undefined

export interface Situation {
  /**
   * What differs while the fault lasts, for all series that begin so. Counters give their increase a second. A series
   * that a healthy installation does not have exists only while the fault lasts.
   */
  readonly fault: Readonly<Record<string, number | At>>
  /** The alerts that reach a person, without `Ledgerhook`. */
  readonly notifies: Readonly<Record<string, "page" | "ticket">>
  /** Alerts about consequences, which inhibition hides. */
  readonly inhibited?: Readonly<Record<string, "page" | "ticket">>
  /** Minutes from the fault to the threshold of an alert whose `fires_within` counts from that. */
  readonly thresholdAfter?: Readonly<Record<string, number>>
  /** Minutes; by default a little more than the alerts need, or half an hour if there are none. */
  readonly lasts?: number
  /** Minutes from the end of the fault until no alert fires any more. */
  readonly clearsWithin?: number
}

const gone: At = () => undefined
const age: At = (seconds) => seconds
/** It takes some seconds until a probe or a count sees the fault. */
const from =
  (second: number, value: number, before: number): At =>
  (seconds) =>
    seconds < second ? before : value

const failed = (part: string, afterSeconds = 14) => ({
  [`ledgerhook_part_ok{part="${part}"`]: from(afterSeconds, 0, 1)
})
const degraded = (part: string) => ({ [`ledgerhook_part_degraded{part="${part}"`]: from(60, 1, 0) })
const noRole = (role: string) => ({ [`ledgerhook_processes{role="${role}"}`]: from(15, 0, 2) })
const left = (stage: string, network: string, seconds: number | At) => ({
  [`ledgerhook_backlog_left_seconds{stage="${stage}",network="${network}"}`]: seconds
})
/** A backlog that does not shrink, as is known after a minute. */
const late = (stage: string, network = "") => ({
  [`ledgerhook_oldest_seconds{stage="${stage}",network="${network}",because="service"}`]: age,
  ...left(stage, network, from(60, Number.POSITIVE_INFINITY, Number.NaN))
})
const outside = (network: string) => ({
  [`ledgerhook_oldest_seconds{stage="ingest",network="${network}",because="outside"}`]: age
})
const hosts = (failing: number, all: number) => ({
  'ledgerhook_webhook_hosts{state="failing"}': failing,
  'ledgerhook_webhook_hosts{state="all"}': all
})
/** Endpoints count as failing within three minutes. */
const hostsSoon = (failing: number, all: number) => ({
  'ledgerhook_webhook_hosts{state="failing"}': from(170, failing, 9),
  'ledgerhook_webhook_hosts{state="all"}': all
})
const noReport = {
  ledgerhook_processes: gone,
  ledgerhook_oldest_seconds: gone,
  ledgerhook_backlog_left_seconds: gone,
  ledgerhook_webhook_hosts: gone,
  ledgerhook_webhooks: gone
}
const apiFails = {
  'ledgerhook_api_requests_total{status="200"': 0,
  'ledgerhook_api_requests_total{status="503"': 2
}

export const situations: Readonly<Record<string, Situation>> = {
  // --- nobody is notified
  "a quiet night without events": {
    fault: {
      ledgerhook_api_requests_total: 0,
      ledgerhook_api_request_duration_seconds_bucket: 0,
      ledgerhook_service_delay_seconds_bucket: 0,
      ...hosts(0, 0)
    },
    notifies: {},
    lasts: 180
  },
  "a busy day: 22 of 224 webhooks fail, at 9 of 60 hosts": {
    fault: { 'ledgerhook_webhooks{health="failing"}': 22, ...hosts(9, 60) },
    notifies: {}
  },
  "2 of 224 webhooks fail": {
    fault: { 'ledgerhook_webhooks{health="failing"}': 2, ...hosts(2, 60) },
    notifies: {}
  },
  "the only host fails, of one customer": { fault: hosts(1, 1), notifies: {} },
  "30 webhooks at one host fail": {
    fault: { 'ledgerhook_webhooks{health="failing"}': 30, ...hosts(1, 60) },
    notifies: {}
  },
  "slow webhooks have hours of backlog": {
    fault: {
      'ledgerhook_oldest_seconds{stage="deliver",network="",because="webhook"}': age,
      'ledgerhook_oldest_seconds{stage="replay",network="",because="webhook"}': age
    },
    notifies: {}
  },
  "the broker restarts within 20 s": { fault: failed("log", 10), notifies: {}, lasts: 1 / 3 },
  "ingest is 2 h behind and drains": {
    fault: {
      'ledgerhook_oldest_seconds{stage="ingest",network="mainnet",because="service"}': (s) => 7200 - 8 * s,
      ...left("ingest", "mainnet", 720)
    },
    notifies: {},
    lasts: 12
  },
  "processes are upgraded one by one, within half an hour": {
    fault: {
      'ledgerhook_build_info{instance="b"': gone,
      'ledgerhook_build_info{instance="b",version="0.4.0"}': 1
    },
    notifies: {},
    lasts: 30
  },
  "few requests to the API fail, though most of those that are made": {
    fault: {
      'ledgerhook_api_requests_total{status="200"': 0,
      'ledgerhook_api_requests_total{status="503"': (s) => (s < 240 ? 1 / 30 : 0)
    },
    notifies: {}
  },

  // --- causes
  "all processes are gone, with their targets": {
    fault: { up: gone, ledgerhook: gone },
    notifies: { Gone: "page" }
  },
  "all processes crash": {
    fault: { up: 0, ledgerhook: gone },
    notifies: { Gone: "page" },
    inhibited: { ProcessDown: "ticket" },
    lasts: 15
  },
  "PostgreSQL is away": {
    fault: { ...failed("database"), ...noReport, ...apiFails },
    notifies: { DatabaseAway: "page" },
    inhibited: { NoReport: "ticket", ApiErrors: "page" }
  },
  "the embedded PostgreSQL is away, and with it the log": {
    fault: { ...failed("database"), ...failed("log"), ...noReport },
    notifies: { DatabaseAway: "page" },
    inhibited: { LogAway: "page", NoReport: "ticket" }
  },
  "a full disk has stopped the embedded PostgreSQL": {
    fault: { ...failed("database"), ...noReport, ledgerhook_data_free_bytes: 0 },
    notifies: { DatabaseAway: "page", DiskFull: "page" },
    inhibited: { NoReport: "ticket" }
  },
  "Kafka is away": {
    fault: { ...failed("log"), ...outside("mainnet"), ...late("deliver"), ...hostsSoon(50, 60) },
    notifies: { LogAway: "page" },
    inhibited: { LedgerStale: "page", DeliveriesLate: "page", HostsFail: "page" }
  },
  "Kafka is away, and the stages are unknown": {
    fault: { ...failed("log"), ledgerhook_oldest_seconds: gone },
    notifies: { LogAway: "page" }
  },
  "a process cannot decrypt a secret": {
    fault: { 'ledgerhook_part_ok{part="keys",instance="b"}': from(14, 0, 1) },
    notifies: { KeysUnreadable: "page" }
  },
  "no process has the role delay": {
    fault: { ...noRole("delay"), ...late("delay") },
    notifies: { RoleMissing: "page" },
    inhibited: { DeliveriesLate: "page" }
  },
  "no process has the role deliver, or it fails at each start": {
    fault: { ...noRole("deliver"), ...late("deliver") },
    notifies: { RoleMissing: "page" },
    inhibited: { DeliveriesLate: "page" }
  },
  "no process has the role route": {
    fault: { ...noRole("route"), ...late("route", "mainnet") },
    notifies: { RoleMissing: "page" },
    inhibited: { DeliveriesLate: "page" }
  },
  "no process has the role ingest": {
    fault: { ...noRole("ingest"), ...late("ingest", "mainnet") },
    notifies: { RoleMissing: "page" },
    inhibited: { LedgerStale: "page" }
  },
  "no process has the role events": {
    fault: { ...noRole("events"), ...late("events") },
    notifies: { RoleMissing: "ticket" },
    inhibited: { StageLate: "ticket" },
    thresholdAfter: { StageLate: 0.5 }
  },
  "no process has the role replay": { fault: noRole("replay"), notifies: { RoleMissing: "ticket" } },
  "no process has the role api": { fault: noRole("api"), notifies: { RoleMissing: "page" } },
  "no process has the role api, and the ledger servers are silent": {
    fault: { ...noRole("api"), ...outside("mainnet") },
    notifies: { RoleMissing: "page", LedgerStale: "page" }
  },
  "the process with the lease has not made a report yet": {
    fault: {
      ledgerhook_processes: Number.NaN,
      ledgerhook_oldest_seconds: Number.NaN,
      ledgerhook_webhook_hosts: gone
    },
    notifies: { NoReport: "ticket" }
  },
  "no process makes the report": { fault: noReport, notifies: { NoReport: "ticket" } },
  "one of six processes is cut off from Kafka": {
    fault: { 'ledgerhook_part_ok{part="log",instance="b"}': from(14, 0, 1) },
    notifies: { CutOff: "ticket" }
  },
  "a process is frozen, and others take over": {
    fault: { 'up{instance="b"': 0, 'ledgerhook_part_ok{part="log",instance="b"}': gone },
    notifies: { ProcessDown: "ticket" }
  },
  "the schema registry was emptied": {
    fault: failed("registry", 120),
    notifies: { PartFailed: "ticket" }
  },
  "the clock of one host is wrong": {
    fault: { 'ledgerhook_part_ok{part="clock",instance="b"}': from(14, 0, 1) },
    notifies: { PartFailed: "ticket" }
  },
  "PostgreSQL is slow": { fault: degraded("database"), notifies: { PartFailed: "ticket" } },
  "PostgreSQL is so slow that deliveries are late": {
    fault: { ...degraded("database"), ...late("deliver") },
    notifies: { PartFailed: "ticket", DeliveriesLate: "page" }
  },
  "one ledger server lies": { fault: degraded("ledger.mainnet"), notifies: { PartFailed: "ticket" } },
  "an upgrade is left half done": {
    fault: {
      'ledgerhook_build_info{instance="b"': gone,
      'ledgerhook_build_info{instance="b",version="0.4.0"}': 1
    },
    notifies: { TwoVersions: "ticket" }
  },
  "less than 5 GB of the disk are free": {
    fault: { ledgerhook_data_free_bytes: 4e9 },
    notifies: { DiskFull: "page" }
  },
  "the disk will be full in 3 h": {
    // After half an hour the forecast over an hour is below 0.
    fault: { ledgerhook_data_free_bytes: (s) => 50e9 - (s * 50e9) / 10_800 },
    notifies: { DiskFull: "page" },
    thresholdAfter: { DiskFull: 45 }
  },
  "12 % of the disk are free": {
    fault: { ledgerhook_data_size_bytes: 400e9 },
    notifies: { DiskFilling: "ticket" }
  },

  // --- consequences
  "our DNS is gone: 96 of 100 hosts fail": { fault: hostsSoon(96, 100), notifies: { HostsFail: "page" } },
  "deliveries wait for the service, and the backlog grows": {
    fault: late("deliver"),
    notifies: { DeliveriesLate: "page" }
  },
  "changes of webhooks do not reach the log": { fault: late("outbox"), notifies: { DeliveriesLate: "page" } },
  "the servers of mainnet are silent": { fault: outside("mainnet"), notifies: { LedgerStale: "page" } },
  "the servers of testnet are silent": { fault: outside("testnet"), notifies: { LedgerStale: "ticket" } },
  "testnet was reset": {
    fault: { ...failed("ledger.testnet"), ...outside("testnet") },
    notifies: { LedgerStale: "ticket" }
  },
  "first attempts start 20 s after the ledger closed": {
    fault: {
      // Those of the first 10 s are not late yet.
      'ledgerhook_service_delay_seconds_bucket{network="mainnet",le="10"}': from(10, 0, 4)
    },
    notifies: { SlowerThanPromised: "ticket" }
  },
  "events are written late": {
    fault: late("events"),
    notifies: { StageLate: "ticket" },
    thresholdAfter: { StageLate: 0.5 }
  },
  "notices are sent late": {
    fault: late("notices"),
    notifies: { StageLate: "ticket" },
    thresholdAfter: { StageLate: 5 }
  },
  "a replay job waits for a worker": {
    fault: late("replay"),
    notifies: { StageLate: "ticket" },
    thresholdAfter: { StageLate: 2 }
  },
  "upkeep has stopped": {
    fault: late("upkeep"),
    notifies: { StageLate: "ticket" },
    thresholdAfter: { StageLate: 120 }
  },
  "the first event ever is withheld": {
    fault: { 'ledgerhook_detection_alerts_total{network="mainnet"}': from(30, 0, 1) },
    notifies: { EventsWithheld: "ticket" }
  },
  "a record cannot be read": {
    fault: { 'ledgerhook_quarantined_total{stage="route"}': from(30, 0, 1) },
    notifies: { Quarantined: "ticket" }
  },
  "a replay job fails": {
    fault: { 'ledgerhook_replay_jobs_ended_total{state="failed"}': from(30, 0, 1) },
    notifies: { ReplayFailed: "ticket" }
  },
  "mails are given up": {
    fault: { 'ledgerhook_mails_total{outcome="given up"}': from(30, 0, 1) },
    notifies: { MailsGivenUp: "ticket" },
    clearsWithin: 65
  },
  "the API fails": { fault: apiFails, notifies: { ApiErrors: "page" } },
  "the API is slow": {
    fault: { 'ledgerhook_api_request_duration_seconds_bucket{route="/v1/events",le="2.5"}': 0 },
    notifies: { ApiSlow: "ticket" }
  },
  "something blocks an event loop": {
    fault: { 'ledgerhook_event_loop_delay_p99_seconds{instance="b"}': 0.9 },
    notifies: { EventLoopBlocked: "ticket" }
  },
  "statements wait for connections": {
    fault: { 'ledgerhook_database_pool_waiting{pool="main",instance="b"}': 3 },
    notifies: { DatabaseBusy: "ticket" }
  }
}
