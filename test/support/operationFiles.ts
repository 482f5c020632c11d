/** The files in `ops` that operators take into Prometheus and Grafana. */
import { readFileSync } from "node:fs"

export const RULES = "ops/prometheus/alerts.yml"
export const RULES_TEST = "ops/prometheus/alerts.test.yml"

export const alertNames = (rules: string): ReadonlyArray<string> =>
  Array.from(rules.matchAll(/^ {6}- alert: (\w+)$/gm), ([, name]) => name!)

interface Panel {
  readonly targets?: ReadonlyArray<{ readonly expr: string }>
}

/** Every expression of a dashboard, as Grafana sends it: with a number for its own variable. */
export const dashboardExpressions = (file: string): ReadonlyArray<string> => {
  const { panels }: { readonly panels: ReadonlyArray<Panel> } = JSON.parse(readFileSync(file, "utf8"))
  return panels
    .flatMap(({ targets = [] }) => targets)
    .map(({ expr }) => expr.replaceAll("$__rate_interval", "1m"))
}
