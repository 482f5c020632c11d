/** The texts and figures of a delivery's page, and the list's headline. */
import { assert, describe, it } from "@effect/vitest"
import type { DeliveryDetail } from "../../../dashboard/src/api/ledgerhook.ts"
import {
  deliveryTitle,
  whyItWaits
} from "../../../dashboard/src/features/deliveries/delivery/deliveryTitle.ts"
import {
  laneOf,
  rootScale,
  withoutOverlap
} from "../../../dashboard/src/features/deliveries/delivery/lane.ts"
import { curlOf, forwardLine } from "../../../dashboard/src/features/deliveries/delivery/sending.ts"
import { headlineOf } from "../../../dashboard/src/features/deliveries/list/headline.ts"
import { plainDigits } from "../../../dashboard/src/words/format.ts"
import { jsonParts } from "../../../dashboard/src/words/json.ts"

const NOW = Date.parse("2026-11-26T10:00:00.000Z")
const at = (seconds: number) => new Date(NOW + seconds * 1_000).toISOString()

const attempt = (number: number, seconds: number, status: "failed" | "delivered" = "failed") => ({
  attempt: number,
  status,
  attempted_at: at(seconds),
  response_status: 503,
  response_time_ms: 9,
  response_headers: null,
  response_body: null,
  connect_ms: null,
  first_byte_ms: 9,
  total_ms: 9,
  batch_id: null
})

const detail: DeliveryDetail = {
  id: "dlv_1",
  webhook_id: "wh_1",
  event_id: "xrpl:7:AB:payment.xrp",
  event_type: "payment.xrp",
  status: "retrying",
  attempts: 3,
  last_error: "HTTP 503",
  response_status: 503,
  response_time_ms: 9,
  next_attempt_at: at(3_600),
  created_at: at(-10_000),
  updated_at: at(-9_000),
  request_headers: { "Content-Type": "application/json", "X-Service-Signature": "sha256=***" },
  request_body: `{"memo":"it's"}`,
  response_body: "down",
  attempt_history: [attempt(1, -10_000), attempt(2, -9_995), attempt(3, -9_000)]
}

const titleOf = (changed: Partial<DeliveryDetail>) =>
  plainDigits(deliveryTitle({ ...detail, ...changed }, NOW))

describe("a delivery", () => {
  it("says in its headline where it stands", () => {
    assert.strictEqual(titleOf({}), "Attempt 4 in 1 h")
    assert.strictEqual(titleOf({ next_attempt_at: at(-1) }), "Attempt 4 is due")
    assert.strictEqual(titleOf({ status: "pending" }), "Attempt 4 is queued")
    assert.strictEqual(titleOf({ status: "pending", attempts: 0 }), "Waits for its first attempt")
    assert.strictEqual(titleOf({ status: "failed", attempts: 10 }), "Failed after 10 attempts")
    assert.strictEqual(titleOf({ status: "delivered", attempts: 1 }), "Delivered at the first attempt")
    assert.strictEqual(titleOf({ status: "delivered" }), "Delivered at attempt 3, after 16 min 40 s")
  })

  it("says why it does not move", () => {
    const paused = { paused: true, health: { state: "paused" } }
    assert.match(whyItWaits("pending", paused)!, /paused/)
    assert.isUndefined(whyItWaits("delivered", paused))
    assert.match(whyItWaits("retrying", { paused: false, health: { state: "disabled" } })!, /disabled/)
    assert.isUndefined(whyItWaits("retrying", undefined))
  })

  it("is drawn up to the next attempt, and its first 45 minutes again", () => {
    const lane = laneOf(detail, NOW)
    assert.deepStrictEqual(
      lane.marks.map(({ afterMs }) => afterMs),
      [0, 5_000, 1_000_000]
    )
    assert.deepStrictEqual([lane.nowMs, lane.nextMs, lane.totalMs], [10_000_000, 13_600_000, 13_600_000])
    assert.strictEqual(lane.enlargedMs, 1_100_000)
    const ended = laneOf({ ...detail, status: "failed", next_attempt_at: null }, NOW)
    assert.deepStrictEqual([ended.nowMs, ended.nextMs, ended.totalMs], [undefined, undefined, 1_000_000])
    assert.strictEqual(laneOf(detail, NOW - 20_000_000).nowMs, 1_000_000)
    assert.isUndefined(laneOf({ ...detail, attempt_history: [attempt(1, -10_000)] }, NOW).enlargedMs)
    assert.deepStrictEqual([rootScale(25, 100), rootScale(200, 100)], [0.5, 1])
  })

  it("has labels that do not overlap; the first ones stay", () => {
    const labels = [10, 15, 40].map((place) => ({ at: place, width: 20 }))
    assert.deepStrictEqual(
      withoutOverlap(labels).map((label) => label.at),
      [10, 40]
    )
  })

  it("becomes a command for curl, without what is hidden", () => {
    assert.strictEqual(
      curlOf(detail, "http://localhost:3000/hook"),
      `curl -i 'http://localhost:3000/hook' \\\n  -H 'Content-Type: application/json' \\\n  --data-binary '{"memo":"it'\\''s"}'`
    )
    const batch = { ...detail, attempt_history: [{ ...attempt(1, 0), batch_id: "bat_1" }] }
    assert.include(curlOf(batch, "http://x/")!, `'[{"memo"`)
    assert.isUndefined(curlOf({ ...detail, request_body: null }, "http://x/"))
    assert.match(forwardLine("https://hooks.example", "nft.minted", "testnet"), / --network testnet$/)
    assert.notInclude(forwardLine("https://hooks.example", "nft.minted", "mainnet"), "--network")
  })

  it("has its JSON coloured, and no character changed", () => {
    const text = `{"a\\"b": [1.5, true, "x: 1"], "c": null}`
    const parts = jsonParts(text)
    assert.strictEqual(parts.map((part) => part.text).join(""), text)
    const of = (is: string) => parts.filter((part) => part.is === is).map((part) => part.text)
    assert.deepStrictEqual(of("key"), [`"a\\"b"`, `"c"`])
    assert.deepStrictEqual(of("string"), [`"x: 1"`])
    assert.deepStrictEqual(of("number"), ["1.5", "true", "null"])
  })
})

const webhook = (id: string, state: "failing" | "paused" | "healthy", waiting: number) => ({
  id,
  description: `Name ${id}`,
  url: `https://${id}.example`,
  health: { state } as never,
  stats: { waiting } as never
})

describe("the headline of deliveries", () => {
  const some = [webhook("a", "failing", 1_000), webhook("b", "failing", 2), webhook("p", "paused", 5)]

  it("says what waits and for whom", () => {
    const { note, title } = headlineOf(some, undefined, 0, "the last hour")
    assert.strictEqual(plainDigits(title), "1002 deliveries wait")
    assert.strictEqual(plainDigits(note), "1000 for Name a, 2 for Name b. Paused webhooks hold 5 more.")
  })

  it("is about one webhook if the list is", () => {
    const of = (id: string) => headlineOf(some, { id, name: `Name ${id}` }, 0, "the last hour")
    assert.strictEqual(of("b").title, "2 deliveries wait for Name b")
    assert.deepStrictEqual(of("p"), {
      title: "Deliveries to Name p",
      note: "The webhook is paused and holds 5."
    })
  })

  it("is plain only if nothing waits and nothing failed", () => {
    assert.strictEqual(
      headlineOf([], undefined, 2, "the last hour").title,
      "2 deliveries failed in the last hour"
    )
    assert.deepStrictEqual(headlineOf([], undefined, 0, "the last hour"), {
      title: "Deliveries",
      note: "nothing waits"
    })
  })
})
