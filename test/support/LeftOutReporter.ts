/** Ends a test run with what did not run on this machine, so that a green run cannot hide what it left out. */
import type { Reporter, TestModule } from "vitest/node"

export default class LeftOutReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const leftOut = modules.flatMap((module) =>
      Array.from(
        module.children.allTests("skipped"),
        (test) => `  ${module.relativeModuleId}: ${test.fullName}`
      )
    )
    const text =
      leftOut.length === 0
        ? "Nothing was left out."
        : `Left out on this machine (${leftOut.length}):\n${leftOut.join("\n")}`
    process.stdout.write(`\n${text}\n`)
  }
}
