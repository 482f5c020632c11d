/** `ledgerhook capacity`: how many cores, processes and bytes a load needs, from measured costs (docs/capacity.md). */
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { Settings } from "../../spine/config/Config.ts"
import { count, size } from "../../spine/words/Words.ts"
import { switchFlag, wholeNumber, withDefault } from "../../terminal/Flags.ts"
import { about } from "../../terminal/Help.ts"
import { settings } from "../../terminal/Invocation.ts"
import { type Field, json, printOne } from "../../terminal/Table.ts"
import { type Estimate, estimateOf } from "./Estimate.ts"

const MOST_WEBHOOKS = 1_000_000
/** More than a delivery service for one ledger can need; keeps all figures exact. */
const MOST_RATE = 100_000
const DAY_S = 86_400

const rateFlag = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar("N"),
    Flag.withDescription(description),
    Flag.filterMap(
      (text) => {
        const number = /^\d{1,6}(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN
        return number <= MOST_RATE ? Option.some(number) : Option.none()
      },
      () => `a number from 0 to ${count(MOST_RATE)}, such as 200 or 0.5`
    )
  )

const coresText = (cores: number): string =>
  cores < 0.01 ? "below 0.01 cores" : `${Number(cores.toPrecision(2))} cores`

const fieldsOf = ({
  bytes,
  cores,
  deliveries_per_second: rate,
  processes,
  warnings
}: Estimate): ReadonlyArray<Field> => [
  ["deliveries", `${count(rate)} a second, ${count(Math.round(rate * DAY_S))} a day`],
  ["program", coresText(cores.program)],
  ...(processes === null
    ? []
    : Object.entries(processes).map(([roles, n]): Field => ["", `${n} × ROLES=${roles}`])),
  ["PostgreSQL", `${coresText(cores.postgresql)}, ${size(bytes.wal_a_day)} of WAL a day`],
  ...(cores.kafka === null ? [] : [["Kafka", coresText(cores.kafka)] as const]),
  [
    "disk",
    `${size(bytes.deliveries)} for deliveries, ${size(bytes.events)} for events, ${size(bytes.webhooks)} for webhooks`
  ],
  ["log", `${size(bytes.log)}${cores.kafka === null ? " more in PostgreSQL" : " in Kafka for each copy"}`],
  ["memory", `${size(bytes.route_memory)} for webhooks, in a process with the role route`],
  ...warnings.map((warning): Field => ["too much", warning])
]

export const capacity = Command.make(
  "capacity",
  {
    events: rateFlag("events", "Events a second, on average"),
    webhooks: wholeNumber(
      "webhooks",
      0,
      MOST_WEBHOOKS,
      `a whole number from 0 to ${count(MOST_WEBHOOKS)}`
    ).pipe(Flag.withDescription("Number of webhooks")),
    matches: rateFlag("matches", "Webhooks that want an event, on average"),
    filters: wholeNumber("filters", 0, 10_000, "a whole number from 0 to 10,000").pipe(
      withDefault(0, "Account filters of a webhook, on average")
    ),
    kafka: switchFlag("kafka", "Several processes on Kafka (default if KAFKA_BROKERS is set)"),
    json
  },
  Effect.fnUntraced(function* ({ events, filters, json: asJson, kafka, matches, webhooks }) {
    const all = yield* Settings
    const load = { eventsPerSecond: events, webhooks, matches, filters }
    const estimate = estimateOf(load, all, kafka || all.kafka !== undefined)
    yield* printOne({
      json: asJson,
      fields: fieldsOf(estimate),
      value: estimate,
      note: "Averages: plan twice these cores, and a third more disk. docs/capacity.md says how they were measured."
    })
  }, Effect.provide(settings))
).pipe(
  about(
    "Estimate the size of an installation",
    "Estimate the cores, processes, disk and memory that a load needs, with the retention of the settings. The costs behind it were measured on two cores; another machine may differ by a third.",
    {
      "ledgerhook capacity --events 200 --webhooks 500 --matches 4": "A table",
      "ledgerhook capacity --events 200 --webhooks 500 --matches 4 --kafka --json": "For programs"
    }
  )
)
