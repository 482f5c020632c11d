/**
 * Every setting as data: name, default, what is accepted, what it means, and its parser. The table in docs/settings.md is
 * made from it (test/documents.test.ts).
 */
import {
  boolean,
  duration,
  headers,
  httpUrl,
  integer,
  list,
  mailbox,
  parseDuration,
  smtpUrl,
  text,
  urlOf
} from "./Values.ts"

export const roles = ["api", "ingest", "events", "route", "deliver", "delay", "replay"] as const
export type Role = (typeof roles)[number]

export interface Setting<A> {
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

const brokers = (value: string) => {
  const all = list(value)
  return all.every((broker) => /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):\d{1,5}$/.test(broker))
    ? all
    : undefined
}

const saslMechanisms = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] as const

/** Kafka allows 249 characters in a topic's name; the longest of ours has some 30. */
const KAFKA_NAME_MAX = 100
const kafkaName = (value: string) =>
  value.length <= KAFKA_NAME_MAX && /^[A-Za-z0-9._-]+$/.test(value) ? value : undefined

const DURATION = "a number with a unit, as `10 seconds` or `30 days`"

const servers = (meaning: string, urls = "") =>
  setting({ default: urls, accepts: "a comma list of ws:// or wss:// addresses", meaning, parse: wsUrls })

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

/** An empty default means unset. */
export const definitions = {
  HOST: setting({
    default: "127.0.0.1",
    accepts: "an address or host name",
    meaning: "address that the process listens on",
    parse: text
  }),
  PORT: setting({
    default: "8080",
    accepts: "a port from 0 to 65535 (0: any free one)",
    meaning: "port that every process listens on: the API, or without that role only health and metrics",
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
  KAFKA_BROKERS: setting({
    default: "",
    accepts: "a comma list of host:port",
    meaning: "a Kafka cluster, 4.0 or later; unset: the embedded log, kept in the same store",
    parse: brokers
  }),
  KAFKA_SSL: flag("connect to Kafka by TLS"),
  KAFKA_SASL_MECHANISM: setting({
    default: "",
    accepts: saslMechanisms.map((name) => `\`${name}\``).join(", "),
    meaning: "how to log in to Kafka; unset: without",
    parse: (value) => saslMechanisms.find((name) => name === value.toUpperCase())
  }),
  KAFKA_USERNAME: setting({
    default: "",
    accepts: "a text",
    meaning: "the user of `KAFKA_SASL_MECHANISM`",
    parse: text
  }),
  KAFKA_PASSWORD: setting({
    default: "",
    accepts: "a text",
    meaning: "the user's password",
    secret: true,
    parse: text
  }),
  KAFKA_CLIENT_ID: setting({
    default: "ledgerhook",
    accepts: "letters, digits, dots, dashes and underscores",
    meaning: "the name under which Kafka knows this program",
    parse: kafkaName
  }),
  KAFKA_TOPIC_PREFIX: setting({
    default: "",
    accepts: "letters, digits, dots, dashes and underscores",
    meaning:
      "begins the names of all topics and consumer groups, as `staging.`: unset, groups are `ledgerhook.route`, …",
    parse: kafkaName
  }),
  SCHEMA_REGISTRY_URL: setting({
    default: "",
    accepts: "an http:// or https:// address; its user and password are percent-encoded",
    meaning:
      "a schema registry with Confluent's API: the public topics' schemas are registered there, and their values carry the schema's id; unset: plain JSON",
    secret: true,
    parse: httpUrl
  }),
  XRPL_MAINNET_URLS: servers(
    "servers of mainnet, the first preferred; empty: mainnet is not watched",
    "wss://s1.ripple.com,wss://xrplcluster.com"
  ),
  XRPL_TESTNET_URLS: servers(
    "servers of testnet; unset: the simulated ledger plays it while it has an active webhook"
  ),
  XRPL_DEVNET_URLS: servers("the same for devnet"),
  XRPL_MAINNET_START: firstLedger("first mainnet ledger when there is no checkpoint"),
  XRPL_TESTNET_START: firstLedger("the same for testnet"),
  XRPL_DEVNET_START: firstLedger("the same for devnet"),
  XRPL_MAINNET_HISTORY_URLS: servers(
    "full-history servers of mainnet: replays may reach back before the service's first ledger; unset: they begin there"
  ),
  XRPL_TESTNET_HISTORY_URLS: servers("the same for testnet, with `XRPL_TESTNET_URLS`"),
  XRPL_DEVNET_HISTORY_URLS: servers("the same for devnet, with `XRPL_DEVNET_URLS`"),
  XRPL_VERIFY: choice(
    ["json", "full"],
    "json",
    "what is checked of a ledger: `json` its place in the chain and its completeness; `full` also recomputes its hashes from its binary form and reads it from that"
  ),
  ADMIN_KEY: setting({
    default: "",
    accepts: "`svc_live_` and at least 32 letters or digits",
    meaning:
      "a key to accept as the first account's admin key; unset: one is made at the first start and printed once",
    secret: true,
    parse: (value) => (/^svc_live_[A-Za-z0-9]{32,128}$/.test(value) ? value : undefined)
  }),
  SECRETS_KEY: encryptionKey("encrypts webhook secrets at rest; unset: a key file in `DATA_DIR`"),
  SECRETS_KEY_PREVIOUS: encryptionKey(
    "a second key that still opens what it encrypted, while `SECRETS_KEY` is being changed"
  ),
  DELIVERY_ALLOW_PRIVATE_ADDRESSES: flag("let deliveries go to loopback and private addresses"),
  DELIVERY_ALLOW_HTTP: flag("let deliveries go to plain http endpoints"),
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
  SMTP_URL: setting({
    default: "",
    accepts: "a smtp:// or smtps:// address, user and password percent-encoded",
    meaning: "the mail server; unset: mails are written to the log",
    secret: true,
    parse: smtpUrl
  }),
  MAIL_FROM: setting({
    default: "",
    accepts: "an address, as `a@b.example` or `Name <a@b.example>`",
    meaning:
      "sender of mails; unset: the user of `SMTP_URL` where that is an address, else `ledgerhook@localhost`",
    parse: mailbox
  }),
  RETENTION_DELIVERIES: retention(
    "30 days",
    "how long deliveries and attempts are kept; up to 31 days longer while one of them waits"
  ),
  RETENTION_EVENTS: retention("400 days", "how long events and ledger markers are kept"),
  LOG_LEVEL: choice(["debug", "info", "warn", "error"], "info", "least severe message that is written"),
  LOG_FORMAT: choice(["pretty", "json"], "", "form of messages; unset: `pretty` on a terminal, else `json`"),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting({
    default: "",
    accepts: "an http:// or https:// address; its user and password are percent-encoded",
    meaning:
      "a receiver of OTLP over HTTP, as `http://127.0.0.1:4318`: traces and metrics are sent there; unset: none are made",
    secret: true,
    parse: httpUrl
  }),
  OTEL_EXPORTER_OTLP_HEADERS: setting({
    default: "",
    accepts: "a comma list of name=value, values percent-encoded",
    meaning: "sent with them, as a receiver's key",
    secret: true,
    parse: headers
  })
} as const

export type SettingName = keyof typeof definitions
