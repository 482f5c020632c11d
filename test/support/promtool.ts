/** Prometheus' own checker, `promtool` of Debian's package `prometheus`. */
import { spawnSync } from "node:child_process"

export const hasPromtool = spawnSync("promtool", ["--version"]).status === 0
if (!hasPromtool && process.env["REQUIRE_PROMTOOL"] === "1") {
  throw new Error("REQUIRE_PROMTOOL: promtool is not installed; install the package prometheus.")
}

/** Runs it; returns its exit code and everything that it wrote. */
export const promtool = (args: ReadonlyArray<string>, input = "") => {
  const { status, stdout, stderr } = spawnSync("promtool", args, { input, encoding: "utf8", timeout: 60_000 })
  return { status, text: stdout + stderr }
}
