/** A delivery that is queued for long gets its row and keeps its place; a full lane that is fast makes the feed wait. */
import { assert, describe, it } from "@effect/vitest"
import { advance, isCrowded, makeScheduler } from "../../src/deliver/queue/Scheduler.ts"
import { shown, unshown } from "../../src/deliver/queue/Showing.ts"
import { changed, connected, current, ended, limits, offer, offers, settled } from "../support/laneTables.ts"

const machineOf = (events: ReadonlyArray<Parameters<typeof advance>[1]>, atMs = 0) => {
  const machine = makeScheduler({ ...limits, partitionDeliveries: 1_000 })
  for (const event of events) advance(machine, event, { nowMs: atMs, ahead: Number.POSITIVE_INFINITY })
  return machine
}
const idsOf = (works: ReadonlyArray<{ readonly deliveryId: string }>) =>
  works.map(({ deliveryId }) => deliveryId)

describe("a delivery that is queued for long", () => {
  it("is found once its time has passed", () => {
    const machine = machineOf(offers("d1", "d2"), 100)
    assert.deepStrictEqual(unshown(machine, "live", 100), [])
    assert.deepStrictEqual(idsOf(unshown(machine, "live", 101)), ["d1", "d2"])
  })

  it("lets its offset be committed when its row is in the backlog, and stays queued", () => {
    const acknowledged: Array<string> = []
    const machine = machineOf(offers("d1", "d2"))
    const works = unshown(machine, "live", 1)
    for (const work of works) work.acknowledge = () => void acknowledged.push(work.deliveryId)
    shown(machine, "live", works)
    assert.deepStrictEqual(acknowledged, ["d1", "d2"])
    assert.deepStrictEqual(unshown(machine, "live", 1), [])
    assert.lengthOf(machine.queues.get("wh_1")!.live.queued, 2)
  })

  it("does not if it has been started meanwhile: its record must come again if its retry is not appended", () => {
    const acknowledged: Array<string> = []
    const machine = machineOf(offers("d1", "d2"))
    const works = unshown(machine, "live", 1)
    for (const work of works) work.acknowledge = () => void acknowledged.push(work.deliveryId)
    advance(machine, connected, { nowMs: 2, ahead: 1 })
    shown(machine, "live", works)
    assert.deepStrictEqual(acknowledged, ["d2"])
    assert.isDefined(works[0]!.acknowledge)
  })
})

describe("a lane with as much queued as it sends in half a second", () => {
  const many = offers(...Array.from({ length: limits.queuedLeast }, (_, i) => `d${i}`))

  it("makes the feed wait while it has just begun, and then only if it sends many a second", () => {
    const machine = machineOf(many)
    assert.isTrue(isCrowded(machine, "live", "wh_1", limits.beginMs))
    assert.isFalse(isCrowded(machine, "live", "wh_1", limits.beginMs + 1))
    machine.queues.get("wh_1")!.moved.add(limits.manyPerSecond, limits.beginMs + 1)
    assert.isTrue(isCrowded(machine, "live", "wh_1", limits.beginMs + 1))
  })

  it("does not if its endpoint hangs, its webhook is disabled or unknown, or little is queued", () => {
    assert.isFalse(isCrowded(machineOf(many), "live", "wh_1", 10_000))
    assert.isFalse(isCrowded(machineOf([offer("d1", current("none"))]), "live", "wh_1", 0))
    assert.isFalse(isCrowded(machineOf(many), "live", "wh_2", 0))
    assert.isFalse(isCrowded(machineOf(offers("d1", "d2")), "live", "wh_1", 0))
  })

  it("with a backlog makes the feed wait only if that will be gone within seconds", () => {
    const PER_SECOND = 100
    const waitsBehind = (rows: number) => {
      const machine = machineOf([offer("d1", current("none")), changed(current())])
      const { live, moved } = machine.queues.get("wh_1")!
      moved.add(PER_SECOND, limits.beginMs + 1)
      live.behind = rows
      return isCrowded(machine, "live", "wh_1", limits.beginMs + 1)
    }
    const most = (PER_SECOND * limits.drainsWithinMs) / 1_000
    assert.isTrue(waitsBehind(most))
    assert.isFalse(waitsBehind(most + 1))
    assert.isFalse(waitsBehind(Number.POSITIVE_INFINITY))
  })

  it("counts what was settled", () => {
    const machine = machineOf([...offers("d1"), connected, ended, ...offers("d2")])
    advance(machine, settled("d1"), { nowMs: 5_000, ahead: 1 })
    assert.strictEqual(machine.queues.get("wh_1")!.moved.recent(5_000), 1)
  })
})
