/** The demo succeeds when run as a new user runs it. Demo.test.ts tests its verdict. */
import { spawn } from "node:child_process"
import { tmpdir } from "node:os"
import { resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { startProgram } from "../../support/program/program.ts"

describe("the demo", () => {
  it.live(
    "ends 0 after its ledgers, with retries seen and nothing missing",
    () =>
      Effect.gen(function* () {
        const { code, output } = yield* Effect.callback<{
          readonly code: number | null
          readonly output: string
        }>((resume) => {
          const child = spawn(resolve("bin/ledgerhook.js"), ["demo", "--ledgers", "2"], {
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
        // The first lines have a link that signs in to the dashboard, and a key.
        const [introduction = ""] = output.split("\nledger ", 1)
        assert.match(introduction, /\n {2}http:\/\/127\.0\.0\.1:\d+\/sign-in#link=link_test_\w{43}\n/)
        assert.match(introduction, /sign in at http:\/\/127\.0\.0\.1:\d+\/ with the key svc_test_\w+\n/)
        assert.match(output, /Every wanted event arrived at each of the 5 receivers/)
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

  it.live("exits 130 on Ctrl-C if it was asked to check that everything arrives", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* interrupted("--ledgers", "1000"), 130)
    })
  )
})
