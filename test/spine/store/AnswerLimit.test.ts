/** A database that stays alive and never answers holds no read: reads fail, and later ones work. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { ReadSql } from "../../../src/spine/store/Sql.ts"
import { isLost, throughProxy } from "./silentDatabase.ts"

it.live("a database that never answers fails every read that shares the connection", () =>
  Effect.gen(function* () {
    const { proxy, context } = yield* throughProxy(2)
    yield* Effect.gen(function* () {
      const read = yield* ReadSql
      yield* read`SELECT 0`
      yield* proxy.swallowAnswers("never answered")
      const reads = yield* Effect.forkChild(
        Effect.forEach(
          Array.from({ length: 10 }, (_, n) => n),
          (n) => Effect.flip(read`SELECT ${n}::int, 'never answered'`),
          { concurrency: "unbounded" }
        )
      )
      for (const error of yield* Fiber.join(reads)) assert.isTrue(isLost(error), String(error))
      assert.deepStrictEqual(yield* read`SELECT 1 AS n`, [{ n: 1 }])
    }).pipe(Effect.provideContext(context))
  }).pipe(Effect.scoped)
)
