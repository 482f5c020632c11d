/** The dots of a ledger as the canvas draws them: one stack by family, or one for each webhook by what it answered. Pure. */
import { byFamily, families } from "./families.ts"
import { answersAt, type Grid } from "./layout.ts"
import type { Ledger } from "./ledgers.ts"
import { outcomesOf, type Row } from "./rows.ts"

/** A run of dots of one colour. */
interface Run {
  readonly colour: string
  readonly dots: number
}

/** Runs that stand on `base`, one above the other. */
export interface Stack {
  readonly base: number
  readonly runs: ReadonlyArray<Run>
}

export type Mode = "family" | "webhook"

/** The colours of `outcomesOf`. */
export const outcomeColours = [
  { colour: "--chart-ok", label: "answered" },
  { colour: "--chart-bad", label: "failed" },
  { colour: "--wait", label: "not answered yet" }
] as const

/** Between the dots of a webhook and those of the one above it. */
const LANE_GAP = 6

/** The height of the dots of one webhook. */
export const laneHeight = (height: number, rows: number): number => answersAt(height, rows).pitch - LANE_GAP

export const stacksOf = (
  ledger: Ledger,
  rows: ReadonlyArray<Row>,
  { base, height }: Grid,
  mode: Mode
): ReadonlyArray<Stack> => {
  if (mode === "family")
    return [
      {
        base,
        runs: byFamily(ledger.events).map((dots, family) => ({ colour: `--f-${families[family]!.id}`, dots }))
      }
    ]
  const { pitch, top } = answersAt(height, rows.length)
  return rows.map((row, place) => ({
    base: top + (place + 1) * pitch - LANE_GAP / 2,
    runs: outcomesOf(ledger.webhooks.find(({ webhook_id }) => webhook_id === row.id)).map(
      (dots, outcome) => ({
        colour: outcomeColours[outcome]!.colour,
        dots
      })
    )
  }))
}
