/**
 * Three servers misbehave in every way, in combination, while the network closes a ledger a second; then they are sound
 * again. In the end the log has each expected event exactly once and in order. SEED=<n> replays one run.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { eventsTopic } from "../../../../src/spine/event/LedgerEvent.ts"
import { Log } from "../../../../src/spine/log/Log.ts"
import { Health, ledgerPart } from "../../../../src/spine/observe/Health.ts"
import { chain } from "../../../support/ledger/chain.ts"
import {
  events,
  eventually,
  eventuallyAdvancing,
  ingesting,
  markers,
  memoryLayer,
  takenIndexes
} from "../../../support/ledger/ingesting.ts"
import { generator, type Mood, misbehavingServer, moods } from "../../../support/ledger/misbehavingServer.ts"

const FIRST = 10

interface Run {
  readonly seed: number
  /** Ledgers that close while servers misbehave, one a second. */
  readonly troubled: number
  /** The network's ledgers altogether. */
  readonly last: number
  /** The probability that a server changes its behaviour at the next ledger. */
  readonly change: number
}

const short = (seed: number): Run => ({ seed, troubled: 150, last: 400, change: 0.15 })
const hour: Run = { seed: 3_600, troubled: 3_600, last: 4_000, change: 0.03 }
const SEEDS = 6

const given = process.env["SEED"]
const seeds = given === undefined ? Array.from({ length: SEEDS }, (_, i) => i + 1) : [Number(given)]

const pass = (ms: number) =>
  Effect.forEach([1, 2, 3, 4], () =>
    Effect.andThen(eventually(Effect.succeed(true)), Effect.andThen(turns, TestClock.adjust(ms / 4)))
  )
const turns = Effect.promise(async () => {
  for (let i = 0; i < 10; i++) await new Promise<void>((resolve) => setImmediate(resolve))
})

const run = Effect.fnUntraced(function* ({ change, last, seed, troubled }: Run) {
  const health = yield* Health
  const chance = generator(seed)
  const servers = yield* Effect.forEach([1, 2, 3], () => misbehavingServer(last, chance))
  for (const server of servers) server.networkCloses(FIRST)
  const fiber = yield* ingesting(
    servers.map(({ url }) => url),
    { start: FIRST }
  )
  // The first ledger has no parent to link to, so any server's answer is accepted.
  yield* eventuallyAdvancing(Effect.map(takenIndexes, ({ length }) => length === 1))
  const seen = new Set<Mood>()
  let tip = FIRST
  const networkCloses = () => {
    if (tip < last) tip += 1
    for (const server of servers) server.networkCloses(tip)
  }
  for (let i = 0; i < troubled; i++) {
    for (const server of servers)
      if (chance() < change) {
        server.become(moods[Math.floor(chance() * moods.length)]!)
        seen.add(server.mood())
      }
    networkCloses()
    // Sometimes the process pauses.
    yield* pass(chance() < 3 / troubled ? 60_000 : 1_000)
  }
  const takenAmongFaults = (yield* takenIndexes).length
  for (const server of servers) server.become("sound")
  const tipOfTrouble = tip
  yield* eventuallyAdvancing(
    Effect.gen(function* () {
      if ((yield* takenIndexes).length > tipOfTrouble - FIRST + 20) return true
      networkCloses()
      return false
    }),
    1_000
  ).pipe(
    // If ingest is stuck, its health shows where.
    Effect.catchCause(() =>
      Effect.flatMap(health.get(ledgerPart("mainnet")), (part) => Effect.die(new Error(JSON.stringify(part))))
    )
  )
  yield* Fiber.interrupt(fiber)
  assert.isAbove(seen.size, 5)
  return takenAmongFaults
})

/** Checks that the log has every ledger from the first to the last taken one, once each and in order. */
const isWhole = Effect.gen(function* () {
  const log = yield* Log
  const all = yield* markers
  const expected = chain(FIRST, FIRST + all.length - 1)
  assert.deepStrictEqual(
    all.map(({ ledger_hash }) => ledger_hash),
    expected.map(({ ledger_hash }) => ledger_hash)
  )
  const found = yield* events
  assert.deepStrictEqual(
    found.map(({ payload }) => payload["tx_hash"]),
    expected.flatMap(({ transactions }) => transactions.map(({ hash }) => hash))
  )
  const { end } = yield* log.offsets({ topic: eventsTopic("mainnet"), partition: 0 })
  assert.strictEqual(end, found.length)
})

describe("servers that misbehave in every way, in combination", () => {
  it.effect.each(seeds)("cost no event, and repeat none: seed %i", (seed) =>
    Effect.andThen(run(short(seed)), isWhole).pipe(Effect.provide(memoryLayer()))
  )

  it.effect(
    "for an hour, at one ledger a second",
    () =>
      Effect.gen(function* () {
        const takenAmongFaults = yield* run(hour)
        // It made progress during the faults, not only after them.
        assert.isAbove(takenAmongFaults, hour.troubled / 2)
        yield* isWhole
      }).pipe(Effect.provide(memoryLayer())),
    60_000
  )
})
