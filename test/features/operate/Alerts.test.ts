/**
 * The alerts and dashboards in `ops` ask for metrics that exist, by labels that these have. Each alert has a runbook, keeps
 * installations apart and never names a customer, and inhibition leaves the alert about the cause.
 */
import { globSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { metricsTable } from "../../../src/app/Metrics.ts"
import { situations } from "./alertSituations.ts"
import { dashboardExpressions, notInhibited, readInhibitions, readRules } from "./operationFiles.ts"

const metrics = new Map(metricsTable.map((metric) => [metric.name, metric]))

/** Labels that Prometheus adds, and that of a histogram's buckets. */
const addedLabels = ["installation", "instance", "job", "le"]

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

const rules = readRules()
const names = [...new Set(rules.map(({ alert }) => alert))]

describe("ops/prometheus/alerts.yml", () => {
  it("asks for metrics and labels that exist", () => {
    assert.deepStrictEqual(
      rules.flatMap(({ expr }) => unknownIn(expr)),
      []
    )
    assert.deepStrictEqual(unknownIn('sum by (webhook) (ledgerhook_no{type="x"})'), [
      "ledgerhook_no",
      "webhook",
      "type"
    ])
  })

  it("keeps installations apart, and names no customer", () => {
    for (const { alert, expr } of rules) {
      const grouped = Array.from(expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g), ([, list]) => list!.split(", "))
      assert.isNotEmpty(grouped, alert)
      for (const labels of grouped) assert.strictEqual(labels[0], "installation", alert)
      const aggregations = expr.match(/\b(?:sum|max|min|count)\b/g) ?? []
      assert.lengthOf(expr.match(/\bby \(installation\b/g) ?? [], aggregations.length, alert)
    }
  })

  it("says for each alert how soon it fires: the duration, a scrape, an evaluation and 10 s for the report", () => {
    const seconds: Readonly<Record<string, number>> = { m: 60, h: 3_600 }
    for (const { alert, annotations, for: duration = "0m" } of rules) {
      const [, n, unit] = /^(\d+)([mh])$/.exec(duration)!
      const promised = Number(/^(\d+) minutes\b/.exec(annotations.fires_within)?.[1])
      assert.isAtLeast(promised * 60, Number(n) * seconds[unit!]! + 70, alert)
    }
  })

  it("has a page for what customers notice, a ticket for the rest, and a runbook for each", () => {
    const manual = readFileSync("docs/runbook.md", "utf8")
    const headings = Array.from(manual.matchAll(/^### (Ledgerhook\w+)$/gm), ([, heading]) => heading!)
    assert.sameMembers(headings, names)
    assert.lengthOf(headings, names.length)
    for (const { alert, annotations, labels } of rules) {
      assert.include(["page", "ticket"], labels.severity, alert)
      assert.match(
        annotations.summary,
        /^\{\{ with \$labels\.installation \}\}\{\{ \. \}\}: \{\{ end \}\}[A-Z].+\.$/,
        alert
      )
      assert.strictEqual(
        annotations.runbook_url,
        `https://github.com/OWNER/ledgerhook/blob/main/docs/runbook.md#${alert.toLowerCase()}`
      )
    }
    for (const name of names) {
      // If there are two rules of the name, the first one pages.
      const { annotations, labels } = rules.find(({ alert }) => alert === name)!
      const [, runbook = ""] = manual.split(`\n### ${name}\n`)
      const kind = labels.severity === "page" ? "Page" : "Ticket"
      assert.isTrue(runbook.trimStart().startsWith(`**${kind}, within ${annotations.fires_within}`), name)
      const steps = runbook.split("\n#")[0]!.match(/^- \*\*(?:Check|Do not conclude)\*\*/gm)
      assert.lengthOf(steps ?? [], 2, name)
    }
  })

  it("has a situation for each alert and severity", () => {
    const inSituations = Object.values(situations).flatMap(({ notifies }) =>
      Object.entries(notifies).map(([name, severity]) => `Ledgerhook${name} ${severity}`)
    )
    const all = rules.map(({ alert, labels: { severity } }) => `${alert} ${severity}`)
    assert.sameMembers([...new Set(inSituations)], all)
  })
})

describe("ops/alertmanager/inhibit.yml", () => {
  it("names alerts that exist, within one installation", () => {
    for (const { equal, source_matchers, target_matchers } of readInhibitions()) {
      assert.deepStrictEqual(equal, ["installation"])
      for (const matcher of [...source_matchers, ...target_matchers]) {
        const [, value] = /^alertname(?:=|!=|=~|!~)"Ledgerhook(.+)"$/.exec(matcher) ?? []
        const named =
          value === undefined || value === ".+" ? [] : value.replace(/^\((.*)\)$/, "$1").split("|")
        for (const name of named) assert.include(names, `Ledgerhook${name}`)
      }
    }
  })

  it.each(Object.entries(situations))("leaves the cause: %s", (_, { fault, inhibited = {}, notifies }) => {
    const [, role = ""] = /processes\{role="(\w+)"/.exec(Object.keys(fault).join()) ?? []
    const firing = Object.entries({ ...notifies, ...inhibited }).map(([name, severity]) => ({
      alertname: `Ledgerhook${name}`,
      severity,
      installation: "prod-eu",
      role: name === "RoleMissing" ? role : ""
    }))
    assert.deepStrictEqual(
      notInhibited(firing).map(({ alertname }) => alertname),
      Object.keys(notifies).map((name) => `Ledgerhook${name}`)
    )
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
