/** The chosen ledger beside its column: when it closed, and its events by family. */

import { Time } from "../../../ui/value/Time.tsx"
import { clockTime, count, plural } from "../../../words/format.ts"
import { byFamily, colourOf, families } from "./families.ts"
import classes from "./Live.module.css"
import type { Grid } from "./layout.ts"
import type { Ledger } from "./ledgers.ts"

const [WIDTH, BESIDE] = [248, 10]

interface CardProps {
  readonly ledger: Ledger
  readonly events: number
  readonly grid: Grid
  /** The left edge of its column. */
  readonly x: number
}

export const Card = ({ ledger, events, grid: { from, narrow, step, width }, x }: CardProps) => {
  const counts = byFamily(ledger.events)
  const most = Math.max(...counts, 1)
  const right = x + step + BESIDE
  const isFirstHalf = x < from / 2
  const beside = isFirstHalf ? right : x - WIDTH - BESIDE
  const left = narrow ? (isFirstHalf ? width - WIDTH : 0) : beside
  return (
    <div className={classes["card"]} style={{ left, width: WIDTH }} aria-hidden>
      <div className={classes["cardHead"]}>
        <b>{count(ledger.ledger_index)}</b>
        <Time at={ledger.closed_at} />
      </div>
      <div className={classes["cardNote"]}>
        closed {clockTime(Date.parse(ledger.closed_at))} · {plural(events, "event")}
      </div>
      {families
        .map(({ id, label }, family) => (
          <div key={id} className={classes["cardRow"]} data-none={counts[family] === 0}>
            <span>
              <i className={classes["dot"]} style={{ background: colourOf(family) }} />
              {label}
            </span>
            <i
              className={classes["bar"]}
              style={{ width: `${(counts[family]! / most) * 100}%`, background: colourOf(family) }}
            />
            <span>{count(counts[family]!)}</span>
          </div>
        ))
        .toReversed()}
      <div className={classes["cardKeys"]}>
        <span>
          <kbd>←</kbd> <kbd>→</kbd> ledger
        </span>
        <span>
          <kbd>Enter</kbd> open
        </span>
      </div>
    </div>
  )
}
