/**
 * Measures how long the estimate of a filtered replay takes among 5,000,000 events of 400 days. The target is 300 ms.
 */
import { hash } from "node:crypto"
import { Effect, Layer } from "effect"
import { EventCounts, type WantedEvents } from "../src/features/events/EventCounts.ts"
import type { Benchmark } from "./support/Benchmark.ts"
import { inRounds, medianOf, timed } from "./support/rounds.ts"
import {
  COMMON_TYPE,
  IN_ALL,
  momentAt,
  RARE_ACCOUNT,
  RARE_TYPE,
  SEEDED_ACCOUNTS,
  seedEvents
} from "./support/seededEvents.ts"
import { storeLayer } from "./support/store.ts"

const EVENTS = 5_000_000
const ROUNDS = 5
const LONGEST_MS = 300

const secondAt = (part: number): number => Math.floor(momentAt(part) / 1_000)
/** Picks accounts in a rhythm that neither ledgers nor hours share. */
const accounts = (count: number): ReadonlyArray<string> =>
  Array.from(
    { length: count },
    (_, i) =>
      `r${hash("md5", String(Number.parseInt(hash("sha256", String(i)).slice(0, 8), 16) % SEEDED_ACCOUNTS))}`
  )

const everything: WantedEvents = {
  network: "testnet",
  eventTypes: undefined,
  accounts: undefined,
  from: secondAt(0),
  before: secondAt(1)
}
/** A range whose ends are not on the hour. */
const times = { from: secondAt(0.1) + 1_234, before: secondAt(0.4) + 567 }

const filters: Readonly<Record<string, Partial<WantedEvents>>> = {
  all: {},
  times,
  "type+times": { eventTypes: [COMMON_TYPE], ...times },
  type_rare: { network: "devnet", eventTypes: [RARE_TYPE] },
  account_rare: { accounts: [RARE_ACCOUNT] },
  account_all: { accounts: [IN_ALL] },
  "account_all+type+times": { accounts: [IN_ALL], eventTypes: [COMMON_TYPE], ...times },
  accounts_100: { accounts: accounts(100) },
  accounts_1000: { accounts: accounts(1_000) },
  accounts_10000: { accounts: accounts(10_000) }
}

const benchmark: Benchmark = {
  description: `estimates of replays by filters, among ${EVENTS} events of 400 days`,
  target: `at most ${LONGEST_MS} ms`,
  run: (report) =>
    Effect.gen(function* () {
      const counts = yield* EventCounts
      yield* seedEvents(EVENTS)
      for (const [name, filter] of Object.entries(filters)) {
        const wanted = { ...everything, ...filter }
        const rounds = yield* inRounds(ROUNDS, () => timed(counts.estimate(wanted)))
        const ms = medianOf(rounds, (value) => value)
        report({
          name: `estimates.${name}`,
          value: ms,
          unit: "ms",
          ratio: ms / LONGEST_MS,
          target: 1,
          better: "lower"
        })
      }
    }).pipe(Effect.provide(Layer.provideMerge(EventCounts.layer, storeLayer())), Effect.scoped)
}

export default benchmark
