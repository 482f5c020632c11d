/** Whether a webhook with a backlog waits for its receiver or for the service. */
import { assert, describe, it } from "@effect/vitest"
import {
  heldUpMs,
  makeWebhookQueue,
  requestEnded,
  requestStarted
} from "../../../../src/spine/deliver/queue/WebhookQueue.ts"
import { current } from "./laneTables.ts"

const SPAN_MS = 3_000

/** A webhook with a backlog and that many requests in flight. */
const queueOf = (inFlight: number, maxPerSecond: number | null = null) => {
  const queue = makeWebhookQueue("wh_1", current("all", 10, maxPerSecond), "backlog", 0)
  for (let i = 0; i < inFlight; i++) requestStarted(queue, 0)
  return queue
}

/** What a span says in which that many requests at a time took that long each. */
const said = (inFlight: number, tookMs: number, lagMs: number): number => {
  const queue = queueOf(inFlight)
  queue.use.ended = (inFlight * SPAN_MS) / tookMs
  return heldUpMs(queue, lagMs, SPAN_MS)
}

describe("a webhook with a backlog is held back", () => {
  it("by its receiver, while its limit is full of requests without an answer", () => {
    assert.strictEqual(said(10, 9_000, 1), 0)
    assert.strictEqual(said(10, 50, 1), 0)
    assert.strictEqual(said(10, 2_000, 200), 0, "although the process is slow too")
  })

  it("by the service, while requests end late because of its own event loop", () => {
    assert.strictEqual(said(10, 220, 60), SPAN_MS)
  })

  it("by the service, while its limit is not used, for example because attempts wait for their record", () => {
    assert.strictEqual(said(2, 5, 1), SPAN_MS)
  })

  it("by itself, if it has a rate, or no backlog", () => {
    assert.strictEqual(heldUpMs(queueOf(0, 5), 1, SPAN_MS), 0)
    assert.strictEqual(heldUpMs(makeWebhookQueue("wh_1", current(), "log", 0), 1, SPAN_MS), 0)
  })

  it("for as long as that lasts", () => {
    const queue = queueOf(0)
    assert.strictEqual(heldUpMs(queue, 1, 3_000), 3_000)
    assert.strictEqual(heldUpMs(queue, 1, 6_000), 6_000)
    for (let i = 0; i < 10; i++) requestStarted(queue, 6_100)
    assert.strictEqual(heldUpMs(queue, 1, 9_000), 0)
    for (let i = 0; i < 10; i++) requestEnded(queue, 9_001)
    assert.strictEqual(heldUpMs(queue, 1, 12_000), 3_000)
  })
})
