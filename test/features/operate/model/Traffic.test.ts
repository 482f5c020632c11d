/** When a process takes requests: not while it starts, stops or fails alone, but whatever else is wrong. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { type TrafficFacts, trafficObstacle } from "../../../../src/features/operate/model/Traffic.ts"
import { Limits } from "../../../../src/spine/config/Limits.ts"
import { Health, STEADY_MS } from "../../../../src/spine/observe/Health.ts"

const NOW = 1_000_000
const well: TrafficFacts = {
  nowMs: NOW,
  startOrStop: undefined,
  roles: ["api", "ingest", "deliver"],
  parts: ["start", "log", "retention", "mail", "ingest.mainnet", "ingest.testnet", "deliver", "api"],
  failedSince: new Map(),
  databaseFailedSince: undefined,
  sharedFailedAt: undefined
}
const failing = (...parts: ReadonlyArray<string>): TrafficFacts["failedSince"] =>
  new Map(parts.map((part) => [part, NOW - Limits.troubleMs]))

const takesRequests: Readonly<Record<string, Partial<TrafficFacts>>> = {
  "all is well": {},
  "its mail, retention and log have failed for a minute": {
    failedSince: failing("mail", "retention", "log")
  },
  "one of its networks has failed for a minute": { failedSince: failing("ingest.testnet") },
  "a stage has failed for less than a minute": { failedSince: new Map([["deliver", NOW - 59_999]]) },
  "a stage fails because of Kafka": { failedSince: failing("deliver"), sharedFailedAt: NOW - 59_999 },
  "the database has been away for less than 10 s": { databaseFailedSince: NOW - 9_999 },
  "the database is away, and it has no API": { databaseFailedSince: 0, roles: ["deliver"] }
}

const takesNone: Readonly<Record<string, readonly [facts: Partial<TrafficFacts>, obstacle: RegExp]>> = {
  "it stops": [{ startOrStop: "the process is stopping" }, /^the process is stopping$/],
  "a stage has failed for a minute": [
    { failedSince: failing("deliver") },
    /^the role deliver has failed for 60 s/
  ],
  "all its networks have failed": [
    { failedSince: failing("ingest.mainnet", "ingest.testnet") },
    /^the role ingest has failed/
  ],
  "a stage still fails a minute after Kafka is back": [
    { failedSince: failing("deliver"), sharedFailedAt: NOW - 60_000 },
    /^the role deliver has failed/
  ],
  "the database has been away for 10 s": [
    { databaseFailedSince: NOW - 10_000 },
    /^the database has not answered for 10 s$/
  ]
}

describe("a process takes requests while", () => {
  it.each(Object.entries(takesRequests))("%s", (_, facts) => {
    assert.isUndefined(trafficObstacle({ ...well, ...facts }))
  })
})

describe("a process takes none while", () => {
  it.each(Object.entries(takesNone))("%s", (_, [facts, obstacle]) => {
    assert.match(trafficObstacle({ ...well, ...facts }) ?? "", obstacle)
  })
})

describe("Health", () => {
  it.effect("remembers since when a part has failed, through restarts that fail again", () =>
    Effect.gen(function* () {
      const { failedSince, set } = yield* Health
      const deliver = (status: "ok" | "failed") => set("deliver", { status, detail: "" })
      const since = Effect.map(failedSince, (all) => all.get("deliver"))
      yield* deliver("ok")
      assert.isUndefined(yield* since)
      yield* deliver("failed")
      const first = yield* since
      assert.isNumber(first)
      for (let i = 0; i < 12; i++) {
        yield* TestClock.adjust(Limits.roleRestartMs.longest)
        yield* deliver("ok")
        yield* TestClock.adjust(100)
        yield* deliver("failed")
      }
      assert.strictEqual(yield* since, first)
      yield* deliver("ok")
      yield* TestClock.adjust(STEADY_MS - 1)
      assert.strictEqual(yield* since, first)
      yield* TestClock.adjust(1)
      assert.isUndefined(yield* since)
      yield* deliver("failed")
      assert.isAbove((yield* since)!, first!)
    }).pipe(Effect.provide(Health.layer))
  )
})
