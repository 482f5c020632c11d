/** The decisions of the delivery actor, as values: is work current, may it start, what does a page mean, what failed. */
import { assert, describe, it } from "@effect/vitest"
import { connectionFailure, responseFailure } from "../../src/deliver/FailureText.ts"
import { makeFlow } from "../../src/deliver/Flow.ts"
import {
  type AskedPage,
  afterPage,
  type Lane,
  makeLane,
  makeOutlet,
  mayStart,
  type Outlet,
  pageLimit,
  turnOut,
  wantsPage
} from "../../src/deliver/Lane.ts"
import { makeRateWindow, type RateWindow } from "../../src/deliver/RateWindow.ts"
import { hoarder, hold, makeRoom, roomFor } from "../../src/deliver/Room.ts"
import { workState } from "../../src/deliver/WorkState.ts"
import type { DeliveryWork } from "../../src/domain/Delivery.ts"
import { retryAfterMs } from "../../src/domain/RetryAfter.ts"
import { delayAfter, delayOf, lengthened, longestStayMs } from "../../src/domain/RetryPolicy.ts"
import type { DeliveryState } from "../../src/storage/deliveries/DeliveryStore.ts"

const work = (attempt: number) =>
  ({ delivery_id: "dlv_1", webhook_id: "wh_1", attempt, series_attempt: attempt, due_at: 0 }) as DeliveryWork
const row = (status: DeliveryState["status"], attempts: number, parked = false): DeliveryState => ({
  status,
  attempts,
  seriesStart: 0,
  parked,
  nextAttemptAt: null
})

describe("work state", () => {
  it("is current only as the row's next attempt", () => {
    assert.strictEqual(workState(work(1), row("pending", 0), false), "current")
    assert.strictEqual(workState(work(3), row("retrying", 2), false), "current")
    assert.strictEqual(workState(work(2), row("retrying", 2), false), "duplicate")
    assert.strictEqual(workState(work(5), row("retrying", 2), false), "duplicate")
  })
  it("is early while the attempt before it is not recorded, whoever remembers that one", () => {
    assert.strictEqual(workState(work(4), row("retrying", 2), false), "early")
    assert.strictEqual(workState(work(2), row("pending", 0, true), false), "early")
    assert.strictEqual(workState(work(2), row("failed", 0), false), "duplicate")
  })
  it("asks for the retry of a recorded failure again only when a dead owner may have left it out", () => {
    assert.strictEqual(workState(work(2), row("retrying", 2), true), "unanswered")
    assert.strictEqual(workState(work(1), row("retrying", 2), true), "duplicate")
  })
  it("is over when the delivery ended, when its row is gone, and when its row alone remembers it", () => {
    assert.strictEqual(workState(work(2), row("delivered", 1), true), "duplicate")
    assert.strictEqual(workState(work(2), row("failed", 1), true), "duplicate")
    assert.strictEqual(workState(work(1), undefined, true), "duplicate")
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
  it("is whole seconds or an HTTP date, and says nothing else", () => {
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
  it("is waited for in its own topic as far as that one's delay goes, else in the longest that fits", () => {
    assert.strictEqual(delayOf(policy, 2, -5), 2)
    assert.strictEqual(delayOf(policy, 2, 1_100), 2)
    assert.strictEqual(delayOf(policy, 2, 3_000), 2)
    assert.strictEqual(delayOf(policy, 2, 60_000), 4)
    assert.strictEqual(delayOf(policy, 5, 60_000), 5)
    assert.strictEqual(delayOf(policy, 2, 601_000), 6)
    assert.strictEqual(delayOf(policy, 9, 60_000), 9)
  })
  it("takes few pieces, none of which outstays its topic", () => {
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

describe("rate window", () => {
  /** Takes a token where there is one. */
  const take = (window: RateWindow, maxPerSecond: number, nowMs: number): number => {
    const waitMs = window.waitMs(maxPerSecond, nowMs)
    if (waitMs === 0) window.take()
    return waitMs
  }

  it("lets one second's worth through at once and then the rate", () => {
    const window = makeRateWindow()
    const at = 1_000_000
    assert.deepStrictEqual(
      [1, 2, 3, 4].map(() => take(window, 4, at)),
      [0, 0, 0, 0]
    )
    assert.strictEqual(take(window, 4, at), 250)
    assert.strictEqual(take(window, 4, at + 250), 0)
    assert.strictEqual(take(window, 4, at + 250), 250)
  })
  it("gives nothing for a clock that jumps back and no more than a bucketful for one that jumps ahead", () => {
    const window = makeRateWindow()
    assert.strictEqual(take(window, 1, 5_000), 0)
    assert.isAbove(take(window, 1, 1_000), 0)
    assert.strictEqual(take(window, 1, 1_000_000), 0)
    assert.isAbove(take(window, 1, 1_000_000), 0)
  })
})

describe("room", () => {
  const makeOutlets = (count: number) =>
    Array.from({ length: count }, (_, i) => makeOutlet(`wh_${i}`, undefined, "log"))
  const roomOf = (deliveries: number) => makeRoom("live", { deliveries, laneShare: 0.5, laneLeast: 4 })
  const fill = (room: ReturnType<typeof roomOf>, outlet: Outlet, count: number, queued = count) => {
    hold(room, outlet, count)
    outlet.live.queue = Array.from({ length: queued }) as Lane["queue"]
  }

  it("is half a lone lane's, and the same for many that come together", () => {
    const room = roomOf(100)
    const [first, second] = makeOutlets(2)
    assert.strictEqual(roomFor(room, first!), 50)
    hold(room, first!, 50)
    assert.deepStrictEqual([roomFor(room, first!), roomFor(room, second!)], [0, 25])
    hold(room, first!, -20)
    hold(room, second!, 30)
    assert.deepStrictEqual([roomFor(room, first!), roomFor(room, second!)], [5, 5])
  })

  it("has a few places for each lane, however many others fill it", () => {
    const room = roomOf(100)
    for (const outlet of makeOutlets(200)) {
      assert.isAtLeast(roomFor(room, outlet), 4)
      hold(room, outlet, roomFor(room, outlet))
    }
    assert.isAtMost(room.held, 100 + 200 * 4)
  })

  it("takes back from the lane that queues the most, and only what is over a fair share for one below it", () => {
    const room = roomOf(100)
    const [first, second, third, fourth] = makeOutlets(4)
    fill(room, first!, 50)
    fill(room, second!, 40, 10)
    assert.strictEqual(hoarder(room, third!), first)
    assert.isUndefined(hoarder(room, first!))
    fill(room, third!, 30)
    hold(room, first!, -30)
    first!.live.queue = []
    assert.strictEqual(hoarder(room, fourth!), third)
    hold(room, third!, -10)
    // In flight it stays: only a queue can go back.
    second!.live.queue = []
    assert.isUndefined(hoarder(room, fourth!))
  })
})

describe("lane", () => {
  const backlog = (fields: Partial<Lane>): Lane => ({ ...makeLane("live", "backlog"), ...fields })

  const asked = (fields: Partial<AskedPage> = {}): AskedPage => ({
    limit: 10,
    settled: new Set(),
    changed: false,
    stale: false,
    ...fields
  })

  it("goes live only when a page that began anew is empty and nothing changed meanwhile", () => {
    const through = backlog({})
    afterPage(through, asked(), 0, "")
    assert.strictEqual(through.mode, "log")
    for (const blocked of [
      backlog({ parking: 1 }),
      backlog({ passage: "free" }),
      backlog({ cursor: "dlv_1" })
    ]) {
      afterPage(blocked, asked(), 0, "")
      assert.strictEqual(blocked.mode, "backlog")
    }
    const changed = backlog({})
    afterPage(changed, asked({ changed: true }), 0, "")
    assert.strictEqual(changed.mode, "backlog")
  })

  it("pages on from the last row of a full page, and anew after a short one", () => {
    const lane = backlog({})
    afterPage(lane, asked(), 10, "dlv_9")
    assert.deepStrictEqual([lane.cursor, lane.atEnd], ["dlv_9", false])
    afterPage(lane, asked(), 3, "dlv_C")
    assert.deepStrictEqual([lane.cursor, lane.atEnd, lane.mode], ["", true, "backlog"])
  })

  it("begins its pages anew when its queue went back, and one that is on its way counts no more", () => {
    const lane = backlog({
      mode: "log",
      cursor: "dlv_9",
      atEnd: true,
      page: asked(),
      queue: [{}, {}] as never
    })
    assert.strictEqual(turnOut(lane).length, 2)
    assert.deepInclude(lane, { mode: "backlog", queue: [], cursor: "", atEnd: false })
    assert.isTrue(lane.page?.stale)
  })

  it("asks for no page that is small beside what it works off", () => {
    assert.strictEqual(pageLimit(backlog({}), 500, 200), 200)
    assert.strictEqual(pageLimit(backlog({}), 4, 200), 4)
    assert.strictEqual(pageLimit(backlog({ held: 6 }), 5, 200), 0)
    assert.strictEqual(pageLimit(backlog({ held: 5 }), 5, 200), 5)
    assert.strictEqual(pageLimit(backlog({ held: 300 }), 99, 200), 0)
    assert.strictEqual(pageLimit(backlog({ held: 300 }), 100, 200), 100)
  })

  it("starts attempts within its window, which counts what waits to be recorded when much does", () => {
    const outlet = (fields: Partial<Outlet>, queued = 1): Outlet => {
      const made = { ...makeOutlet("wh_1", undefined, "log"), ...fields }
      made.live.queue = Array.from({ length: queued }) as Lane["queue"]
      return made
    }
    for (const ahead of [true, false]) {
      assert.strictEqual(mayStart(outlet({}), 4, ahead)?.kind, "live")
      assert.isUndefined(mayStart(outlet({ inFlight: 4, unsettled: 4 }), 4, ahead))
      assert.isUndefined(mayStart(outlet({}, 0), 4, ahead))
    }
    assert.strictEqual(mayStart(outlet({ inFlight: 3, unsettled: 9 }), 4, true)?.kind, "live")
    assert.isUndefined(mayStart(outlet({ inFlight: 3, unsettled: 4 }), 4, false))
  })

  it("starts replays only when nothing live waits, in memory or in its rows", () => {
    const outlet = makeOutlet("wh_1", undefined, "log")
    outlet.replays.queue = Array.from({ length: 1 }) as Lane["queue"]
    assert.strictEqual(mayStart(outlet, 4, true)?.kind, "replays")
    outlet.live.mode = "backlog"
    assert.isUndefined(mayStart(outlet, 4, true))
    outlet.live.mode = "log"
    outlet.live.queue = Array.from({ length: 1 }) as Lane["queue"]
    assert.strictEqual(mayStart(outlet, 4, true)?.kind, "live")
  })

  it("asks ahead while there is more, and at the end only when idle", () => {
    assert.isTrue(wantsPage(backlog({}), 10))
    assert.isFalse(wantsPage(backlog({ page: asked() }), 10))
    assert.isFalse(wantsPage(backlog({ mode: "log" }), 10))
    assert.isFalse(wantsPage(backlog({ atEnd: true, queue: [{}] as never }), 10))
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
  it("sees through what wraps the cause", () => {
    const refused = Object.assign(new Error(), { code: "ECONNREFUSED" })
    assert.strictEqual(connectionFailure(new AggregateError([refused])), "connection refused")
    const socket = Object.assign(new Error(), { code: "UND_ERR_SOCKET", cause: refused })
    assert.strictEqual(connectionFailure(socket), "connection refused")
  })
})

describe("flow", () => {
  it("is what went by in the last window, with a part of the window before", () => {
    const flow = makeFlow(1_000)
    assert.strictEqual(flow.recent(5_000), 0)
    flow.add(100, 5_000)
    flow.add(100, 5_999)
    assert.strictEqual(flow.recent(5_999), 200)
    assert.strictEqual(flow.recent(6_000), 200)
    flow.add(10, 6_250)
    assert.strictEqual(flow.recent(6_250), 160)
    assert.strictEqual(flow.recent(7_500), 5)
  })

  it("is nothing after a pause of two windows", () => {
    const flow = makeFlow(1_000)
    flow.add(100, 5_000)
    assert.strictEqual(flow.recent(7_000), 0)
  })
})
