/** If the process that fetches history dies at any step, the next one ends with each ledger and each event once. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { BackfillStore } from "../../../src/spine/ledger/backfill/BackfillStore.ts"
import { Log, type Transaction } from "../../../src/spine/log/Log.ts"
import {
  asked,
  assertCompleted,
  assertHeldOnce,
  FIRST,
  fedFrom,
  fetching,
  historyServer,
  justBefore,
  pastLayer,
  replaySince,
  takeNewest,
  working
} from "./past.ts"
import { assertQueued } from "./replaying.ts"

/** Where the process dies: before or after the append or the row of one of two ranges. */
const crashes = ["append", "row"].flatMap((step) =>
  (["before", "after"] as const).flatMap((when) => [1, 2].map((range) => ({ step, when, range })))
)

const dying = Effect.fnUntraced(function* ({ step, when, range }: (typeof crashes)[number]) {
  let calls = 0
  const death = Effect.die(new Error("killed"))
  const at =
    (name: string) =>
    <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.suspend(() => {
        if (name !== step || ++calls !== range) return call
        return when === "before" ? death : Effect.andThen(call, death)
      })
  const log = yield* Log
  const store = yield* BackfillStore
  return {
    log: Log.of({
      ...log,
      exclusive: (name) =>
        Effect.map(log.exclusive(name), (writer) => ({
          transaction: (given: Transaction) => at("append")(writer.transaction(given))
        }))
    }),
    store: BackfillStore.of({ ...store, add: (network, one) => at("row")(store.add(network, one)) })
  }
})

describe("a process that fetches history and dies", () => {
  for (const crash of crashes) {
    it.live(
      `${crash.when} the ${crash.step} of range ${crash.range}: another process continues, without a duplicate or a gap`,
      () =>
        Effect.gen(function* () {
          yield* takeNewest
          yield* working
          const server = yield* historyServer()
          const services = yield* dying(crash)
          const died = yield* fetching([server]).pipe(
            Effect.provideService(Log, services.log),
            Effect.provideService(BackfillStore, services.store)
          )
          const expected = yield* fedFrom(720)
          const job = yield* replaySince(justBefore(720))
          yield* Fiber.await(died)
          const before = asked(server).length
          yield* fetching([server])
          yield* assertCompleted(job.id, expected.length)
          yield* assertQueued(job, expected)
          yield* assertHeldOnce(719)
          // Appended ledgers are not fetched again. At most one range and the ledgers fetched ahead are.
          const again = asked(server).slice(before)
          const appended = crash.step === "row" || crash.when === "after"
          if (appended && crash.range === 1) assert.isFalse(again.includes(FIRST - 1))
          if (appended && crash.range === 2) assert.deepStrictEqual(again, [])
        }).pipe(Effect.scoped, Effect.provide(pastLayer())),
      60_000
    )
  }
})
