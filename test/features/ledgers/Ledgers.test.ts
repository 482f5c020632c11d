/** `/v1/ledgers/coverage` shows which ledgers are in the log, and how far ingest is. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { SkippedLedgers } from "../../../src/features/events/SkipOrders.ts"
import { writeNetwork } from "../../../src/features/operate/NetworkRows.ts"
import { isoTime } from "../../../src/spine/event/Ledger.ts"
import { ingest } from "../../../src/spine/ledger/ingest/Ingest.ts"
import type { NetworkFacts } from "../../../src/spine/ledger/ingest/NetworkFacts.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { Health } from "../../../src/spine/observe/Health.ts"
import { eventually } from "../../support/deliver/delivering.ts"
import { ApiUnderTest, apiLayer } from "../../support/http/api.ts"
import { chain, hashOf } from "../../support/ledger/chain.ts"
import { oneEventEach } from "../../support/ledger/ingesting.ts"
import { appendMarkers, markers } from "../../support/ledger/markers.ts"
import { scriptedSource } from "../../support/ledger/scriptedSource.ts"

const PATH = "/v1/ledgers/coverage"
const empty = { ranges: [], head: null, catching_up: null, seconds_late: null }

const UNKNOWN: NetworkFacts = {
  server: null,
  servers: [],
  head: null,
  head_at: null,
  head_ago_ms: null,
  last_taken: null,
  last_close_time: null,
  moved_ago_ms: 0,
  obstacle: null,
  last_error: null,
  idle: null,
  skipped_ledgers: null,
  ledgers_per_second: null,
  seconds_left: null
}

/** Older than any retention. */
const LONG_AGO = 1_000_000_000_000

const ref = (index: number) => ({
  ledger_index: index,
  ledger_hash: hashOf(`chain ${index}`),
  close_time: isoTime(chain(index, index)[0]!.close_time)
})

layer(apiLayer(), { excludeTestServices: true })("coverage, before anything was taken,", (it) => {
  it.effect("names the networks of the key and whether they are watched", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { accountId, key } = yield* api.account("live")
      const testKey = yield* api.keyFor(accountId, "test")
      const live = yield* api.call("GET", PATH, { key })
      assert.strictEqual(live.status, 200)
      assert.deepStrictEqual(live.body, { data: [{ network: "mainnet", watched: true, ...empty }] })
      const test = yield* api.call("GET", PATH, { key: testKey })
      assert.deepStrictEqual(test.body, {
        data: [
          { network: "testnet", watched: true, ...empty },
          { network: "devnet", watched: true, ...empty }
        ]
      })
    })
  )

  it.effect("requires a key, and refuses what it cannot use", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      assert.strictEqual((yield* api.call("GET", PATH)).status, 401)
      const { key } = yield* api.account()
      const refusals: Record<string, string> = {
        "network=mainnet": "network needs by=hour.",
        "days=3": "days needs by=hour.",
        "by=day": 'by must be "hour".',
        "by=hour&days=0": "days must be an integer from 1 to 30",
        "by=hour&days=31": "days must be an integer from 1 to 30",
        "by=hour&days=1.5": "days must be an integer from 1 to 30",
        "by=hour&network=testnet": "network must be mainnet with a live key."
      }
      for (const [query, message] of Object.entries(refusals)) {
        const { body, status } = yield* api.call("GET", `${PATH}?${query}`, { key })
        assert.strictEqual(status, 400, query)
        assert.include(body.error.message, message)
      }
      assert.strictEqual((yield* api.call("POST", PATH, { key, body: {} })).status, 405)
    })
  )
})

layer(apiLayer(), { excludeTestServices: true })("coverage", (it) => {
  it.effect("shows for ever which ledgers were skipped and why, but no order that was not needed yet", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const skipped = yield* SkippedLedgers
      const [hole] = markers(21, 21)
      yield* skipped.order("devnet", 21, "no server lists it", 1_000)
      yield* skipped.order("devnet", 99, "perhaps", 1_000)
      yield* skipped.note("devnet", { ...hole!, skipped: "no server lists it" })
      const { key } = yield* api.account("test")
      const { body } = yield* api.call("GET", PATH, { key })
      const [testnet, devnet] = body.data
      assert.notProperty(testnet, "skipped")
      assert.deepStrictEqual(devnet.skipped, [
        {
          ledger_index: 21,
          reason: "no server lists it",
          skipped_at: new Date(hole!.detected_at).toISOString()
        }
      ])
    })
  )

  it.effect("shows each range with both its ends, and no network of the other environment", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const log = yield* Log
      yield* appendMarkers("mainnet", markers(100, 180), LONG_AGO)
      yield* appendMarkers("mainnet", [...markers(181, 240), ...markers(500, 503)])
      yield* appendMarkers("testnet", markers(7, 9))
      const { accountId, key } = yield* api.account("live")
      const ranges = Effect.map(api.call("GET", PATH, { key }), ({ body }) => body.data[0].ranges)
      const range = (first: number, last: number) => ({
        first: ref(first),
        last: ref(last),
        ledgers: last - first + 1,
        simulated: false,
        rules_version: 1
      })
      assert.deepStrictEqual(yield* ranges, [range(100, 240), range(500, 503)])
      yield* log.applyRetention
      assert.deepStrictEqual(yield* ranges, [range(181, 240), range(500, 503)])
      const test = yield* api.call("GET", PATH, { key: yield* api.keyFor(accountId, "test") })
      assert.deepStrictEqual(
        test.body.data.map((one: { network: string; ranges: ReadonlyArray<unknown> }) => [
          one.network,
          one.ranges.length
        ]),
        [
          ["testnet", 1],
          ["devnet", 0]
        ]
      )
    })
  )

  it.effect("shows the head with its age, and the progress of catching up", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const sql = yield* SqlClient.SqlClient
      const { key } = yield* api.account("live")
      const headAt = new Date(Date.now() - 5_000).toISOString()
      const coverage = Effect.fnUntraced(function* (facts: Partial<NetworkFacts>, silentMs = 0) {
        yield* writeNetwork("mainnet", {
          ...UNKNOWN,
          head: 507,
          head_at: headAt,
          head_ago_ms: 5_000,
          ledgers_per_second: 6.5,
          seconds_left: 2,
          ...facts
        })
        yield* sql`UPDATE networks SET seen_at = seen_at - ${silentMs} * interval '1 millisecond'`
        return (yield* api.call("GET", PATH, { key })).body.data[0]
      })
      // The log ends with ledger 503, which was taken since the facts were written.
      const behind = yield* coverage({ last_taken: 490 })
      assert.deepInclude(behind.head, { ledger_index: 507, announced_at: headAt })
      assert.isAtLeast(behind.head.age_ms, 5_000)
      assert.isBelow(behind.head.age_ms, 60_000)
      const left = { from: 504, to: 507, ledgers: 4, ledgers_per_second: 6.5, seconds_left: 2 }
      assert.deepStrictEqual(behind.catching_up, left)
      assert.deepStrictEqual((yield* coverage({ last_taken: null })).catching_up, left)
      assert.isNull((yield* coverage({ last_taken: 503, head: 504 })).catching_up)
      assert.isNull((yield* coverage({ last_taken: 503, head: 503 })).catching_up)
      // A new chain: the log still ends with the one before.
      assert.deepInclude((yield* coverage({ last_taken: 699, head: 709 })).catching_up, {
        from: 700,
        to: 709
      })

      const silent = yield* coverage({ last_taken: 503 }, 42_000)
      assert.isAtLeast(silent.head.age_ms, 47_000)
      assert.deepStrictEqual(silent.catching_up, { ...left, ledgers_per_second: null, seconds_left: null })
    })
  )
})

layer(apiLayer(), { excludeTestServices: true })(
  "coverage of a network that another process ingests",
  (it) => {
    it.effect("shows the head and what is left to take", () =>
      Effect.gen(function* () {
        const api = yield* ApiUnderTest
        const sql = yield* SqlClient.SqlClient
        const { key } = yield* api.account("test")
        const testnet = Effect.map(api.call("GET", PATH, { key }), ({ body }) => body.data[0])
        assert.deepInclude(yield* testnet, { network: "testnet", ...empty })
        const source = scriptedSource()
        source.serve(chain(600, 605))
        yield* ingest({
          network: "testnet",
          start: 600,
          detect: oneEventEach,
          share: (facts) =>
            writeNetwork("testnet", facts).pipe(Effect.orDie, Effect.provideService(SqlClient.SqlClient, sql))
        }).pipe(Effect.provide(source.layer), Effect.provide(Health.layer), Effect.forkScoped)
        yield* source.announce(605)
        yield* eventually(
          Effect.map(testnet, ({ catching_up, head, ranges }) =>
            assert.deepStrictEqual([head?.ledger_index, ranges[0]?.ledgers, catching_up], [605, 6, null])
          )
        )
        // No server sends the next ones.
        yield* source.announce(610)
        yield* eventually(Effect.map(testnet, ({ head }) => assert.strictEqual(head.ledger_index, 610)))
        const { catching_up } = yield* testnet
        assert.deepInclude(catching_up, { from: 606, to: 610, ledgers: 5 })
      })
    )
  }
)

layer(apiLayer(), { excludeTestServices: true })("coverage after an upgrade", (it) => {
  it.effect("says which version of the rules found the events of a range, and from which ledger on", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const two = markers(31, 60).map((marker) => ({ ...marker, rules_version: 2 }))
      yield* appendMarkers("devnet", [...markers(1, 30), ...two])
      const { key } = yield* api.account("test")
      const { body } = yield* api.call("GET", PATH, { key })
      const [, { ranges }] = body.data
      assert.deepInclude(ranges[0], { first: ref(1), last: ref(60), rules_version: 2, rules_from: 31 })
      assert.lengthOf(ranges, 1)
    })
  )
})

const HOUR_MS = 3_600_000

/** Ledgers that close every four seconds, the last one at `endMs`. */
const closingUntil = (from: number, to: number, endMs: number) =>
  markers(from, to).map((marker) => ({
    ...marker,
    close_time: new Date(endMs - (to - marker.ledger_index) * 4_000).toISOString().replace(".000Z", "Z")
  }))

layer(apiLayer(), { excludeTestServices: true })("coverage by hour", (it) => {
  it.effect("has every hour up to the present one, with what was taken, what is missing and the events", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const sql = yield* SqlClient.SqlClient
      const skipped = yield* SkippedLedgers
      const { key } = yield* api.account("test")
      const thisHour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS
      // 3 h before the present hour: 100 ledgers, of which one was skipped; then 20 are missing, and 400 s later 30 more.
      const before = closingUntil(101, 200, thisHour - 2.5 * HOUR_MS)
      const after = closingUntil(221, 250, thisHour - 2.4 * HOUR_MS)
      yield* appendMarkers("testnet", [...before, ...after])
      yield* skipped.note("testnet", { ...before[50]!, skipped: "no server lists it" })
      const hour = new Date(thisHour - 3 * HOUR_MS)
      for (const [type, network, events] of [
        ["payment.xrp", "testnet", 7],
        ["nft.minted", "testnet", 5],
        ["payment.xrp", "devnet", 1]
      ] as const)
        yield* sql`
          INSERT INTO event_hours (network, event_type, hour, events)
          VALUES (${network}, ${type}, ${hour}, ${events}::bigint)`
      const ask = (query: string) => api.call("GET", `${PATH}?by=hour${query}`, { key })
      const { body, status } = yield* ask("&days=1")
      assert.strictEqual(status, 200)
      assert.lengthOf(body.data, 24)
      assert.strictEqual(body.data.at(-1).hour, new Date(thisHour).toISOString())
      assert.deepStrictEqual(body.data[20], {
        hour: hour.toISOString(),
        ledgers: 129,
        missing: 21,
        events: 12
      })
      assert.deepStrictEqual(body.data[19], {
        hour: new Date(thisHour - 4 * HOUR_MS).toISOString(),
        ledgers: 0,
        missing: 0,
        events: 0
      })
      assert.lengthOf((yield* ask("")).body.data, 30 * 24)
      const devnet = (yield* ask("&network=devnet&days=1")).body.data
      assert.deepInclude(devnet[20], { ledgers: 0, events: 1 })
    })
  )
})
