/** `GET /v1/events/counts` and `POST /v1/events/preview` count the events of the last 24 hours, and change nothing. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { EventIndex } from "../../../src/features/events/EventIndex.ts"
import { eventLimits } from "../../../src/features/events/Limits.ts"
import type { LedgerEvent } from "../../../src/spine/event/LedgerEvent.ts"
import { addresses, eventOf } from "../../support/deliver/events.ts"
import { ApiUnderTest, apiLayer } from "../../support/http/api.ts"

const SECOND = 1_000
const HOUR = 3_600 * SECOND
const LEDGER = 90_000_000
const kinds = ["payment.xrp", "nft.minted", "payment.xrp", "payment.issued"] as const

/** An event every `stepMs` up to now. `amount` of a payment is its number: 0 is the newest. */
const eventsUntil = (nowMs: number, number: number, stepMs: number) =>
  Array.from({ length: number }, (_, at) => {
    const event = eventOf({
      ledgerIndex: LEDGER - at,
      type: kinds[at % kinds.length]!,
      timestamp: `${new Date(nowMs - (at + 1) * stepMs).toISOString().slice(0, 19)}Z`,
      accounts: [addresses[at % 2]!, addresses[2]]
    })
    return { ...event, payload: { ...event.payload, amount: String(at) } }
  })

const store = (events: ReadonlyArray<LedgerEvent>) =>
  Effect.flatMap(EventIndex, (index) => index.insert(events, Date.now()))

const customer = Effect.fnUntraced(function* (environment: "live" | "test" = "live") {
  const api = yield* ApiUnderTest
  const { key } = yield* api.account(environment)
  return {
    counts: Effect.map(api.call("GET", "/v1/events/counts", { key }), ({ body }) => body),
    preview: (body: object) => api.call("POST", "/v1/events/preview", { key, body })
  }
})

layer(apiLayer(), { excludeTestServices: true, timeout: "60 seconds" })("the last day", (it) => {
  it.effect("has no events at first", () =>
    Effect.gen(function* () {
      const { counts, preview } = yield* customer()
      const counted = yield* counts
      assert.deepStrictEqual(counted.by_type, {})
      assert.strictEqual(Date.parse(counted.until) - Date.parse(counted.since), 24 * HOUR)
      const { body, status } = yield* preview({ event_types: ["*"] })
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(
        [body.candidates, body.examined, body.matched, body.by_type, body.samples],
        [0, 0, 0, {}, []]
      )
      assert.strictEqual(body.parts.length, eventLimits.previewParts)
    })
  )
})

const now = Date.now()
// 25 of them are older than a day.
const quiet = eventsUntil(now, 265, 6 * 60 * SECOND)
const ofDay = quiet.slice(0, 239)
const numberOf = (event: LedgerEvent) => Number(event.payload["amount"])

layer(Layer.provideMerge(Layer.effectDiscard(store(quiet)), apiLayer()), {
  excludeTestServices: true,
  timeout: "60 seconds"
})("the last day", (it) => {
  it.effect("is counted by type", () =>
    Effect.gen(function* () {
      const { counts } = yield* customer()
      const { by_type, network } = yield* counts
      assert.strictEqual(network, "mainnet")
      assert.deepStrictEqual(by_type, { "payment.xrp": 120, "payment.issued": 59, "nft.minted": 60 })
    })
  )

  it.effect("is matched with types, accounts and a payload filter", () =>
    Effect.gen(function* () {
      const { preview } = yield* customer()
      for (const [accounts, wants] of [
        [[], () => true],
        [[addresses[2]], () => true],
        [[addresses[0]], (event: LedgerEvent) => event.accounts.includes(addresses[0])],
        [[addresses[0], addresses[0], addresses[1]], () => true],
        [["rrrrrrrrrrrrrrrrrrrrBZbvji"], () => false]
      ] as const) {
        const { body } = yield* preview({
          event_types: ["payment.xrp", "nft.*"],
          account_filters: accounts,
          payload_filter: { amount: { $gte: "100" } }
        })
        const candidates = ofDay.filter(({ event_type }) => event_type !== "payment.issued").filter(wants)
        const matched = candidates.filter(
          (event) => event.event_type === "payment.xrp" && numberOf(event) >= 100
        )
        assert.strictEqual(body.candidates, candidates.length)
        assert.strictEqual(body.examined, candidates.length)
        assert.strictEqual(body.examined_since, body.since)
        assert.strictEqual(body.matched, matched.length)
        assert.strictEqual(
          body.parts.reduce((sum: number, part: number) => sum + part, 0),
          matched.length
        )
        assert.deepStrictEqual(
          body.samples.map(({ payload }: LedgerEvent) => payload["amount"]),
          matched.slice(0, eventLimits.previewDaySamples).map(({ payload }) => payload["amount"])
        )
      }
    })
  )

  it.effect("is examined at its end only if it has too many events", () =>
    Effect.gen(function* () {
      const { preview } = yield* customer("test")
      const busy = eventsUntil(now, eventLimits.previewCandidates + 1_000, SECOND).map((event) => ({
        ...event,
        event_id: event.event_id.replace(/:[^:]*$/, ":check.cashed"),
        event_type: "check.cashed" as const,
        network: "testnet" as const
      }))
      yield* store(busy)
      const { body } = yield* preview({ event_types: ["check.*"], payload_filter: { amount: "7" } })
      assert.strictEqual(body.candidates, busy.length)
      assert.isAtMost(body.examined, eventLimits.previewCandidates)
      assert.isAbove(body.examined, 1_000)
      assert.strictEqual(body.matched, 1)
      assert.strictEqual(body.samples[0].payload.amount, "7")
      assert.isAbove(Date.parse(body.examined_since), Date.parse(body.since))
    })
  )

  it.effect("is refused for filters that no webhook could have, and for another network", () =>
    Effect.gen(function* () {
      const { preview } = yield* customer()
      for (const [asked, param] of [
        [{}, "/event_types"],
        [{ event_types: ["payment.*"], account_filters: ["rWrong"] }, "/account_filters/0"],
        [{ event_types: ["nft.minted"], payload_filter: { taxn: 1 } }, "/payload_filter/taxn"],
        [{ event_types: ["nft.minted"], payload_filter: { amount: "1" } }, "/payload_filter/amount"],
        [{ event_types: ["*"], network: "testnet" }, "/network"]
      ] as const) {
        const { status, body } = yield* preview(asked)
        assert.strictEqual(status, 400)
        assert.strictEqual(body.error.param, param)
      }
    })
  )
})
