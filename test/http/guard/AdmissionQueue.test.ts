/** Requests are admitted in batches: those that arrive during a statement share the next, and a full queue refuses. */

import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer, Option } from "effect"
import { AccountStore } from "../../../src/features/accounts/AccountStore.ts"
import { ApiKeyStore } from "../../../src/features/accounts/ApiKeyStore.ts"
import { AdmissionQueue } from "../../../src/http/guard/AdmissionQueue.ts"
import { KeyAdmission } from "../../../src/http/guard/KeyAdmission.ts"
import { httpLimits } from "../../../src/http/Limits.ts"
import type { Credential } from "../../../src/spine/domain/ApiKey.ts"
import { credentialOf } from "../../support/http/admission.ts"
import { TestDatabase } from "../../support/store/postgres.ts"

/** The real statement. It begins when the test allows it, and is counted. */
const held = Layer.effect(
  KeyAdmission,
  Effect.map(KeyAdmission, ({ admit }) =>
    KeyAdmission.of({
      admit: (requests, nowMs) =>
        Effect.sync(() => statements.push([...requests.values()].reduce((sum, n) => sum + n, 0))).pipe(
          Effect.andThen(Latch.await(mayGo)),
          Effect.andThen(admit(requests, nowMs))
        )
    })
  )
).pipe(Layer.provide(KeyAdmission.layer))

const statements: Array<number> = []
const mayGo = Latch.makeUnsafe(true)

const Live = AdmissionQueue.layer.pipe(
  Layer.provide(held),
  Layer.merge(AccountStore.layer),
  Layer.provideMerge(ApiKeyStore.layer),
  Layer.provideMerge(TestDatabase)
)

const makeKey = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const keys = yield* ApiKeyStore
  const accountId = yield* accounts.create({ name: "test", email: null, plan: "enterprise" }, 0)
  const created = yield* keys.create({ accountId, name: "k", scopes: ["admin"], environment: "live" }, 0)
  return credentialOf(created!.value)
})

/** Sends requests while one statement is under way. Returns the answers after it has resumed. */
const during = Effect.fnUntraced(function* (credential: Credential, requests: number) {
  const { admit } = yield* AdmissionQueue
  statements.length = 0
  yield* Latch.close(mayGo)
  const first = yield* Effect.forkChild(admit(credential))
  while (statements.length === 0) yield* Effect.yieldNow
  const others = yield* Effect.forkChild(
    Effect.all(
      Array.from({ length: requests }, () => Effect.option(admit(credential))),
      { concurrency: "unbounded" }
    )
  )
  yield* Effect.yieldNow
  yield* Latch.open(mayGo)
  yield* Fiber.join(first)
  return yield* Fiber.join(others)
})

layer(Live)("admission queue", (it) => {
  it.effect("requests that arrive during a statement share the next one, each with its own result", () =>
    Effect.gen(function* () {
      const answers = yield* during(yield* makeKey, 200)
      assert.deepStrictEqual(statements, [1, 200])
      const remaining = answers.map((answer) => Option.flatten(answer).pipe(Option.getOrThrow).rate.remaining)
      // The limit is 10,000 a minute, and one request came before these.
      assert.deepStrictEqual(
        remaining,
        Array.from({ length: 200 }, (_, i) => 9_998 - i)
      )
    })
  )

  it.effect("a full queue refuses further requests at once, and serves those it has", () =>
    Effect.gen(function* () {
      const answers = yield* during(yield* makeKey, httpLimits.admissionQueue + 10)
      assert.strictEqual(answers.filter(Option.isNone).length, 10)
      assert.deepStrictEqual(statements, [1, httpLimits.admissionQueue])
    })
  )

  it.effect("an unknown key is rejected in any batch", () =>
    Effect.gen(function* () {
      const { admit } = yield* AdmissionQueue
      const known = yield* makeKey
      const answers = yield* Effect.all(
        [admit(credentialOf("unknown")), admit(known), admit(credentialOf("other"))],
        {
          concurrency: "unbounded"
        }
      )
      assert.deepStrictEqual(answers.map(Option.isSome), [false, true, false])
    })
  )
})
