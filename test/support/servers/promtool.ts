/** Prometheus' and Alertmanager's own checkers, of Debian's packages `prometheus` and `prometheus-alertmanager`. */
import { spawnSync } from "node:child_process"

export const hasPromtool = ["promtool", "amtool"].every((tool) => spawnSync(tool, ["--version"]).status === 0)
if (!hasPromtool && process.env["REQUIRE_PROMTOOL"] === "1") {
  throw new Error(
    "REQUIRE_PROMTOOL: promtool or amtool is not installed; install the packages prometheus and prometheus-alertmanager."
  )
}

const run =
  (tool: string) =>
  (args: ReadonlyArray<string>, input = "") => {
    const { status, stdout, stderr } = spawnSync(tool, args, { input, encoding: "utf8", timeout: 60_000 })
    return { status, text: stdout + stderr }
  }

/** Each runs the tool and returns its exit code and everything that it wrote. */
export const promtool = run("promtool")
export const amtool = run("amtool")
