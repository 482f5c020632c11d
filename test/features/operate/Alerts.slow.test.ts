/** Prometheus and Alertmanager accept the files in `ops`, and in each situation exactly the right alerts fire, in time. */
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { amtool, hasPromtool, promtool } from "../../support/servers/promtool.ts"
import { promtoolTest, promtoolTests } from "./alertSamples.ts"
import { situations } from "./alertSituations.ts"
import { dashboardExpressions, INHIBITION, RULES, readRules } from "./operationFiles.ts"

const withFile = (content: string, check: (file: string) => { status: number | null; text: string }) => {
  const folder = mkdtempSync(join(tmpdir(), "ledgerhook-rules-"))
  const file = join(folder, "rules.json")
  writeFileSync(file, content)
  const result = check(file)
  rmSync(folder, { recursive: true })
  return result
}

/** Checks expressions as rules: promtool has no command for single ones. */
const checked = (expressions: ReadonlyArray<string>) => {
  const rules = expressions.map((expr, i) => ({ record: `expression_${i}`, expr }))
  return withFile(JSON.stringify({ groups: [{ name: "expressions", rules }] }), (file) =>
    promtool(["check", "rules", file])
  )
}

const rules = readRules()

describe.skipIf(!hasPromtool)("promtool", () => {
  it("accepts the alerts", () => {
    const { status, text } = promtool(["check", "rules", RULES])
    assert.strictEqual(status, 0, text)
  })

  it.each(Object.entries(situations))(
    "of two installations, only the faulty one has alerts: %s",
    (name, one) => {
      const tests = [promtoolTest(name, one, rules, true)]
      if (Object.keys(one.notifies).length > 0) tests.push(promtoolTest(name, one, rules, false))
      const { status, text } = withFile(promtoolTests(tests), (file) => promtool(["test", "rules", file]))
      assert.strictEqual(status, 0, text)
    }
  )

  it("would notice an alert that is late, or that should not fire", () => {
    for (const wrong of [
      {
        ...situations["Kafka is away"]!,
        fault: situations["the broker restarts within 20 s"]!.fault,
        lasts: 0.3
      },
      { ...situations["Kafka is away"]!, notifies: {} }
    ]) {
      const tests = promtoolTests([promtoolTest("wrong", wrong, rules, true)])
      assert.notStrictEqual(withFile(tests, (file) => promtool(["test", "rules", file])).status, 0)
    }
  })

  it("accepts every expression of the dashboards", () => {
    for (const file of globSync("ops/grafana/*.json")) {
      const { status, text } = checked(dashboardExpressions(file))
      assert.strictEqual(status, 0, text)
    }
    assert.notStrictEqual(checked(["sum("]).status, 0)
  })

  it("amtool accepts the inhibition rules in a configuration of Alertmanager", () => {
    const rest = "route: {receiver: none}\nreceivers: [{name: none}]\n"
    const { status, text } = withFile(readFileSync(INHIBITION, "utf8") + rest, (file) =>
      amtool(["check-config", file])
    )
    assert.strictEqual(status, 0, text)
  })
})
