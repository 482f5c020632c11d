/** A replay over a ledger that no server can list ends, once an operator has ordered to skip that ledger. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SkippedLedgers } from "../../../src/features/events/SkipOrders.ts"
import type { SkipOrders } from "../../../src/spine/ledger/ingest/SkippedLedgers.ts"
import { type Unlistable, unlistable } from "../../support/ledger/unlistable.ts"
import {
  assertCompleted,
  assertRefused,
  ended,
  FIRST,
  fedFrom,
  fetching,
  heldMarkers,
  historyServer,
  justBefore,
  pastLayer,
  replaySince,
  takeNewest,
  working
} from "./past.ts"
import { jobRow } from "./replaying.ts"

const HOLE = 990

const layer = () => SkippedLedgers.layer.pipe(Layer.provideMerge(pastLayer()))

const stored = Effect.map(
  SkippedLedgers,
  (store): SkipOrders => ({
    reason: (index) => Effect.orDie(store.reason("mainnet", index)),
    skipped: (marker) => Effect.orDie(store.note("mainnet", marker)),
    count: Effect.orDie(store.count("mainnet"))
  })
)

const begun = Effect.fnUntraced(function* (kind: Unlistable) {
  yield* takeNewest
  yield* working
  const server = yield* historyServer(1, { networkId: 0, interfere: unlistable(new Map([[HOLE, kind]])) })
  const expected = (yield* fedFrom(980)).filter(({ ledger_index }) => ledger_index !== HOLE)
  return { expected, server }
})

const order = Effect.flatMap(SkippedLedgers, (store) => store.order("mainnet", HOLE, "lost", 0))

const holes = Effect.map(heldMarkers, (all) =>
  all.filter(({ skipped }) => skipped !== undefined).map(({ ledger_index }) => ledger_index)
)

describe("a replay over a ledger that no server can list", () => {
  it.live(
    "fails without an order and says why; with one it completes, and shows the hole",
    () =>
      Effect.gen(function* () {
        const { expected, server } = yield* begun("lacking")
        yield* fetching([server], { skips: yield* stored })
        const refused = yield* replaySince(justBefore(980))
        yield* assertRefused(
          refused.id,
          `History before ledger ${HOLE + 1} is unavailable: no history server lists all transactions of ledger ${HOLE}.`
        )
        assert.deepStrictEqual((yield* jobRow(refused.id)).skipped_ledgers, [])
        yield* order
        const job = yield* replaySince(justBefore(980))
        yield* assertCompleted(job.id, expected.length)
        assert.deepStrictEqual(yield* holes, [HOLE])
        assert.deepStrictEqual((yield* jobRow(job.id)).skipped_ledgers, [HOLE])
        // A job of a later period does not show it.
        const later = yield* replaySince(justBefore(FIRST))
        yield* ended(later.id)
        assert.deepStrictEqual((yield* jobRow(later.id)).skipped_ledgers, [])
      }).pipe(Effect.scoped, Effect.provide(layer())),
    60_000
  )

  it.live(
    "notes the hole also if the process dies between the append and the note",
    () =>
      Effect.gen(function* () {
        const { expected, server } = yield* begun("failing")
        yield* order
        const skips = yield* stored
        const dead = yield* fetching([server], {
          skips: { ...skips, skipped: () => Effect.die(new Error("killed")) }
        })
        const job = yield* replaySince(justBefore(980))
        assert.isTrue((yield* Fiber.await(dead))._tag === "Failure")
        assert.deepStrictEqual(yield* holes, [HOLE])
        assert.deepStrictEqual((yield* jobRow(job.id)).skipped_ledgers, [])
        yield* fetching([server], { skips })
        yield* assertCompleted(job.id, expected.length)
        assert.deepStrictEqual(yield* holes, [HOLE])
        assert.deepStrictEqual((yield* jobRow(job.id)).skipped_ledgers, [HOLE])
      }).pipe(Effect.scoped, Effect.provide(layer())),
    60_000
  )
})
