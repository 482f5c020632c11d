/** What the dashboard says of replay and retry jobs. */
import { assert, describe, it } from "@effect/vitest"
import type { ReplayJobDetail } from "../../../dashboard/src/api/ledgerhook.ts"
import { patternsOf } from "../../../dashboard/src/features/replay/patterns.ts"
import {
  detailOf,
  headlineOf,
  headlineOfAll,
  outcomeOf,
  paceOf,
  type Sample,
  timeLeft,
  titleOf,
  withSample
} from "../../../dashboard/src/features/replay/progress.ts"

const MADE = Date.parse("2026-11-24T14:28:38Z")

const job: ReplayJobDetail = {
  job_id: "rpl_job_01J8ZQ4T7M3VXN5K2D9RFBHCAE",
  mode: "replay",
  status: "running",
  webhook_id: "wh_01J8ZQ4T7M3VXN5K2D9RFBHCAE",
  total_events: 1_000,
  processed_events: 400,
  failed_events: 0,
  delivered: 300,
  waiting: 100,
  failed: 0,
  error: null,
  requested: { event_types: ["payment.xrp", "payment.issued"], since: "2026-11-20T10:00:00.000Z" },
  created_at: new Date(MADE).toISOString(),
  completed_at: null,
  finished_at: null,
  progress_percent: 40,
  eta_seconds: 12
}

/** Samples of a job of which this many deliveries had ended at these seconds of its life. */
const seen = (...points: ReadonlyArray<readonly [second: number, delivered: number]>) =>
  points.reduce<ReadonlyArray<Sample>>(
    (samples, [second, delivered]) => withSample(samples, { ...job, delivered }, MADE + second * 1_000),
    []
  )

describe("the time left of a job", () => {
  it("follows from the pace of the last minute", () => {
    const pace = paceOf(seen([100, 0], [160, 0], [190, 300], [220, 600]))
    assert.strictEqual(pace, 10)
    assert.strictEqual(timeLeft({ ...job, delivered: 600 }, pace), 40_000)
    // A young job has done nothing when it was made.
    assert.strictEqual(paceOf(seen([10, 50])), 5)
  })

  it("is not known from too little, without a pace, while ledgers are fetched, and at the end", () => {
    assert.isUndefined(paceOf([]))
    assert.isUndefined(paceOf(seen([100, 10], [102, 20])))
    assert.isUndefined(timeLeft(job, undefined))
    assert.isUndefined(timeLeft(job, 0))
    assert.isUndefined(timeLeft({ ...job, history: { ledgers: null, fetched_ledgers: 7 } }, 5))
    assert.isUndefined(timeLeft({ ...job, delivered: null }, 5))
    assert.isUndefined(timeLeft({ ...job, status: "completed", finished_at: job.created_at }, 5))
    assert.isUndefined(timeLeft({ ...job, status: "cancelled" }, 5))
  })
})

const ended = (fields: Partial<ReplayJobDetail>): ReplayJobDetail => ({
  ...job,
  status: "completed",
  processed_events: 1_000,
  delivered: 1_000,
  waiting: 0,
  ...fields
})

describe("the words for a job", () => {
  it("are first about the time left, then about its state and its end", () => {
    assert.strictEqual(headlineOf(job, 130_000), "2\u00a0min\u00a010\u00a0s left")
    for (const [fields, headline, outcome] of [
      [{}, "All 1\u202f000 delivered", "all delivered"],
      [{ delivered: 959, failed: 41 }, "959 delivered, 41 failed", "959 delivered, 41 failed"],
      [{ delivered: 0, waiting: 1_000 }, "1\u202f000 of 1\u202f000 deliveries wait", "all 1\u202f000 wait"],
      [{ status: "failed", error: "gone" }, "The replay failed", "gone"],
      [
        { status: "cancelled", processed_events: 400, delivered: 400 },
        "Stopped after 400 of 1\u202f000",
        "400 delivered, then stopped"
      ],
      [{ status: "queued" }, "The replay begins within seconds", "begins within seconds"],
      [{ delivered: null, waiting: null }, "1\u202f000 events queued", "1\u202f000 queued"]
    ] as const) {
      assert.strictEqual(headlineOf(ended(fields), undefined), headline)
      assert.strictEqual(outcomeOf(ended(fields)).text, outcome)
    }
    assert.strictEqual(headlineOfAll([job], 1), "1 replay is running, 1 is queued")
    assert.strictEqual(headlineOfAll([], 0), "Replays")
  })

  it("name what it was asked for, with whole families by their pattern", () => {
    assert.strictEqual(titleOf(job), "Replay of payment.*")
    assert.match(detailOf(job), /^since 20 Nov, /)
    assert.strictEqual(titleOf({ ...job, requested: null }), "Replay of 1\u202f000 events")
    const retry: ReplayJobDetail = {
      ...job,
      mode: "retry",
      requested: { statuses: ["failed", "retrying"], until: job.created_at }
    }
    assert.strictEqual(titleOf(retry), "Retry of 1\u202f000 deliveries")
    assert.strictEqual(detailOf(retry), "failed or retrying, of all types")
    assert.deepStrictEqual(patternsOf(["check.created", "payment.xrp", "payment.issued"]), [
      "payment.*",
      "check.created"
    ])
  })
})
