/**
 * Which room of src may import what. tidy.test.ts checks it. The spine knows no feature; a feature knows the spine, and
 * the features before it in the list. A room is a folder of `spine` or of `features`, or a folder or file beside them.
 */
import { readFileSync } from "node:fs"

const data = ["spine/words", "spine/event", "spine/filter", "spine/domain"]
const foundation = [...data, "spine/config", "spine/observe"]
const stored = [...foundation, "spine/log", "spine/store"]
const services = [...stored, "spine/deliveries", "spine/registry"]
const spine = "spine/*"

/** The one list of features. */
const list = readFileSync(new URL("../../../src/app/features.ts", import.meta.url), "utf8")
const folders = new Map(
  Array.from(
    list.matchAll(/feature as (\w+) \} from "\.\.\/features\/(\w+)\//g),
    ([, name, folder]) => [name!, folder!] as const
  )
)

/** The room of a file of src: `spine/log`, `features/replay`, `http`, `main`. */
export const partOf = (file: string): string => {
  const [, first = "", second = ""] = file.split("/")
  return (first === "spine" || first === "features" ? `${first}/${second}` : first).replace(/\.ts$/, "")
}

/** In this order: a feature may import those before it. */
export const features = Array.from(list.matchAll(/^ {2}(\w+),?$/gm), ([, name]) => folders.get(name!)!)

/** Other rooms that a room may import. Stages never import one another. `spine/*` is all of the spine, `*` is all. */
export const mayImport: Readonly<Record<string, ReadonlyArray<string>>> = {
  "spine/words": [],
  "spine/event": ["spine/words"],
  "spine/filter": ["spine/words", "spine/event"],
  "spine/domain": ["spine/words", "spine/event", "spine/filter"],
  "spine/config": data,
  "spine/observe": [...data, "spine/config"],
  "spine/net": [...data, "spine/config"],
  "spine/log": foundation,
  // The outbox is published to the log's port.
  "spine/store": [...foundation, "spine/log"],
  "spine/deliveries": stored,
  "spine/registry": [...stored, "spine/deliveries"],
  // The stages.
  "spine/ledger": [...services, "spine/net"],
  "spine/detect": services,
  "spine/route": services,
  "spine/deliver": [...services, "spine/net"],
  "spine/delay": services,
  // The choice of the log's adapter.
  "spine/LogAdapter": stored,
  http: [spine],
  // With the client of a service, which is made from the contract.
  terminal: [spine, "http"],
  // What every feature says of itself.
  "features/Feature": [spine, "http", "terminal"],
  ...Object.fromEntries(
    features.map((feature, i) => [
      `features/${feature}`,
      [
        spine,
        "http",
        "terminal",
        "features/Feature",
        ...features.slice(0, i).map((before) => `features/${before}`)
      ]
    ])
  ),
  // The only place that knows every feature, every role and every table.
  app: ["*"],
  main: ["app", "terminal", "spine/config"]
}

/** The rooms of deliver, in the order in which a delivery passes them, and the file of each that the room before calls. */
export const rooms: ReadonlyArray<readonly [room: string, entrance: string]> = [
  ["take", "Feed.ts"],
  ["queue", "Dispatcher.ts"],
  ["send", "Attempt.ts"],
  ["record", "Recorder.ts"]
]
export const ROOM_FILES_MAX = 9

/** The rooms that may import each third party, in one list, so that each has one home. `effect` is allowed everywhere, except its unstable parts. */
export const homes: Readonly<Record<string, ReadonlyArray<string>>> = {
  "@effect/sql-pg": ["spine/store", "features/operate"],
  "@platformatic/kafka": ["spine/log"],
  "@effect/platform-node": ["http", "main", "features/events", "spine/store", "features/operate"],
  xrpl: ["spine/ledger"],
  ws: ["spine/ledger"],
  ajv: ["spine/detect"],
  "ajv-formats": ["spine/detect"],
  undici: ["spine/deliver"],
  marked: ["features/docs"],
  nodemailer: ["features/health"],
  "hyparquet-writer": ["features/export"],
  "@aws-sdk/client-s3": ["features/export"],
  "@aws-sdk/lib-storage": ["features/export"],
  "effect/sql": [
    "spine/log",
    "spine/store",
    "spine/deliveries",
    "spine/registry",
    "spine/route",
    "spine/deliver",
    "spine/ledger",
    "spine/LogAdapter",
    "http",
    "terminal",
    "features/*",
    "app"
  ],
  "effect/http": ["http", "terminal", "features/*", "app", "spine/log", "spine/observe"],
  "effect/http-api": ["http", "terminal", "features/*", "app"],
  "effect/cli": ["terminal", "features/*", "app"]
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

/** Rooms of data and pure functions. They may import `effect` and Node's pure modules. */
export const dataRooms = data
export const dataImports = ["effect", "node:crypto", "node:net"]

/** Folders of src whose files are named for families of events, as those of the others are. */
export const familyFolders = [
  "src/spine/event/payloads",
  "src/spine/detect",
  "src/features/simulator/scenarios"
]
/** Names of files that every room may have. */
export const partNames = ["feature.ts", "service.ts", "Limits.ts", "Metrics.ts", "Settings.ts"]
