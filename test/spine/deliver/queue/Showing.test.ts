/** A delivery that is queued for long gets its row and keeps its place; a full lane that is fast makes the feed wait. */
import { assert, describe, it } from "@effect/vitest"
import { gotRows, withoutRow } from "../../../../src/spine/deliver/queue/Dispatcher.ts"
import { advance } from "../../../../src/spine/deliver/queue/Scheduler.ts"
import { makeScheduler } from "../../../../src/spine/deliver/queue/Step.ts"
import { countMoved, isCrowded, makeWebhookQueue } from "../../../../src/spine/deliver/queue/WebhookQueue.ts"
import { connected, current, limits, offers, work } from "./laneTables.ts"

const machineOf = (events: ReadonlyArray<Parameters<typeof advance>[1]>, atMs = 0) => {
  const machine = makeScheduler({ ...limits, partitionDeliveries: 1_000 })
  for (const event of events) advance(machine, event, { nowMs: atMs, mayRunAhead: true })
  return machine
}
const idsOf = (works: ReadonlyArray<{ readonly deliveryId: string }>) =>
  works.map(({ deliveryId }) => deliveryId)

describe("a delivery that is queued for long", () => {
  it("is found once its time has passed", () => {
    const machine = machineOf(offers("d1", "d2"), 100)
    assert.deepStrictEqual(withoutRow(machine, "live", 100), [])
    assert.deepStrictEqual(idsOf(withoutRow(machine, "live", 101)), ["d1", "d2"])
  })

  it("lets its offset be committed when its row is in the backlog, and stays queued", () => {
    const acknowledged: Array<string> = []
    const machine = machineOf(offers("d1", "d2"))
    const works = withoutRow(machine, "live", 1)
    for (const work of works) work.acknowledge = () => void acknowledged.push(work.deliveryId)
    gotRows(machine, "live", works)
    assert.deepStrictEqual(acknowledged, ["d1", "d2"])
    assert.deepStrictEqual(withoutRow(machine, "live", 1), [])
    assert.lengthOf(machine.queues.get("wh_1")!.live.queued, 2)
  })

  it("does not if it has been started meanwhile: its record must come again if its retry is not appended", () => {
    const acknowledged: Array<string> = []
    const machine = machineOf(offers("d1", "d2"))
    const works = withoutRow(machine, "live", 1)
    for (const work of works) work.acknowledge = () => void acknowledged.push(work.deliveryId)
    advance(machine, connected, { nowMs: 2, mayRunAhead: true })
    gotRows(machine, "live", works)
    assert.deepStrictEqual(acknowledged, ["d2"])
    assert.isDefined(works[0]!.acknowledge)
  })
})

describe("a lane with as much queued as it sends in half a second", () => {
  const queueOf = (queued: number, permission: "all" | "none" = "all") => {
    const queue = makeWebhookQueue("wh_1", current(permission), "log", 0)
    queue.live.queued = Array.from({ length: queued }, (_, i) => work(`d${i}`, true))
    return queue
  }
  const HALF_SECOND = 32

  it("makes the feed wait while it has just begun, and then only if it sends many a second", () => {
    const queue = queueOf(HALF_SECOND)
    assert.isTrue(isCrowded(queue, "live", true, 90))
    assert.isFalse(isCrowded(queue, "live", true, 110), "its endpoint hangs")
    countMoved(queue, 15, 200)
    assert.isTrue(isCrowded(queue, "live", true, 200))
  })

  it("does not if its webhook is disabled, or little is queued and memory is left", () => {
    assert.isFalse(isCrowded(queueOf(HALF_SECOND, "none"), "live", true, 0))
    assert.isFalse(isCrowded(queueOf(2), "live", true, 0))
    assert.isTrue(isCrowded(queueOf(2), "live", false, 0))
  })

  it("with a backlog makes the feed wait only if that will be gone within 5 seconds", () => {
    const waitsBehind = (rows: number) => {
      const queue = { ...queueOf(0), moved: 0 }
      queue.live.mode = "backlog"
      queue.live.behind = rows
      countMoved(queue, 100, 0)
      return isCrowded(queue, "live", true, 0)
    }
    assert.isTrue(waitsBehind(500))
    assert.isFalse(waitsBehind(501))
    assert.isFalse(waitsBehind(Number.POSITIVE_INFINITY))
  })
})
