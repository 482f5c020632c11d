/** Announcements of servers: which is the newest ledger, and whether servers dispute a hash. */
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

describe("the head", () => {
  it.effect("is the newest any connected server announced, since its first announcement", () =>
    Effect.gen(function* () {
      const announcements = makeAnnouncements()
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

  it.effect("is as old as before if a server that connects again repeats it", () =>
    Effect.gen(function* () {
      const announcements = makeAnnouncements()
      yield* announcements.announce("b", announcement(9))
      yield* TestClock.adjust(1_000)
      yield* announcements.announce("a", announcement(10))
      for (let connections = 0; connections < 3; connections++) {
        yield* TestClock.adjust(20_000)
        announcements.left("a")
        yield* announcements.announce("a", announcement(10))
        assert.deepStrictEqual(announcements.newest(), { announcement: announcement(10), at: 1_000 })
      }
      yield* announcements.announce("a", announcement(10, "after a reset"))
      announcements.left("b")
      announcements.left("a")
      yield* announcements.announce("a", announcement(10, "after a reset"))
      assert.strictEqual(announcements.newest()?.at, 61_000)
    })
  )

  it.effect("is corrected by the server's next announcement after a wrong one", () =>
    Effect.gen(function* () {
      const announcements = makeAnnouncements()
      yield* announcements.announce("a", announcement(4_000_000_000))
      yield* announcements.announce("a", announcement(11))
      assert.strictEqual(announcements.newest()?.announcement.ledgerIndex, 11)
    })
  )

  it.effect("wakes who waits for the ledger, and who waits for one more server to announce it", () =>
    Effect.gen(function* () {
      const announcements = makeAnnouncements()
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

describe("what a server announced of a ledger", () => {
  it.effect("keeps its count and its place, unless it is another ledger", () =>
    Effect.gen(function* () {
      const announcements = makeAnnouncements()
      yield* announcements.announce("a", announcement(11, "chain", 3))
      assert.isUndefined(announcements.announced(11, "b"))
      assert.isUndefined(announcements.announced(12, "a"))
      // A subscription's reply has no count.
      yield* announcements.announce("b", announcement(11))
      yield* announcements.announce("a", announcement(11))
      assert.deepStrictEqual(announcements.announced(11, "a"), announcement(11, "chain", 3))
      assert.deepStrictEqual(announcements.announcers(11), ["a", "b"])
      assert.deepStrictEqual(announcements.counts(11, announcement(11).ledgerHash), [3])
      // With another hash it is another ledger, so the count of the first does not apply.
      yield* announcements.announce("a", announcement(11, "other"))
      assert.isUndefined(announcements.announced(11, "a")?.transactionCount)
      assert.deepStrictEqual(announcements.counts(11, announcement(11).ledgerHash), [])
    })
  )

  it.effect("ends with its connection: the hash, the place and the newest ledger", () =>
    Effect.gen(function* () {
      const announcements = makeAnnouncements()
      yield* announcements.announce("a", announcement(11, "lie", 9))
      yield* announcements.announce("a", announcement(4_000_000_000, "lie"))
      yield* announcements.announce("b", announcement(11))
      const news = yield* Effect.forkChild(announcements.awaitNews(11), { startImmediately: true })
      announcements.left("a")
      assert.isUndefined(announcements.announced(11, "a"))
      assert.isFalse(announcements.isDisputed(11, announcement(11).ledgerHash, "b"))
      assert.deepStrictEqual(announcements.announcers(11), ["b"])
      assert.strictEqual(announcements.newest()?.announcement.ledgerIndex, 11)
      // When it announces the ledger over a new connection, that is news.
      yield* announcements.announce("a", announcement(11))
      yield* Fiber.join(news)
    })
  )
})

describe("a hash", () => {
  it.effect("is disputed unless more servers announced it or sent it than any other", () =>
    Effect.gen(function* () {
      const announcements = makeAnnouncements()
      const disputed = (name: string, server: string) =>
        announcements.isDisputed(11, announcement(11, name).ledgerHash, server)
      assert.isFalse(disputed("chain", "a"))
      yield* announcements.announce("a", announcement(11))
      assert.isFalse(disputed("chain", "b"))
      yield* announcements.announce("b", announcement(11, "fork"))
      assert.isTrue(disputed("chain", "a"))
      assert.isTrue(disputed("fork", "b"))
      yield* announcements.announce("c", announcement(11))
      assert.isFalse(disputed("chain", "a"))
      assert.isTrue(disputed("fork", "b"))
    })
  )

  it.effect("is not disputed by a discredited server, whose newest ledger does not count either", () =>
    Effect.gen(function* () {
      const announcements = makeAnnouncements()
      const disputed = () => announcements.isDisputed(11, announcement(11).ledgerHash, "a")
      yield* announcements.announce("a", announcement(11))
      yield* announcements.announce("b", announcement(11, "fork"))
      yield* announcements.announce("b", announcement(4_000_000_000))
      announcements.discredit("b")
      assert.isFalse(disputed())
      assert.strictEqual(announcements.newest()?.announcement.ledgerIndex, 11)
      announcements.trust("b")
      assert.isTrue(disputed())
      // While every server is discredited, all of them count.
      announcements.discredit("a")
      announcements.discredit("b")
      assert.strictEqual(announcements.newest()?.announcement.ledgerIndex, 4_000_000_000)
    })
  )
})
