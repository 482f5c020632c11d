/** In strict order, a delivery that waits for its retry waits for its whole delay once, whatever clocks do. */
import { assert, describe, it } from "@effect/vitest"
import { makeLane, waitLeft } from "../../../../src/spine/deliver/queue/Lane.ts"

describe("a lane whose first delivery waits for its retry", () => {
  it("waits for the rest of the delay when the wall clock is set back, and not for a whole one again", () => {
    const lane = makeLane("live", "backlog")
    assert.strictEqual(waitLeft(lane, "dlv_1 2", 2_000, 10_000), 2_000)
    // Each page says 2,000 again, because the wall clock is an hour behind.
    assert.strictEqual(waitLeft(lane, "dlv_1 2", 2_000, 11_500), 500)
    assert.strictEqual(waitLeft(lane, "dlv_1 2", 2_000, 12_000), 0)
  })

  it("waits less when somebody asks for the attempt, and anew for another attempt", () => {
    const lane = makeLane("live", "backlog")
    waitLeft(lane, "dlv_1 2", 60_000, 10_000)
    assert.strictEqual(waitLeft(lane, "dlv_1 2", 100, 11_000), 100)
    assert.strictEqual(waitLeft(lane, "dlv_1 3", 60_000, 12_000), 60_000)
  })
})
