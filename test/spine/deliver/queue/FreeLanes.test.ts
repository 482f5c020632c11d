/**
 * Of which deliveries the wait is the service's: those that their webhook could have taken at once. How often the
 * backlog of a webhook that sends only test deliveries is searched for them.
 */
import { assert, describe, it } from "@effect/vitest"
import { advance } from "../../../../src/spine/deliver/queue/Scheduler.ts"
import { makeScheduler } from "../../../../src/spine/deliver/queue/Step.ts"
import type { CurrentWebhook } from "../../../../src/spine/deliver/queue/WebhookQueue.ts"
import type { Work } from "../../../../src/spine/deliver/Work.ts"
import {
  caughtUp,
  connected,
  current,
  type Event,
  ended,
  inBatches,
  limits,
  offer,
  resumed,
  to,
  work
} from "./laneTables.ts"

/** Which of the offered deliveries were free. */
const freeOf = (events: ReadonlyArray<Event>): ReadonlyArray<string> => {
  const machine = makeScheduler(limits)
  for (const event of events) advance(machine, event, { nowMs: 0, mayRunAhead: true })
  return events.flatMap((event) =>
    event.kind === "offered" && event.work.wasFree ? event.work.deliveryId : []
  )
}

const three = (of: CurrentWebhook) => ["d1", "d2", "d3"].map((id) => offer(id, of))

describe("a webhook could have taken a delivery at once", () => {
  const cases: Readonly<
    Record<string, readonly [events: ReadonlyArray<Event>, free: ReadonlyArray<string>]>
  > = {
    "while its window has room for it and for what is queued": [three(current()), ["d1", "d2"]],
    "again once an attempt has ended, before it is recorded": [
      [offer("d1"), connected, offer("d2"), connected, offer("d3"), ended, connected, ended, offer("d4")],
      ["d1", "d2", "d4"]
    ],
    "if its rate has a token, and nothing waits for one": [three(current("all", 9, 1)), ["d1"]],
    "not if it takes batches: they wait for more events": [three(inBatches), []],
    "not if it may not send, or reads its backlog": [
      [offer("d1", current("none")), resumed, offer("d2")],
      []
    ],
    "not if it is of a replay": [[offer("r1")], []]
  }
  for (const [name, [events, free]] of Object.entries(cases))
    it(name, () => assert.deepStrictEqual(freeOf(events), free))
})

describe("the backlog of a paused webhook", () => {
  it("is searched for test deliveries at first, and again only after one may have been moved there", () => {
    const machine = makeScheduler(limits)
    const paused = current("free")
    const pagesAfter = (events: ReadonlyArray<Event>) =>
      events
        .flatMap((event) => advance(machine, event, { nowMs: 0, mayRunAhead: true }))
        .filter(({ kind }) => kind === "readPage").length
    const empty = to({
      kind: "pageRead",
      lane: "live",
      page: { rows: 0, lastId: "", works: [] }
    } as const)
    const queued = (id: string, row: Work["row"]) => {
      const one = { ...work(id, true), row }
      return [
        to({ kind: "offered", current: paused, work: one } as const),
        to({ kind: "movedToBacklog", lane: "live", works: [one] } as const)
      ]
    }
    const live = { id: "d1" } as NonNullable<Work["row"]>
    assert.strictEqual(pagesAfter([caughtUp("live"), ...queued("d1", live)]), 1)
    assert.strictEqual(pagesAfter([...queued("d2", live), empty, ...queued("d3", live)]), 0)
    assert.strictEqual(pagesAfter(queued("d4", undefined)), 1, "a test delivery has its row first")
    assert.strictEqual(pagesAfter([...queued("d5", undefined), empty]), 1, "the page may lack it")
    assert.strictEqual(pagesAfter([empty, ...queued("d6", live)]), 0)
  })
})
