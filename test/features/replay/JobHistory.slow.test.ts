/**
 * Replays of ledgers before the service's first one, with real servers over WebSocket, a real database and the memory
 * log.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Option, type Scope } from "effect"
import { ReplayStore } from "../../../src/features/replay/ReplayStore.ts"
import { ReplayWork } from "../../../src/features/replay/ReplayWork.ts"
import { type Environment, hasHistory, loadSettings } from "../../../src/spine/config/Config.ts"
import { isoTime } from "../../../src/spine/event/Ledger.ts"
import { BackfillRequests } from "../../../src/spine/ledger/backfill/BackfillRequests.ts"
import { Health } from "../../../src/spine/observe/Health.ts"
import { waitUntil } from "../../support/http/apiClient.ts"
import { chain } from "../../support/ledger/chain.ts"
import {
  asked,
  assertCompleted,
  assertHeldOnce,
  assertRefused,
  ended,
  FIRST,
  fedFrom,
  fetching,
  heldEvents,
  heldMarkers,
  historyServer,
  justBefore,
  pastLayer,
  replaySince,
  takeNewest,
  working
} from "./past.ts"
import { assertQueued, jobRow, owner, queueJob, replayingLayer, workOf } from "./replaying.ts"

type Stores = Layer.Success<ReturnType<typeof pastLayer>>

const test = <A, E>(name: string, body: Effect.Effect<A, E, Stores | Scope.Scope>) =>
  it.live(
    name,
    () => Effect.andThen(takeNewest, body).pipe(Effect.scoped, Effect.provide(pastLayer())),
    60_000
  )

const bytes = (all: ReadonlyArray<object>) => all.map((event) => JSON.stringify({ ...event, detected_at: 0 }))

describe("a replay from before the service's first ledger", () => {
  test(
    "delivers the events that a live feed of those ledgers would have, and stores them for the next replay",
    Effect.gen(function* () {
      const server = yield* historyServer()
      yield* fetching([server])
      yield* working
      const expected = yield* fedFrom(720)
      const job = yield* replaySince(justBefore(720))
      yield* assertCompleted(job.id, expected.length)
      yield* assertQueued(job, expected)
      assert.deepStrictEqual(bytes((yield* workOf(job.webhookId)).map(({ event }) => event)), bytes(expected))
      // A ledger that closed at the time or before proves that no ledger is missing.
      yield* assertHeldOnce(719)
      assert.deepInclude((yield* jobRow(job.id)).history, { ledgers: FIRST - 719, fetched: FIRST - 719 })

      const requests = server.requests.length
      const later = yield* fedFrom(800)
      const again = yield* replaySince(justBefore(800))
      yield* assertCompleted(again.id, later.length)
      yield* assertQueued(again, later)
      assert.strictEqual(server.requests.length, requests)
      assert.deepInclude((yield* jobRow(again.id)).history, { ledgers: 0, fetched: 0 })
    })
  )

  test(
    "fetches only ledgers that are not stored yet, and its total is then exact",
    Effect.gen(function* () {
      const server = yield* historyServer()
      yield* fetching([server])
      yield* working
      const near = yield* replaySince(justBefore(950))
      yield* assertCompleted(near.id, (yield* fedFrom(950)).length)
      const until = asked(server).length
      const expected = yield* fedFrom(800)
      const far = yield* replaySince(justBefore(800))
      yield* assertCompleted(far.id, expected.length)
      yield* assertQueued(far, expected)
      assert.deepStrictEqual(
        asked(server)
          .slice(until)
          .filter((index) => index >= 949 && index < FIRST),
        []
      )
      yield* assertHeldOnce(799)
      assert.strictEqual((yield* jobRow(far.id)).total_events, expected.length)
    })
  )

  test(
    "by event ids queues stored events in ledger order, and fetches nothing",
    Effect.gen(function* () {
      const server = yield* historyServer()
      yield* fetching([server])
      yield* working
      const all = yield* fedFrom(850)
      const filled = yield* replaySince(justBefore(850))
      yield* assertCompleted(filled.id, all.length)
      const requests = server.requests.length
      const some = all.filter((_, i) => i % 5 === 0)
      const older = `xrpl:840:${"0".repeat(64)}:payment.xrp`
      const ids = some.map(({ event_id }) => event_id).toReversed()
      const job = yield* queueJob({ eventIds: [older, ...ids] })
      assert.deepInclude(yield* ended(job.id), { processed_events: some.length, failed_events: 1 })
      yield* assertQueued(job, some)
      assert.strictEqual(server.requests.length, requests)
    })
  )

  test(
    "ends where its filters end, even before the service's first ledger",
    Effect.gen(function* () {
      yield* fetching([yield* historyServer()])
      yield* working
      const until = justBefore(900) + 1
      const job = yield* replaySince(justBefore(850), { until })
      const expected = (yield* fedFrom(850)).filter(({ timestamp }) => Date.parse(timestamp) < until)
      assert.isAbove(expected.length, 50)
      yield* assertCompleted(job.id, expected.length)
      yield* assertQueued(job, expected)
    })
  )

  test(
    "has no worker while it waits, and resumes when another job's fetch has what it needs",
    Effect.gen(function* () {
      const server = yield* historyServer()
      server.hold(true)
      yield* fetching([server])
      yield* working
      const jobs = yield* ReplayWork
      const deep = yield* replaySince(justBefore(850))
      const shallow = yield* replaySince(justBefore(950))
      yield* waitUntil(
        Effect.map(jobRow(shallow.id), ({ history }) => history !== null),
        "10 seconds"
      )
      assert.isTrue(Option.isNone(yield* jobs.claim(Date.now())))
      assert.strictEqual((yield* jobRow(deep.id)).status, "running")
      server.hold(false)
      yield* assertCompleted(shallow.id, (yield* fedFrom(950)).length)
      yield* assertCompleted(deep.id, (yield* fedFrom(850)).length)
      yield* assertHeldOnce(849)
    })
  )

  it.live("begins at the service's first ledger if no history server is configured", () =>
    Effect.gen(function* () {
      yield* takeNewest
      yield* working
      const job = yield* replaySince(justBefore(900))
      yield* assertCompleted(job.id, (yield* fedFrom(FIRST)).length)
      assert.isNull((yield* jobRow(job.id)).history)
    }).pipe(Effect.scoped, Effect.provide(replayingLayer), Effect.provide(Health.layer))
  )
})

describe("a history server", () => {
  test(
    "that forges a ledger is refused, and another server is used",
    Effect.gen(function* () {
      const [forger, honest] = [yield* historyServer(), yield* historyServer()]
      forger.serve(chain(930, 930, { name: "forged" }))
      yield* fetching([forger, honest])
      yield* working
      const expected = yield* fedFrom(900)
      const job = yield* replaySince(justBefore(900))
      yield* assertCompleted(job.id, expected.length)
      yield* assertQueued(job, expected)
      yield* assertHeldOnce(899)
    })
  )

  test(
    "that forges a ledger makes the replay fail if there is no other server",
    Effect.gen(function* () {
      const forger = yield* historyServer()
      forger.serve(chain(930, 930, { name: "forged" }))
      yield* fetching([forger])
      yield* working
      const job = yield* replaySince(justBefore(900))
      yield* assertRefused(
        job.id,
        "History before ledger 931 is unavailable: no history server has the ledger 930 that ledger 931 names as its parent."
      )
      // The proven ledgers are kept for jobs that need no older ones.
      yield* assertHeldOnce(931)
      const near = yield* replaySince(justBefore(940))
      yield* assertCompleted(near.id, (yield* fedFrom(940)).length)
    })
  )

  test(
    "of another chain does not join the service's",
    Effect.gen(function* () {
      const server = yield* historyServer()
      server.serve(chain(1, FIRST - 1, { name: "another" }))
      yield* fetching([server])
      yield* working
      const job = yield* replaySince(justBefore(900))
      yield* assertRefused(
        job.id,
        `History before ledger ${FIRST} is unavailable: no history server has the ledger ${FIRST - 1} that ledger ${FIRST} names as its parent.`
      )
      assert.deepStrictEqual(yield* heldMarkers, [])
      assert.deepStrictEqual(yield* heldEvents, [])
    })
  )

  test(
    "that lacks the ledgers makes the replay fail with a reason",
    Effect.gen(function* () {
      yield* fetching([yield* historyServer(900)])
      yield* working
      const job = yield* replaySince(justBefore(800))
      yield* assertRefused(
        job.id,
        "History before ledger 900 is unavailable: no history server has ledger 899."
      )
    })
  )

  test(
    "that answers slowDown is not used for a while, and the others continue",
    Effect.gen(function* () {
      const [limiting, other] = [yield* historyServer(), yield* historyServer()]
      limiting.misbehave("ledger 950", 1, () => ({ error: "slowDown" }))
      yield* fetching([limiting, other])
      yield* working
      const job = yield* replaySince(justBefore(800))
      yield* assertCompleted(job.id, (yield* fedFrom(800)).length)
      yield* assertHeldOnce(799)
      const limited = asked(limiting)
      // These requests had already been sent when the server refused.
      assert.isAtMost(limited.length - limited.lastIndexOf(950) - 1, 8)
    })
  )
})

describe("fetching history", () => {
  test(
    "stops once the job is cancelled, even if its server does not answer",
    Effect.gen(function* () {
      const jobs = yield* ReplayStore
      const server = yield* historyServer()
      // The fetch cannot end before it is cancelled, however fast this machine is.
      server.misbehave("ledger 750", 100, () => undefined)
      yield* fetching([server])
      yield* working
      const job = yield* replaySince(justBefore(700))
      yield* waitUntil(
        Effect.sync(() => asked(server).includes(750)),
        "10 seconds"
      )
      const { result } = yield* jobs.cancel(owner, job.id)
      assert.strictEqual(result, "cancelled")
      yield* waitUntil(
        Effect.sync(() => server.connections() === 0),
        "10 seconds"
      )
      assert.deepInclude(yield* jobRow(job.id), { status: "cancelled", processed_events: 0 })
    })
  )

  test(
    "goes back at most `backfillLedgers`",
    Effect.gen(function* () {
      yield* fetching([yield* historyServer()], { furthest: 100 })
      yield* working
      const far = yield* replaySince(justBefore(850))
      yield* assertRefused(
        far.id,
        `The replay needs ledgers before 900, which closed at ${isoTime(chain(900, 900)[0]!.close_time)}. History reaches at most 100 ledgers below the service's first one.`
      )
      const near = yield* replaySince(justBefore(901))
      yield* assertCompleted(near.id, (yield* fedFrom(901)).length)
    })
  )

  it.live("fails if its servers are no longer configured", () =>
    Effect.gen(function* () {
      yield* takeNewest
      const job = yield* replaySince(justBefore(900))
      yield* (yield* BackfillRequests).ask({ id: job.id, network: "mainnet" }, justBefore(900))
      yield* working
      yield* assertRefused(job.id, "The service has no servers for history any more.")
    }).pipe(Effect.scoped, Effect.provide(replayingLayer), Effect.provide(Health.layer))
  )

  it.live("fails if the service has no ledger yet that proves the history", () =>
    Effect.gen(function* () {
      yield* fetching([yield* historyServer()])
      yield* working
      const job = yield* replaySince(justBefore(900))
      yield* assertRefused(
        job.id,
        "The service has not taken a ledger of this network yet, and history is verified against its first one. Try again later."
      )
    }).pipe(Effect.scoped, Effect.provide(pastLayer()))
  )
})

describe("settings for history servers", () => {
  it("are accepted only for watched networks", () => {
    const loaded = (environment: Environment) =>
      loadSettings({ XRPL_MAINNET_URLS: "ws://127.0.0.1:1", ...environment }, [])
    assert.deepStrictEqual(loaded({ XRPL_TESTNET_HISTORY_URLS: "wss://full.example" }), [
      {
        name: "XRPL_TESTNET_HISTORY_URLS",
        message:
          "XRPL_TESTNET_HISTORY_URLS: this network is not watched; set XRPL_TESTNET_URLS too, or unset this."
      }
    ])
    const settings = loaded({ XRPL_MAINNET_HISTORY_URLS: "wss://full.example" })
    assert.isTrue("networks" in settings && hasHistory(settings, "mainnet"))
  })
})
