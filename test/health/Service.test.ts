/** The first lines of `ledgerhook status`: us, or some customers' endpoints? */
import { assert, describe, it } from "@effect/vitest"
import { roles } from "../../src/config/Definitions.ts"
import { roleStates, type SeenProcess } from "../../src/health/Roles.ts"
import { serviceState } from "../../src/health/Service.ts"

const all: SeenProcess = {
  host: "a",
  pid: 1,
  version: "0.3.0",
  roles,
  failing: [],
  seenAgoMs: 1_000,
  stopped: false
}
const counts = { disabled: 0, new: 0, failing: 0, waiting: 0, healthy: 0 }
const stateOf = (processes: ReadonlyArray<SeenProcess>, webhooks: Partial<typeof counts> = {}) =>
  serviceState(processes, roleStates(processes, []), { ...counts, ...webhooks })

describe("the service", () => {
  it("is well although endpoints fail, and says how many", () => {
    assert.deepStrictEqual(stateOf([all], { healthy: 198, waiting: 4, failing: 22, disabled: 9 }), {
      ok: true,
      sentences: ["Each role has a process.", "22 of 224 active webhooks fail."]
    })
    assert.include(stateOf([all], { failing: 1, healthy: 1 }).sentences, "1 of 2 active webhooks fails.")
    assert.include(stateOf([all], { healthy: 1_500 }).sentences, "None of 1,500 webhooks fails.")
    assert.include(stateOf([all], { new: 1 }).sentences, "The only active webhook does not fail.")
    assert.include(stateOf([all], { disabled: 1 }).sentences, "There is no active webhook.")
  })

  it("is at fault if a role is missing, and then says only that", () => {
    const { ok, sentences } = stateOf([{ ...all, roles: roles.slice(1) }], { failing: 3 })
    assert.isFalse(ok)
    assert.deepStrictEqual(sentences, [
      `No process has the role ${roles[0]}: none has had it within the last day.`
    ])
  })

  it("is at fault if it does not run", () => {
    assert.deepStrictEqual(stateOf([{ ...all, seenAgoMs: 60_000 }]), {
      ok: false,
      sentences: ["The service does not run: no process says so."]
    })
  })
})
