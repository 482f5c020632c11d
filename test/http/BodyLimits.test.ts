/** Every route that may get a body has a limit of it. A route that is new must say its own here. */
import { assert, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpApi } from "effect/http-api"
import { Api } from "../../src/app/Contract.ts"
import { makeFindPath } from "../../src/http/Paths.ts"
import { ApiUnderTest, apiLayer } from "../support/http/api.ts"

const KIB = 1_024
const MIB = 1_024 * KIB

const limits: Readonly<Record<string, number>> = {
  "POST /v1/webhooks": MIB,
  "PATCH /v1/webhooks/:id": MIB,
  "DELETE /v1/webhooks/:id": KIB,
  "POST /v1/webhooks/:id/rotate-secret": MIB,
  "POST /v1/webhooks/:id/test": MIB,
  "POST /v1/webhooks/:id/preview": MIB,
  "POST /v1/webhooks/:id/account-filters": MIB,
  "POST /v1/deliveries/:id/retry": KIB,
  "POST /v1/deliveries/retry": MIB,
  "POST /v1/replay": 2 * MIB,
  "DELETE /v1/replay/:job_id": KIB,
  "POST /v1/events/preview": MIB,
  "POST /v1/api-keys": MIB,
  "DELETE /v1/api-keys/:id": KIB,
  "PUT /v1/account/notices": MIB,
  "DELETE /v1/account/notices": KIB,
  "POST /v1/account/notices/test": KIB,
  // Callers without a key send these.
  "POST /v1/session": KIB,
  "DELETE /v1/session": KIB
}

it("every route of the contract that may have a body has a limit of it", () => {
  const find = makeFindPath(Api, [])
  const found: Record<string, number | undefined> = {}
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint: { method, path } }) => {
      if (method !== "GET") found[`${method} ${path}`] = find(path)?.endpoints.get(method)?.bodyBytes
    }
  })
  assert.deepStrictEqual(found, { ...limits })
})

layer(apiLayer(), { excludeTestServices: true })("limits of bodies", (it) => {
  it.effect("a body that is a byte larger is refused with 413, on every route", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { key } = yield* api.account()
      for (const [route, bytes] of Object.entries(limits)) {
        const [method = "", path = ""] = route.split(" ")
        const answer = yield* api.call(method, path, { key, body: " ".repeat(bytes + 1) })
        assert.deepStrictEqual(
          [route, answer.status, answer.body.error.message],
          [route, 413, `The request body must have at most ${bytes} bytes.`]
        )
      }
    })
  )
})
