/** Announcements of servers: which is the newest ledger, and which hash counts if servers disagree. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { makeAnnouncements } from "../../src/ledger/Announcements.ts"
import { hashOf } from "../support/chain.ts"

const announcement = (ledgerIndex: number, name = "chain", transactionCount?: number) => ({
  ledgerIndex,
  ledgerHash: hashOf(`${name} ${ledgerIndex}`),
  transactionCount
})

const threeServers = () => makeAnnouncements(["a", "b", "c"])

describe("the head", () => {
  it.effect("is the newest any connected server announced, since its first announcement", () =>
    Effect.gen(function* () {
      const announcements = threeServers()
      yield* TestClock.adjust(1_000)
      yield* announcements.announce("b", announcement(10))
      yield* TestClock.adjust(1_000)
      yield* announcements.announce("a", announcement(10))
      assert.strictEqual(announcements.newest()?.at, 1_000)
      yield* announcements.announce("a", announcement(11))
      assert.strictEqual(announcements.newest()?.announcement.ledgerIndex, 11)
      announcements.left("a")
      assert.strictEqual(announcements.newest()?.announcement.ledgerIndex, 10)
      announcements.left("b")
      assert.strictEqual(announcements.newest()?.announcement.ledgerIndex, 10)
    })
  )

  it.effect("is corrected by the server's next announcement after a wrong one", () =>
    Effect.gen(function* () {
      const announcements = threeServers()
      yield* announcements.announce("a", announcement(4_000_000_000))
      yield* announcements.announce("a", announcement(11))
      assert.strictEqual(announcements.newest()?.announcement.ledgerIndex, 11)
    })
  )

  it.effect("wakes who waits for the ledger, and who waits for one more server to announce it", () =>
    Effect.gen(function* () {
      const announcements = threeServers()
      yield* announcements.announce("a", announcement(11))
      const next = yield* Effect.forkChild(announcements.await(12), { startImmediately: true })
      const news = yield* Effect.forkChild(announcements.awaitNews(11), { startImmediately: true })
      yield* announcements.announce("a", announcement(11))
      assert.isUndefined(news.pollUnsafe())
      yield* announcements.announce("b", announcement(11))
      yield* Fiber.join(news)
      assert.isUndefined(next.pollUnsafe())
      yield* announcements.announce("b", announcement(13))
      assert.strictEqual((yield* Fiber.join(next)).ledgerIndex, 13)
    })
  )
})

describe("what a server's answer must agree with", () => {
  it.effect("is its own announcement, or else that of another server", () =>
    Effect.gen(function* () {
      const announcements = threeServers()
      yield* announcements.announce("a", announcement(11, "chain", 3))
      assert.deepStrictEqual(announcements.announced(11, "b"), announcement(11, "chain", 3))
      assert.isUndefined(announcements.announced(12, "b"))
      // A subscription's reply has no count.
      yield* announcements.announce("a", announcement(11))
      assert.strictEqual(announcements.announced(11, "a")?.transactionCount, 3)
      assert.deepStrictEqual(announcements.announcers(11), ["a"])
      // With another hash it is another ledger, so the count of the first does not apply.
      yield* announcements.announce("a", announcement(11, "other"))
      assert.isUndefined(announcements.announced(11, "a")?.transactionCount)
    })
  )

  it.effect("is the hash of most servers, then of the preferred one; discredited servers do not count", () =>
    Effect.gen(function* () {
      const announcements = threeServers()
      const hash = (server: string) => announcements.announced(11, server)?.ledgerHash
      yield* announcements.announce("b", announcement(11, "fork"))
      yield* announcements.announce("a", announcement(11))
      assert.strictEqual(hash("b"), announcement(11).ledgerHash)
      yield* announcements.announce("c", announcement(11, "fork"))
      assert.strictEqual(hash("a"), announcement(11, "fork").ledgerHash)
      announcements.discredit("b")
      announcements.discredit("c")
      assert.strictEqual(hash("a"), announcement(11).ledgerHash)
      // A discredited server's own answers must still agree with its own announcement.
      assert.strictEqual(hash("c"), announcement(11).ledgerHash)
      announcements.trust("b")
      announcements.trust("c")
      assert.strictEqual(hash("a"), announcement(11, "fork").ledgerHash)
    })
  )
})
