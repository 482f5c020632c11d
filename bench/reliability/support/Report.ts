/** Results as lines of a Markdown table, for a terminal and for docs/reliability.md. */
import type { FaultResult } from "./Campaign.ts"

const columns = [
  "fault",
  "rounds",
  "deliveries",
  "lost",
  "forgotten",
  "failed wrongly",
  "out of order",
  "duplicates / bound",
  "first delivery, median",
  "worst",
  "recovery, median",
  "worst",
  "log"
]

export const header: ReadonlyArray<string> = [
  `| ${columns.join(" | ")} |`,
  `|${columns.map(() => "---|").join("")}`
]

const seconds = (value: number | null | undefined): string =>
  value === null ? "never" : value === undefined ? "" : `${value.toFixed(1)} s`

/** Never recovered is worse than any time. */
const sorted = (values: ReadonlyArray<number | null>): ReadonlyArray<number | null> =>
  values.toSorted((a, b) => (a ?? Number.POSITIVE_INFINITY) - (b ?? Number.POSITIVE_INFINITY))

const medianAndWorst = (values: ReadonlyArray<number | null>) => {
  const times = sorted(values)
  return [seconds(times[Math.floor((times.length - 1) / 2)]), seconds(times.at(-1))]
}

const count = (value: number): string => value.toLocaleString("en-US")
const times = (value: number, what: string): string => `${count(value)} ${what}${value === 1 ? "" : "s"}`

export const row = (result: FaultResult): string => {
  const name = `${result.fault} (${result.store})`
  if (result.leftOut !== undefined) return `| ${name} | LEFT OUT: ${result.leftOut} |`
  const cells = [
    name,
    result.rounds,
    count(result.deliveries),
    result.lost.length,
    result.forgotten,
    result.failedWrongly.length,
    result.outOfOrder,
    `${result.duplicates} / ${count(result.duplicatesMost)}`,
    ...medianAndWorst(result.firstSeconds),
    ...medianAndWorst(result.recoverySeconds),
    `${times(result.log.warnings, "warning")}, ${times(result.log.errors, "error")}`
  ]
  return `| ${cells.join(" | ")} |`
}

/** Whether the result breaks a promise. */
export const isBroken = ({ lost, failedWrongly, outOfOrder, duplicates, ...rest }: FaultResult): boolean =>
  lost.length > 0 ||
  failedWrongly.length > 0 ||
  outOfOrder > 0 ||
  duplicates > rest.duplicatesMost ||
  rest.recoverySeconds.includes(null)
