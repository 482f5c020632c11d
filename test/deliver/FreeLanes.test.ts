/** Of which deliveries the wait is the service's: those that their webhook could have taken at once. */
import { assert, describe, it } from "@effect/vitest"
import { advance, makeScheduler } from "../../src/deliver/queue/Scheduler.ts"
import type { CurrentWebhook } from "../../src/deliver/queue/WebhookQueue.ts"
import {
  connected,
  current,
  type Event,
  ended,
  inBatches,
  limits,
  offer,
  resumed
} from "../support/laneTables.ts"

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
