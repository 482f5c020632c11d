/** What the dashboard says about jobs. */
import { assert, describe, it } from "@effect/vitest"
import type { ReplayJobDetail } from "../../dashboard/src/api/ledgerhook.ts"
import { hasEnded, rateOf, stateOf } from "../../dashboard/src/pages/replay/progress.ts"

const job: ReplayJobDetail = {
  job_id: "rpl_job_1",
  mode: "replay",
  status: "running",
  webhook_id: "wh_1",
  total_events: 1_000,
  processed_events: 500,
  failed_events: 0,
  error: null,
  created_at: "2026-11-21T09:30:00.000Z",
  completed_at: null,
  progress_percent: 50,
  eta_seconds: 5
}
const NOW = Date.parse("2026-11-21T09:30:05.000Z")

describe("a job", () => {
  it("has a rate once it has done something", () => {
    assert.strictEqual(rateOf(job, NOW), 100)
    assert.isUndefined(rateOf({ ...job, processed_events: 0 }, NOW))
    assert.strictEqual(rateOf({ ...job, completed_at: "2026-11-21T09:30:10.000Z" }, NOW), 50)
  })

  it("says in a sentence what it does", () => {
    assert.strictEqual(stateOf(job), "About 5 s left.")
    assert.include(stateOf({ ...job, history: { ledgers: 400, fetched_ledgers: 120 } }), "120 of 400")
    assert.include(stateOf({ ...job, status: "cancelled", mode: "retry" }), "500 deliveries had been queued")
    for (const status of ["queued", "completed", "failed"] as const)
      assert.isNotEmpty(stateOf({ ...job, status }))
    assert.deepStrictEqual(
      (["queued", "running", "completed", "cancelled", "failed"] as const).map((status) =>
        hasEnded({ status })
      ),
      [false, false, true, true, true]
    )
  })
})
