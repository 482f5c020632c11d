/** Rules of replays: filters, ids in the order of the log, and progress. */
import { assert, describe, it } from "@effect/vitest"
import {
  etaSeconds,
  firstReplayDeliveryId,
  lastReplayMoment,
  matching,
  percentOf,
  replayDeliveryId
} from "../../../src/spine/domain/Replay.ts"
import { idTime } from "../../../src/spine/words/Ids.ts"
import { addresses, eventOf } from "../../support/deliver/events.ts"

const job = { id: "rpl_job_01J8ZQ4T7M3VXN5K2D9RFBHCAE", startedAt: 1_763_684_802_318, startOffset: 1_000 }
const PLACES = 2 ** 24

describe("delivery ids of a replay", () => {
  const offsets = [1_000, 1_001, 5_000, 1_000 + PLACES - 1, 1_000 + PLACES, 1_000 + 3 * PLACES + 7]
  const ids = offsets.map((offset) => replayDeliveryId(job, offset, "xrpl:1"))

  it("are the same only for the same job and event", () => {
    assert.strictEqual(replayDeliveryId(job, 5_000, "xrpl:1"), ids[2])
    assert.notStrictEqual(replayDeliveryId(job, 5_000, "xrpl:2"), ids[2])
    assert.notStrictEqual(replayDeliveryId({ ...job, id: "rpl_job_other" }, 5_000, "xrpl:1"), ids[2])
  })

  it("sort in the order of the log, for any number of events", () => {
    assert.deepStrictEqual(ids.toSorted(), ids)
    assert.strictEqual(idTime(ids[0]!), job.startedAt)
    assert.strictEqual(idTime(ids.at(-1)!), lastReplayMoment(job, offsets.at(-1)!))
    assert.strictEqual(lastReplayMoment(job, offsets.at(-1)!), job.startedAt + 3)
  })

  it("are bounded by the offset they begin at", () => {
    for (const [i, offset] of offsets.entries()) {
      const first = firstReplayDeliveryId(job, offset)
      assert.isTrue(first <= ids[i]!)
      if (i > 0) assert.isTrue(ids[i - 1]! < first)
    }
  })
})

describe("filters of a replay", () => {
  const event = eventOf({ type: "nft.minted", timestamp: "2026-10-01T00:00:00Z", accounts: [addresses[1]] })
  const closedAt = Date.parse("2026-10-01T00:00:00Z")
  const table = [
    [{}, true],
    [{ event_types: ["nft.minted"] }, true],
    [{ event_types: ["payment.xrp"] }, false],
    [{ accounts: [addresses[0], addresses[1]] }, true],
    [{ accounts: [addresses[0]] }, false],
    [{ since: closedAt }, false],
    [{ since: closedAt - 0.5 }, true],
    [{ until: closedAt }, false],
    [{ until: closedAt + 0.5 }, true],
    [{ event_types: ["nft.minted"], accounts: [addresses[0]] }, false]
  ] as const
  it.each(table)("%j: %s", (filters, matches) => {
    assert.strictEqual(matching(filters)(event), matches)
  })
})

describe("progress of a replay", () => {
  it("is 100 per cent only when it has completed", () => {
    const running = { status: "running", part: 0.33333, startedAt: 0 } as const
    assert.strictEqual(percentOf(running), 33.33)
    assert.strictEqual(percentOf({ ...running, part: 1 }), 99.99)
    assert.strictEqual(percentOf({ ...running, status: "completed", part: 0.5 }), 100)
  })

  it("estimates the remaining time at the pace so far, if known", () => {
    const running = { status: "running", part: 0.25, startedAt: 1_000 } as const
    assert.strictEqual(etaSeconds(running, 3_000), 6)
    assert.isNull(etaSeconds({ ...running, part: 0 }, 3_000))
    assert.isNull(etaSeconds({ ...running, status: "cancelled" }, 3_000))
    assert.isNull(etaSeconds({ ...running, status: "queued", startedAt: null }, 3_000))
  })
})
