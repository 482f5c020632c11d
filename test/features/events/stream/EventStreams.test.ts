/** The streams of one account read the log one after another, so that ten of them scan it no faster than one. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer } from "effect"
import { ApiKeyStore } from "../../../../src/features/accounts/ApiKeyStore.ts"
import { EventStreams } from "../../../../src/features/events/stream/EventStreams.ts"
import type { Identity } from "../../../../src/spine/domain/ApiKey.ts"
import { planLimits } from "../../../../src/spine/domain/Plans.ts"
import { Log } from "../../../../src/spine/log/Log.ts"
import { eventually } from "../../../support/deliver/delivering.ts"
import * as MemoryLog from "../../../support/log/memory/MemoryLog.ts"
import { settingsLayer } from "../../../support/program/settings.ts"
import { TestDatabase } from "../../../support/store/postgres.ts"
import { appendLedgers, ledgersOf } from "../eventStream.ts"

const mayRead = Latch.makeUnsafe(true)
const EVENTS = ledgersOf({ first: 1, count: 10 })
let reading = 0

/** Reads of past events wait for `mayRead` and are counted meanwhile. */
const held = Layer.effect(
  Log,
  Effect.map(Log, (log) => ({
    ...log,
    read: (position: Parameters<typeof log.read>[0], most: number) =>
      position.offset >= EVENTS.length
        ? log.read(position, most)
        : Effect.acquireUseRelease(
            Effect.sync(() => void reading++),
            () => Effect.andThen(Latch.await(mayRead), log.read(position, most)),
            () => Effect.sync(() => void reading--)
          )
  }))
).pipe(Layer.provide(MemoryLog.layer), Layer.provide(settingsLayer()))

const Live = EventStreams.layer.pipe(
  Layer.provideMerge(held),
  Layer.provide(ApiKeyStore.layer),
  Layer.provide(TestDatabase)
)

const callerOf = (accountId: string): Identity => ({
  keyId: accountId,
  admittedBy: "key 00",
  accountId,
  plan: "builder",
  limits: planLimits.builder,
  environment: "live",
  scopes: ["admin"]
})

it.live("streams of one account that are behind read the log one after another, beside those of others", () =>
  Effect.gen(function* () {
    const streams = yield* EventStreams
    yield* appendLedgers(EVENTS)
    const filter = { network: "mainnet", eventTypes: undefined, account: undefined } as const
    const pieces = yield* Effect.forEach(["a", "a", "a", "b"], (account) =>
      Effect.tap(
        streams.open({
          caller: callerOf(account),
          connection: { endStream: undefined, destroy: () => {} },
          filter,
          include: [],
          last: { id: EVENTS[0]!.event_id, param: "last_event_id" }
        }),
        // The first piece is a heartbeat.
        (piece) => piece
      )
    )
    yield* Latch.close(mayRead)
    const fibers = yield* Effect.forEach(pieces, (piece) =>
      Effect.forkChild(piece, { startImmediately: true })
    )
    yield* eventually(Effect.sync(() => assert.isAtLeast(reading, 2)))
    assert.strictEqual(reading, 2)
    yield* Latch.open(mayRead)
    for (const fiber of fibers) assert.include(yield* Fiber.join(fiber), EVENTS.at(-1)!.event_id)
  }).pipe(Effect.scoped, Effect.provide(Live))
)
