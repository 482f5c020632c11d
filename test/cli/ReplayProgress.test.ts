/** The progress line that a terminal shows while it watches a replay job. */
import { assert, describe, it } from "@effect/vitest"
import { progressLine, spanText } from "../../src/cli/commands/replay/Watch.ts"
import type { ReplaySummary } from "../../src/storage/replays/ReplayOverview.ts"

const STARTED = Date.parse("2026-11-21T09:30:00.000Z")
const job = (fields: Partial<ReplaySummary>): ReplaySummary => ({
  id: "rpl_job_1",
  account_id: "acct_1",
  mode: "replay",
  webhook_id: "wh_1",
  network: "mainnet",
  status: "running",
  total_events: 10_000,
  processed_events: 2_500,
  failed_events: 0,
  error: null,
  part: 0.25,
  created_at: "2026-11-21T09:29:59.000Z",
  started_at: "2026-11-21T09:30:00.000Z",
  completed_at: null,
  cancelled_at: null,
  history: null,
  skipped_ledgers: [],
  ...fields
})

describe("a job's progress", () => {
  it("is a bar with part, events, rate and remaining time", () => {
    assert.strictEqual(
      progressLine(job({}), 833.4, STARTED + 3_000),
      `[${"█".repeat(6)}${"░".repeat(18)}] 25 %  2500 of about 10000 events  833/s  9 s left`
    )
  })

  it("omits unknown values, and shows why a queued job waits", () => {
    assert.strictEqual(
      progressLine(job({ part: 0, processed_events: 0 }), undefined, STARTED),
      `[${"░".repeat(24)}] 0 %  0 of about 10000 events`
    )
    assert.match(
      progressLine(job({ status: "queued", part: 0, started_at: null }), 0, STARTED),
      /^\[░{24}\] waiting for a process with the role replay$/
    )
  })

  it("shows the fetching of history while the job waits for it", () => {
    const history = { ledgers: 40_000, fetched: 12_000, settled_at: null }
    assert.strictEqual(
      progressLine(job({ part: 0, history }), 38.2, STARTED),
      `[${"░".repeat(24)}] history: 12000 of 40000 ledgers  38/s`
    )
    assert.match(
      progressLine(job({ part: 0, history: { ...history, ledgers: null } }), undefined, STARTED),
      /history: counting the ledgers to fetch$/
    )
    // From then on the line counts the queued deliveries and the time that they took.
    assert.strictEqual(
      progressLine(
        job({ history: { ...history, settled_at: "2026-11-21T10:30:00.000Z" } }),
        undefined,
        STARTED + 3_603_000
      ),
      `[${"█".repeat(6)}${"░".repeat(18)}] 25 %  2500 of about 10000 events  9 s left`
    )
  })

  it("shows times in two units at most", () => {
    assert.deepStrictEqual([0, 59, 60, 3_599, 3_600, 90_061].map(spanText), [
      "0 s",
      "59 s",
      "1 min 0 s",
      "59 min 59 s",
      "1 h 0 min",
      "25 h 1 min"
    ])
  })
})
