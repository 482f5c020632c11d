/** The places for streams of one server are shared: no few accounts can take all of them. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ApiKeyStore } from "../../../../src/features/accounts/ApiKeyStore.ts"
import { StreamLimits } from "../../../../src/features/events/stream/Limits.ts"
import { OpenStreams, type StreamKind } from "../../../../src/features/events/stream/OpenStreams.ts"
import { planLimits } from "../../../../src/spine/domain/Plans.ts"
import { OwnOpenFiles } from "../../../../src/spine/observe/OpenFiles.ts"
import { TestDatabase } from "../../../support/store/postgres.ts"

const opened = Effect.fnUntraced(function* (accountId: string, kind: StreamKind = "event") {
  const caller = {
    keyId: accountId,
    admittedBy: "key 00",
    accountId,
    plan: "builder",
    limits: planLimits.builder,
    environment: "live",
    scopes: ["admin"]
  } as const
  const request = { kind, caller, connection: { endStream: undefined, destroy: () => {} } }
  const pieces = Effect.succeed({ piece: Effect.never, endedBecause: () => undefined })
  return yield* (yield* OpenStreams)
    .open(request, () => pieces)
    .pipe(Effect.match({ onFailure: ({ error }) => error.message, onSuccess: () => "open" }))
})

const places = (inAll: number, files: number | undefined = undefined) =>
  OpenStreams.layer.pipe(
    Layer.provide(ApiKeyStore.layer),
    Layer.provide(TestDatabase),
    Layer.provide(
      Layer.effect(
        StreamLimits,
        Effect.map(StreamLimits, (standard) => ({ ...standard, inAll }))
      )
    ),
    Layer.provide(Layer.succeed(OwnOpenFiles, files))
  )

const HALF =
  "Half of the 4 streams that this server can have are open, so an account may open one only; end one first, or try again later."

it.live("beyond half of the places an account gets one, of any kind, so others get theirs", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual([yield* opened("a"), yield* opened("a")], ["open", "open"])
    assert.deepStrictEqual([yield* opened("a"), yield* opened("a", "ledger")], [HALF, HALF])
    assert.deepStrictEqual([yield* opened("b"), yield* opened("b", "ledger")], ["open", HALF])
    assert.strictEqual(yield* opened("c"), "open")
    assert.strictEqual(yield* opened("d"), "This server has 4 streams open, and can have no more. Try again.")
  }).pipe(Effect.scoped, Effect.provide(places(4)))
)

it.live("are fewer if the process may have few files open, so a new caller still gets a connection", () =>
  Effect.gen(function* () {
    // Of 40 files 16 are for connections, and of these 4 for streams.
    for (const account of ["a", "b", "c", "d"]) assert.strictEqual(yield* opened(account), "open")
    assert.notStrictEqual(yield* opened("e"), "open")
  }).pipe(Effect.scoped, Effect.provide(places(250, 40)))
)
