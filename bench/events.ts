/**
 * Measures pages of the event index among 10,000 and 5,000,000 events of 400 days: each filter alone and slow
 * combinations, first page and hundredth (or last). It also compares what the events stage writes with INSERT of the
 * same bytes into a plain table. Each size has its own embedded store, and rounds alternate.
 */
import { Context, Effect, Latch, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { EventIndex } from "../src/features/events/EventIndex.ts"
import { type EventFilter, type EventPlace, EventQueries } from "../src/features/events/EventQueries.ts"
import { events as eventsStage } from "../src/features/events/IndexEvents.ts"
import { stageLimits } from "../src/spine/config/StageLimits.ts"
import { eventsTopic } from "../src/spine/event/LedgerEvent.ts"
import * as EmbeddedLog from "../src/spine/log/embedded/EmbeddedLog.ts"
import { Log } from "../src/spine/log/Log.ts"
import type { Benchmark, Figure } from "./support/Benchmark.ts"
import { inRounds, median, medianOf, timed } from "./support/rounds.ts"
import {
  COMMON_TYPE,
  IN_ALL,
  ledgerAt,
  momentAt,
  RARE_ACCOUNT,
  RARE_TYPE,
  seedEvents
} from "./support/seededEvents.ts"
import { storeLayer } from "./support/store.ts"
import { makeEvents, NETWORK } from "./support/webhooks.ts"

const TARGET = 1.5
const SMALL = 10_000
const LARGE = 5_000_000
const ROUNDS = 15
/** How often a round reads each page. */
const CALLS = 4
const PAGE_ROWS = 20
const HUNDREDTH = 100

const WRITE_ROUNDS = 5
const WRITTEN = 10_000
const BODY_BYTES = 1_024

const everything: EventFilter = {
  networks: ["testnet", "devnet"],
  eventTypes: [],
  account: undefined,
  ledgerIndexMin: undefined,
  ledgerIndexMax: undefined,
  since: undefined,
  until: undefined
}

const old = { since: momentAt(0.1), until: momentAt(0.4) }
const oldLedgers = (events: number) => ({
  ledgerIndexMin: ledgerAt(events, 0.1),
  ledgerIndexMax: ledgerAt(events, 0.4)
})

/** Filters by name. Their ledger ranges cover the same times in both sizes. */
const filters: Readonly<Record<string, (events: number) => Partial<EventFilter>>> = {
  none: () => ({}),
  network: () => ({ networks: ["devnet"] }),
  type: () => ({ eventTypes: [COMMON_TYPE] }),
  type_rare: () => ({ eventTypes: [RARE_TYPE] }),
  type_absent: () => ({ eventTypes: ["nft.burned"] }),
  types: () => ({ eventTypes: [COMMON_TYPE, RARE_TYPE, "nft.burned", "trustline.modified"] }),
  account_all: () => ({ account: IN_ALL }),
  account_rare: () => ({ account: RARE_ACCOUNT }),
  ledgers: oldLedgers,
  times: () => old,
  "type_rare+times": () => ({ eventTypes: [RARE_TYPE], ...old }),
  "account_all+type_rare": () => ({ account: IN_ALL, eventTypes: [RARE_TYPE] }),
  "account_rare+type_rare": () => ({ account: RARE_ACCOUNT, eventTypes: [RARE_TYPE] }),
  "account_rare+type_rare+times": () => ({ account: RARE_ACCOUNT, eventTypes: [RARE_TYPE], ...old }),
  all: (events) => ({
    networks: ["testnet"],
    account: IN_ALL,
    eventTypes: [COMMON_TYPE, RARE_TYPE],
    ...old,
    ...oldLedgers(events)
  })
}

const seededQueries = Effect.fnUntraced(function* (events: number) {
  const layer = Layer.provideMerge(EventQueries.layer, storeLayer())
  const context = yield* Layer.build(Layer.fresh(layer))
  yield* Effect.provide(seedEvents(events), context)
  return { events, queries: Context.get(context, EventQueries) }
})

type Seeded = Effect.Success<ReturnType<typeof seededQueries>>

/** Returns where the hundredth page begins; if there are fewer pages, where the last one begins. */
const deepPlace = Effect.fnUntraced(function* ({ queries }: Seeded, filter: EventFilter) {
  let after: EventPlace | undefined
  for (let page = 1; page < HUNDREDTH; page++) {
    const rows = yield* queries.list(filter, after, PAGE_ROWS + 1)
    if (rows.length <= PAGE_ROWS) break
    after = rows[PAGE_ROWS - 1]
  }
  return after
})

const measurePages = Effect.fnUntraced(function* (report: (figure: Figure) => void) {
  const [small, large] = [yield* seededQueries(SMALL), yield* seededQueries(LARGE)]
  for (const [name, filterOf] of Object.entries(filters)) {
    const sides = yield* Effect.forEach([small, large], (seeded) => {
      const filter = { ...everything, ...filterOf(seeded.events) }
      return Effect.map(deepPlace(seeded, filter), (deep) => ({ seeded, filter, deep }))
    })
    const pageMs = ({ seeded, filter }: (typeof sides)[number], after: EventPlace | undefined) =>
      Effect.replicateEffect(timed(seeded.queries.list(filter, after, PAGE_ROWS + 1)), CALLS).pipe(
        Effect.map(median)
      )
    const rounds = yield* inRounds(
      ROUNDS,
      () =>
        Effect.forEach(sides, (side) =>
          Effect.all({ first: pageMs(side, undefined), deep: pageMs(side, side.deep) })
        ),
      // PostgreSQL plans a statement anew five times before it keeps a plan.
      3
    )
    const pages = (["first", "deep"] as const).map((page) => ({
      value: medianOf(rounds, ([, ofLarge]) => ofLarge![page]),
      ratio: medianOf(rounds, ([ofSmall, ofLarge]) => ofLarge![page] / ofSmall![page])
    }))
    const worse = pages[0]!.ratio > pages[1]!.ratio ? pages[0]! : pages[1]!
    report({ name: `events.page.${name}`, unit: "ms/page", target: TARGET, better: "lower", ...worse })
  }
})

/** The log; it reports when the stage has committed an offset. */
const makeProgress = () => {
  let committed = 0
  let moved = Latch.makeUnsafe()
  const until = (offset: number): Effect.Effect<void> =>
    Effect.suspend(() =>
      committed >= offset ? Effect.void : Effect.flatMap(Latch.await(moved), () => until(offset))
    )
  const told = (offset: number) => {
    committed = offset
    const waiting = moved
    moved = Latch.makeUnsafe()
    waiting.openUnsafe()
  }
  const log = Layer.effect(
    Log,
    Effect.map(Log, (log) =>
      Log.of({
        ...log,
        consume: (options, handle) =>
          log.consume(options, (partition) =>
            handle({
              ...partition,
              commit: (offset) => Effect.tap(partition.commit(offset), () => Effect.sync(() => told(offset)))
            })
          )
      })
    )
  )
  return { until, log }
}

const measureWriting = Effect.suspend(() => {
  const progress = makeProgress()
  return Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const log = yield* Log
    yield* sql`CREATE TABLE bench_plain (id bigint GENERATED ALWAYS AS IDENTITY, value text NOT NULL)`
    yield* Effect.forkScoped(eventsStage([NETWORK]))
    return yield* inRounds(
      WRITE_ROUNDS,
      Effect.fnUntraced(function* (round: number) {
        const values = makeEvents(WRITTEN, BODY_BYTES, round).map((event) => JSON.stringify(event))
        yield* log.transaction({
          append: values.map((value) => ({ topic: eventsTopic(NETWORK), key: NETWORK, value }))
        })
        const stage = yield* timed(progress.until((round + 1) * WRITTEN))
        const plain = yield* timed(
          Effect.gen(function* () {
            for (let from = 0; from < WRITTEN; from += stageLimits.takeBatchRecords) {
              const batch = values.slice(from, from + stageLimits.takeBatchRecords)
              yield* sql`INSERT INTO bench_plain (value) SELECT * FROM unnest(${batch}::text[])`
            }
          })
        )
        return { stage, plain }
      })
    )
  }).pipe(
    Effect.scoped,
    Effect.provide(
      Layer.mergeAll(EventIndex.layer, progress.log).pipe(
        Layer.provideMerge(EmbeddedLog.layer),
        Layer.provideMerge(storeLayer())
      )
    )
  )
})

const benchmark: Benchmark = {
  description: "pages of the event index among 10,000 and 5,000,000 events, and writing it",
  target: `any page costs among 5,000,000 at most ${TARGET} × what it costs among 10,000`,
  run: Effect.fnUntraced(function* (report) {
    const written = yield* measureWriting
    report({
      name: "events.write",
      value: medianOf(written, ({ stage }) => (WRITTEN / stage) * 1_000),
      unit: "events/s",
      ratio: medianOf(written, ({ stage, plain }) => plain / stage),
      target: null,
      better: "higher"
    })
    yield* measurePages(report)
  })
}

export default benchmark
