/** Checks the systemd units with systemd's own checker, and their values against the program. They are not started here. */

import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { settingsOfFeatures, settingsTable } from "../src/app/Settings.ts"
import { loadSettings } from "../src/spine/config/Config.ts"
import { ExitCode } from "../src/terminal/Failure.ts"
import { terminalLimits } from "../src/terminal/Limits.ts"

const SINGLE = "ops/systemd/ledgerhook.service"
const files = [SINGLE, "ops/systemd/ledgerhook@.service"]

/** On systemd's scale, where 10 is without protection. */
const EXPOSURE_MAX = 2

const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0

for (const file of files) {
  const unit = readFileSync(file, "utf8")
  const valueIn = (name: string): string => new RegExp(`^${name}=(.*)$`, "m").exec(unit)![1]!

  describe(file, () => {
    it("gives the program settings that it accepts", () => {
      const given = Object.fromEntries(
        valueIn("Environment")
          .split(" ")
          .map((pair) => pair.split("="))
          .filter(([name]) => name !== "NODE_ENV")
      )
      const known = new Set<string>(settingsTable.map(({ name }) => name))
      assert.deepStrictEqual(
        Object.keys(given).filter((name) => !known.has(name)),
        []
      )
      assert.property(loadSettings(given, settingsOfFeatures), "port")
      if (file === SINGLE) assert.strictEqual(given["DATA_DIR"], `/var/lib/${valueIn("StateDirectory")}`)
    })

    it("lets the program end in its own time, and does not restart it with wrong settings", () => {
      assert.isAbove(Number(valueIn("TimeoutStopSec")) * 1_000, terminalLimits.shutdownMs)
      assert.strictEqual(Number(valueIn("RestartPreventExitStatus")), ExitCode.usage)
    })

    it("expects the messages that the program sends, and restarts it if they stop", () => {
      assert.deepStrictEqual(
        [valueIn("Type"), valueIn("NotifyAccess"), valueIn("Restart")],
        ["notify", "all", "on-failure"]
      )
      assert.isAtLeast(Number(valueIn("WatchdogSec")), 30)
    })
  })

  describe.skipIf(!hasSystemd)(`${file}, with systemd (Debian's package systemd)`, () => {
    const analyze = (...args: ReadonlyArray<string>) => {
      const folder = mkdtempSync(join(tmpdir(), "ledgerhook-systemd-"))
      const copy = join(folder, basename(file))
      // systemd wants a program that is there.
      writeFileSync(copy, unit.replace(/^(ExecStart)=\S+/m, `$1=${resolve("bin/ledgerhook.js")}`))
      const { status, stderr, stdout } = spawnSync("systemd-analyze", [...args, copy], { encoding: "utf8" })
      rmSync(folder, { recursive: true })
      return { status, text: stdout + stderr }
    }

    it("has only settings that systemd knows", () => {
      assert.deepStrictEqual(analyze("verify"), { status: 0, text: "" })
    })

    it("exposes no more than the agreed level", () => {
      const { text } = analyze("security", "--offline=true", "--no-pager")
      const exposure = /exposure level for \S+: ([\d.]+)/.exec(text)?.[1]
      assert.isAtMost(Number(exposure), EXPOSURE_MAX, text)
    })
  })
}
