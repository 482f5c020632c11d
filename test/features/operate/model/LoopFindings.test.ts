/** What the report says of stages and tasks that have failed for minutes: one finding for each cause. */
import { assert, describe, it } from "@effect/vitest"
import { sentencesOf } from "../../../../src/features/operate/model/CommandReport.ts"
import { makeReport, type ServiceFacts } from "../../../../src/features/operate/model/Report.ts"
import { seenProcess } from "../seenProcess.ts"
import { MINUTE, stage, well } from "../serviceSituations.ts"

const saying = (facts: Partial<ServiceFacts>) => {
  const report = makeReport({ ...well, ...facts }, new Map(), undefined)
  return [report.ok, ...sentencesOf(report)]
}
const processWith = (parts: ReturnType<typeof seenProcess>["parts"]) => [
  seenProcess({ host: "a", pid: 1, parts })
]
const failing = (what: string) =>
  ({ status: "degraded", detail: `${what} has failed for 6 min 0 s: no` }) as const
const late = [stage({ stage: "route", network: "mainnet", oldestMs: 6 * MINUTE, waiting: 7 })]

describe("the report", () => {
  it("names a task of upkeep that fails, and its process", () => {
    const processes = processWith({ "upkeep.totals-of-deliveries": failing("totals of deliveries") })
    assert.deepStrictEqual(saying({ processes }), [
      true,
      "The service is well. None of 224 webhooks fails.",
      "host a, pid 1: totals of deliveries has failed for 6 min 0 s: no."
    ])
  })

  it("names the reason of a stage that is late because it fails", () => {
    const processes = processWith({ route: failing("storing dead letters") })
    assert.deepStrictEqual(saying({ processes, stages: late }), [
      false,
      "Events of mainnet are routed late: 7 wait, oldest 6 min 0 s. host a, pid 1: storing dead letters has failed for 6 min 0 s: no."
    ])
  })

  it("names only the log if stages and tasks fail because it is away", () => {
    const log = { status: "failed", detail: "ECONNREFUSED" } as const
    const [ok, ...sentences] = saying({ processes: processWith({ log, route: failing("queueing retries") }) })
    assert.isFalse(ok)
    assert.strictEqual(sentences.length, 1)
    assert.match(String(sentences[0]), /^The log answers none of 1 process: ECONNREFUSED\./)
  })
})
