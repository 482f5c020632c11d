/** `POST /v1/webhooks/:id/preview` shows exactly the newest events that route would match, and changes nothing. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { eventsTopic, type LedgerEvent } from "../../../src/spine/event/LedgerEvent.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { addresses } from "../../support/deliver/events.ts"
import { ApiUnderTest, apiLayer } from "../../support/http/api.ts"
import { eventsOf, pastLedgers, writeLedgers } from "../replay/replaying.ts"

const ledgers = pastLedgers(5, 400)
const newestFirst = eventsOf(ledgers).toReversed()

const customer = Effect.fnUntraced(function* (webhook: object = {}) {
  const api = yield* ApiUnderTest
  const { key } = yield* api.account()
  const { body } = yield* api.call("POST", "/v1/webhooks", {
    key,
    body: { url: "https://example.com/hook", event_types: ["*"], ...webhook }
  })
  const path = `/v1/webhooks/${body.id}`
  return {
    webhook: body,
    shown: Effect.map(api.call("GET", path, { key }), (answer) => answer.body),
    preview: (asked?: object) =>
      api.call("POST", `${path}/preview`, { key, ...(asked === undefined ? {} : { body: asked }) })
  }
})

/** The preview that the API promises for the `count` newest events. */
const expected = (
  count: number,
  isCandidate: (event: LedgerEvent) => boolean,
  isWanted: (event: LedgerEvent) => boolean
) => {
  const examined = newestFirst.slice(0, count)
  const candidates = examined.filter(isCandidate)
  const matched = candidates.filter(isWanted)
  const by_type: Record<string, number> = {}
  for (const { event_type } of matched) by_type[event_type] = (by_type[event_type] ?? 0) + 1
  return {
    examined: examined.length,
    candidates: candidates.length,
    matched: matched.length,
    by_type,
    oldest_at: examined.at(-1)!.timestamp,
    newest_at: examined[0]!.timestamp,
    sample_event_ids: matched.slice(0, 5).map(({ event_id }) => event_id)
  }
}

const isXrp = ({ event_type }: LedgerEvent) => event_type === "payment.xrp"
const amountOf = ({ payload }: LedgerEvent) => Number(payload["amount"])

layer(apiLayer(), { excludeTestServices: true, timeout: "60 seconds" })("a preview", (it) => {
  it.effect("of a network without events examines none", () =>
    Effect.gen(function* () {
      const { preview } = yield* customer()
      const { status, body } = yield* preview()
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(body, {
        examined: 0,
        candidates: 0,
        matched: 0,
        by_type: {},
        oldest_at: null,
        newest_at: null,
        sample_event_ids: []
      })
      yield* writeLedgers(ledgers)
    })
  )

  it.effect("counts with the webhook's own filters, and changes nothing", () =>
    Effect.gen(function* () {
      const { preview, shown, webhook } = yield* customer({
        event_types: ["payment.*"],
        account_filters: [addresses[0]],
        payload_filter: { amount: { $gte: "2" } }
      })
      const { secret: _, ...before } = webhook
      const answer = yield* preview()
      assert.deepStrictEqual(
        answer.body,
        expected(
          1_000,
          (event) => isXrp(event) && event.accounts.includes(addresses[0]),
          (event) => amountOf(event) >= 2
        )
      )
      assert.deepStrictEqual(yield* shown, before)
    })
  )

  it.effect("counts with other filters in their place, null taking the payload filter away", () =>
    Effect.gen(function* () {
      const { preview } = yield* customer({
        event_types: ["nft.minted"],
        account_filters: [addresses[1]],
        payload_filter: { taxon: 7 }
      })
      const all = yield* preview({
        event_types: ["*"],
        account_filters: [],
        payload_filter: null,
        events: 10_000
      })
      assert.deepStrictEqual(
        all.body,
        expected(
          10_000,
          () => true,
          () => true
        )
      )
      for (const events of [1, 7, 249, 250, 251, 777]) {
        const { body } = yield* preview({
          event_types: ["*"],
          account_filters: [],
          payload_filter: { amount: { $exists: true, $ne: 1 } },
          events
        })
        assert.deepStrictEqual(
          body,
          expected(
            events,
            () => true,
            (event) => isXrp(event) && amountOf(event) !== 1
          )
        )
      }
    })
  )

  it.effect("passes over records that are no events", () =>
    Effect.gen(function* () {
      const log = yield* Log
      const { preview } = yield* customer()
      yield* log.transaction({
        append: ["null", "{"].map((value) => ({ topic: eventsTopic("mainnet"), key: "mainnet", value }))
      })
      const { body } = yield* preview({ events: 10 })
      assert.deepStrictEqual(
        body,
        expected(
          10,
          () => true,
          () => true
        )
      )
    })
  )

  it.effect("refuses filters that no webhook could have", () =>
    Effect.gen(function* () {
      const { preview } = yield* customer({ event_types: ["nft.minted"] })
      for (const [asked, says] of [
        [{ events: 0 }, /^events must be an integer from 1 to 10000\.$/],
        [{ events: 10_001 }, /^events must be/],
        [{ event_types: [] }, /^event_types must contain at least one event type\.$/],
        [{ account_filters: ["rWrong"] }, /^account_filters\[0\] must be a valid classic XRPL address/],
        [{ payload_filter: { taxn: 1 } }, /^payload_filter\.taxn is not a field/],
        [
          { payload_filter: { $or: [{ amount: 1 }] } },
          /^payload_filter\.\$or\[0\]\.amount is not a field of the event types asked for; these have it: nft\.offer_created/
        ],
        [{ network: "testnet" }, /^network is unknown; accepted: /]
      ] as const) {
        const { status, body } = yield* preview(asked)
        assert.strictEqual(status, 400)
        assert.match(body.error.message, says)
      }
    })
  )
})
