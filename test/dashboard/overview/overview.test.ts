/** The overview's headline says what needs attention first, in one sentence. */
import { assert, describe, it } from "@effect/vitest"
import { headlineOf, isCalm, othersOf } from "../../../dashboard/src/features/overview/state.ts"

const NONE = Object.fromEntries(
  ["failing", "waiting", "disabled", "paused", "new", "healthy"].map((state) => [state, 0])
) as Parameters<typeof headlineOf>[0]

describe("the headline of the overview", () => {
  for (const [states, headline, others] of [
    [{}, "There is no webhook yet", ""],
    [{ healthy: 9 }, "All 9 webhooks are healthy", ""],
    [{ healthy: 1 }, "The webhook is healthy", ""],
    [{ new: 2 }, "2 webhooks wait for a first event", ""],
    [
      { failing: 2, healthy: 5, waiting: 1 },
      "2 of 8 webhooks are failing",
      "5 webhooks are healthy, 1 is waiting."
    ],
    [{ failing: 1, healthy: 3 }, "1 of 4 webhooks is failing", "3 webhooks are healthy."],
    [{ failing: 3 }, "All 3 webhooks are failing", ""],
    [{ disabled: 1, healthy: 1 }, "1 of 2 webhooks is disabled", "1 webhook is healthy."],
    [{ healthy: 2, new: 1 }, "No webhook fails", "2 webhooks are healthy, 1 is new."]
  ] as const)
    it(headline.concat(others === "" ? "" : `: ${others}`), () => {
      const all = { ...NONE, ...states }
      assert.strictEqual(headlineOf(all), headline)
      assert.strictEqual(othersOf(all), others)
    })

  it("is calm unless a webhook fails, is disabled or waits", () => {
    assert.isTrue(isCalm({ ...NONE, healthy: 3, new: 1 }))
    for (const state of ["failing", "disabled", "waiting"] as const)
      assert.isFalse(isCalm({ ...NONE, healthy: 3, [state]: 1 }))
  })
})
