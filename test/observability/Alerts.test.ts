/**
 * The alerts and dashboards in `ops` ask for metrics that exist, by labels that these have, and docs/operations.md says
 * what to do about each alert.
 */
import { globSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { metricsTable } from "../../src/observability/Metrics.ts"
import { alertNames, dashboardExpressions, RULES, RULES_TEST } from "../support/operationFiles.ts"

const metrics = new Map(metricsTable.map((metric) => [metric.name, metric]))

/** Labels that Prometheus adds, and that of a histogram's buckets. */
const addedLabels = ["instance", "job", "le"]

/** The metrics and label names that an expression has and the program has not. */
const unknownIn = (expression: string): ReadonlyArray<string> => {
  const used = Array.from(expression.matchAll(/\b(?:ledgerhook|process|nodejs)_\w+/g), ([name]) => name)
  const known = used.map((name) => metrics.get(name) ?? metrics.get(name.replace(/_bucket$/, "")))
  const labels = known.flatMap((metric) => Object.keys(metric?.labels ?? {}))
  const grouped = Array.from(expression.matchAll(/\bby \(([^)]*)\)/g), ([, list]) => list!.split(", ")).flat()
  const selected = Array.from(expression.matchAll(/[{,] ?(\w+)(?:=|!=|=~|!~)"/g), ([, label]) => label!)
  return [
    ...used.filter((_, i) => known[i] === undefined),
    ...[...grouped, ...selected].filter((label) => !labels.includes(label) && !addedLabels.includes(label))
  ]
}

describe("ops/prometheus/alerts.yml", () => {
  const rules = readFileSync(RULES, "utf8")

  it("asks for metrics and labels that exist", () => {
    // An expression may have several lines.
    const expressions = Array.from(rules.matchAll(/expr: (?:>-\n)?([\s\S]*?)\n {8}\w+:/g), ([, text]) =>
      text!.replace(/\s+/g, " ")
    )
    assert.lengthOf(expressions, alertNames(rules).length)
    assert.deepStrictEqual(expressions.flatMap(unknownIn), ['up{job="ledgerhook"}'].flatMap(unknownIn))
    assert.deepStrictEqual(unknownIn('sum by (webhook) (ledgerhook_no{type="x"})'), [
      "ledgerhook_no",
      "webhook",
      "type"
    ])
  })

  it("has a row for each alert in docs/operations.md, and no other", () => {
    const rows = readFileSync("docs/operations.md", "utf8").matchAll(/^\| `(Ledgerhook\w+)` \|/gm)
    assert.deepStrictEqual(
      Array.from(rows, ([, name]) => name!),
      alertNames(rules)
    )
  })

  it("has recorded samples for each alert", () => {
    const tested = Array.from(
      readFileSync(RULES_TEST, "utf8").matchAll(/^ {2}- name: (\w+)$/gm),
      ([, n]) => n!
    )
    assert.deepStrictEqual(tested, alertNames(rules))
  })
})

describe("the dashboards", () => {
  for (const file of globSync("ops/grafana/*.json")) {
    it(`${file} asks for metrics and labels that exist, and has one panel of each id`, () => {
      assert.deepStrictEqual(dashboardExpressions(file).flatMap(unknownIn), [])
      const { panels } = JSON.parse(readFileSync(file, "utf8"))
      const ids = panels.map(({ id }: { id: number }) => id)
      assert.strictEqual(new Set(ids).size, ids.length)
    })
  }

  it("show every metric of the program", () => {
    const shown = globSync("ops/grafana/*.json").flatMap(dashboardExpressions).join("\n")
    const missing = [...metrics.keys()].filter((name) => !shown.includes(name))
    // Their rates are shown instead.
    assert.deepStrictEqual(missing, [
      "ledgerhook_newest_ledger_index",
      "ledgerhook_ledgers_taken_total",
      "ledgerhook_replay_jobs_ended_total"
    ])
  })
})
