/** Runs effects of which one must not keep the others from running, although the whole is then tried again. */
import { Effect, Result } from "effect"

/** In order, each also after an earlier one has failed. Then fails with the first failure, if there was one. */
export const eachAlone = Effect.fnUntraced(function* <A, B, E, R>(
  all: Iterable<A>,
  run: (one: A) => Effect.Effect<B, E, R>
) {
  const results = yield* Effect.forEach(all, (one) => Effect.result(run(one)))
  for (const result of results) if (Result.isFailure(result)) return yield* Effect.fail(result.failure)
  return results.flatMap((result) => (Result.isSuccess(result) ? [result.success] : []))
})
