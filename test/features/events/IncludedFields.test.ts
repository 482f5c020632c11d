/** `GET /v1/events` and `GET /v1/events/:event_id` with `include`. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { EventIndex } from "../../../src/features/events/EventIndex.ts"
import { includables, withIncluded } from "../../../src/spine/event/Include.ts"
import { eventJson } from "../../../src/spine/event/LedgerEvent.ts"
import { booked } from "../../support/deliver/bookedEvent.ts"
import { eventOf } from "../../support/deliver/events.ts"
import { ApiUnderTest, apiLayer } from "../../support/http/api.ts"

layer(apiLayer(), { excludeTestServices: true })("events", (it) => {
  it.effect("have memos and balance changes if the request asks for them", () =>
    Effect.gen(function* () {
      const { account, call } = yield* ApiUnderTest
      const { key } = yield* account("live")
      const get = (path: string) => call("GET", path, { key })
      const event = { ...eventOf({}), ...booked }
      const newer = eventOf({ position: 1 })
      yield* (yield* EventIndex).insert([event, newer], Date.parse(event.timestamp))
      for (const include of [[], ["memos"], includables] as const) {
        const query = include.map((one) => `include=${one}`).join("&")
        const shown = eventJson(withIncluded(event, include))
        assert.strictEqual((yield* get(`/v1/events/${event.event_id}?${query}`)).text, shown)
        const { text } = yield* get(`/v1/events?${query}`)
        assert.include(text, `[${eventJson(newer)},${shown}]`)
      }
      assert.strictEqual((yield* get("/v1/events?include=fees")).status, 400)
    })
  )
})
