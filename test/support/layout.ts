/** Which folder of src may import what. tidy.test.ts checks it. */
const foundation = ["domain", "config", "observability"]
const services = [...foundation, "health", "log", "storage", "coverage", "webhooks"]

/** Other folders that a folder of src (or a file at its top) may import. Stages never import one another. */
export const mayImport: Readonly<Record<string, ReadonlyArray<string>>> = {
  domain: [],
  config: ["domain"],
  observability: ["domain", "config"],
  health: ["domain", "config"],
  sql: ["config"],
  net: ["domain", "config"],
  log: [...foundation, "sql"],
  // The outbox is published to the log's port.
  storage: [...foundation, "health", "sql", "log"],
  coverage: [...foundation, "log", "storage"],
  webhooks: [...foundation, "log", "storage"],
  ledger: [...services, "net"],
  // The simulator provides a simulated XRP Ledger network through the ledger stage's port.
  simulator: [...services, "ledger"],
  detect: services,
  events: services,
  route: services,
  deliver: [...services, "net"],
  delay: services,
  replay: services,
  // The report of the whole service, from the facts of all.
  report: services,
  // Notices go to customers' URLs with the sender of deliveries.
  notify: [...services, "net", "deliver"],
  api: services,
  cli: ["*"],
  // The places that know every adapter, every stage and every table.
  LogAdapter: ["*"],
  Roles: ["*"],
  Upkeep: ["*"],
  Supervised: ["config", "domain", "observability", "storage"],
  main: ["cli", "config"]
}

/** The rooms of deliver, in the order in which a delivery passes them, and the file of each that the room before calls. */
export const rooms: ReadonlyArray<readonly [room: string, entrance: string]> = [
  ["take", "Feed.ts"],
  ["queue", "Dispatcher.ts"],
  ["send", "Attempt.ts"],
  ["record", "Recorder.ts"]
]
export const ROOM_FILES_MAX = 9

/** The folders that may import each third party. `effect` is allowed everywhere, except its unstable parts. */
export const homes: Readonly<Record<string, ReadonlyArray<string>>> = {
  "@effect/sql-pg": ["storage"],
  "@platformatic/kafka": ["log"],
  "@effect/platform-node": ["api", "main", "cli", "storage"],
  xrpl: ["ledger"],
  ws: ["ledger"],
  ajv: ["detect"],
  "ajv-formats": ["detect"],
  undici: ["deliver"],
  marked: ["api"],
  nodemailer: ["notify"],
  "hyparquet-writer": ["cli"],
  "@aws-sdk/client-s3": ["cli"],
  "@aws-sdk/lib-storage": ["cli"],
  "effect/sql": [
    "sql",
    "storage",
    "log",
    "webhooks",
    "api",
    "deliver",
    "route",
    "replay",
    "report",
    "cli",
    "LogAdapter",
    "Roles"
  ],
  "effect/http": ["api", "Roles", "log", "observability", "cli"],
  "effect/http-api": ["api", "cli"],
  "effect/cli": ["cli"]
}

/** Packages that take memory and time, and that most processes do not need. They are loaded when they are needed. */
export const loadedWhenNeeded = [
  "@aws-sdk/client-s3",
  "@aws-sdk/lib-storage",
  "@platformatic/kafka",
  "ajv",
  "ajv-formats",
  "hyparquet-writer",
  "marked",
  "nodemailer",
  "undici",
  "xrpl"
]

/** `effect` and Node's pure modules. */
export const domainImports = ["effect", "node:crypto", "node:net"]
