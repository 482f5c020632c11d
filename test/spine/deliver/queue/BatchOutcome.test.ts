/** What a request carries, and what a response to a batch means for each of its deliveries. */
import { assert, describe, it } from "@effect/vitest"
import { makeLane } from "../../../../src/spine/deliver/queue/Lane.ts"
import { takeSending } from "../../../../src/spine/deliver/queue/WebhookQueue.ts"
import { batchOutcomes, EACH_KEEPS } from "../../../../src/spine/deliver/send/Attempt.ts"
import { batchBody } from "../../../../src/spine/event/Batch.ts"
import { sequenceOf } from "../../../../src/spine/event/Sequence.ts"
import type { RegisteredWebhook } from "../../../../src/spine/registry/WebhookRegistry.ts"
import { event } from "../../../support/deliver/sending.ts"

const ids = ["dlv_a", "dlv_b", "dlv_c"]

const errorsOf = (status: number, responseBody: string) => {
  const delivered = status >= 200 && status < 300
  const details = { connectMs: null, firstByteMs: 1, totalMs: 2, responseHeaders: null }
  const outcomes = batchOutcomes(
    {
      delivered,
      responseStatus: status,
      responseTimeMs: 1,
      responseBody,
      error: delivered ? null : `HTTP ${status}`,
      details
    },
    "bat_1",
    ids
  )
  for (const { delivered, details, error, responseBody } of outcomes) {
    assert.strictEqual(delivered, error === null)
    assert.strictEqual(details?.batchId, "bat_1")
    assert.isAtMost(responseBody!.length, EACH_KEEPS)
  }
  return outcomes.map(({ error }) => error)
}

const list = (...failed: ReadonlyArray<unknown>) => JSON.stringify({ failed })
const same = (error: string | null) => [error, error, error]
const UNREADABLE = "HTTP 207 without a list of failed deliveries"
const second = (status: number) => [null, `listed as failed (HTTP ${status})`, null]

describe("a response to a batch", () => {
  it.each([
    ["a 2xx delivers all", 200, "ok", same(null)],
    ["a 2xx that lists deliveries fails those", 200, list("dlv_b"), second(200)],
    ["a 207 that lists deliveries fails those", 207, list("dlv_b"), second(207)],
    ["other fields and spaces do not matter", 202, ` {"x":[1], "failed" : ["dlv_b"]}\n`, second(202)],
    ["a list with an id twice is read", 207, list("dlv_b", "dlv_b"), second(207)],
    ["ids of other deliveries are ignored", 207, list("dlv_z", "dlv_b"), second(207)],
    ["an empty list delivers all", 207, list(), same(null)],
    ["a 207 without a list fails all", 207, "", same(UNREADABLE)],
    ["a 207 with a list that was cut off fails all", 207, list("dlv_b").slice(0, -1), same(UNREADABLE)],
    ["a 207 with something else as ids fails all", 207, list("dlv_b", 7), same(UNREADABLE)],
    ["a 207 with another JSON value fails all", 207, "null", same(UNREADABLE)],
    ["another 2xx with a list that was cut off delivers all", 200, list("dlv_b").slice(0, -1), same(null)],
    ["another 2xx with something else as list delivers all", 200, `{"failed":"dlv_b"}`, same(null)],
    ["any other status fails all, whatever it lists", 500, list("dlv_b"), same("HTTP 500")],
    ["a long response is cut for each delivery", 200, "x".repeat(5_000), same(null)]
  ] as const)("%s", (_, status, body, expected) => {
    assert.deepStrictEqual(errorsOf(status, body), expected)
  })
})

const laneOf = (amounts: ReadonlyArray<string>) => {
  const lane = makeLane("live", "log")
  for (const [i, amount] of amounts.entries()) {
    const deliveryId = `dlv_${i}`
    lane.queued.push({
      key: `${deliveryId} 1`,
      deliveryId,
      attempt: 1,
      seriesAttempt: 1,
      event: { ...event, payload: { ...event.payload, amount } },
      kind: "live",
      acknowledge: undefined,
      queuedAt: 0,
      wasFree: false
    })
  }
  return lane
}

const webhookWith = (batch: object) => ({ config: { id: "wh_1", ...batch } }) as RegisteredWebhook
const tens = webhookWith({ batch: { max_events: 10, max_wait_ms: 0 } })

describe("a request", () => {
  it("carries one delivery if its webhook has no batch", () => {
    const lane = laneOf(["1", "2"])
    const [first, second] = [...lane.queued]
    assert.deepStrictEqual(takeSending(lane, webhookWith({}), 1), { works: [first!] })
    assert.deepStrictEqual(lane.queued, [second!])
  })

  it("carries deliveries as a JSON array with their ids, in order, up to max_events", () => {
    const lane = laneOf(Array.from({ length: 12 }, (_, i) => String(i)))
    const { items, works } = takeSending(lane, tens, 1_000_000)!
    assert.strictEqual(lane.queued.length, 2)
    const { accounts: _, detected_at: __, position, ...envelope } = event
    const sequence = sequenceOf({ ...envelope, position })
    assert.deepStrictEqual(
      JSON.parse(batchBody(items!)),
      works.map(({ deliveryId, event: { payload } }) => ({
        delivery_id: deliveryId,
        sequence,
        event: { ...envelope, webhook_id: "wh_1", payload }
      }))
    )
    assert.deepStrictEqual(
      works.map(({ deliveryId }) => deliveryId),
      Array.from({ length: 10 }, (_, i) => `dlv_${i}`)
    )
  })

  it("stays within the limit of bytes, counted in UTF-8, unless one delivery alone exceeds it", () => {
    const euros = ["€", "€€", "€€€", "€".repeat(1_000), "€"]
    const whole = takeSending(laneOf(euros.slice(0, 3)), tens, 1_000_000)!
    const bytes = Buffer.byteLength(batchBody(whole.items!))
    const lane = laneOf(euros)
    const sizes = [bytes, bytes - 1, 10].map((most) => takeSending(lane, tens, most)!.works.length)
    assert.deepStrictEqual(sizes, [3, 1, 1])
  })
})
