/** The demo's verdict is truthful, and the demo itself, run as a stranger runs it, ends well. */
import { spawn } from "node:child_process"
import { tmpdir } from "node:os"
import { resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Sample, SampleCount } from "../../src/cli/commands/demo/DemoReceiver.ts"
import { judge } from "../../src/cli/commands/demo/Verdict.ts"
import { startProgram } from "../support/program.ts"

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

  it("names what is missing, what nobody caused, a wrong signature and a log that says otherwise", () => {
    const faultsOf = (slow: SampleCount, inLog: () => number = logHasAll) => {
      const { ok, faults } = judge(expected, all(slow), inLog)
      assert.isFalse(ok)
      return faults
    }
    assert.deepStrictEqual(faultsOf(count({ accepted: new Map([["e2", "payment.xrp"]]) })), [
      "slow: 1 events did not arrive, first e1"
    ])
    const surplus = new Map([...count().accepted, ["e3", "payment.xrp"] as const])
    assert.deepStrictEqual(faultsOf(count({ accepted: surplus })), ["slow: 1 events nobody caused, first e3"])
    assert.deepStrictEqual(faultsOf(count({ wrongSignatures: 1 })), ["slow: 1 wrong signatures"])
    assert.strictEqual(faultsOf(count(), () => 1).length, 3)
  })

  it("is not good when nothing happened at all", () => {
    const nothing = count({ accepted: new Map() })
    assert.isFalse(judge(new Set(), { healthy: nothing, slow: nothing, failing: nothing }, () => 0).ok)
  })
})

describe("the demo", () => {
  it.live(
    "ends 0 after its ledgers, with retries seen and nothing missing",
    () =>
      Effect.gen(function* () {
        const { code, output } = yield* Effect.callback<{
          readonly code: number | null
          readonly output: string
        }>((resume) => {
          const child = spawn(process.execPath, [resolve("bin/ledgerhook.js"), "demo", "--ledgers", "2"], {
            env: { PATH: process.env["PATH"] },
            stdio: ["ignore", "pipe", "inherit"]
          })
          let text = ""
          child.stdout.on("data", (chunk: Buffer) => {
            text += chunk
          })
          child.once("exit", (exitCode) => resume(Effect.succeed({ code: exitCode, output: text })))
          return Effect.sync(() => void child.kill("SIGKILL"))
        })
        assert.strictEqual(code, 0, output)
        assert.match(output, /nothing is missing/)
        const [, attempts, delivered, refused] = /failing +(\d+) +(\d+) +(\d+)/.exec(output) ?? []
        assert.isAbove(Number(delivered), 0)
        assert.strictEqual(Number(refused), 2 * Number(delivered))
        assert.strictEqual(Number(attempts), 3 * Number(delivered))
      }),
    90_000
  )

  const interrupted = Effect.fnUntraced(function* (...flags: ReadonlyArray<string>) {
    const program = yield* startProgram(["demo", ...flags], { cwd: tmpdir() })
    yield* program.printed(/^ledger \d+ /)
    yield* program.signal("SIGINT")
    const code = yield* program.ended
    assert.match(program.stdout(), /\n\d+ ledgers, \d+ events, 00:\d\d\n/)
    return code
  })

  it.live("ends 0 under Ctrl-C, with its summary", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* interrupted(), 0)
    })
  )

  it.live("ends 130 under Ctrl-C when it was to tell whether everything arrives", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* interrupted("--ledgers", "1000"), 130)
    })
  )
})
