/** What the dashboard says of an incident, and which spans of time a replay is offered for. */
import { assert, describe, it } from "@effect/vitest"
import type { IncidentDetail } from "../../../dashboard/src/api/ledgerhook.ts"
import { happeningsOf, headlineOf } from "../../../dashboard/src/features/health/incidents/words.ts"
import { spansOf } from "../../../dashboard/src/features/replay/spans.ts"

const BEGAN = Date.parse("2026-11-19T08:18:40.000Z")
const iso = (ms: number) => new Date(ms).toISOString()
const MINUTE = 60_000

const point = (minute: number, waiting: number) => ({
  at: iso(Math.floor(BEGAN / MINUTE) * MINUTE + minute * MINUTE),
  answered: 0,
  failed: 1,
  waiting
})

const incident: IncidentDetail = {
  id: "inc_01J8ZQ4T7M3VXN5K2D9RFBHCAE",
  webhook_id: "wh_01J8ZQ4T7M3VXN5K2D9RFBHCAE",
  began_at: iso(BEGAN),
  ended_at: iso(BEGAN + 18 * MINUTE),
  cause: "connection refused",
  attempts_failed: 325,
  waited: 63,
  outcome: { delivered: 63, failed: 0, waiting: 0 },
  ended_by: "attempt",
  course: { point_seconds: 60, points: [point(0, 1), point(18, 62), point(19, 20), point(50, 0)] }
}

describe("the words for an incident", () => {
  it("begin with how long it lasted and what became of the deliveries", () => {
    const now = BEGAN + 60 * MINUTE
    const nbsp = (text: string) => text.replaceAll("_", "\u00a0")
    for (const [fields, headline] of [
      [{}, "Down for 18_min, all 63 delivered"],
      [{ outcome: { delivered: 60, failed: 3, waiting: 0 } }, "Down for 18_min, 3 of 63 failed"],
      [{ outcome: { delivered: 62, failed: 0, waiting: 1 } }, "Down for 18_min, 1 delivery waits"],
      [{ outcome: null }, "Down for 18_min"],
      [
        { ended_at: null, ended_by: null, outcome: { delivered: 0, failed: 0, waiting: 63 } },
        "Down for 1_h, 63 deliveries wait"
      ]
    ] as const)
      assert.strictEqual(headlineOf({ ...incident, ...fields }, now), nbsp(headline))
  })

  it("tell what happened, and what still waited when it ended", () => {
    const happened = happeningsOf(incident, "connection refused")
    assert.deepStrictEqual(
      happened.map(({ what }) => what),
      ["The first attempt failed", "An attempt was answered", "The last delivery arrived"]
    )
    assert.include(happened[1]!.detail, "62 deliveries still waited")
    assert.isTrue(happened[2]!.isAbout)
    assert.strictEqual(happeningsOf({ ...incident, course: null }, "").length, 2)
    const open = { ...incident, ended_at: null, ended_by: null }
    assert.strictEqual(happeningsOf(open, "").at(-1)!.what, "Nothing has been answered since")
  })
})

describe("the spans that a replay is offered for", () => {
  it("begin with what happened to the webhook, newest first, and are never too narrow", () => {
    const now = BEGAN + 86_400_000
    const gap = {
      from: 7,
      to: 9,
      reason: "disabled" as const,
      began_at: iso(BEGAN + 3_600_000),
      ended_at: iso(BEGAN + 7_200_000)
    }
    const lost = { ...incident, outcome: { delivered: 60, failed: 3, waiting: 0 } }
    const spans = spansOf([gap], [lost, incident], now)
    assert.deepStrictEqual(
      spans.map(({ label }) => label.split(",")[0]!.replace(/ \d.*/, "")),
      ["While it was disabled", "The incident of", "Last", "Last", "All that is kept"]
    )
    assert.isBelow(new Date(spans[0]!.since).getTime(), BEGAN + 3_600_000)
    assert.isAbove(new Date(spans[0]!.until).getTime(), BEGAN + 7_200_000)
    // A gap that lasts has no end.
    assert.strictEqual(spansOf([{ ...gap, to: null, ended_at: null }], [], now)[0]!.until, "")
  })
})
