/** Runs effects of which one must not keep the others from running, although the whole is then tried again. */
import { Effect } from "effect"

/** In order, each also after an earlier one has failed or died. Then fails with the first failure, if there was one. */
export const eachAlone = Effect.fnUntraced(function* <A, B, E, R>(
  all: Iterable<A>,
  run: (one: A) => Effect.Effect<B, E, R>
) {
  const exits = yield* Effect.forEach(all, (one) => Effect.exit(run(one)))
  return yield* Effect.forEach(exits, (exit) => exit)
})
