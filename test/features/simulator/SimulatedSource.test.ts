/**
 * The simulated ledger as a test network: it closes ledgers only while a webhook is active, and its chain stays sound
 * across restarts.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as SimulatedSource from "../../../src/features/simulator/SimulatedSource.ts"
import { CLOSE_MS } from "../../../src/features/simulator/SimulatedSource.ts"
import { detectLedger } from "../../../src/spine/detect/Detect.ts"
import { eventTypes } from "../../../src/spine/event/EventType.ts"
import {
  eventsTopic,
  type LedgerEvent,
  type LedgerMarker,
  ledgersTopic
} from "../../../src/spine/event/LedgerEvent.ts"
import { ingest } from "../../../src/spine/ledger/ingest/Ingest.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { ledgerRanges } from "../../../src/spine/log/ledgers/LedgerMarkers.ts"
import { Health, ledgerPart } from "../../../src/spine/observe/Health.ts"
import { chain } from "../../support/ledger/chain.ts"
import { eventuallyAdvancing, memoryLayer } from "../../support/ledger/ingesting.ts"
import { scriptedSource } from "../../support/ledger/scriptedSource.ts"
import { type Fault, faultyLog } from "../../support/log/faultyLog.ts"

const NETWORK = "testnet"
const HOUR_MS = 3_600_000
const NOW = Date.UTC(2026, 10, 21)

/** Active webhooks that can be added and removed. */
const audience = (present = true) => {
  const some = Latch.makeUnsafe(present)
  let any = present
  return {
    any: () => any,
    awaitAny: Latch.await(some),
    come: () => {
      any = true
      some.openUnsafe()
    },
    leave: () => {
      any = false
      some.closeUnsafe()
    }
  }
}

const simulating = ingest({ network: NETWORK, start: "latest", detect: detectLedger })

/** One process: a new source, and ingest. */
const playing = (webhooks: ReturnType<typeof audience>) =>
  simulating.pipe(Effect.provide(Layer.fresh(SimulatedSource.layer(webhooks))), Effect.forkScoped)

const recordsOf = Effect.fnUntraced(function* (topic: string) {
  const log = yield* Log
  return (yield* log.read({ topic, partition: 0, offset: 0 }, 1_000_000)).map(({ value }) => value ?? "")
})

// The casts are safe: ingest wrote both in this form.
const markers = Effect.map(recordsOf(ledgersTopic(NETWORK)), (values) =>
  values.map((value) => JSON.parse(value) as LedgerMarker)
)
const events = Effect.map(recordsOf(eventsTopic(NETWORK)), (values) =>
  values.map((value) => JSON.parse(value) as LedgerEvent)
)

const taken = Effect.map(markers, (all) => all.length)
const untilTaken = (count: number) => eventuallyAdvancing(Effect.map(taken, (n) => n >= count))

const ranges = Effect.gen(function* () {
  const log = yield* Log
  return (yield* ledgerRanges(log, NETWORK)).map(({ first, last }) => [
    first.marker.ledger_index,
    last.marker.ledger_index
  ])
})

const assertOneChain = Effect.gen(function* () {
  const all = yield* markers
  for (const [i, { close_time, ledger_index, parent_hash }] of all.entries()) {
    const before = all[i - 1]
    if (before === undefined) continue
    assert.strictEqual(ledger_index, before.ledger_index + 1)
    assert.strictEqual(parent_hash, before.ledger_hash)
    assert.isAbove(Date.parse(close_time), Date.parse(before.close_time))
  }
  assert.lengthOf(yield* ranges, 1)
})

const health = Effect.flatMap(Health, (registry) => registry.get(ledgerPart(NETWORK)))

/** Sets the clock to a present-day time. */
const scenario = <A, E>(body: Effect.Effect<A, E, Log | Health>) =>
  TestClock.setTime(NOW).pipe(Effect.andThen(body), Effect.provide(memoryLayer()))

describe("the simulated ledger plays a test network", () => {
  it.effect("makes ledgers only while there is an active webhook, as one chain across pauses", () =>
    Effect.gen(function* () {
      const webhooks = audience(false)
      yield* playing(webhooks)
      yield* TestClock.adjust(HOUR_MS)
      assert.strictEqual(yield* taken, 0)
      assert.deepInclude(yield* health, { status: "ok", detail: "Idle: no active webhook." })

      webhooks.come()
      yield* untilTaken(5)
      assert.deepInclude(yield* health, { status: "ok", detail: "At the head." })
      webhooks.leave()
      yield* TestClock.adjust(CLOSE_MS)
      const paused = yield* taken
      yield* TestClock.adjust(HOUR_MS)
      assert.strictEqual(yield* taken, paused)
      assert.deepInclude(yield* health, { status: "ok", detail: "Idle: no active webhook." })

      webhooks.come()
      yield* eventuallyAdvancing(
        Effect.map(taken, (n) => n > paused),
        1
      )
      assert.deepInclude(yield* health, { status: "ok", detail: "At the head." })
      yield* untilTaken(paused + 5)
      yield* assertOneChain
      const [gap] = (yield* markers).slice(paused)
      assert.isAtLeast(Date.parse(gap!.close_time), NOW + 2 * HOUR_MS)
    }).pipe(Effect.scoped, scenario)
  )

  it.effect("a ledger every two seconds, and every event type within two minutes", () =>
    Effect.gen(function* () {
      yield* playing(audience())
      const missing = Effect.map(events, (all) =>
        eventTypes.filter((type) => all.every(({ event_type }) => event_type !== type))
      )
      yield* eventuallyAdvancing(
        Effect.zipWith(missing, taken, (types, ledgers) => types.length === 0 || ledgers >= 60),
        1_000
      )
      assert.deepStrictEqual(yield* missing, [], "types too rare in src/features/simulator/scenarios")
      const times = (yield* markers).map(({ close_time }) => Date.parse(close_time))
      assert.isBelow(times.at(-1)! - NOW, 120_000)
      for (const [i, time] of times.slice(1).entries()) assert.isAtLeast(time - times[i]!, CLOSE_MS)
    }).pipe(Effect.scoped, scenario)
  )
})

describe("a restarted process continues the chain", () => {
  it.effect("from the log's last ledger, with new accounts and transactions", () =>
    Effect.gen(function* () {
      const lives: Array<{ accounts: Set<string>; hashes: Set<string> }> = []
      let seen = 0
      for (let life = 1; life <= 3; life++) {
        const fiber = yield* playing(audience())
        yield* untilTaken(life * 20)
        yield* Fiber.interrupt(fiber)
        const added = (yield* events).slice(seen)
        seen += added.length
        lives.push({
          accounts: new Set(added.flatMap(({ accounts }) => accounts)),
          hashes: new Set(added.map(({ payload }) => String(payload["tx_hash"])))
        })
      }
      yield* assertOneChain
      for (const [i, { accounts, hashes }] of lives.entries())
        for (const before of lives.slice(0, i)) {
          assert.deepStrictEqual(
            [...accounts].filter((account) => before.accounts.has(account)),
            []
          )
          assert.deepStrictEqual(
            [...hashes].filter((hash) => before.hashes.has(hash)),
            []
          )
        }
    }).pipe(Effect.scoped, scenario)
  )

  it.effect(
    "also when it died between making a ledger and writing it, or not knowing whether it was written",
    () =>
      Effect.gen(function* () {
        for (const fault of ["before", "after"] as const) {
          const before = yield* taken
          const faults: Array<Fault> = Array.from({ length: 50 }, () => fault)
          const fiber = yield* playing(audience()).pipe(Effect.provide(faultyLog(faults)))
          yield* eventuallyAdvancing(
            Effect.sync(() => faults.length < 50),
            1
          )
          yield* Fiber.interrupt(fiber)
          assert.strictEqual((yield* taken) - before, fault === "before" ? 0 : 1)
          const next = yield* playing(audience())
          yield* untilTaken(before + 10)
          yield* Fiber.interrupt(next)
        }
        yield* assertOneChain
      }).pipe(Effect.scoped, scenario)
  )

  it.effect("also if several processes make ledgers in turn", () =>
    Effect.gen(function* () {
      const processes = [
        yield* Layer.build(Layer.fresh(SimulatedSource.layer(audience()))),
        yield* Layer.build(Layer.fresh(SimulatedSource.layer(audience())))
      ]
      for (let turn = 1; turn <= 6; turn++) {
        const fiber = yield* simulating.pipe(Effect.provide(processes[turn % 2]!), Effect.forkScoped)
        yield* untilTaken(turn * 5)
        yield* Fiber.interrupt(fiber)
      }
      yield* assertOneChain
    }).pipe(Effect.scoped, scenario)
  )

  it.effect("with close times that rise when its clock is behind", () =>
    Effect.gen(function* () {
      const fiber = yield* playing(audience())
      yield* untilTaken(5)
      yield* Fiber.interrupt(fiber)
      yield* TestClock.setTime(NOW - HOUR_MS)
      yield* playing(audience())
      yield* untilTaken(10)
      yield* assertOneChain
    }).pipe(Effect.scoped, scenario)
  )
})

describe("a test network that was simulated and gets servers, or loses them", () => {
  it.effect("starts a new range where the other chain begins, and the coverage shows both", () =>
    Effect.gen(function* () {
      const first = yield* playing(audience())
      yield* untilTaken(5)
      yield* Fiber.interrupt(first)

      const servers = scriptedSource()
      servers.serve(chain(12_000_000, 12_000_010))
      const real = yield* ingest({ network: NETWORK, start: 12_000_001, detect: detectLedger }).pipe(
        Effect.provide(servers.layer),
        Effect.forkScoped
      )
      yield* servers.announce(12_000_005)
      const before = yield* taken
      yield* untilTaken(before + 5)
      assert.include((yield* health)?.detail, "At the head.")
      yield* Fiber.interrupt(real)

      yield* playing(audience())
      yield* untilTaken(before + 5 + 3)
      const [simulated, served, again] = yield* ranges
      assert.deepStrictEqual(simulated, [1_000_000, 1_000_000 + before - 1])
      assert.deepStrictEqual(served, [12_000_001, 12_000_005])
      assert.strictEqual(again?.[0], 1_000_000)
      const all = yield* markers
      assert.deepStrictEqual(
        all.filter((marker) => marker.simulated === undefined).map(({ ledger_index }) => ledger_index),
        [12_000_001, 12_000_002, 12_000_003, 12_000_004, 12_000_005]
      )
      // Delivery ids derive from it.
      const detected = all.map(({ detected_at }) => detected_at)
      assert.deepStrictEqual(
        detected,
        [...new Set(detected)].sort((a, b) => a - b)
      )
      assert.lengthOf(new Set((yield* events).map(({ event_id }) => event_id)), (yield* events).length)
    }).pipe(Effect.scoped, scenario)
  )
})
