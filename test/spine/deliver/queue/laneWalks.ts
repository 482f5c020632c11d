/**
 * Random walks of an actor's lanes through a world of plain data (laneWorld). Records arrive; statements, answers and
 * timers end in any order; webhooks are disabled, deleted or exceed the quota, and some never answer. After each step the
 * window, the memory budget, the order and the offsets are checked. No delivery starts twice, and at the end nothing
 * is left.
 */
import { assert, describe, it } from "@effect/vitest"
import { makeSeededRandom } from "../../../../src/features/simulator/SeededRandom.ts"
import { laneKinds as kinds } from "../../../../src/spine/deliver/Work.ts"
import type { Webhook } from "./laneRows.ts"
import { makeWorld, type World } from "./laneWorld.ts"

const STEPS = 400
const MOST_STEPS = 20_000

const walk = (world: World, seed: number) => {
  const chance = makeSeededRandom(seed)
  const { webhooks, underWay, log, delayed } = world
  for (let step = 0; step < STEPS; step++) {
    const owner = chance.pick(webhooks)
    const lane = chance.flip(0.75) ? "live" : "replays"
    const action = chance.next()
    if (action < 0.15 && !owner.deleted) for (let i = chance.int(1, 8); i > 0; i--) world.publish(owner, lane)
    else if (action < 0.3) world.take(lane)
    else if (action < 0.315) world.show(lane)
    else if (action < 0.335) world.change(owner, chance.pick(["all", "free", "none"]))
    else if (action < 0.337 && owner !== webhooks[0]) world.remove(owner)
    else if (action < 0.4 && delayed.length > 0) back(world)
    else {
      const one = chance.pickOrNone(underWay)
      if (one !== undefined && !(one.what === "answer" && one.owner!.hangs)) world.end(underWay.indexOf(one))
    }
  }
  return log
}

/** Makes all waiting retries due. */
const back = ({ delayed, log }: World) => {
  for (const record of delayed.splice(0)) log[record.row.lane].records.push(record)
}

/** Ends everything that is under way. */
const calm = (world: World, answers: (webhook: Webhook) => boolean) => {
  const { underWay, log, delayed } = world
  for (let steps = 0; steps < MOST_STEPS; steps++) {
    const place = underWay.findIndex(({ what, owner }) => what !== "answer" || answers(owner!))
    if (place >= 0) world.end(place)
    else {
      back(world)
      const waiting = kinds.filter((kind) => log[kind].taken < log[kind].records.length)
      const isShowing = kinds.some((kind) => world.show(kind))
      if (waiting.length === 0 && delayed.length === 0 && !isShowing) return
      for (const kind of waiting) world.take(kind)
    }
  }
  assert.fail("it never ends")
}

const unended = ({ rows }: World, of: (webhook: Webhook) => boolean) =>
  [...rows.all.values()].filter(
    ({ owner, status }) => of(owner) && (status === "pending" || status === "retrying")
  )

export const laneWalks = (seeds: ReadonlyArray<number>) =>
  describe("an actor's lanes", () => {
    it.each(seeds)("walk %i", (seed) => {
      const world = makeWorld(makeSeededRandom(seed))
      const { webhooks, log, machine } = world
      for (const kind of kinds) world.take(kind)
      walk(world, seed)

      for (const webhook of webhooks) world.change(webhook, "all")
      const isWell = ({ hangs }: Webhook) => !hangs
      calm(world, isWell)
      assert.deepStrictEqual(unended(world, isWell), [], "who hangs keeps nobody else waiting")
      for (const kind of kinds) {
        for (const { row } of log[kind].open.values())
          assert.isAbove(row.owner.open, 0, "only attempts hold offsets back")
      }

      calm(world, () => true)
      assert.deepStrictEqual(
        unended(world, () => true),
        [],
        "no delivery is lost"
      )
      for (const kind of kinds) {
        const { watermark, records } = log[kind]
        assert.strictEqual(watermark.committable(), records.length)
        const { busy, held, holding, waitingToPage } = machine.budgets[kind]
        assert.deepStrictEqual([busy.size, held, holding.size, waitingToPage.size], [0, 0, 0, 0])
      }
      assert.strictEqual(machine.sending, 0)
      assert.strictEqual(world.inUse(), 0)
      for (const { current, live, replays } of machine.queues.values()) {
        assert.deepStrictEqual([live.mode, replays.mode], ["log", "log"])
        assert.isNotNull(current?.webhook?.config.max_per_second, "only a rate is remembered")
      }
    })
  })
