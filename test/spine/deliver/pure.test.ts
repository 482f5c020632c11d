/**
 * Pure decisions of the delivery actor: is work current, may it start, what does a page mean, why did an attempt
 * fail.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Lane } from "../../../src/spine/deliver/queue/Lane.ts"
import {
  addHeld,
  largestOverFairShare,
  makeMemoryBudget,
  remainingFor
} from "../../../src/spine/deliver/queue/MemoryBudget.ts"
import {
  makeWebhookQueue,
  payRate,
  rateWaitMs,
  type WebhookQueue
} from "../../../src/spine/deliver/queue/WebhookQueue.ts"
import { connectionFailure, responseFailure } from "../../../src/spine/deliver/send/RequestFailures.ts"
import { retryAfterMs } from "../../../src/spine/deliver/send/RetryAfter.ts"
import { workState } from "../../../src/spine/deliver/take/WorkState.ts"
import type { DeliveryState } from "../../../src/spine/deliveries/DeliveryStore.ts"
import type { DeliveryWork } from "../../../src/spine/domain/Delivery.ts"
import { delayAfter, delayOf, lengthened, longestStayMs } from "../../../src/spine/domain/RetryPolicy.ts"

const work = (attempt: number) =>
  ({ delivery_id: "dlv_1", webhook_id: "wh_1", attempt, series_attempt: attempt, due_at: 0 }) as DeliveryWork
const row = (status: DeliveryState["status"], attempts: number, parked = false): DeliveryState => ({
  status,
  attempts,
  parked,
  nextAttemptAt: null,
  nextDelayMs: null,
  isTest: false
})

describe("work state", () => {
  it("is current only as the row's next attempt", () => {
    assert.strictEqual(workState(work(1), row("pending", 0), false), "current")
    assert.strictEqual(workState(work(3), row("retrying", 2), false), "current")
    assert.strictEqual(workState(work(2), row("retrying", 2), false), "duplicate")
    assert.strictEqual(workState(work(5), row("retrying", 2), false), "duplicate")
  })
  it("is current without a row if its outcome makes the row", () => {
    const unwritten = { ...work(1), row: { account_id: "acct_1", event_offset: 7 } }
    assert.strictEqual(workState(unwritten, undefined, true), "current")
    assert.strictEqual(workState(unwritten, row("pending", 0), true), "current")
    assert.strictEqual(workState(unwritten, row("delivered", 1), true), "duplicate")
  })
  it("is early while the attempt before it is not recorded, also in the backlog", () => {
    assert.strictEqual(workState(work(4), row("retrying", 2), false), "early")
    assert.strictEqual(workState(work(2), row("pending", 0, true), false), "early")
    assert.strictEqual(workState(work(2), row("failed", 0), false), "duplicate")
  })
  it("is unanswered only if an earlier owner may have died before it appended the retry", () => {
    assert.strictEqual(workState(work(2), row("retrying", 2), true), "unanswered")
    assert.strictEqual(workState(work(1), row("retrying", 2), true), "duplicate")
  })
  it("is a duplicate if the delivery has ended, has no row, or is in the backlog", () => {
    assert.strictEqual(workState(work(2), row("delivered", 1), true), "duplicate")
    assert.strictEqual(workState(work(2), row("failed", 1), true), "duplicate")
    assert.strictEqual(workState(work(1), undefined, true), "duplicate")
    assert.strictEqual(workState(work(2), undefined, true), "duplicate")
    assert.strictEqual(workState(work(1), row("pending", 0, true), true), "duplicate")
  })
})

describe("retry policy", () => {
  it("follows the schedule within its jitter and ends after the last delay", () => {
    const policy = { delaysMs: [1_000, 5_000], jitter: 0.1 }
    assert.strictEqual(delayAfter(policy, 1, 0.5), 1_000)
    assert.strictEqual(delayAfter(policy, 2, 0), 4_500)
    assert.isAtMost(delayAfter(policy, 2, 0.999_999)!, 5_500)
    assert.strictEqual(delayAfter(policy, 3, 0.5), undefined)
  })
})

describe("Retry-After", () => {
  const now = Date.parse("2026-11-21T09:30:00Z")
  it("accepts whole seconds or an HTTP date, and nothing else", () => {
    assert.strictEqual(retryAfterMs("0", now), 0)
    assert.strictEqual(retryAfterMs(" 120 ", now), 120_000)
    assert.strictEqual(retryAfterMs("Sat, 21 Nov 2026 09:31:00 GMT", now), 60_000)
    assert.strictEqual(retryAfterMs("Saturday, 21-Nov-26 09:31:00 GMT", now), 60_000)
    assert.strictEqual(retryAfterMs("Sat Nov 21 09:31:00 2026", now), 60_000)
    assert.strictEqual(retryAfterMs("Sat, 21 Nov 2026 09:29:00 GMT", now), 0)
    for (const nonsense of [
      "",
      "-1",
      "1.5",
      "1e3",
      "soon",
      "2026-11-21",
      "99999999999",
      "Sat, 99 Nov 2026 09:31:00 GMT"
    ]) {
      assert.strictEqual(retryAfterMs(nonsense, now), undefined, nonsense)
    }
  })
  it("lengthens a delay, never shortens it, and adds no more than it may", () => {
    assert.strictEqual(lengthened(5_000, 0, 600_000), 5_000)
    assert.strictEqual(lengthened(5_000, 60_000, 600_000), 60_000)
    assert.strictEqual(lengthened(5_000, 10_000_000, 600_000), 605_000)
  })

  const policy = { delaysMs: [1_000, 5_000, 30_000, 120_000, 600_000], jitter: 0.1 }
  it("uses the attempt's own topic up to its delay, otherwise the longest topic that fits", () => {
    assert.strictEqual(delayOf(policy, 2, -5), 2)
    assert.strictEqual(delayOf(policy, 2, 1_100), 2)
    assert.strictEqual(delayOf(policy, 2, 3_000), 2)
    assert.strictEqual(delayOf(policy, 2, 60_000), 4)
    assert.strictEqual(delayOf(policy, 5, 60_000), 5)
    assert.strictEqual(delayOf(policy, 2, 601_000), 6)
    assert.strictEqual(delayOf(policy, 9, 60_000), 9)
  })
  it("is split into few pieces, none longer than its topic's delay", () => {
    for (let waitMs = 1; waitMs <= 720_000; waitMs = Math.ceil(waitMs * 1.3)) {
      let left = waitMs
      let pieces = 0
      while (left > 0) {
        left -= Math.min(left, longestStayMs(policy, delayOf(policy, 2, left)))
        pieces++
      }
      assert.isAtMost(pieces, 12, `${waitMs} ms`)
    }
  })
})

describe("the rate", () => {
  /** Starts a request if the rate allows it. */
  const start = (queue: WebhookQueue, maxPerSecond: number, nowMs: number): number => {
    const waitMs = rateWaitMs(queue, maxPerSecond, nowMs)
    if (waitMs === 0) payRate(queue, maxPerSecond, nowMs)
    return waitMs
  }
  const makeQueue = () => makeWebhookQueue("wh_1", undefined, "log", 0)

  it("allows the requests of one second at once and then the rate", () => {
    for (const rate of [1, 3, 4, 7, 1_000]) {
      const queue = makeQueue()
      const at = 1_000_000
      for (let i = 0; i < rate; i++) assert.strictEqual(start(queue, rate, at), 0)
      const waitMs = start(queue, rate, at)
      assert.strictEqual(waitMs, Math.ceil(1_000 / rate))
      assert.strictEqual(start(queue, rate, at + waitMs), 0)
      assert.isAbove(start(queue, rate, at + waitMs), 0)
    }
  })
  it("allows no more than that after a pause, or after a request that waited", () => {
    const queue = makeQueue()
    assert.strictEqual(rateWaitMs(queue, 2, 1_000_000), 0)
    payRate(queue, 2, 1_060_000)
    assert.strictEqual(start(queue, 2, 1_060_000), 0)
    assert.isAbove(start(queue, 2, 1_060_000), 0)
  })
})

describe("memory budget", () => {
  const makeQueues = (count: number) =>
    Array.from({ length: count }, (_, i) => makeWebhookQueue(`wh_${i}`, undefined, "log", 0))
  const budgetOf = (deliveries: number) => makeMemoryBudget("live", deliveries, 4)
  const fill = (budget: ReturnType<typeof budgetOf>, queue: WebhookQueue, count: number, queued = count) => {
    addHeld(budget, queue, count)
    queue.live.queued = Array.from({ length: queued }) as Lane["queued"]
  }

  it("allows half to a single lane, and equal parts to many", () => {
    const budget = budgetOf(100)
    const [first, second] = makeQueues(2)
    assert.strictEqual(remainingFor(budget, first!), 50)
    addHeld(budget, first!, 50)
    assert.deepStrictEqual([remainingFor(budget, first!), remainingFor(budget, second!)], [0, 25])
    addHeld(budget, first!, -20)
    addHeld(budget, second!, 30)
    assert.deepStrictEqual([remainingFor(budget, first!), remainingFor(budget, second!)], [5, 5])
  })

  it("always allows each lane `laneLeast` deliveries", () => {
    const budget = budgetOf(100)
    for (const queue of makeQueues(200)) {
      assert.isAtLeast(remainingFor(budget, queue), 4)
      addHeld(budget, queue, remainingFor(budget, queue))
    }
    assert.isAtMost(budget.held, 100 + 200 * 4)
  })

  it("chooses the longest queued over its fair share, and only for a lane below its own", () => {
    const budget = budgetOf(100)
    const [first, second, third, fourth] = makeQueues(4)
    fill(budget, first!, 50)
    fill(budget, second!, 40, 10)
    assert.strictEqual(largestOverFairShare(budget, third!), first)
    assert.isUndefined(largestOverFairShare(budget, first!))
    fill(budget, third!, 30)
    addHeld(budget, first!, -30)
    first!.live.queued = []
    assert.strictEqual(largestOverFairShare(budget, fourth!), third)
    addHeld(budget, third!, -10)
    // Attempts in flight stay: only what is queued can move.
    second!.live.queued = []
    assert.isUndefined(largestOverFairShare(budget, fourth!))
  })
})

describe("last_error", () => {
  it("is short and stable for what receivers and networks do", () => {
    assert.strictEqual(responseFailure(204), undefined)
    assert.strictEqual(responseFailure(302), "redirect not followed (HTTP 302)")
    assert.strictEqual(responseFailure(503), "HTTP 503")
    const coded = (code: string) => connectionFailure(Object.assign(new Error("whatever"), { code }))
    assert.strictEqual(coded("ECONNREFUSED"), "connection refused")
    assert.strictEqual(coded("CERT_HAS_EXPIRED"), "TLS: certificate has expired")
    assert.strictEqual(coded("ERR_SSL_WRONG_VERSION_NUMBER"), "TLS: handshake failed")
    assert.strictEqual(coded("E_NEVER_SEEN"), "connection failed (E_NEVER_SEEN)")
    assert.strictEqual(connectionFailure("?"), "connection failed")
  })
  it("finds the cause inside wrapping errors", () => {
    const refused = Object.assign(new Error(), { code: "ECONNREFUSED" })
    assert.strictEqual(connectionFailure(new AggregateError([refused])), "connection refused")
    const socket = Object.assign(new Error(), { code: "UND_ERR_SOCKET", cause: refused })
    assert.strictEqual(connectionFailure(socket), "connection refused")
  })
})
