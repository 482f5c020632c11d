/** For each setting: accepted texts with the value that each gives, and refused texts. */
import { adminEmail, adminKey } from "../../../src/features/accounts/Settings.ts"
import { frameAncestors } from "../../../src/features/dashboard/Settings.ts"
import { s3Checksums } from "../../../src/features/export/Settings.ts"
import { mailServerOf, smtpUrl } from "../../../src/features/health/notify/Settings.ts"
import { withoutRoles } from "../../../src/features/operate/Settings.ts"
import type { SettingsShape } from "../../../src/spine/config/Config.ts"

const key = Buffer.alloc(32, 1).toString("base64")
const givenAdminKey = `svc_live_${"a1".repeat(16)}`

interface Cases {
  readonly good: ReadonlyArray<readonly [text: string, value: unknown]>
  readonly bad: ReadonlyArray<string>
  readonly value: (settings: SettingsShape) => unknown
}

const network = (id: string) => (settings: SettingsShape) =>
  settings.networks.find((one) => one.network === id)
/** Settings that other settings require. */
export const server = {
  KAFKA_BROKERS: "127.0.0.1:9092",
  SMTP_URL: "smtp://127.0.0.1",
  KAFKA_USERNAME: "user",
  KAFKA_PASSWORD: "password",
  KAFKA_OAUTH_TOKEN_URL: "https://login.example/token",
  OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318",
  XRPL_TESTNET_URLS: "ws://127.0.0.1:6006",
  XRPL_DEVNET_URLS: "ws://127.0.0.1:6007"
}
const serverLists = (id: string, which: "urls" | "historyUrls" = "urls"): Cases => ({
  good: [
    ["wss://a.example", ["wss://a.example"]],
    [" ws://127.0.0.1:6006 , wss://b.example/path ", ["ws://127.0.0.1:6006", "wss://b.example/path"]],
    ["", which === "urls" ? undefined : []]
  ],
  bad: ["a.example", "https://a.example", "ws://", "wss://a.example,nonsense"],
  value: (settings) => network(id)(settings)?.[which]
})
const starts = (id: string): Cases => ({
  good: [
    ["latest", "latest"],
    ["1", 1],
    ["94084608", 94084608]
  ],
  bad: ["0", "-1", "newest", "1.5", "4294967296"],
  value: (settings) => network(id)(settings)?.start
})
const flag = (value: Cases["value"]): Cases => ({
  good: [
    ["true", true],
    ["false", false],
    ["", false]
  ],
  bad: ["yes", "1", "TRUE"],
  value
})

/** In one list, also those of features: some settings require others, and a test compares the list with the table. */
export const cases: Readonly<Record<string, Cases>> = {
  HOST: {
    good: [
      ["0.0.0.0", "0.0.0.0"],
      [" ::1 ", "::1"],
      ["", "127.0.0.1"]
    ],
    bad: [],
    value: (s) => s.host
  },
  PORT: {
    good: [
      ["0", 0],
      ["65535", 65535],
      ["", 8080]
    ],
    bad: ["70000", "-1", "80a", "8080.5", "0x50"],
    value: (s) => s.port
  },
  OPS_PORT: {
    good: [
      ["0", 0],
      ["9090", 9090],
      ["", undefined]
    ],
    bad: ["70000", "-1", "80a"],
    value: (s) => s.opsPort
  },
  ROLES: {
    good: [
      ["all", ["api", "ingest", "events", "route", "deliver", "delay", "replay"]],
      ["api, deliver", ["api", "deliver"]]
    ],
    bad: ["api,worker", ",", "all,api", "replays"],
    value: (s) => s.roles
  },
  S3_CHECKSUMS: {
    good: [
      ["when_required", "WHEN_REQUIRED"],
      ["WHEN_SUPPORTED", "WHEN_SUPPORTED"]
    ],
    bad: ["never", "true"],
    value: (s) => s.of(s3Checksums)
  },
  WITHOUT_ROLES: {
    good: [
      ["replay", ["replay"]],
      ["deliver, delay", ["deliver", "delay"]]
    ],
    bad: ["all", "replays", ","],
    value: (s) => s.of(withoutRoles) ?? []
  },
  DATA_DIR: {
    good: [
      ["/tmp/x", "/tmp/x"],
      ["", "./data"]
    ],
    bad: [],
    value: (s) => s.dataDir
  },
  DATABASE_URL: {
    good: [
      ["postgres://u:p@127.0.0.1:5432/ledgerhook", "postgres://u:p@127.0.0.1:5432/ledgerhook"],
      ["postgresql://host/db", "postgresql://host/db"],
      ["postgres:///db?host=/run/postgresql&user=u", "postgres:///db?host=/run/postgresql&user=u"],
      ["postgres://u@a:5432,b:5432/db", "postgres://u@a:5432,b:5432/db"],
      ["", undefined]
    ],
    bad: ["mysql://u:hunter2@host/db", "host:5432", "postgres://"],
    value: (s) => s.databaseUrl
  },
  XRPL_MAINNET_URLS: serverLists("mainnet"),
  XRPL_TESTNET_URLS: serverLists("testnet"),
  XRPL_DEVNET_URLS: serverLists("devnet"),
  XRPL_MAINNET_HISTORY_URLS: serverLists("mainnet", "historyUrls"),
  XRPL_TESTNET_HISTORY_URLS: serverLists("testnet", "historyUrls"),
  XRPL_DEVNET_HISTORY_URLS: serverLists("devnet", "historyUrls"),
  XRPL_MAINNET_START: starts("mainnet"),
  XRPL_TESTNET_START: starts("testnet"),
  XRPL_DEVNET_START: starts("devnet"),
  XRPL_VERIFY: {
    good: [
      ["json", "json"],
      ["full", "full"],
      ["", "json"]
    ],
    bad: ["binary", "FULL", "true"],
    value: (s) => s.verify
  },
  ADMIN_KEY: {
    good: [
      [givenAdminKey, givenAdminKey],
      ["", undefined]
    ],
    bad: ["svc_live_hunter2", `svc_test_${"a".repeat(32)}`, `${givenAdminKey}-`],
    value: (s) => s.of(adminKey)
  },
  ADMIN_EMAIL: {
    good: [
      ["ops@example.com", "ops@example.com"],
      ["", undefined]
    ],
    bad: ["ops", "ops@", "a b@example.com"],
    value: (s) => s.of(adminEmail)
  },
  DASHBOARD_FRAME_ANCESTORS: {
    good: [
      ["https://portal.example.com", ["https://portal.example.com"]],
      ["https://a.example, http://127.0.0.1:3000", ["https://a.example", "http://127.0.0.1:3000"]],
      ["", []]
    ],
    bad: [
      "portal.example.com",
      "https://a.example/",
      "https://a.example/portal",
      "https://A.example",
      "https://*.a.example",
      "'self'",
      "https://a.example;script-src",
      "https://a.example:443",
      "ftp://a.example"
    ],
    value: (s) => s.of(frameAncestors) ?? []
  },
  SECRETS_KEY: {
    good: [
      [key, Buffer.alloc(32, 1)],
      ["", undefined]
    ],
    bad: ["hunter2", key.slice(0, 40), `${key}=`],
    value: (s) => s.secretsKey
  },
  SECRETS_KEY_PREVIOUS: {
    good: [
      [key, Buffer.alloc(32, 1)],
      ["", undefined]
    ],
    bad: ["hunter2", key.slice(0, 40), `${key}=`],
    value: (s) => s.secretsKeyPrevious
  },
  DELIVERY_ALLOW_PRIVATE_ADDRESSES: flag((s) => s.allowPrivateAddresses),
  DELIVERY_ALLOW_HTTP: flag((s) => s.allowHttp),
  DELIVERY_TIMEOUT: {
    good: [
      ["500ms", 500],
      ["1 minute", 60_000],
      ["", 10_000]
    ],
    bad: ["10", "0s", "2 minutes", "ten seconds", "-1s"],
    value: (s) => s.deliveryTimeoutMs
  },
  DELIVERY_RETRY_DELAYS: {
    good: [
      ["", [1_000, 5_000, 30_000, 120_000, 600_000, 1_800_000, 7_200_000, 21_600_000, 43_200_000]],
      ["10ms, 0.5s,1m,24h", [10, 500, 60_000, 86_400_000]]
    ],
    bad: ["1", "1s,2 seconds", "25h", "1s,1s,1s,1s,1s,1s,1s,1s,1s,1s", "1d"],
    value: (s) => s.retryPolicy.delaysMs
  },
  DELIVERY_JITTER: {
    good: [
      ["0", 0],
      ["0.5", 0.5],
      ["", 0.1]
    ],
    bad: ["0.6", "1", "-0.1", "10%"],
    value: (s) => s.retryPolicy.jitter
  },
  DISABLE_AFTER_FAILURES: {
    good: [
      ["1", 1],
      ["", 100]
    ],
    bad: ["0", "1000001", "many"],
    value: (s) => s.disableAfterFailures
  },
  SMTP_URL: {
    good: [
      ["smtp://127.0.0.1:1025", "smtp://127.0.0.1:1025"],
      ["smtps://u%40b.example:p%25w@mail.example", "smtps://u%40b.example:p%25w@mail.example"],
      ["", undefined]
    ],
    bad: ["mail.example", "https://mail.example", "smtp://", "smtp://u:hunter%2@mail.example"],
    value: (s) => s.of(smtpUrl)
  },
  MAIL_FROM: {
    good: [
      ["a@b.example", "a@b.example"],
      ["Ledgerhook Mails <a@b.example>", "Ledgerhook Mails <a@b.example>"],
      ["", "ledgerhook@localhost"]
    ],
    bad: [
      "nobody",
      "a@b.example, c@d.example",
      "<a@b.example>",
      "Name <nobody>",
      "a@b.example\nBcc: c@d.example"
    ],
    value: (s) => mailServerOf(s)?.mailFrom
  },
  KAFKA_BROKERS: {
    good: [
      ["a.example:9092, [::1]:9093", ["a.example:9092", "[::1]:9093"]],
      ["", undefined]
    ],
    bad: ["a.example", "a.example:port", "kafka://a.example:9092"],
    value: (s) => s.kafka?.brokers
  },
  KAFKA_SSL: flag((s) => s.kafka?.ssl),
  KAFKA_SASL_MECHANISM: {
    good: [
      ["PLAIN", { mechanism: "PLAIN", username: "user", password: "password" }],
      ["scram-sha-512", { mechanism: "SCRAM-SHA-512", username: "user", password: "password" }],
      [
        "OAUTHBEARER",
        {
          mechanism: "OAUTHBEARER",
          tokenUrl: "https://login.example/token",
          clientId: "user",
          clientSecret: "password",
          scope: undefined
        }
      ],
      ["", undefined]
    ],
    bad: ["GSSAPI", "SCRAM"],
    value: (s) => s.kafka?.sasl
  },
  // They count only with KAFKA_SASL_MECHANISM: see there.
  KAFKA_USERNAME: { good: [["", undefined]], bad: [], value: (s) => s.kafka?.sasl },
  KAFKA_PASSWORD: { good: [["", undefined]], bad: [], value: (s) => s.kafka?.sasl },
  KAFKA_OAUTH_TOKEN_URL: {
    good: [["https://login.example/token", undefined]],
    bad: ["login.example", "ftp://login.example"],
    value: (s) => s.kafka?.sasl
  },
  KAFKA_OAUTH_SCOPE: { good: [["kafka", undefined]], bad: [], value: (s) => s.kafka?.sasl },
  // One needs the other, and KAFKA_SSL: see config.test.ts.
  KAFKA_SSL_CERT: { good: [["", undefined]], bad: [], value: (s) => s.kafka?.certificate },
  KAFKA_SSL_KEY: { good: [["", undefined]], bad: [], value: (s) => s.kafka?.certificate },
  KAFKA_CLIENT_ID: {
    good: [
      ["ledgerhook-2", "ledgerhook-2"],
      ["", "ledgerhook"]
    ],
    bad: ["a b", "ü"],
    value: (s) => s.kafka?.clientId
  },
  KAFKA_TOPIC_PREFIX: {
    good: [
      ["staging.", "staging."],
      ["", ""]
    ],
    bad: ["a/b", "x".repeat(101)],
    value: (s) => s.kafka?.topicPrefix
  },
  SCHEMA_REGISTRY_URL: {
    good: [
      ["http://127.0.0.1:8081", "http://127.0.0.1:8081"],
      [
        "https://user:p%40ss@registry.example/apis/ccompat/v7",
        "https://user:p%40ss@registry.example/apis/ccompat/v7"
      ],
      ["", undefined]
    ],
    bad: ["registry.example:8081", "ftp://registry.example", "https://user:%zz@registry.example"],
    value: (s) => s.kafka?.schemaRegistryUrl
  },
  RETENTION_DELIVERIES: {
    good: [
      ["1 day", 86_400_000],
      ["", 30 * 86_400_000]
    ],
    bad: ["23 hours", "30", "forever"],
    value: (s) => s.retentionDeliveriesMs
  },
  RETENTION_EVENTS: {
    good: [
      ["36 hours", 36 * 3_600_000],
      ["", 400 * 86_400_000]
    ],
    bad: ["1 hour", "400"],
    value: (s) => s.retentionEventsMs
  },
  RAW_TRANSACTIONS: {
    good: [
      ["true", true],
      ["", false]
    ],
    bad: ["yes", "1"],
    value: (s) => s.rawTransactions
  },
  RETENTION_TRANSACTIONS: {
    good: [
      ["36 hours", 36 * 3_600_000],
      ["", 7 * 86_400_000]
    ],
    bad: ["1 hour", "7"],
    value: (s) => s.retentionTransactionsMs
  },
  LOG_LEVEL: {
    good: [
      ["debug", "debug"],
      ["", "info"]
    ],
    bad: ["trace", "INFO"],
    value: (s) => s.logLevel
  },
  LOG_FORMAT: {
    good: [
      ["json", "json"],
      ["", undefined]
    ],
    bad: ["text"],
    value: (s) => s.logFormat
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    good: [
      ["http://127.0.0.1:4318", "http://127.0.0.1:4318"],
      ["https://user:p%40ss@otlp.example/collect", "https://user:p%40ss@otlp.example/collect"],
      ["", undefined]
    ],
    bad: ["127.0.0.1:4318", "grpc://127.0.0.1:4317", "http://", "https://u:%zz@host"],
    value: (s) => s.telemetry?.endpoint
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    good: [
      [
        "Authorization=Bearer%20a%2Cb, x-scope=one=two",
        { authorization: "Bearer a,b", "x-scope": "one=two" }
      ],
      ["", {}]
    ],
    bad: ["api-key", "=x", "api key=x", "api-key=%zz", "api-key=%0Ax", "api-key="],
    value: (s) => s.telemetry?.headers
  }
}
