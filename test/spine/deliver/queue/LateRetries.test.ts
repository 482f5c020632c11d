/**
 * A retry that comes back while its lane reads the backlog moves to the backlog, behind the place where the lane reads. It must be
 * attempted soon, although the backlog grows as fast as the receiver answers and its end is never reached.
 */
import { assert, it } from "@effect/vitest"
import type { ActorMessage, Command, WebhookMessage } from "../../../../src/spine/deliver/queue/Messages.ts"
import { advance } from "../../../../src/spine/deliver/queue/Scheduler.ts"
import { makeScheduler } from "../../../../src/spine/deliver/queue/Step.ts"
import type { Work } from "../../../../src/spine/deliver/Work.ts"
import { caughtUp, connected, ended, limits, movedToBacklog, offer, resumed, to, work } from "./laneTables.ts"

const BACKLOG = 100
const LATE = "d00000"
const idOf = (n: number) => `d${String(n).padStart(5, "0")}`

/** How many other deliveries start before the late retry, or `most` if it does not start. */
const startedBefore = (partitionDeliveries: number, most: number): number => {
  const machine = makeScheduler({ ...limits, partitionDeliveries })
  /** The rows of the backlog, in id order. */
  const rows = new Set(Array.from({ length: BACKLOG }, (_, n) => idOf(n + 1)))
  let newest = BACKLOG
  let started = 0
  const events: Array<WebhookMessage | ActorMessage> = [resumed, caughtUp("live"), caughtUp("replays")]

  const pageAfter = (afterId: string, limit: number) => {
    const ids = [...rows]
      .filter((id) => id > afterId)
      .toSorted()
      .slice(0, limit)
    return to({
      kind: "pageRead",
      lane: "live",
      page: { rows: ids.length, lastId: ids.at(-1) ?? "", works: ids.map((id) => work(id, false)) }
    } as const)
  }
  /** The attempt succeeds, and a new event comes. */
  const end = (works: ReadonlyArray<Work>) => {
    for (const { deliveryId } of works) {
      rows.delete(deliveryId)
      rows.add(idOf(++newest))
    }
    events.push(ended, to({ kind: "settled", works }))
  }
  const execute = (command: Command): boolean => {
    if (command.kind === "connect") events.push(connected)
    if (command.kind === "readPage" && command.lane === "live")
      events.push(pageAfter(command.afterId, command.limit))
    if (command.kind === "readPage" && command.lane === "replays")
      events.push(
        to({ kind: "pageRead", lane: "replays", page: { rows: 0, lastId: "", works: [] } } as const)
      )
    if (command.kind !== "start") return false
    const { works } = command.sending
    if (works.some(({ deliveryId }) => deliveryId === LATE)) return true
    started += works.length
    end(works)
    return false
  }

  for (let event = events.shift(); event !== undefined && started < most; event = events.shift()) {
    if (started === BACKLOG / 2 && !rows.has(LATE)) {
      // The retry is due: its lane is in mode `backlog`, so it moves there.
      const commands = advance(machine, offer(LATE), { nowMs: 0, mayRunAhead: false })
      assert.isTrue(commands.some(({ kind }) => kind === "moveToBacklog"))
      rows.add(LATE)
      events.push(movedToBacklog(LATE))
    }
    for (const command of advance(machine, event, { nowMs: 0, mayRunAhead: false }))
      if (execute(command)) return started
  }
  return most
}

it("a late retry waits for no more deliveries than a walk through the backlog has", () => {
  assert.isAtMost(startedBefore(40, 5_000) - BACKLOG / 2, 40 + 2 * limits.lanePageRows)
})

it("without that bound it would wait for ever behind a backlog that grows", () => {
  assert.strictEqual(startedBefore(Number.POSITIVE_INFINITY, 5_000), 5_000)
})
