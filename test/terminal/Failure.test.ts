/** Exit codes and error messages: 1 for failures, 2 for wrong usage, one line each, no stack unless asked for. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Exit } from "effect"
import {
  CommandFailed,
  endingOf,
  FailureReported,
  WrongSettings,
  WrongUsage
} from "../../src/terminal/Failure.ts"

const ending = (cause: Cause.Cause<unknown>, debug = false) => endingOf(Exit.failCause(cause), debug)

describe("the end of a command", () => {
  it("is 0 and silent when all went well", () => {
    assert.deepStrictEqual(endingOf(Exit.void, false), { code: 0, lines: [] })
  })

  it("is 1 and one line for an expected failure, whatever its message looks like", () => {
    assert.deepStrictEqual(ending(Cause.fail(new CommandFailed({ message: "first\n  second\n" }))), {
      code: 1,
      lines: ["ledgerhook: first second"]
    })
  })

  it("is 1 and silent if the failure was reported already", () => {
    assert.deepStrictEqual(ending(Cause.fail(new FailureReported())), { code: 1, lines: [] })
  })

  it("is 2 and one line for each wrong setting", () => {
    assert.deepStrictEqual(ending(Cause.fail(new WrongSettings({ messages: ["PORT: a.", "ROLES: b."] }))), {
      code: 2,
      lines: ["ledgerhook: PORT: a.", "ledgerhook: ROLES: b."]
    })
  })

  it("is 2 for flags that do not go together", () => {
    assert.deepStrictEqual(ending(Cause.fail(new WrongUsage({ message: "--from 9 is after --to 5." }))), {
      code: 2,
      lines: ["ledgerhook: --from 9 is after --to 5."]
    })
  })

  it("reports a failure once, even if it arrives in several ways", () => {
    const failed = Cause.fail(new CommandFailed({ message: "no store" }))
    assert.deepStrictEqual(ending(Cause.combine(failed, failed)).lines, ["ledgerhook: no store"])
  })

  it("shows a defect's place only when asked to debug", () => {
    const defect = Cause.die(new Error("impossible"))
    assert.deepStrictEqual(ending(defect).lines, [
      "ledgerhook: unexpected: impossible (set LOG_LEVEL=debug to see where)"
    ])
    assert.match(ending(defect, true).lines.join("\n"), /impossible[\s\S]+Failure\.test\.ts/)
    assert.strictEqual(ending(defect).code, 1)
  })

  it("is 130 when a signal cut it short", () => {
    assert.deepStrictEqual(ending(Cause.interrupt(1)), { code: 130, lines: [] })
  })
})
