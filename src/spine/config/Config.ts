/**
 * Reads all settings from the environment, once. A value that is not valid stops the start with one line that names the
 * variable. A message never repeats a value that may be secret.
 */
import { Context } from "effect"
import type { RetryPolicy } from "../domain/RetryPolicy.ts"
import { environmentOf, type Network } from "../event/Network.ts"
import { definitions, type FeatureSetting, type Role, type Setting, type SettingName } from "./Definitions.ts"
import { list } from "./Values.ts"

export type Environment = Readonly<Record<string, string | undefined>>

/** A setting as the tables of documents show it. */
export interface ShownSetting extends Setting<unknown> {
  readonly name: string
}

/** Every setting, for `.env.example` and the Helm chart. */
export const settingsTableOf = (ofFeatures: OfFeatures): ReadonlyArray<ShownSetting> => [
  ...(Object.keys(definitions) as Array<SettingName>).map(
    (name): ShownSetting => ({ name, ...definitions[name] })
  ),
  ...ofFeatures
]

export type OfFeatures = ReadonlyArray<FeatureSetting<unknown>>

/** The settings of features. app provides them. */
export class FeatureSettings extends Context.Service<FeatureSettings, OfFeatures>()(
  "ledgerhook/config/FeatureSettings"
) {}

export interface NetworkSettings {
  readonly network: Network
  readonly urls: ReadonlyArray<string>
  /** Servers for ledgers before the service's first one. Empty: replays cannot reach back before it. */
  readonly historyUrls: ReadonlyArray<string>
  /** First ledger if there is no checkpoint. */
  readonly start: "latest" | number
}

export interface OAuthSettings {
  readonly mechanism: "OAUTHBEARER"
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scope: string | undefined
}

export interface KafkaSettings {
  readonly brokers: ReadonlyArray<string>
  readonly ssl: boolean
  /** This client's certificate: PEM files. Undefined: it has none. */
  readonly certificate?: { readonly certFile: string; readonly keyFile: string } | undefined
  readonly sasl:
    | {
        readonly mechanism: "PLAIN" | "SCRAM-SHA-256" | "SCRAM-SHA-512"
        readonly username: string
        readonly password: string
      }
    | OAuthSettings
    | undefined
  readonly clientId: string
  readonly topicPrefix: string
  /** With user and password. Undefined: records are plain JSON. */
  readonly schemaRegistryUrl: string | undefined
}

export interface SettingsShape {
  /** The value of a feature's setting. Undefined: it is unset and has no default. */
  readonly of: <A>(setting: FeatureSetting<A>) => A | undefined
  readonly host: string
  readonly port: number
  /** The port of health and metrics. Undefined: they are on `port`. */
  readonly opsPort: number | undefined
  readonly roles: ReadonlyArray<Role>
  readonly dataDir: string
  readonly databaseUrl: string | undefined
  /** Undefined: the embedded log. */
  readonly kafka: KafkaSettings | undefined
  /** Networks with servers. */
  readonly networks: ReadonlyArray<NetworkSettings>
  /** Test networks without servers, which are simulated. */
  readonly simulated: ReadonlyArray<Network>
  readonly verify: "json" | "full"
  readonly secretsKey: Buffer | undefined
  readonly secretsKeyPrevious: Buffer | undefined
  readonly allowPrivateAddresses: boolean
  readonly allowHttp: boolean
  readonly deliveryTimeoutMs: number
  readonly retryPolicy: RetryPolicy
  readonly disableAfterFailures: number
  readonly retentionDeliveriesMs: number
  readonly retentionEventsMs: number
  readonly rawTransactions: boolean
  readonly retentionTransactionsMs: number
  readonly logLevel: string
  readonly logFormat: "pretty" | "json" | undefined
  /** Where traces and metrics are sent. Undefined: none are sent. */
  readonly telemetry:
    | { readonly endpoint: string; readonly headers: Readonly<Record<string, string>> }
    | undefined
}

/** Every network that the service watches, simulated ones included. */
export const watchedNetworks = ({
  networks,
  simulated
}: Pick<SettingsShape, "networks" | "simulated">): ReadonlyArray<Network> => [
  ...networks.map(({ network }) => network),
  ...simulated
]

/** Why nothing can be had of a network. A test network without servers is simulated. */
export const unwatched = (network: Network): string =>
  `network ${network} is not watched by this service (its operator can change this: XRPL_${network.toUpperCase()}_URLS); with a test key you can use testnet or devnet.`

/** Whether servers are set for ledgers that closed before the service's first ledger of that network. */
export const hasHistory = ({ networks }: Pick<SettingsShape, "networks">, network: Network): boolean =>
  networks.some((one) => one.network === network && one.historyUrls.length > 0)

export class Settings extends Context.Service<Settings, SettingsShape>()("ledgerhook/config/Settings") {}

/** One thing that is wrong with the settings. `message` is a sentence ready to print. */
export interface SettingProblem {
  readonly name: string
  readonly message: string
}

/** For a list of servers, the empty text is a value: no servers. */
const isServerList = (name: string): boolean => name.endsWith("_URLS")

/** The names of the variables that are set, and of those that are empty, which count as unset. */
export const givenSettings = (environment: Environment, ofFeatures: OfFeatures) => {
  const there = settingsTableOf(ofFeatures)
    .map(({ name }) => name)
    .filter((name) => environment[name] !== undefined)
  const isEmpty = (name: string) => environment[name]?.trim() === "" && !isServerList(name)
  return { set: there.filter((name) => !isEmpty(name)), empty: there.filter(isEmpty) }
}

const QUOTED_MAX = 60

/** Scheme and host only: user info, path and query of a URL may contain credentials. */
const withoutCredentials = (url: string): string => {
  const [, scheme = "", host = ""] = /^([a-z][a-z0-9+.-]*:\/\/)?(?:[^@/?#]*@)?([^/?#]*)/i.exec(url) ?? []
  const bare = scheme + host
  return bare === url ? url : `${bare}…`
}

const problemOf = (name: string, { accepts, secret }: Setting<unknown>, value: string): SettingProblem => {
  const bare = isServerList(name) ? list(value).map(withoutCredentials).join(",") : value
  const shown = bare.length > QUOTED_MAX ? `${bare.slice(0, QUOTED_MAX)}…` : bare
  const fault = secret === true ? "its value is not valid" : `${JSON.stringify(shown)} is not valid`
  return { name, message: `${name}: ${fault}; accepted: ${accepts}.` }
}

/** Returns the settings, or every problem found. An empty variable counts as unset, except for lists of servers. */
export const loadSettings = (
  environment: Environment,
  ofFeatures: OfFeatures
): SettingsShape | ReadonlyArray<SettingProblem> => {
  const problems: Array<SettingProblem> = []
  const readAs = <A>(name: string, definition: Setting<A>): A | undefined => {
    const given = environment[name]?.trim()
    const isList = isServerList(name)
    const value = given === undefined || (given === "" && !isList) ? definition.default : given
    if (value === "" && !isList) return undefined
    const parsed = definition.parse(value)
    if (parsed === undefined) problems.push(problemOf(name, definition, value))
    return parsed
  }
  for (const one of ofFeatures) readAs(one.name, one)
  const read = <N extends SettingName>(name: N) =>
    readAs(name, definitions[name] as Setting<NonNullable<ReturnType<(typeof definitions)[N]["parse"]>>>)
  const network = (id: Network, name: "MAINNET" | "TESTNET" | "DEVNET"): NetworkSettings => {
    const urls = read(`XRPL_${name}_URLS`) ?? []
    const historyUrls = read(`XRPL_${name}_HISTORY_URLS`) ?? []
    if (historyUrls.length > 0 && urls.length === 0) {
      problems.push({
        name: `XRPL_${name}_HISTORY_URLS`,
        message: `XRPL_${name}_HISTORY_URLS: this network is not watched; set XRPL_${name}_URLS too, or unset this.`
      })
    }
    return { network: id, urls, historyUrls, start: read(`XRPL_${name}_START`) ?? "latest" }
  }
  const all = [network("mainnet", "MAINNET"), network("testnet", "TESTNET"), network("devnet", "DEVNET")]
  const brokers = read("KAFKA_BROKERS")
  // Read even without KAFKA_BROKERS, so that a value that is not valid is reported now and not when Kafka is used.
  const ssl = read("KAFKA_SSL") ?? false
  const clientId = read("KAFKA_CLIENT_ID") ?? ""
  const topicPrefix = read("KAFKA_TOPIC_PREFIX") ?? ""
  const mechanism = read("KAFKA_SASL_MECHANISM")
  const [username, password] = [read("KAFKA_USERNAME"), read("KAFKA_PASSWORD")]
  if (mechanism !== undefined && (username === undefined || password === undefined)) {
    const name = username === undefined ? "KAFKA_USERNAME" : "KAFKA_PASSWORD"
    problems.push({ name, message: `${name}: is required with KAFKA_SASL_MECHANISM; accepted: a text.` })
  }
  const [tokenUrl, scope] = [read("KAFKA_OAUTH_TOKEN_URL"), read("KAFKA_OAUTH_SCOPE")]
  if (mechanism === "OAUTHBEARER" && tokenUrl === undefined) {
    const name = "KAFKA_OAUTH_TOKEN_URL"
    problems.push({
      name,
      message: `${name}: is required with OAUTHBEARER; accepted: ${definitions[name].accepts}.`
    })
  }
  const [certFile, keyFile] = [read("KAFKA_SSL_CERT"), read("KAFKA_SSL_KEY")]
  if ((certFile === undefined) !== (keyFile === undefined)) {
    const [name, other] =
      certFile === undefined ? ["KAFKA_SSL_KEY", "KAFKA_SSL_CERT"] : ["KAFKA_SSL_CERT", "KAFKA_SSL_KEY"]
    problems.push({ name: name!, message: `${name}: needs ${other} too; accepted: a PEM file.` })
  } else if (certFile !== undefined && !ssl) {
    problems.push({ name: "KAFKA_SSL_CERT", message: "KAFKA_SSL_CERT: is used only with KAFKA_SSL=true." })
  }
  const [port, opsPort, roles] = [read("PORT") ?? 0, read("OPS_PORT"), read("ROLES") ?? []]
  if (opsPort === port && port !== 0 && roles.includes("api")) {
    const message = "OPS_PORT: is the same as PORT; choose another port, or unset it to use PORT."
    problems.push({ name: "OPS_PORT", message })
  }
  const otlpEndpoint = read("OTEL_EXPORTER_OTLP_ENDPOINT")
  const otlpHeaders = read("OTEL_EXPORTER_OTLP_HEADERS") ?? {}
  const schemaRegistryUrl = read("SCHEMA_REGISTRY_URL")
  if (
    schemaRegistryUrl !== undefined &&
    brokers === undefined &&
    !problems.some(({ name }) => name === "KAFKA_BROKERS")
  ) {
    problems.push({
      name: "SCHEMA_REGISTRY_URL",
      message: "SCHEMA_REGISTRY_URL: is used only with Kafka; set KAFKA_BROKERS too, or unset this."
    })
  }
  // `read` returns undefined for a setting with a default only after it has recorded a problem; the value is not used.
  const settings: SettingsShape = {
    // A value that is not valid has stopped the start.
    of: (setting) => readAs(setting.name, setting),
    host: read("HOST") ?? "",
    port,
    opsPort,
    roles,
    dataDir: read("DATA_DIR") ?? "",
    databaseUrl: read("DATABASE_URL"),
    kafka:
      brokers === undefined
        ? undefined
        : {
            brokers,
            ssl,
            certificate: certFile === undefined ? undefined : { certFile, keyFile: keyFile ?? "" },
            sasl:
              mechanism === undefined
                ? undefined
                : mechanism === "OAUTHBEARER"
                  ? {
                      mechanism,
                      tokenUrl: tokenUrl ?? "",
                      clientId: username ?? "",
                      clientSecret: password ?? "",
                      scope
                    }
                  : { mechanism, username: username ?? "", password: password ?? "" },
            clientId,
            topicPrefix,
            schemaRegistryUrl
          },
    networks: all.filter(({ urls }) => urls.length > 0),
    simulated: all.flatMap(({ network: id, urls }) =>
      urls.length === 0 && environmentOf(id) === "test" ? [id] : []
    ),
    verify: read("XRPL_VERIFY") ?? "json",
    secretsKey: read("SECRETS_KEY"),
    secretsKeyPrevious: read("SECRETS_KEY_PREVIOUS"),
    allowPrivateAddresses: read("DELIVERY_ALLOW_PRIVATE_ADDRESSES") ?? false,
    allowHttp: read("DELIVERY_ALLOW_HTTP") ?? false,
    deliveryTimeoutMs: read("DELIVERY_TIMEOUT") ?? 0,
    retryPolicy: { delaysMs: read("DELIVERY_RETRY_DELAYS") ?? [], jitter: read("DELIVERY_JITTER") ?? 0 },
    disableAfterFailures: read("DISABLE_AFTER_FAILURES") ?? 0,
    retentionDeliveriesMs: read("RETENTION_DELIVERIES") ?? 0,
    retentionEventsMs: read("RETENTION_EVENTS") ?? 0,
    rawTransactions: read("RAW_TRANSACTIONS") ?? false,
    retentionTransactionsMs: read("RETENTION_TRANSACTIONS") ?? 0,
    logLevel: read("LOG_LEVEL") ?? "info",
    logFormat: read("LOG_FORMAT"),
    telemetry: otlpEndpoint === undefined ? undefined : { endpoint: otlpEndpoint, headers: otlpHeaders }
  }
  return problems.length > 0 ? problems : settings
}
