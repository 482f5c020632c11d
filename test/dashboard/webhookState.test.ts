/** What the dashboard says about webhooks and jobs. */
import { assert, describe, it } from "@effect/vitest"
import type { ReplayJobDetail } from "../../dashboard/src/api/ledgerhook.ts"
import { troublesOf } from "../../dashboard/src/pages/overview/troubles.ts"
import { hasEnded, rateOf, stateOf } from "../../dashboard/src/pages/replay/progress.ts"

const healthy = {
  status: "active",
  health: {
    state: "healthy",
    since: "2026-11-21T09:30:00.000Z",
    last_error: null,
    next_attempt_at: null,
    attempts_failed_in_a_row: 0,
    sentence: "Works. No delivery waits."
  },
  disabled_reason: null,
  consecutive_failures: 0
} as const
const stats = (delivered: number, failed: number, pending: number) => ({
  ...healthy,
  stats: { delivered, failed, pending, success_rate: (100 * delivered) / Math.max(1, delivered + failed) }
})

describe("a webhook needs attention", () => {
  it("if it is disabled, fails, or lets many deliveries wait", () => {
    assert.deepStrictEqual(troublesOf({ ...healthy, status: "disabled", disabled_reason: "by you" }), [
      "disabled: by you"
    ])
    const failing = { ...healthy.health, state: "failing", sentence: "Failing since 09:29." } as const
    assert.deepStrictEqual(troublesOf({ ...healthy, health: failing }), ["Failing since 09:29."])
    assert.deepStrictEqual(troublesOf({ ...healthy, consecutive_failures: 2 }), [
      "2 deliveries failed in a row"
    ])
    assert.deepStrictEqual(troublesOf(stats(90, 10, 0)), ["90% succeeded in the last 24 hours"])
    assert.deepStrictEqual(troublesOf(stats(1_000, 0, 200)), ["200 deliveries wait"])
    assert.deepStrictEqual(troublesOf(stats(0, 0, 10)), [
      "none of 10 deliveries has succeeded in the last 24 hours"
    ])
  })

  it("not if it works, or nothing happened, or its statistics cannot be seen", () => {
    for (const webhook of [healthy, stats(0, 0, 0), stats(100, 1, 99), stats(100_000, 0, 500)]) {
      assert.deepStrictEqual(troublesOf(webhook), [])
    }
  })
})

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
