/**
 * Samples of an installation through a situation (test/features/operate/alertSituations.ts), in the form of `promtool
 * test rules`. Every test has a second installation, in which all is well. What a metric shows is 40 s old: the report
 * is made every 10 s, and Prometheus scrapes every 30 s.
 */
import { resolve } from "node:path"
import { type Stage, stages } from "../../../src/features/operate/model/Stages.ts"
import { roles } from "../../../src/spine/config/Definitions.ts"
import type { At, Situation } from "./alertSituations.ts"
import { RULES, type Rule } from "./operationFiles.ts"

const STEP_S = 30
const SHOWN_AFTER_S = 40
const MINUTE_S = 60
/** Longer than every window of the alerts, except the day of the slow forecast. */
const BEFORE_MIN = 65

const FAULTY = "prod-eu"
const HEALTHY = "prod-us"

const instances = ["a", "b"]
const parts = [
  "database",
  "log",
  "ledger.mainnet",
  "ledger.testnet",
  "registry",
  "mail",
  "disk",
  "keys",
  "clock"
]
const hasNetwork: ReadonlyArray<Stage> = ["ingest", "route"]

type Series = Readonly<Record<string, number>>
const byInstance = (series: (instance: string) => Series): Series =>
  Object.assign({}, ...instances.map(series))
const each = <T>(values: ReadonlyArray<T>, series: (value: T) => Series): Series =>
  Object.assign({}, ...values.map(series))

/** Gauges have their value, counters their increase a second. */
const healthy: Series = {
  ...byInstance((instance) => ({
    [`up{instance="${instance}",job="ledgerhook"}`]: 1,
    [`ledgerhook_build_info{instance="${instance}",version="0.3.0"}`]: 1,
    [`ledgerhook_event_loop_delay_p99_seconds{instance="${instance}"}`]: 0.01,
    [`ledgerhook_database_pool_waiting{pool="main",instance="${instance}"}`]: 0,
    [`ledgerhook_data_free_bytes{instance="${instance}"}`]: 50e9,
    [`ledgerhook_data_size_bytes{instance="${instance}"}`]: 100e9,
    ...each(parts, (part) => ({
      [`ledgerhook_part_ok{part="${part}",instance="${instance}"}`]: 1,
      [`ledgerhook_part_degraded{part="${part}",instance="${instance}"}`]: 0
    }))
  })),
  ...each(roles, (role) => ({ [`ledgerhook_processes{role="${role}"}`]: 2 })),
  ...each(stages, (stage) =>
    each(hasNetwork.includes(stage) ? ["mainnet", "testnet"] : [""], (network) => ({
      [`ledgerhook_oldest_seconds{stage="${stage}",network="${network}",because="service"}`]: 1,
      [`ledgerhook_backlog_left_seconds{stage="${stage}",network="${network}"}`]: 0
    }))
  ),
  'ledgerhook_webhooks{health="healthy"}': 202,
  'ledgerhook_webhooks{health="failing"}': 22,
  'ledgerhook_webhook_hosts{state="failing"}': 9,
  'ledgerhook_webhook_hosts{state="all"}': 60,
  ...each(["10", "15", "+Inf"], (le) => ({
    [`ledgerhook_service_delay_seconds_bucket{network="mainnet",le="${le}"}`]: 4
  })),
  ...each(["2.5", "5", "+Inf"], (le) => ({
    [`ledgerhook_api_request_duration_seconds_bucket{route="/v1/events",le="${le}"}`]: 2
  })),
  'ledgerhook_api_requests_total{status="200",route="/v1/events"}': 2,
  'ledgerhook_api_requests_total{status="503",route="/v1/events"}': 0,
  'ledgerhook_quarantined_total{stage="route"}': 0,
  'ledgerhook_replay_jobs_ended_total{state="failed"}': 0,
  'ledgerhook_mails_total{outcome="given up"}': 0
}

const isCounter = (key: string): boolean => /_(?:total|bucket)\{/.test(key)

/** promtool's notation: `a+bxn` is a value and n more, each greater by b. */
const notation = (values: ReadonlyArray<number | undefined>): string => {
  const tokens: Array<string> = []
  for (let i = 0; i < values.length; ) {
    const first = values[i]
    if (first === undefined) {
      // A target that is gone has no samples at once, not only after five minutes.
      tokens.push(i > 0 && values[i - 1] !== undefined ? "stale" : "_")
      i += 1
      continue
    }
    const step = (values[i + 1] ?? Number.NaN) - first
    let n = 0
    if (Number.isFinite(step)) while ((values[i + n + 1] ?? Number.NaN) - values[i + n]! === step) n += 1
    const written = String(first).replace("Infinity", "Inf")
    tokens.push(n > 0 ? `${written}${step < 0 ? "" : "+"}${step}x${n}` : written)
    i += n + 1
  }
  return tokens.join(" ")
}

const MARGIN_MIN = 3
/** How long a fault lasts that notifies nobody. */
const SILENT_MIN = 30

/** When the situation's alerts fire at the latest: `fires_within`, from the fault or from the threshold. */
const promisesOf = ({ inhibited, thresholdAfter, notifies }: Situation, rules: ReadonlyArray<Rule>) =>
  Object.entries({ ...notifies, ...inhibited }).map(([name, severity]) => {
    const within = rules.find(({ alert }) => alert === `Ledgerhook${name}`)?.annotations.fires_within ?? ""
    const minutes = Number(/^(\d+) minutes\b/.exec(within)?.[1]) + (thresholdAfter?.[name] ?? 0)
    return { alert: `Ledgerhook${name}`, severity, minutes }
  })

const samplesOf = (
  situation: Situation,
  lasts: number,
  count: number
): ReadonlyArray<readonly [string, string]> => {
  const faults = Object.entries(situation.fault)
  const faultOf = (key: string): At | undefined => {
    // The longest beginning is the most exact one.
    const [, fault] =
      faults.filter(([start]) => key.startsWith(start)).sort(([a], [b]) => b.length - a.length)[0] ?? []
    return typeof fault === "number" ? () => fault : fault
  }
  const keys = new Set([
    ...Object.keys(healthy),
    ...faults.map(([start]) => start).filter((start) => start.endsWith("}"))
  ])
  return [...keys].map((key) => {
    const fault = faultOf(key)
    let total = 0
    const values = Array.from({ length: count }, (_, i) => {
      const seconds = i * STEP_S - BEFORE_MIN * MINUTE_S - SHOWN_AFTER_S
      const value =
        fault !== undefined && seconds >= 0 && seconds < lasts * MINUTE_S ? fault(seconds) : healthy[key]
      if (value === undefined || !isCounter(key)) return value
      total += value * STEP_S
      return total
    })
    return [key, notation(values)]
  })
}

/** The test of one situation. `labelled`: there is a second installation; otherwise nothing has the label. */
export const promtoolTest = (
  name: string,
  situation: Situation,
  rules: ReadonlyArray<Rule>,
  labelled: boolean
) => {
  const { clearsWithin = 20 } = situation
  const promises = promisesOf(situation, rules)
  const longest = Math.max(SILENT_MIN - MARGIN_MIN, ...promises.map(({ minutes }) => minutes))
  const lasts = situation.lasts ?? longest + MARGIN_MIN
  const count = Math.ceil(((BEFORE_MIN + lasts + clearsWithin + 1) * MINUTE_S) / STEP_S)
  const inInstallation = (key: string, installation: string) =>
    key.includes("{")
      ? key.replace("{", `{installation="${installation}",`)
      : `${key}{installation="${installation}"}`
  const well: Situation = { fault: {}, notifies: {} }
  const installations = labelled
    ? [[FAULTY, situation] as const, [HEALTHY, well] as const]
    : [["", situation] as const]
  const sampleOf = ({ alert, severity }: (typeof promises)[number]) => ({
    labels: `{alertname="${alert}", severity="${severity}"${labelled ? `, installation="${FAULTY}"` : ""}}`,
    value: 1
  })
  const shown = "group by (installation, alertname, severity)"
  const selector = 'ALERTS{alertstate="firing"'
  const at = (minute: number) => `${Math.round((BEFORE_MIN + minute) * MINUTE_S)}s`
  return {
    name: labelled ? name : `${name}, without the label installation`,
    interval: `${STEP_S}s`,
    input_series: installations.flatMap(([installation, its]) =>
      samplesOf(its, lasts, count).map(([key, values]) => ({
        series: labelled ? inInstallation(key, installation) : key,
        values
      }))
    ),
    promql_expr_test: [
      // An evaluation is up to 30 s late, so the one before the promised time must see it.
      ...promises.map((promise) => ({
        expr: `${shown} (${selector}, alertname="${promise.alert}"})`,
        eval_time: at(promise.minutes - STEP_S / MINUTE_S),
        exp_samples: [sampleOf(promise)]
      })),
      {
        expr: `${shown} (last_over_time(${selector}}[${Math.ceil((BEFORE_MIN + lasts) * MINUTE_S)}s]))`,
        eval_time: at(lasts),
        exp_samples: promises.map(sampleOf)
      },
      { expr: `${shown} (${selector}})`, eval_time: at(lasts + clearsWithin), exp_samples: [] }
    ]
  }
}

export const promtoolTests = (tests: ReadonlyArray<object>) =>
  // YAML contains JSON.
  JSON.stringify({ rule_files: [resolve(RULES)], evaluation_interval: `${STEP_S}s`, tests })
