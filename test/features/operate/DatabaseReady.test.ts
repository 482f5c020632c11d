/** `/readyz` shows trouble of the database while the database answers. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { DatabaseTrouble } from "../../../src/spine/store/DatabaseTrouble.ts"
import { ApiUnderTest, apiLayer } from "../../support/http/api.ts"

it.live("/readyz shows it: 200 while the database answers", () =>
  Effect.gen(function* () {
    const api = yield* ApiUnderTest
    const { body, status } = yield* api.call("GET", "/readyz/database")
    assert.strictEqual(status, 200)
    assert.deepStrictEqual(body.parts.database, { status: "degraded", detail: "the disk is full" })
  }).pipe(
    Effect.provide(apiLayer()),
    Effect.provideService(DatabaseTrouble, {
      note: () => Effect.void,
      noteStandbyWait: Effect.void,
      recent: Effect.succeed("the disk is full"),
      blocked: Effect.undefined
    })
  )
)
