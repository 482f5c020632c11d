/** Jobs on a real database and the memory log queue the right deliveries, also after a crash at any moment. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Latch, type Layer, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { deleteAccount } from "../../../src/features/accounts/DeletedAccounts.ts"
import { runJob } from "../../../src/features/replay/ReplayRunner.ts"
import { ReplayStore } from "../../../src/features/replay/ReplayStore.ts"
import { ReplayWork } from "../../../src/features/replay/ReplayWork.ts"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import { matching, type ReplayFilters } from "../../../src/spine/domain/Replay.ts"
import { eventsTopic, type LedgerEvent } from "../../../src/spine/event/LedgerEvent.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { addresses } from "../../support/deliver/events.ts"
import { insertAccount } from "../../support/store/rows.ts"
import {
  ACCOUNT,
  appendLedgers,
  assertQueued,
  BEGAN,
  claim,
  distinct,
  eventsOf,
  FIRST_LEDGER,
  indexEvents,
  jobRow,
  owner,
  pastLedgers,
  queueJob,
  replayingLayer,
  rowsOf,
  writeLedgers
} from "./replaying.ts"

/** Few enough to be queued while nobody delivers. */
const ledgers = pastLedgers(3, 240)
const events = eventsOf(ledgers)
const UNKNOWN = [`xrpl:90000001:${"0".repeat(64)}:payment.xrp`, `xrpl:7:${"0".repeat(64)}:payment.xrp`]

const run = Effect.flatMap(claim, runJob)

/** A log that gives a few records at a time, as Kafka may. */
const sparing = Effect.map(Log, (log) =>
  Log.of({ ...log, read: (from, max) => log.read(from, Math.min(max, 37)) })
)

const test = <A, E>(
  name: string,
  body: Effect.Effect<A, E, Layer.Success<typeof replayingLayer> | Scope.Scope>
) =>
  it.live(
    name,
    () => Effect.andThen(writeLedgers(ledgers), body).pipe(Effect.scoped, Effect.provide(replayingLayer)),
    60_000
  )

describe("a replay job", { concurrent: true }, () => {
  const wanted: ReadonlyArray<
    readonly [name: string, filters: ReplayFilters, of: (e: LedgerEvent) => boolean]
  > = [
    ["everything that is kept", {}, () => true],
    ["types", { event_types: ["nft.minted"] }, (e) => e.event_type === "nft.minted"],
    ["accounts", { accounts: [addresses[2]] }, (e) => e.accounts.includes(addresses[2])],
    [
      "a time, both ends excluded",
      { since: Date.parse(ledgers[40]!.closeTime), until: Date.parse(ledgers[160]!.closeTime) },
      (e) => e.timestamp > ledgers[40]!.closeTime && e.timestamp < ledgers[160]!.closeTime
    ],
    [
      "payloads, of types that have the field",
      { payload_filter: { amount: { $gte: 2 } } },
      (e) => e.event_type === "payment.xrp" && Number(e.payload["amount"]) >= 2
    ],
    [
      "payloads and accounts",
      { accounts: [addresses[2]], payload_filter: { amount: 1 } },
      (e) =>
        e.event_type === "payment.xrp" && e.accounts.includes(addresses[2]) && e.payload["amount"] === "1"
    ],
    ["a time in which nothing happened", { until: BEGAN - 1 }, () => false]
  ]
  for (const [name, filters, has] of wanted) {
    test(
      `queues by ${name}`,
      Effect.gen(function* () {
        const job = yield* queueJob({ filters })
        yield* run
        const expected = events.filter(has)
        yield* assertQueued(job, expected)
        assert.deepInclude(yield* jobRow(job.id), {
          status: "completed",
          total_events: expected.length,
          processed_events: expected.length,
          failed_events: 0,
          error: null
        })
      })
    )
  }

  test(
    "queues event ids in ledger order, and counts unknown ones as failed",
    Effect.gen(function* () {
      const some = events.filter((_, i) => i % 7 === 0)
      const ids = some.map(({ event_id }) => event_id).toReversed()
      const job = yield* queueJob({ eventIds: [...UNKNOWN, ...ids] })
      yield* run
      yield* assertQueued(job, some)
      assert.deepInclude(yield* jobRow(job.id), {
        status: "completed",
        total_events: some.length + UNKNOWN.length,
        processed_events: some.length,
        failed_events: UNKNOWN.length
      })
    })
  )

  test(
    "ends when its account is deleted, and queues nothing more",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      // The first account is never deleted.
      yield* insertAccount("acct_0")
      const job = yield* queueJob({ filters: {} })
      const claimed = yield* claim
      yield* deleteAccount(ACCOUNT, Date.now())
      yield* runJob(claimed)
      assert.deepInclude(yield* jobRow(job.id), { status: "failed", processed_events: 0 })
      assert.deepStrictEqual(yield* rowsOf(job.id), [])
      // Nor does one that a worker takes later.
      yield* sql`UPDATE replay_jobs SET status = 'queued', owner = NULL, lease_until = NULL WHERE id = ${job.id}`
      yield* run
      assert.strictEqual((yield* jobRow(job.id)).status, "failed")
    })
  )

  /** The offsets of the events that the job at the head of the queue reads. */
  const offsetsRead = Effect.gen(function* () {
    const read: Array<number> = []
    const log = yield* Log
    const counting = Log.of({
      ...log,
      read: (from, max) =>
        Effect.tap(log.read(from, max), (records) =>
          Effect.sync(() => {
            if (from.topic === eventsTopic("mainnet")) read.push(...records.map(({ offset }) => offset))
          })
        )
    })
    yield* run.pipe(Effect.provideService(Log, counting))
    return read.toSorted((a, b) => a - b)
  })
  const offsetsOf = (some: typeof ledgers) => eventsOf(some).map((event) => events.indexOf(event))

  test(
    "reads only the ledgers of its event ids from the log",
    Effect.gen(function* () {
      const chosen = ledgers.filter(({ events: own }) => own.length > 0).filter((_, i) => i % 100 === 50)
      yield* queueJob({ eventIds: chosen.map(({ events: own }) => own[0]!.event_id) })
      assert.deepStrictEqual(yield* offsetsRead, offsetsOf(chosen))
    })
  )

  test(
    "reads only the ledgers of accounts with few events, and none newer than the job",
    Effect.gen(function* () {
      const filters: ReplayFilters = { accounts: [addresses[1]], event_types: ["check.cancelled"] }
      const wanted = events.filter(matching(filters))
      assert.isAbove(wanted.length, 5)
      const job = yield* queueJob({ filters, estimatedEvents: 1 })
      const newer = pastLedgers(4, 100, { first: FIRST_LEDGER + ledgers.length })
      assert.isAbove(eventsOf(newer).filter(matching(filters)).length, 0)
      yield* appendLedgers(newer)
      yield* indexEvents([...events, ...eventsOf(newer)])
      const read = (yield* offsetsRead).filter((offset) => offset < events.length)
      assert.deepStrictEqual(
        read,
        offsetsOf(ledgers.filter(({ events: own }) => own.some(matching(filters))))
      )
      yield* assertQueued(job, wanted)
    })
  )

  test(
    "makes new deliveries for each job, and the same ones in whichever process it runs",
    Effect.gen(function* () {
      const [one, two] = [yield* queueJob({ filters: {} }), yield* queueJob({ filters: {} })]
      yield* run
      yield* run
      const ids = [...(yield* rowsOf(one.id)), ...(yield* rowsOf(two.id))].map(({ id }) => id)
      assert.lengthOf(distinct(ids), 2 * events.length)
    })
  )
})

/** Where a process may die in a batch: the service's call that it dies in, before or after it took effect. */
const crashes = ["rows", "work", "cursor"].flatMap((step) =>
  (["before", "after"] as const).flatMap((when) => [1, 2, 3].map((batch) => ({ step, when, batch })))
)

type Crash = (typeof crashes)[number]

/** Services whose given step of a batch never returns. */
const dying = Effect.fnUntraced(function* ({ step, when, batch }: Crash, died: Latch.Latch) {
  let calls = 0
  const dead = Effect.andThen(Latch.open(died), Effect.never)
  const at =
    (name: string) =>
    <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.suspend(() => {
        if (name !== step || ++calls !== batch) return call
        return when === "before" ? dead : Effect.andThen(call, dead)
      })
  const log = yield* Log
  const store = yield* DeliveryStore
  const work = yield* ReplayWork
  return Context.mergeAll(
    Context.make(Log, { ...log, transaction: (given) => at("work")(log.transaction(given)) }),
    Context.make(DeliveryStore, {
      ...store,
      insertPending: (rows, now) => at("rows")(store.insertPending(rows, now))
    }),
    // A process that is gone gives nothing back.
    Context.make(ReplayWork, {
      ...work,
      advance: (job, cursor) => at("cursor")(work.advance(job, cursor)),
      release: () => Effect.void
    })
  )
})

/** Runs the job until its process dies, and lets its lease run out. */
const runUntilDeath = Effect.fnUntraced(function* (crash: Crash) {
  const sql = yield* SqlClient.SqlClient
  const job = yield* claim
  const died = Latch.makeUnsafe()
  const fiber = yield* Effect.forkScoped(runJob(job).pipe(Effect.provide(yield* dying(crash, died))))
  yield* Latch.await(died)
  yield* Fiber.interrupt(fiber)
  yield* sql`UPDATE replay_jobs SET lease_until = now() - interval '1 second' WHERE id = ${job.id}`
})

describe("a worker that dies in the middle of a batch", { concurrent: true }, () => {
  for (const crash of crashes) {
    const name = `${crash.when} its ${crash.step}, batch ${crash.batch}`
    test(
      `${name}: another worker resumes, and queues no event twice and leaves none out`,
      Effect.gen(function* () {
        const job = yield* queueJob({ filters: {} })
        yield* runUntilDeath(crash)
        yield* run.pipe(Effect.provideServiceEffect(Log, sparing))
        yield* assertQueued(job, events)
        assert.deepInclude(yield* jobRow(job.id), {
          status: "completed",
          processed_events: events.length
        })
      })
    )
  }

  test(
    "leaves no delivery waiting forever if its job is then cancelled",
    Effect.gen(function* () {
      const jobs = yield* ReplayStore
      const job = yield* queueJob({ filters: {} })
      yield* runUntilDeath({ step: "work", when: "before", batch: 2 })
      const cancelled = yield* jobs.cancel(owner, job.id)
      assert.strictEqual(cancelled.result, "cancelled")
      const { processed_events } = yield* jobRow(job.id)
      const rows = yield* rowsOf(job.id)
      assert.isAbove(rows.length, processed_events)
      for (const [i, { status, last_error }] of rows.entries()) {
        assert.deepStrictEqual(
          [status, last_error],
          i < processed_events ? ["pending", null] : ["failed", "replay cancelled"]
        )
      }
    })
  )
})
