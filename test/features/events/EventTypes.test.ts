/** `/v1/event-types` and the page `/docs/event-types`: every event type, as it is published in `schemas/`. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { eventCatalogue } from "../../../src/spine/event/EventCatalogue.ts"
import { eventTypes } from "../../../src/spine/event/EventType.ts"
import { complaints, ENVELOPE, payloadPath, readSchema } from "../../schemas/support.ts"
import { ApiUnderTest, apiLayer } from "../../support/http/api.ts"

layer(apiLayer(), { excludeTestServices: true })("/v1/event-types", (it) => {
  it.effect(
    "shows each type with its trigger, its published schema and an example that the schema accepts",
    () =>
      Effect.gen(function* () {
        const api = yield* ApiUnderTest
        const { accountId } = yield* api.account()
        const key = yield* api.keyFor(accountId, "test", ["webhooks:read"])
        const { status, body } = yield* api.call("GET", "/v1/event-types", { key })
        assert.strictEqual(status, 200)
        assert.deepStrictEqual(Object.keys(body), ["data"])
        const listed: ReadonlyArray<Record<string, unknown>> = body.data
        assert.sameMembers(
          listed.map(({ event_type }) => event_type),
          [...eventTypes]
        )
        for (const { event_type, description, schema, example } of listed) {
          const path = payloadPath(String(event_type))
          assert.deepStrictEqual(schema, readSchema(path))
          assert.strictEqual(description, readSchema(path)["description"])
          assert.deepStrictEqual(complaints(path, example), [])
        }
      })
  )

  it.effect("are described on a page whose links lead to its own sections", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { status, text } = yield* api.call("GET", "/docs/event-types")
      assert.strictEqual(status, 200)
      assert.notMatch(text, /undefined|\[object/)
      const ids = new Set(Array.from(text.matchAll(/ id="([^"]+)"/g), ([, id]) => id!))
      for (const [, to] of text.matchAll(/href="#([^"]+)"/g)) assert.isTrue(ids.has(to!), to)
      for (const type of eventTypes) assert.isTrue(ids.has(type), type)
      const { text: docs } = yield* api.call("GET", "/docs")
      assert.include(docs, 'href="/docs/event-types"')
    })
  )

  it.effect("have an example body that the published envelope accepts", () =>
    Effect.sync(() => {
      for (const { event_type, exampleBody } of eventCatalogue())
        assert.deepStrictEqual(complaints(ENVELOPE, exampleBody), [], event_type)
    })
  )
})
