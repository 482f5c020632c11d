/** The events of real ledgers, through the role `events` to the API. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { events as eventsStage } from "../../../src/features/events/IndexEvents.ts"
import type { LedgerEvent } from "../../../src/spine/event/LedgerEvent.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { eventually } from "../../support/deliver/delivering.ts"
import { recordOf } from "../../support/deliver/events.ts"
import { apiLayer } from "../../support/http/api.ts"
import { comparable, corpusFiles, corpusPresent, expectedEvents } from "../../support/ledger/corpusLedgers.ts"
import { eventsClient } from "./eventsClient.ts"

const NOW = Date.parse("2026-11-23T00:00:00Z")

describe.skipIf(!corpusPresent)("real events (skipped without ../shared/xrpl-corpus)", () => {
  it.live("pass through the role `events` unchanged", () =>
    Effect.gen(function* () {
      const expected = corpusPresent ? expectedEvents(corpusFiles()) : []
      assert.lengthOf(expected, 2_553)
      const places = new Map<number, number>()
      const known = new Map(expected.map((event) => [event["ledger_index"], event.timestamp]))
      const log = yield* Log
      yield* log.transaction({
        append: expected.map((event) => {
          const { file: _, ...fields } = event
          // The corpus's README describes this form; what ingest adds is added here.
          const found = fields as unknown as LedgerEvent
          const position = places.get(found.ledger_index) ?? 0
          places.set(found.ledger_index, position + 1)
          const timestamp = known.get(found.ledger_index) ?? "2026-01-01T00:00:00Z"
          return recordOf({ ...found, network: "mainnet", timestamp, position, detected_at: NOW })
        })
      })
      yield* Effect.forkScoped(eventsStage(["mainnet"]))
      const { get, allPages } = yield* eventsClient("live")
      yield* eventually(
        Effect.gen(function* () {
          const topic = { topic: "xrpl.mainnet.events", partition: 0 }
          assert.strictEqual(yield* log.committed("events", topic), expected.length)
        })
      )
      const shown: ReadonlyArray<{ event_id: string }> = yield* allPages({ limit: "100" })
      const text = (event: { readonly [field: string]: unknown }) => comparable(event, { withTime: false })
      assert.deepStrictEqual(
        shown.map(text).toSorted(),
        expected.map(({ accounts: _, ...event }) => text(event)).toSorted()
      )
      const accounts = expected.map((event) => event["accounts"] as ReadonlyArray<string>)
      for (const account of ["rrrrrrrrrrrrrrrrrrrrBZbvji", ...accounts[0]!, ...accounts[2_000]!]) {
        assert.lengthOf(
          yield* allPages({ account, limit: "100" }),
          accounts.filter((involved) => involved.includes(account)).length
        )
      }
      const last = expected.at(-1)!
      const one = yield* get(`/v1/events/${last.event_id}`)
      assert.strictEqual(text(one.body), text({ ...last, accounts: undefined }))
    }).pipe(Effect.scoped, Effect.provide(apiLayer({ RETENTION_EVENTS: "36500 days" })))
  )
})
