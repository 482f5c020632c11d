/**
 * A database that stays alive and never answers must not hold a stage: its statements fail, and later ones work.
 * AnswerLimit.test.ts has the quick part.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Latch } from "effect"
import { SqlClient } from "effect/sql"
import { retryUntilSuccess } from "../../../src/spine/observe/RetryUntilSuccess.ts"
import { isLost, throughProxy } from "./silentDatabase.ts"

// The driver waits 5 s for the end of a cancelled statement.
describe.concurrent("a database that stays alive and never answers", () => {
  for (const { title, swallow, lands } of [
    { title: "a statement", swallow: "INSERT INTO written", lands: true },
    { title: "the begin of a transaction", swallow: "BEGIN", lands: false },
    { title: "the end of a transaction", swallow: "COMMIT", lands: true }
  ])
    it.live(`fails ${title} like a lost connection`, () =>
      Effect.gen(function* () {
        const { proxy, context } = yield* throughProxy(2)
        yield* Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* sql`CREATE TABLE written (n int)`
          const write = (n: number) => sql`INSERT INTO written VALUES (${n})`
          yield* proxy.swallowAnswers(swallow)
          const error = yield* Effect.flip(title === "a statement" ? write(1) : sql.withTransaction(write(1)))
          assert.isTrue(isLost(error), String(error))
          yield* sql.withTransaction(write(2))
          // A write without an answer may have landed, as with a lost answer.
          assert.deepStrictEqual(
            (yield* sql<{ readonly n: number }>`SELECT n FROM written ORDER BY n`).map(({ n }) => n),
            lands ? [1, 2] : [2]
          )
        }).pipe(Effect.provideContext(context))
      }).pipe(Effect.scoped)
    )

  it.live("fails a statement of a transaction with its reason, and frees the transaction's connection", () =>
    Effect.gen(function* () {
      const { proxy, context } = yield* throughProxy(1)
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE TABLE written (n int)`
        yield* proxy.swallowAnswers("INSERT INTO written")
        const transaction = sql`INSERT INTO written VALUES (1)`.pipe(
          sql.withTransaction,
          Effect.andThen(sql`SELECT 1`),
          sql.withTransaction
        )
        assert.isTrue(isLost(yield* Effect.flip(transaction)))
        assert.deepStrictEqual(yield* sql`SELECT count(*)::int AS n FROM written`, [{ n: 0 }])
      }).pipe(Effect.provideContext(context))
    }).pipe(Effect.scoped)
  )

  it.live("does not hold a stage, which tries again", () =>
    Effect.gen(function* () {
      const { proxy, context } = yield* throughProxy(2)
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* proxy.swallowAnswers("taken up again")
        const rows = yield* sql`SELECT 'taken up again' AS text`.pipe(retryUntilSuccess("reading"))
        assert.deepStrictEqual(rows, [{ text: "taken up again" }])
      }).pipe(Effect.provideContext(context))
    }).pipe(Effect.scoped)
  )

  it.live("does not end the wait for a free connection, nor a transaction between its statements", () =>
    Effect.gen(function* () {
      const { proxy, context } = yield* throughProxy(2)
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [begun, end] = [Latch.makeUnsafe(), Latch.makeUnsafe()]
        const transaction = yield* sql`SELECT 1`.pipe(
          Effect.andThen(Effect.sync(() => begun.openUnsafe())),
          Effect.andThen(Latch.await(end)),
          Effect.andThen(sql`SELECT 2 AS n`),
          sql.withTransaction,
          Effect.forkChild
        )
        yield* Latch.await(begun)
        yield* proxy.swallowAnswers("never answered")
        const silent = yield* Effect.forkChild(Effect.flip(sql`SELECT 'never answered'`), {
          startImmediately: true
        })
        // Both connections are in use until the limit closes one.
        const waiting = yield* Effect.forkChild(sql`SELECT 3 AS n`, { startImmediately: true })
        assert.isTrue(isLost(yield* Fiber.join(silent)))
        assert.deepStrictEqual(yield* Fiber.join(waiting), [{ n: 3 }])
        end.openUnsafe()
        assert.deepStrictEqual(yield* Fiber.join(transaction), [{ n: 2 }])
      }).pipe(Effect.provideContext(context))
    }).pipe(Effect.scoped)
  )

  it.live("is found long before the limit if the server has ended the statement: its answer was lost", () =>
    Effect.gen(function* () {
      const { proxy, context } = yield* throughProxy(3, { answerMs: 600_000, asksAbout: true })
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE TABLE locked (n int)`
        const [locked, unlock] = [Latch.makeUnsafe(), Latch.makeUnsafe()]
        const holder = yield* sql`LOCK TABLE locked`.pipe(
          Effect.andThen(Effect.sync(() => locked.openUnsafe())),
          Effect.andThen(Latch.await(unlock)),
          sql.withTransaction,
          Effect.forkChild
        )
        yield* Latch.await(locked)
        const slow = yield* Effect.forkChild(sql`SELECT count(*)::int AS n FROM locked`)
        yield* proxy.swallowAnswers("forgotten")
        const error = yield* Effect.flip(sql`SELECT 'forgotten'`)
        assert.isTrue(isLost(error), String(error))
        assert.match(String(error.reason.cause), /answer did not arrive/)
        unlock.openUnsafe()
        yield* Fiber.join(holder)
        assert.deepStrictEqual(yield* Fiber.join(slow), [{ n: 0 }], "a slow statement is left alone")
      }).pipe(Effect.provideContext(context))
    }).pipe(Effect.scoped)
  )
})
