/** The files in `ops` that operators take into Prometheus and Grafana. */
import { readFileSync } from "node:fs"
import { parseYaml } from "@redocly/openapi-core"

export const RULES = "ops/prometheus/alerts.yml"
export const INHIBITION = "ops/alertmanager/inhibit.yml"

export interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: { readonly severity: string }
  readonly annotations: {
    readonly summary: string
    readonly fires_within: string
    readonly runbook_url: string
  }
}

export const readRules = (): ReadonlyArray<Rule> => {
  // The form of Prometheus; promtool checks it.
  const { groups } = parseYaml(readFileSync(RULES, "utf8")) as {
    readonly groups: ReadonlyArray<{ readonly rules: ReadonlyArray<Rule> }>
  }
  return groups.flatMap(({ rules }) => rules)
}

interface Inhibition {
  readonly source_matchers: ReadonlyArray<string>
  readonly target_matchers: ReadonlyArray<string>
  readonly equal: ReadonlyArray<string>
}

export const readInhibitions = (): ReadonlyArray<Inhibition> =>
  // The form of Alertmanager; amtool checks it.
  (parseYaml(readFileSync(INHIBITION, "utf8")) as { readonly inhibit_rules: ReadonlyArray<Inhibition> })
    .inhibit_rules

type Labels = Readonly<Record<string, string>>

/** Whether an alert has all labels, as Alertmanager compares them: a label that is missing is empty. */
const matches = (matchers: ReadonlyArray<string>, labels: Labels): boolean =>
  matchers.every((matcher) => {
    const [, label, operator, value] = /^(\w+)(=~|!~|!=|=)"(.*)"$/.exec(matcher)!
    const has = labels[label!] ?? ""
    const same = operator!.endsWith("~") ? new RegExp(`^(?:${value})$`).test(has) : has === value
    return operator!.startsWith("!") ? !same : same
  })

/** The alerts that no other one of the same installation inhibits. */
export const notInhibited = (alerts: ReadonlyArray<Labels>): ReadonlyArray<Labels> =>
  alerts.filter(
    (alert) =>
      !readInhibitions().some(
        ({ source_matchers: source, target_matchers: target }) =>
          matches(target, alert) && alerts.some((other) => other !== alert && matches(source, other))
      )
  )

interface Panel {
  readonly targets?: ReadonlyArray<{ readonly expr: string }>
}

/** Every expression of a dashboard, as Grafana sends it: with values for its variables. */
export const dashboardExpressions = (file: string): ReadonlyArray<string> => {
  const { panels }: { readonly panels: ReadonlyArray<Panel> } = JSON.parse(readFileSync(file, "utf8"))
  return panels
    .flatMap(({ targets = [] }) => targets)
    .map(({ expr }) => expr.replaceAll("$__rate_interval", "1m").replaceAll("$installation", ".*"))
}
