/**
 * Every setting as data: name, default, accepted values, meaning and parser. `.env.example` is made from it
 * (test/documents.test.ts).
 */
import {
  boolean,
  databaseUrl,
  duration,
  headers,
  httpUrl,
  integer,
  list,
  parseDuration,
  text,
  urlOf
} from "./Values.ts"

/** In one list, also those of features: operators set them, and Kafka's rights and the chart must name them all. */
export const roles = ["api", "ingest", "events", "route", "deliver", "delay", "replay"] as const
export type Role = (typeof roles)[number]

export interface Setting<A> {
  readonly default: string
  readonly accepts: string
  readonly meaning: string
  readonly secret?: boolean
  /** Returns undefined if the value is not valid. */
  readonly parse: (text: string) => A | undefined
}

/** A setting of a feature. In documents it stands behind those of the spine. */
export interface FeatureSetting<A> extends Setting<A> {
  readonly name: string
}

const setting = <A>(definition: Setting<A>): Setting<A> => definition

const wsUrls = (value: string) => {
  const urls = list(value)
  return urls.every((url) => urlOf("ws:", "wss:")(url) !== undefined) ? urls : undefined
}

const start = (value: string): "latest" | number | undefined =>
  value === "latest" ? "latest" : integer(1, 4_294_967_295)(value)

/** There are nine delay topics, `webhooks.delay.2` to `webhooks.delay.10`. */
const DELAYS_MAX = 9
/** The retention of the delay topics allows for delays up to this. */
const DELAY_LONGEST_MS = 24 * 3_600_000

const delays = (value: string) => {
  const all = list(value).map((item) =>
    /^\d+(\.\d+)?(ms|s|m|h)$/.test(item) ? parseDuration(item) : undefined
  )
  return all.length <= DELAYS_MAX && all.every((ms) => ms !== undefined && ms <= DELAY_LONGEST_MS)
    ? (all as ReadonlyArray<number>)
    : undefined
}

/** Accepts `all`, or names of roles. */
export const roleList = (value: string): ReadonlyArray<Role> | undefined => {
  const chosen = list(value)
  if (chosen.length === 1 && chosen[0] === "all") return roles
  return chosen.length > 0 && chosen.every((role) => (roles as ReadonlyArray<string>).includes(role))
    ? (chosen as ReadonlyArray<Role>)
    : undefined
}

const secretsKey = (value: string) =>
  /^[A-Za-z0-9+/]{43}=$/.test(value) ? Buffer.from(value, "base64") : undefined

const brokers = (value: string) => {
  const all = list(value)
  return all.every((broker) => /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):\d{1,5}$/.test(broker))
    ? all
    : undefined
}

const saslMechanisms = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"] as const

/** Kafka allows 249 characters in a topic's name; our longest name has about 30. */
const KAFKA_NAME_MAX = 100
const kafkaName = (value: string) =>
  value.length <= KAFKA_NAME_MAX && /^[A-Za-z0-9._-]+$/.test(value) ? value : undefined

const DURATION = "a number with a unit, such as `10 seconds` or `30 days`"

const servers = (meaning: string, urls = "") =>
  setting({
    default: urls,
    accepts: "a comma-separated list of ws:// or wss:// URLs",
    meaning,
    parse: wsUrls
  })

const firstLedger = (meaning: string) =>
  setting({ default: "latest", accepts: "`latest` or a ledger index", meaning, parse: start })

const flag = (meaning: string) =>
  setting({ default: "false", accepts: "`true` or `false`", meaning, parse: boolean })

const choice = <const Value extends string>(
  values: ReadonlyArray<Value>,
  byDefault: string,
  meaning: string
) =>
  setting({
    default: byDefault,
    accepts: values
      .map((value) => `\`${value}\``)
      .join(", ")
      .replace(/, ([^,]+)$/, " or $1"),
    meaning,
    parse: (text) => values.find((value) => value === text)
  })

const encryptionKey = (meaning: string) =>
  setting({ default: "", accepts: "32 bytes in base 64", meaning, secret: true, parse: secretsKey })

const retention = (byDefault: string, meaning: string) =>
  setting({
    default: byDefault,
    accepts: `${DURATION}, at least 1 day`,
    meaning,
    parse: duration(86_400_000)
  })

/** An empty default means that the setting is unset. */
export const definitions = {
  HOST: setting({
    default: "127.0.0.1",
    accepts: "an address or host name",
    meaning: "address to listen on",
    parse: text
  }),
  PORT: setting({
    default: "8080",
    accepts: "a port from 0 to 65535 (0: any free port)",
    meaning: "port to listen on; a process without the role `api` serves only health and metrics there",
    parse: integer(0, 65_535)
  }),
  OPS_PORT: setting({
    default: "",
    accepts: "a port from 0 to 65535 (0: any free port)",
    meaning:
      "port for `/healthz`, `/readyz` and `/metrics`, which are then not on `PORT`; unset: they are on `PORT`",
    parse: integer(0, 65_535)
  }),
  ROLES: setting({
    default: "all",
    accepts: `\`all\`, or a comma-separated list of ${roles.join(", ")}`,
    meaning: "the roles of this process",
    parse: roleList
  }),
  DATA_DIR: setting({
    default: "./data",
    accepts: "a writable folder",
    meaning: "folder of the embedded PostgreSQL and of key files",
    parse: text
  }),
  DATABASE_URL: setting({
    default: "",
    accepts: "a postgres:// or postgresql:// URL",
    meaning: "PostgreSQL 15 or later; unset: the embedded PostgreSQL",
    secret: true,
    parse: databaseUrl
  }),
  KAFKA_BROKERS: setting({
    default: "",
    accepts: "a comma-separated list of host:port",
    meaning: "a Kafka cluster, version 4.0 or later; unset: the embedded log, which is kept in PostgreSQL",
    parse: brokers
  }),
  KAFKA_SSL: flag("connect to Kafka with TLS"),
  KAFKA_SSL_CERT: setting({
    default: "",
    accepts: "a PEM file",
    meaning:
      "this client's certificate for Kafka, with those of intermediate authorities after it; unset: none",
    parse: text
  }),
  KAFKA_SSL_KEY: setting({
    default: "",
    accepts: "a PEM file without a passphrase",
    meaning: "private key of `KAFKA_SSL_CERT`",
    parse: text
  }),
  KAFKA_SASL_MECHANISM: setting({
    default: "",
    accepts: saslMechanisms.map((name) => `\`${name}\``).join(", "),
    meaning: "SASL mechanism for Kafka; unset: connect without authentication",
    parse: (value) => saslMechanisms.find((name) => name === value.toUpperCase())
  }),
  KAFKA_USERNAME: setting({
    default: "",
    accepts: "a text",
    meaning: "user for `KAFKA_SASL_MECHANISM`; with `OAUTHBEARER` the client id",
    parse: text
  }),
  KAFKA_PASSWORD: setting({
    default: "",
    accepts: "a text",
    meaning: "password of `KAFKA_USERNAME`; with `OAUTHBEARER` the client secret",
    secret: true,
    parse: text
  }),
  KAFKA_OAUTH_TOKEN_URL: setting({
    default: "",
    accepts: "an http:// or https:// URL without a user",
    meaning:
      "endpoint that gives tokens for `OAUTHBEARER` to client id and secret (client credentials grant)",
    parse: (value) => (URL.parse(value)?.username === "" ? urlOf("http:", "https:")(value) : undefined)
  }),
  KAFKA_OAUTH_SCOPE: setting({
    default: "",
    accepts: "a text",
    meaning: "scope to ask of `KAFKA_OAUTH_TOKEN_URL`; unset: none",
    parse: text
  }),
  KAFKA_CLIENT_ID: setting({
    default: "ledgerhook",
    accepts: "letters, digits, dots, dashes and underscores",
    meaning: "client id that this program sends to Kafka",
    parse: kafkaName
  }),
  KAFKA_TOPIC_PREFIX: setting({
    default: "",
    accepts: "letters, digits, dots, dashes and underscores",
    meaning:
      "prefix of the names of all topics and consumer groups: with `staging.` a group is `staging.ledgerhook.route`; unset: no prefix",
    parse: kafkaName
  }),
  SCHEMA_REGISTRY_URL: setting({
    default: "",
    accepts: "an http:// or https:// URL; a user and password in it are percent-encoded",
    meaning:
      "a schema registry with Confluent's API; the schemas of the public topics are registered there, and each record carries its schema's id; unset: records are plain JSON",
    secret: true,
    parse: httpUrl
  }),
  XRPL_MAINNET_URLS: servers(
    "mainnet servers, in order of preference; empty: mainnet is not watched",
    "wss://s1.ripple.com,wss://xrplcluster.com"
  ),
  XRPL_TESTNET_URLS: servers("testnet servers; unset: testnet is simulated while it has an active webhook"),
  XRPL_DEVNET_URLS: servers("devnet servers; unset: devnet is simulated while it has an active webhook"),
  XRPL_MAINNET_START: firstLedger("first mainnet ledger to process, if none was processed yet"),
  XRPL_TESTNET_START: firstLedger("first testnet ledger to process, if none was processed yet"),
  XRPL_DEVNET_START: firstLedger("first devnet ledger to process, if none was processed yet"),
  XRPL_MAINNET_HISTORY_URLS: servers(
    "mainnet servers with full history, from which replays fetch ledgers before the service's first one; unset: replays cannot reach further back"
  ),
  XRPL_TESTNET_HISTORY_URLS: servers("the same for testnet; needs `XRPL_TESTNET_URLS`"),
  XRPL_DEVNET_HISTORY_URLS: servers("the same for devnet; needs `XRPL_DEVNET_URLS`"),
  XRPL_VERIFY: choice(
    ["json", "full"],
    "json",
    "how ledgers are checked: `json` checks that a ledger links to the one before and is complete; `full` fetches the binary form instead of JSON, and also recomputes the ledger's hashes from it"
  ),
  SECRETS_KEY: encryptionKey(
    "key that encrypts stored webhook secrets and signs the cursors of pages; unset: a key file in `DATA_DIR`"
  ),
  SECRETS_KEY_PREVIOUS: encryptionKey(
    "the previous `SECRETS_KEY`, which can still decrypt secrets while the key is being changed"
  ),
  DELIVERY_ALLOW_PRIVATE_ADDRESSES: flag("allow deliveries to loopback and private addresses"),
  DELIVERY_ALLOW_HTTP: flag("allow deliveries to http:// endpoints"),
  DELIVERY_TIMEOUT: setting({
    default: "10 seconds",
    accepts: `${DURATION}, up to 1 minute`,
    meaning:
      "longest time from the start of an attempt to the response's headers; after it the attempt has failed",
    parse: (value) => {
      const ms = duration(1)(value)
      return ms !== undefined && ms <= 60_000 ? ms : undefined
    }
  }),
  DELIVERY_RETRY_DELAYS: setting({
    default: "1s,5s,30s,2m,10m,30m,2h,6h,12h",
    accepts: "up to nine delays of at most 24h, each a number with `ms`, `s`, `m` or `h`",
    meaning: "delays between attempts; with n delays there are n + 1 attempts",
    parse: delays
  }),
  DELIVERY_JITTER: setting({
    default: "0.1",
    accepts: "a number from 0 to 0.5",
    meaning: "largest random change of a delay, as a fraction: with 0.1, a delay of 10 s becomes 9 to 11 s",
    parse: (value) => (/^0(\.\d+)?$/.test(value) && Number(value) <= 0.5 ? Number(value) : undefined)
  }),
  DISABLE_AFTER_FAILURES: setting({
    default: "100",
    accepts: "a number from 1 to 1000000",
    meaning: "a webhook is disabled after this many failed deliveries in a row",
    parse: integer(1, 1_000_000)
  }),
  RETENTION_DELIVERIES: retention(
    "30 days",
    "how long deliveries and attempts are kept; up to 31 days longer while a delivery of that day still waits"
  ),
  RETENTION_EVENTS: retention("400 days", "how long events and ledger markers are kept"),
  RAW_TRANSACTIONS: flag(
    "write every transaction with its metadata to the topics `xrpl.<network>.transactions`, for `GET /v1/transactions/:hash` and data teams; the same value in every process"
  ),
  RETENTION_TRANSACTIONS: retention(
    "7 days",
    "how long the transactions of `RAW_TRANSACTIONS` are kept; a day with 20 a second takes 1 GB"
  ),
  LOG_LEVEL: choice(["debug", "info", "warn", "error"], "info", "least severe level of messages to write"),
  LOG_FORMAT: choice(
    ["pretty", "json"],
    "",
    "format of messages; unset: `pretty` on a terminal, otherwise `json`"
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting({
    default: "",
    accepts: "an http:// or https:// URL; a user and password in it are percent-encoded",
    meaning:
      "OTLP/HTTP endpoint for traces and metrics, such as `http://127.0.0.1:4318`; unset: none are sent",
    secret: true,
    parse: httpUrl
  }),
  OTEL_EXPORTER_OTLP_HEADERS: setting({
    default: "",
    accepts: "a comma-separated list of name=value; values are percent-encoded",
    meaning: "HTTP headers to send to `OTEL_EXPORTER_OTLP_ENDPOINT`, such as an API key",
    secret: true,
    parse: headers
  })
} as const

export type SettingName = keyof typeof definitions
