/** Prometheus accepts the alerts and the dashboards' expressions, and each alert fires and clears on recorded samples. */
import { globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { dashboardExpressions, RULES, RULES_TEST } from "../support/operationFiles.ts"
import { hasPromtool, promtool } from "../support/promtool.ts"

/** Checks expressions as rules: promtool has no command for single ones. */
const checked = (expressions: ReadonlyArray<string>) => {
  const folder = mkdtempSync(join(tmpdir(), "ledgerhook-rules-"))
  const file = join(folder, "rules.json")
  const rules = expressions.map((expr, i) => ({ record: `expression_${i}`, expr }))
  writeFileSync(file, JSON.stringify({ groups: [{ name: "expressions", rules }] }))
  const result = promtool(["check", "rules", file])
  rmSync(folder, { recursive: true })
  return result
}

describe.skipIf(!hasPromtool)("promtool", () => {
  it("accepts the alerts, and each fires and clears on its samples", () => {
    for (const args of [
      ["check", "rules", RULES],
      ["test", "rules", RULES_TEST]
    ]) {
      const { status, text } = promtool(args)
      assert.strictEqual(status, 0, text)
    }
  })

  it("accepts every expression of the dashboards", () => {
    for (const file of globSync("ops/grafana/*.json")) {
      const { status, text } = checked(dashboardExpressions(file))
      assert.strictEqual(status, 0, text)
    }
    assert.notStrictEqual(checked(["sum("]).status, 0)
  })
})
