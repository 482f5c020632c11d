/**
 * A read lease accepts only a view confirmed recently enough, confirms as rarely as that allows, and never gives up.
 */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { type Lease, makeReadLease } from "../../../src/spine/registry/ReadLease.ts"

const LEASE_MS = 1_000

const whenHeld = (lease: Lease) => Effect.callback<void>((resume) => lease(() => resume(Effect.void)))

/** A lease whose confirmations are counted; `hold` makes the next ones wait until it is released. */
const counted = Effect.gen(function* () {
  const seen = { confirmations: 0 }
  let held: Deferred.Deferred<void> | undefined
  const confirm = Effect.suspend(() => {
    seen.confirmations++
    return held === undefined ? Effect.void : Deferred.await(held)
  })
  const lease = yield* makeReadLease(confirm, LEASE_MS)
  return {
    seen,
    lease,
    current: whenHeld(lease),
    hold: () => {
      const gate = Deferred.makeUnsafe<void>()
      held = gate
      return Effect.suspend(() => {
        held = undefined
        return Deferred.succeed(gate, undefined)
      })
    }
  }
})

describe("a read lease", () => {
  it.effect("is confirmed once for any number of uses, and not at all while nobody uses it", () =>
    Effect.gen(function* () {
      const { seen, current } = yield* counted
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(seen.confirmations, 0)
      yield* Effect.all(
        Array.from({ length: 100 }, () => current),
        { concurrency: "unbounded" }
      )
      yield* TestClock.adjust("499 millis")
      yield* current
      assert.strictEqual(seen.confirmations, 1)
    }).pipe(Effect.scoped)
  )

  it.effect("is renewed in the background after half of its time, so steady use never waits", () =>
    Effect.gen(function* () {
      const { seen, current, hold } = yield* counted
      yield* current
      const letGo = hold()
      yield* TestClock.adjust("999 millis")
      yield* current
      yield* Effect.yieldNow
      assert.strictEqual(seen.confirmations, 2)
      yield* letGo
      yield* TestClock.adjust("1 millis")
      yield* current
    }).pipe(Effect.scoped)
  )

  it.effect("makes callers wait for a confirmation once it has ended, however long that takes", () =>
    Effect.gen(function* () {
      const { seen, current, hold } = yield* counted
      yield* current
      const letGo = hold()
      yield* TestClock.adjust("1 second")
      const uses = yield* Effect.forEach([1, 2], () => Effect.forkChild(current))
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(
        uses.map((use) => use.pollUnsafe()),
        [undefined, undefined]
      )
      yield* letGo
      yield* Fiber.joinAll(uses)
      assert.strictEqual(seen.confirmations, 2)
      // The confirmation is a minute old, so the next use requests a new one.
      yield* current
      assert.strictEqual(seen.confirmations, 3)
    }).pipe(Effect.scoped)
  )

  it.effect("serves waiting callers in order of arrival, and what they call at once", () =>
    Effect.gen(function* () {
      const { lease, current } = yield* counted
      const used: Array<string> = []
      lease(() => {
        used.push("first")
        lease(() => used.push("of the first"))
      })
      lease(() => used.push("second"))
      yield* current
      assert.deepStrictEqual(used, ["first", "of the first", "second"])
    }).pipe(Effect.scoped)
  )

  it.effect("waits while the store is unavailable", () =>
    Effect.gen(function* () {
      let failures = 3
      const lease = yield* makeReadLease(
        Effect.suspend(() => (failures-- > 0 ? Effect.fail("away") : Effect.void)),
        LEASE_MS
      )
      const use = yield* Effect.forkChild(whenHeld(lease))
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(use)
      assert.strictEqual(failures, -1)
    }).pipe(Effect.scoped)
  )
})
