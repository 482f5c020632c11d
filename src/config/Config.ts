/**
 * Every setting: name, default, what is accepted, what it means. Read once from the environment; a wrong value stops
 * the start with one line that names the variable. Values that may be secret are never repeated in a message.
 * The README's table is made from `settingsTable` (test/config.test.ts).
 */
import { Context } from "effect"
import type { Network } from "../domain/Network.ts"
import type { RetryPolicy } from "../domain/RetryPolicy.ts"
import { boolean, duration, integer, list, parseDuration, text, urlOf } from "./Values.ts"

export const roles = ["api", "ingest", "route", "deliver", "delay"] as const
export type Role = (typeof roles)[number]

export type Environment = Readonly<Record<string, string | undefined>>

interface Setting<A> {
  readonly default: string
  readonly accepts: string
  readonly meaning: string
  readonly secret?: boolean
  /** Undefined means: not acceptable. */
  readonly parse: (text: string) => A | undefined
}

const setting = <A>(definition: Setting<A>): Setting<A> => definition

const wsUrls = (value: string) => {
  const urls = list(value)
  return urls.every((url) => urlOf("ws:", "wss:")(url) !== undefined) ? urls : undefined
}

const start = (value: string): "latest" | number | undefined =>
  value === "latest" ? "latest" : integer(1, 4_294_967_295)(value)

/** The topics `webhooks.delay.2` … `.10` hold at most nine delays. */
const DELAYS_MAX = 9
/** A delay longer than this would outlive its topic's retention. */
const DELAY_LONGEST_MS = 24 * 3_600_000

const delays = (value: string) => {
  const all = list(value).map((item) =>
    /^\d+(\.\d+)?(ms|s|m|h)$/.test(item) ? parseDuration(item) : undefined
  )
  return all.length <= DELAYS_MAX && all.every((ms) => ms !== undefined && ms <= DELAY_LONGEST_MS)
    ? (all as ReadonlyArray<number>)
    : undefined
}

const roleList = (value: string): ReadonlyArray<Role> | undefined => {
  const chosen = list(value)
  if (chosen.length === 1 && chosen[0] === "all") return roles
  return chosen.length > 0 && chosen.every((role) => (roles as ReadonlyArray<string>).includes(role))
    ? (chosen as ReadonlyArray<Role>)
    : undefined
}

const secretsKey = (value: string) =>
  /^[A-Za-z0-9+/]{43}=$/.test(value) ? Buffer.from(value, "base64") : undefined

const WS_LIST = "a comma list of ws:// or wss:// addresses"
const START = "`latest` or a ledger index"
const DURATION = "a number with a unit, as `10 seconds` or `30 days`"

/** An empty default means unset. */
const definitions = {
  HOST: setting({
    default: "127.0.0.1",
    accepts: "an address or host name",
    meaning: "address of the API server",
    parse: text
  }),
  PORT: setting({
    default: "8080",
    accepts: "a port from 0 to 65535 (0: any free one)",
    meaning: "port of the API server",
    parse: integer(0, 65_535)
  }),
  ROLES: setting({
    default: "all",
    accepts: `\`all\` or a comma list of ${roles.join(", ")}`,
    meaning: "what this process does",
    parse: roleList
  }),
  DATA_DIR: setting({
    default: "./data",
    accepts: "a folder that can be written",
    meaning: "the embedded store's folder",
    parse: text
  }),
  DATABASE_URL: setting({
    default: "",
    accepts: "a postgres:// or postgresql:// address",
    meaning: "a PostgreSQL 15 or later; unset: the embedded store",
    secret: true,
    parse: urlOf("postgres:", "postgresql:")
  }),
  XRPL_MAINNET_URLS: setting({
    default: "wss://s1.ripple.com,wss://xrplcluster.com",
    accepts: WS_LIST,
    meaning: "servers of mainnet, the first preferred; empty: mainnet is not watched",
    parse: wsUrls
  }),
  XRPL_TESTNET_URLS: setting({
    default: "",
    accepts: WS_LIST,
    meaning: "servers of testnet; unset: not watched",
    parse: wsUrls
  }),
  XRPL_DEVNET_URLS: setting({
    default: "",
    accepts: WS_LIST,
    meaning: "servers of devnet; unset: not watched",
    parse: wsUrls
  }),
  XRPL_MAINNET_START: setting({
    default: "latest",
    accepts: START,
    meaning: "first mainnet ledger when there is no checkpoint",
    parse: start
  }),
  XRPL_TESTNET_START: setting({
    default: "latest",
    accepts: START,
    meaning: "the same for testnet",
    parse: start
  }),
  XRPL_DEVNET_START: setting({
    default: "latest",
    accepts: START,
    meaning: "the same for devnet",
    parse: start
  }),
  XRPL_VERIFY: setting({
    default: "json",
    accepts: "`json` or `full`",
    meaning:
      "what is checked of a ledger: `json` its place in the chain and its completeness; `full` also fetches it in binary form and recomputes its hashes",
    parse: (value) => (value === "json" || value === "full" ? value : undefined)
  }),
  ADMIN_KEY: setting({
    default: "",
    accepts: "`svc_live_` and at least 32 letters or digits",
    meaning:
      "a key to accept as the first account's admin key; unset: one is made at the first start and printed once",
    secret: true,
    parse: (value) => (/^svc_live_[A-Za-z0-9]{32,128}$/.test(value) ? value : undefined)
  }),
  SECRETS_KEY: setting({
    default: "",
    accepts: "32 bytes in base 64",
    meaning: "encrypts webhook secrets at rest; unset: a key file in `DATA_DIR`",
    secret: true,
    parse: secretsKey
  }),
  DELIVERY_ALLOW_PRIVATE_ADDRESSES: setting({
    default: "false",
    accepts: "`true` or `false`",
    meaning: "let deliveries go to loopback and private addresses",
    parse: boolean
  }),
  DELIVERY_ALLOW_HTTP: setting({
    default: "false",
    accepts: "`true` or `false`",
    meaning: "let deliveries go to plain http endpoints",
    parse: boolean
  }),
  DELIVERY_TIMEOUT: setting({
    default: "10 seconds",
    accepts: `${DURATION}, up to 1 minute`,
    meaning: "from the start of an attempt to the response's headers",
    parse: (value) => {
      const ms = duration(1)(value)
      return ms !== undefined && ms <= 60_000 ? ms : undefined
    }
  }),
  DELIVERY_RETRY_DELAYS: setting({
    default: "1s,5s,30s,2m,10m,30m,2h,6h,12h",
    accepts: "up to nine delays of at most 24h, each a number with `ms`, `s`, `m` or `h`",
    meaning: "delays between attempts: n delays make n + 1 attempts",
    parse: delays
  }),
  DELIVERY_JITTER: setting({
    default: "0.1",
    accepts: "a number from 0 to 0.5",
    meaning: "part of a delay that chance may add or take",
    parse: (value) => (/^0(\.\d+)?$/.test(value) && Number(value) <= 0.5 ? Number(value) : undefined)
  }),
  DISABLE_AFTER_FAILURES: setting({
    default: "100",
    accepts: "a number from 1 to 1000000",
    meaning: "failed deliveries in a row that disable a webhook",
    parse: integer(1, 1_000_000)
  }),
  RETENTION_DELIVERIES: setting({
    default: "30 days",
    accepts: `${DURATION}, at least 1 day`,
    meaning: "how long deliveries and attempts are kept",
    parse: duration(86_400_000)
  }),
  RETENTION_EVENTS: setting({
    default: "400 days",
    accepts: `${DURATION}, at least 1 day`,
    meaning: "how long events and ledger markers are kept",
    parse: duration(86_400_000)
  }),
  LOG_LEVEL: setting({
    default: "info",
    accepts: "`debug`, `info`, `warn` or `error`",
    meaning: "least severe message that is written",
    parse: (value) => (["debug", "info", "warn", "error"].includes(value) ? value : undefined)
  }),
  LOG_FORMAT: setting({
    default: "",
    accepts: "`pretty` or `json`",
    meaning: "form of messages; unset: `pretty` on a terminal, else `json`",
    parse: (value) => (value === "pretty" || value === "json" ? value : undefined)
  })
} as const

export type SettingName = keyof typeof definitions

/** Rows of the README's table. */
export const settingsTable: ReadonlyArray<{
  readonly name: SettingName
  readonly default: string
  readonly accepts: string
  readonly meaning: string
}> = (Object.keys(definitions) as Array<SettingName>).map((name) => ({
  name,
  default: definitions[name].default,
  accepts: definitions[name].accepts,
  meaning: definitions[name].meaning
}))

export interface NetworkSettings {
  readonly network: Network
  readonly urls: ReadonlyArray<string>
  /** First ledger when there is no checkpoint. */
  readonly start: "latest" | number
}

export interface SettingsShape {
  readonly host: string
  readonly port: number
  readonly roles: ReadonlyArray<Role>
  readonly dataDir: string
  readonly databaseUrl: string | undefined
  /** The watched ones. */
  readonly networks: ReadonlyArray<NetworkSettings>
  readonly verify: "json" | "full"
  readonly adminKey: string | undefined
  readonly secretsKey: Buffer | undefined
  readonly allowPrivateAddresses: boolean
  readonly allowHttp: boolean
  readonly deliveryTimeoutMs: number
  readonly retryPolicy: RetryPolicy
  readonly disableAfterFailures: number
  readonly retentionDeliveriesMs: number
  readonly retentionEventsMs: number
  readonly logLevel: string
  readonly logFormat: "pretty" | "json" | undefined
}

export class Settings extends Context.Service<Settings, SettingsShape>()("ledgerhook/config/Settings") {}

/** What is wrong with the settings: one sentence each, ready to print. */
export interface SettingProblem {
  readonly name: string
  readonly message: string
}

/** Set by an operator who expects something else than what this version does: refused, not ignored. */
const refused: Readonly<Record<string, string>> = {
  KAFKA_BROKERS: "not supported by this version yet; unset it to use the embedded log.",
  SCHEMA_REGISTRY_URL:
    "not supported by this version yet; unset it to use the embedded log without a registry."
}

/** Without effect in this version, and harmless. */
const ignored: Readonly<Record<string, string>> = {
  SMTP_URL: "not supported by this version yet; no mail is sent.",
  OTEL_EXPORTER_OTLP_ENDPOINT: "not supported by this version yet; no traces or metrics are sent."
}

const setAmong = (environment: Environment, table: Readonly<Record<string, string>>): Array<SettingProblem> =>
  Object.entries(table)
    .filter(([name]) => (environment[name]?.trim() ?? "") !== "")
    .map(([name, fault]) => ({ name, message: `${name}: ${fault}` }))

/** One warning for each setting that is set but does nothing yet. */
export const ignoredSettings = (environment: Environment): ReadonlyArray<SettingProblem> =>
  setAmong(environment, ignored)

const QUOTED_MAX = 60

/** Scheme and host of an address: its user info, path and query may hold a credential. */
const withoutCredentials = (url: string): string => {
  const [, scheme = "", host = ""] = /^([a-z][a-z0-9+.-]*:\/\/)?(?:[^@/?#]*@)?([^/?#]*)/i.exec(url) ?? []
  const bare = scheme + host
  return bare === url ? url : `${bare}…`
}

const problemOf = (name: SettingName, value: string): SettingProblem => {
  const { accepts, secret } = definitions[name] as Setting<unknown>
  const bare = name.endsWith("_URLS") ? list(value).map(withoutCredentials).join(",") : value
  const shown = bare.length > QUOTED_MAX ? `${bare.slice(0, QUOTED_MAX)}…` : bare
  const fault = secret === true ? "its value is not valid" : `${JSON.stringify(shown)} is not valid`
  return { name, message: `${name}: ${fault}; accepted: ${accepts}.` }
}

/** Reads all settings; every wrong one is reported. An empty variable counts as unset, but for the server lists. */
export const loadSettings = (environment: Environment): SettingsShape | ReadonlyArray<SettingProblem> => {
  const problems = setAmong(environment, refused)
  const read = <N extends SettingName>(name: N) => {
    const definition = definitions[name] as Setting<NonNullable<ReturnType<(typeof definitions)[N]["parse"]>>>
    const given = environment[name]?.trim()
    const isList = name.endsWith("_URLS")
    const value = given === undefined || (given === "" && !isList) ? definition.default : given
    if (value === "" && !isList) return undefined
    const parsed = definition.parse(value)
    if (parsed === undefined) problems.push(problemOf(name, value))
    return parsed
  }
  const network = (
    id: Network,
    urls: "XRPL_MAINNET_URLS" | "XRPL_TESTNET_URLS" | "XRPL_DEVNET_URLS",
    from: "XRPL_MAINNET_START" | "XRPL_TESTNET_START" | "XRPL_DEVNET_START"
  ): NetworkSettings => ({
    network: id,
    urls: read(urls) ?? [],
    start: read(from) ?? "latest"
  })
  // Where `read` gives nothing for a setting that has a default, a problem was recorded and the value is not used.
  const settings: SettingsShape = {
    host: read("HOST") ?? "",
    port: read("PORT") ?? 0,
    roles: read("ROLES") ?? [],
    dataDir: read("DATA_DIR") ?? "",
    databaseUrl: read("DATABASE_URL"),
    networks: [
      network("mainnet", "XRPL_MAINNET_URLS", "XRPL_MAINNET_START"),
      network("testnet", "XRPL_TESTNET_URLS", "XRPL_TESTNET_START"),
      network("devnet", "XRPL_DEVNET_URLS", "XRPL_DEVNET_START")
    ].filter(({ urls }) => urls.length > 0),
    verify: read("XRPL_VERIFY") === "full" ? "full" : "json",
    adminKey: read("ADMIN_KEY"),
    secretsKey: read("SECRETS_KEY"),
    allowPrivateAddresses: read("DELIVERY_ALLOW_PRIVATE_ADDRESSES") ?? false,
    allowHttp: read("DELIVERY_ALLOW_HTTP") ?? false,
    deliveryTimeoutMs: read("DELIVERY_TIMEOUT") ?? 0,
    retryPolicy: { delaysMs: read("DELIVERY_RETRY_DELAYS") ?? [], jitter: read("DELIVERY_JITTER") ?? 0 },
    disableAfterFailures: read("DISABLE_AFTER_FAILURES") ?? 0,
    retentionDeliveriesMs: read("RETENTION_DELIVERIES") ?? 0,
    retentionEventsMs: read("RETENTION_EVENTS") ?? 0,
    logLevel: read("LOG_LEVEL") ?? "info",
    logFormat: read("LOG_FORMAT") as "pretty" | "json" | undefined
  }
  return problems.length > 0 ? problems : settings
}
