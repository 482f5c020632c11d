/** The demo's verdict is truthful; demo.slow.test.ts runs the demo itself. */
import { assert, describe, it } from "@effect/vitest"
import type { Sample, SampleCount } from "../../src/cli/commands/demo/DemoReceiver.ts"
import { judge } from "../../src/cli/commands/demo/Verdict.ts"

const count = (fields: Partial<SampleCount> = {}): SampleCount => ({
  attempts: 2,
  refused: 0,
  wrongSignatures: 0,
  accepted: new Map([
    ["e1", "payment.xrp"],
    ["e2", "payment.xrp"]
  ]),
  ...fields
})
const all = (slow: SampleCount): Readonly<Record<Sample, SampleCount>> => ({
  healthy: count(),
  slow,
  failing: count()
})
const expected = new Set(["e1", "e2"])
const logHasAll = () => expected.size

describe("the demo's verdict", () => {
  it("is good when every event arrived at every receiver and the delivery log says so", () => {
    assert.deepStrictEqual(judge(expected, all(count()), logHasAll), {
      ok: true,
      expectedEvents: 2,
      faults: []
    })
  })

  it("names missing and unexpected events, wrong signatures and differences from the log", () => {
    const faultsOf = (slow: SampleCount, inLog: () => number = logHasAll) => {
      const { ok, faults } = judge(expected, all(slow), inLog)
      assert.isFalse(ok)
      return faults
    }
    assert.deepStrictEqual(faultsOf(count({ accepted: new Map([["e2", "payment.xrp"]]) })), [
      "slow: 1 events did not arrive, first e1"
    ])
    const surplus = new Map([...count().accepted, ["e3", "payment.xrp"] as const])
    assert.deepStrictEqual(faultsOf(count({ accepted: surplus })), ["slow: 1 unexpected events, first e3"])
    assert.deepStrictEqual(faultsOf(count({ wrongSignatures: 1 })), ["slow: 1 wrong signatures"])
    assert.strictEqual(faultsOf(count(), () => 1).length, 3)
  })

  it("is not good when nothing happened at all", () => {
    const nothing = count({ accepted: new Map() })
    assert.isFalse(judge(new Set(), { healthy: nothing, slow: nothing, failing: nothing }, () => 0).ok)
  })
})
