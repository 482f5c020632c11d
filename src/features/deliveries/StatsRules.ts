/** Rules of the statistics' parameters that depend on one another. Pure. */
import type { RuleContext } from "../../http/RequestRules.ts"

interface Asked {
  readonly period?: string
  readonly series?: string
  readonly interval?: string
  readonly answer_times?: string
}

export const statsRules = (
  { answer_times, interval, period, series }: Asked,
  { wrong }: Pick<RuleContext, "wrong">
) => {
  const lacksSeries = series !== "true" && !wrong.has("series")
  const isLonger = period !== undefined && period !== "24h"
  return [
    answer_times === "true" && lacksSeries
      ? { param: "answer_times", message: "answer_times=true needs series=true." }
      : undefined,
    interval !== undefined && (lacksSeries || isLonger)
      ? { param: "interval", message: `interval=${interval} needs series=true and period=24h.` }
      : undefined
  ]
}
