/** The report of the whole service: its sentences in each situation, its times, and how late the service is. */
import { assert, describe, it } from "@effect/vitest"
import {
  currentReport,
  secondsLate,
  sentencesOf
} from "../../../../src/features/operate/model/CommandReport.ts"
import { backlogFacts, merged, type StageFact } from "../../../../src/features/operate/model/LateStages.ts"
import {
  makeReport,
  REPORT_OLD_MS,
  type Report,
  type Samples,
  type ServiceFacts,
  sampled
} from "../../../../src/features/operate/model/Report.ts"
import { Limits } from "../../../../src/spine/config/Limits.ts"
import { seenProcess } from "../seenProcess.ts"
import { MINUTE, NOW, situations, stage, webhooks, well, without } from "../serviceSituations.ts"

const reportOf = (facts: Partial<ServiceFacts>, before?: Report) =>
  makeReport({ ...well, ...facts }, new Map(), before)

describe("the report of the service, when", () => {
  it.each(situations)("$what", ({ facts, ok: isOk, says }) => {
    const report = reportOf(facts)
    const sentences = sentencesOf(report)
    assert.strictEqual(report.ok, isOk, sentences.join("\n"))
    assert.strictEqual(sentences.length, says.length, sentences.join("\n"))
    for (const [i, wanted] of says.entries())
      if (typeof wanted === "string") assert.strictEqual(sentences[i], wanted)
      else assert.match(sentences[i]!, wanted)
  })

  const backlogs = [
    {
      what: "38: behind for two hours, and drains",
      fact: stage({ stage: "ingest", network: "mainnet", oldestMs: 2 * 60 * MINUTE }),
      waiting: [3_500, 3_200, 2_900, 2_600, 2_300, 2_000, 1_700],
      isOk: true,
      says: "Ledgers of mainnet are taken late: 1,700 ledgers behind, oldest 2 h 0 min, gone in about 57 s."
    },
    {
      what: "39: a backlog grows because of the service",
      fact: stage({ stage: "deliver", oldestMs: 3 * MINUTE }),
      waiting: [42_600, 43_500, 44_400, 45_300, 46_200, 47_100, 48_000],
      isOk: false,
      says: "48,000 deliveries wait for the service, oldest 3 min 0 s, 90/s more."
    },
    {
      what: "nothing moves",
      fact: stage({ stage: "route", network: "mainnet", oldestMs: 3 * MINUTE }),
      waiting: [7, 7, 7, 7, 7, 7, 7],
      isOk: false,
      says: "Events of mainnet are routed late: 7 wait, oldest 3 min 0 s, and nothing moves."
    }
  ]
  it.each(backlogs)("$what", ({ fact, isOk, says, waiting }) => {
    const facts = waiting.map((each) => [{ ...fact, waiting: each }])
    const samples = facts.reduce<Samples>(
      (before, each, i) => sampled(before, each, i * Limits.reportMs),
      new Map()
    )
    const report = makeReport({ ...well, stages: facts.at(-1) }, samples, undefined)
    assert.strictEqual(sentencesOf(report).at(-1), says)
    assert.strictEqual(report.ok, isOk)
  })
})

describe("the report", () => {
  it("says since when something is wrong, across reports and their makers", () => {
    const first = reportOf({ processes: [without("api")] })
    const later = reportOf(
      { nowMs: NOW + MINUTE, processes: [without("api")] },
      JSON.parse(JSON.stringify(first))
    )
    assert.deepStrictEqual(
      later.findings.map(({ sinceMs }) => sinceMs),
      [NOW]
    )
    assert.isEmpty(reportOf({}, later).findings)
    assert.strictEqual(
      reportOf({ processes: [without("api")] }, reportOf({}, later)).findings[0]?.sinceMs,
      NOW
    )
  })

  it("counts a backlog as the service's for as long as a process sends less than its webhooks take", () => {
    const backlog = { oldestDueMs: 60 * MINUTE, overflowed: 9_000, waiting: 12_000 }
    const of = (ms: number) =>
      backlogFacts([seenProcess({ behindMs: { backlog: ms } })], backlog).map(
        ({ because, oldestMs, waiting }) => `${because} ${oldestMs} ${waiting}`
      )
    assert.deepStrictEqual(of(0), ["webhook 3600000 12000"])
    assert.deepStrictEqual(of(90_000), ["webhook 3600000 12000", "service 90000 9000"])
  })

  it("has one row for each stage, network and cause", () => {
    const two = [
      stage({ stage: "deliver", oldestMs: 5 }),
      stage({ stage: "deliver", oldestMs: 9, waiting: 2 })
    ]
    assert.deepStrictEqual(merged([...two, stage({ stage: "delay" })]), [
      stage({ stage: "deliver", oldestMs: 9, waiting: 2 }),
      stage({ stage: "delay" })
    ])
  })

  it("says how late the service is for a network: 0 in health, and never because of a webhook", () => {
    const late = (...stages: ReadonlyArray<StageFact>) =>
      secondsLate({ report: reportOf({ stages }), ageMs: 0 }, "mainnet")
    const ingest = stage({ stage: "ingest", network: "mainnet", oldestMs: 8_000 })
    assert.strictEqual(late(ingest, stage({ stage: "deliver", because: "webhook", oldestMs: 9_000 })), 0)
    assert.strictEqual(late({ ...ingest, waiting: 2 }), 8)
    assert.strictEqual(late(stage({ stage: "route", network: "testnet", oldestMs: 9_000 })), 0)
    assert.strictEqual(late(ingest, stage({ stage: "deliver", oldestMs: 70_500 })), 70)
    assert.isUndefined(secondsLate({ report: reportOf({ stages: undefined }), ageMs: 0 }, "mainnet"))
    assert.isUndefined(secondsLate({ report: reportOf({}), ageMs: REPORT_OLD_MS + 1 }, "mainnet"))
    assert.isUndefined(secondsLate(undefined, "mainnet"))
  })

  it("is not used when it is old, and then roles are those of now", () => {
    const facts = {
      nowMs: NOW,
      processes: [seenProcess()],
      withoutRoles: [],
      webhooks: { ...webhooks, healthy: 1 }
    }
    const broken = reportOf({ processes: [without("api")] })
    const current = (ageMs: number) => currentReport({ ...facts, stored: { report: broken, ageMs } })
    assert.isFalse(current(REPORT_OLD_MS).ok)
    const old = current(REPORT_OLD_MS + 1)
    assert.isTrue(old.ok)
    assert.match(sentencesOf(old)[1]!, /^No process has made a report of the whole service for 30 s: /)
    assert.match(sentencesOf(currentReport({ ...facts, stored: undefined }))[1]!, /service yet: /)
    const stopped = currentReport({ ...facts, processes: [], stored: undefined })
    assert.deepStrictEqual(sentencesOf(stopped), ["The service does not run: no process says so."])
  })
})
