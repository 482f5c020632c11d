/** Checks the systemd unit of the export with systemd's own checker, and its command with the program. */

import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ExitCode } from "../src/terminal/Failure.ts"
import { terminalLimits } from "../src/terminal/Limits.ts"
import { runCommand } from "./support/program/command.ts"
import { makeFolder } from "./support/program/makeFolder.ts"

const unit = readFileSync("ops/systemd/ledgerhook-export.service", "utf8")
const valueIn = (name: string): string => new RegExp(`^${name}=(.*)$`, "m").exec(unit)![1]!

/** On systemd's scale, where 10 is without protection. */
const EXPOSURE_MAX = 2

const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0

describe("ops/systemd/ledgerhook-export.service", () => {
  it.live("calls the program with flags that it accepts, in a folder that it may write", () =>
    Effect.gen(function* () {
      const [, ...args] = valueIn("ExecStart").split(" ")
      const DATA_DIR = yield* makeFolder
      const { code, stderr } = yield* runCommand(args, { environment: { DATA_DIR } })
      assert.deepStrictEqual(code, ExitCode.failed)
      assert.match(stderr, /^ledgerhook: DATA_DIR: there is no database in /)
      const [data, lake] = valueIn("StateDirectory").split(" ")
      assert.include(valueIn("Environment"), `DATA_DIR=/var/lib/${data}`)
      assert.include(args.join(" "), `--out /var/lib/${lake}/`)
    }).pipe(Effect.scoped)
  )

  it("lets the program end in its own time, and does not restart it with wrong settings", () => {
    assert.isAbove(Number(valueIn("TimeoutStopSec")) * 1_000, terminalLimits.shutdownMs)
    assert.strictEqual(Number(valueIn("RestartPreventExitStatus")), ExitCode.usage)
  })
})

describe.skipIf(!hasSystemd)(
  "ops/systemd/ledgerhook-export.service, with systemd (Debian's package systemd)",
  () => {
    it.live("has only settings that systemd knows, and exposes no more than the agreed level", () =>
      Effect.gen(function* () {
        const file = join(yield* makeFolder, "ledgerhook-export.service")
        // systemd wants a program that is there.
        writeFileSync(file, unit.replace(/^(ExecStart)=\S+/m, `$1=${resolve("bin/ledgerhook.js")}`))
        const analyze = (...args: ReadonlyArray<string>) => {
          const { status, stderr, stdout } = spawnSync("systemd-analyze", [...args, file], {
            encoding: "utf8"
          })
          return { status, text: stdout + stderr }
        }
        assert.deepStrictEqual(analyze("verify"), { status: 0, text: "" })
        const { text } = analyze("security", "--offline=true", "--no-pager")
        const exposure = /exposure level for \S+: ([\d.]+)/.exec(text)?.[1]
        assert.isAtMost(Number(exposure), EXPOSURE_MAX, text)
      }).pipe(Effect.scoped)
    )
  }
)
