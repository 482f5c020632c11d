/** The demo's verdict is truthful; Demo.slow.test.ts runs the demo itself. */
import { assert, describe, it } from "@effect/vitest"
import { type BySample, bySample, type SampleCount } from "../../../src/features/demo/DemoReceiver.ts"
import { judge } from "../../../src/features/demo/Verdict.ts"

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
const all = (slow: SampleCount): BySample<SampleCount> => ({ ...bySample(() => count()), slow })
const events = new Set(["e1", "e2"])
const expected = bySample(() => events)
const logHasAll = () => events.size

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
    assert.strictEqual(faultsOf(count(), () => 1).length, 5)
  })

  it("expects at each receiver only what its webhook wants", () => {
    const wanted = { ...expected, slow: new Set(["e1"]) }
    const { faults } = judge(wanted, all(count()), logHasAll)
    assert.deepStrictEqual(faults, [
      "slow: 1 unexpected events, first e2",
      "slow: 2 of 1 deliveries are recorded as delivered"
    ])
  })

  it("is not good when nothing happened at all", () => {
    const nothing = count({ accepted: new Map() })
    const none = new Set<string>()
    assert.isFalse(
      judge(
        bySample(() => none),
        bySample(() => nothing),
        () => 0
      ).ok
    )
  })
})
