/**
 * 30 days of a network's ledgers: a row for each day, a cell for each hour, stronger with more events. One missing ledger
 * makes its hour red. The values of the cell at the cursor, or with the focus, stand under the map.
 */
import { VisuallyHidden } from "@mantine/core"
import { type KeyboardEvent, memo, useMemo, useRef, useState } from "react"
import type { LedgerCoverageHour } from "../../../api/ledgerhook.ts"
import charts from "../../../charts/charts.module.css"
import { count, hourMinute, localDay, plural, shortCount } from "../../../words/format.ts"
import classes from "./HourMap.module.css"
import { type DayRow, HOUR_MS, type HourCell, isWatched, levelsOf, rowsOf } from "./hours.ts"

const MONDAY = 1
/** Rows between the first label and the next one. */
const LABEL_ROWS = 2
const LABEL_HOURS = 3

/** "12 Nov, 03:00 – 04:00" */
export const hourName = ({ at }: Pick<HourCell, "at">): string =>
  `${localDay(at)}, ${hourMinute(at)} – ${hourMinute(at + HOUR_MS)}`

const factsOf = (cell: HourCell): ReadonlyArray<string> =>
  isWatched(cell) || cell.missing > 0
    ? [
        plural(cell.ledgers, "ledger"),
        ...(cell.missing > 0 ? [`${count(cell.missing)} missing`] : []),
        plural(cell.events, "event")
      ]
    : ["not watched"]

interface DayProps {
  readonly row: DayRow
  readonly index: number
  readonly rows: number
  readonly now: number
  readonly level: (events: number) => number
  readonly isMarked: (cell: HourCell) => boolean
  /** The hour that Tab leads to, if it is in this row. */
  readonly stop: number | undefined
  readonly onSee: (cell: HourCell | undefined) => void
  readonly onChoose: (cell: HourCell) => void
}

const Day = memo(({ row, index, rows, now, level, isMarked, stop, onSee, onChoose }: DayProps) => {
  const isToday = index === rows - 1
  const labelled = index === 0 || isToday || (new Date(row.at).getDay() === MONDAY && index > LABEL_ROWS)
  return (
    <tr>
      <th scope="row">
        {isToday ? (
          "today"
        ) : labelled && index < rows - LABEL_ROWS ? (
          localDay(row.at)
        ) : (
          <VisuallyHidden>{localDay(row.at)}</VisuallyHidden>
        )}
      </th>
      {row.cells.map((cell, hour) =>
        cell === undefined ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: an hour of the day.
          <td key={hour} aria-label="not yet" />
        ) : (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the map handles keys.
          // biome-ignore lint/a11y/useAriaPropsSupportedByRole: a cell of a grid can be selected.
          <td
            key={cell.at}
            tabIndex={hour === stop ? 0 : -1}
            aria-label={`${hourName(cell)}: ${factsOf(cell).join(", ")}`}
            data-at={cell.at}
            aria-selected={isMarked(cell)}
            onPointerEnter={() => onSee(cell)}
            onFocus={() => onSee(cell)}
            onClick={() => onChoose(cell)}
          >
            <div
              data-missing={cell.missing > 0 || undefined}
              data-level={isWatched(cell) ? level(cell.events) : undefined}
              style={now < cell.at + HOUR_MS ? { width: `${(100 * (now - cell.at)) / HOUR_MS}%` } : undefined}
            />
            {cell.missing > 0 && <span>{shortCount(cell.missing)}</span>}
          </td>
        )
      )}
    </tr>
  )
})

interface Place {
  readonly row: number
  readonly hour: number
}

const steps: Readonly<Record<string, (place: Place) => Place>> = {
  ArrowLeft: ({ row, hour }) => ({ row, hour: hour - 1 }),
  ArrowRight: ({ row, hour }) => ({ row, hour: hour + 1 }),
  ArrowUp: ({ row, hour }) => ({ row: row - 1, hour }),
  ArrowDown: ({ row, hour }) => ({ row: row + 1, hour }),
  Home: ({ row }) => ({ row, hour: 0 }),
  End: ({ row }) => ({ row, hour: 23 })
}

interface HourMapProps {
  readonly hours: ReadonlyArray<LedgerCoverageHour>
  readonly now: number
  /** Whether the cell belongs to what is shown beside the map. */
  readonly isMarked: (cell: HourCell) => boolean
  readonly onChoose: (cell: HourCell) => void
}

export const HourMap = ({ hours, now, isMarked, onChoose }: HourMapProps) => {
  const map = useRef<HTMLTableElement>(null)
  const [seen, setSeen] = useState<HourCell>()
  const [place, setPlace] = useState<Place>()
  const rows = useMemo(() => rowsOf(hours, now), [hours, now])
  const cells = useMemo(() => rows.flatMap((row) => row.cells.filter((cell) => cell !== undefined)), [rows])
  const level = useMemo(() => levelsOf(cells), [cells])
  const last = rows.length - 1
  const stop = place ?? { row: last, hour: rows[last]!.cells.findLastIndex((cell) => cell !== undefined) }
  const sum = (of: "ledgers" | "missing" | "events") => cells.reduce((total, cell) => total + cell[of], 0)
  const shown = seen ?? { at: 0, ledgers: sum("ledgers"), missing: sum("missing"), events: sum("events") }

  const key = (event: KeyboardEvent) => {
    const at = (event.target as HTMLElement).dataset["at"]
    if (at === undefined) return
    const row = rows.findIndex((one) => one.cells.some((cell) => cell?.at === Number(at)))
    const hour = rows[row]!.cells.findIndex((cell) => cell?.at === Number(at))
    if (event.key === "Enter" || event.key === " ") onChoose(rows[row]!.cells[hour]!)
    else {
      const step = steps[event.key]
      if (step === undefined) return
      let next = step({ row, hour })
      // Today ends with the present hour.
      if (event.key === "End")
        next = { row, hour: rows[row]!.cells.findLastIndex((cell) => cell !== undefined) }
      const cell = rows[next.row]?.cells[next.hour]
      if (cell !== undefined) {
        setPlace(next)
        map.current?.querySelector<HTMLElement>(`[data-at="${cell.at}"]`)?.focus()
      }
    }
    event.preventDefault()
  }
  return (
    <div>
      <table
        ref={map}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: arrow keys move in it.
        role="grid"
        aria-label={`Ledgers by hour of ${rows.length} days. Arrow keys move, Enter chooses an hour.`}
        className={classes["map"]}
        onKeyDown={key}
        onPointerLeave={() => setSeen(undefined)}
        onBlur={() => setSeen(undefined)}
      >
        <thead>
          <tr>
            <td />
            {Array.from({ length: 24 / LABEL_HOURS }, (_, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: an hour of the day.
              <th key={at} scope="colgroup" colSpan={LABEL_HOURS}>
                {String(at * LABEL_HOURS).padStart(2, "0")}:00
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <Day
              key={row.at}
              row={row}
              index={index}
              rows={rows.length}
              now={now}
              level={level}
              isMarked={isMarked}
              stop={stop.row === index ? stop.hour : undefined}
              onSee={setSeen}
              onChoose={onChoose}
            />
          ))}
        </tbody>
      </table>
      <div className={`${charts["legend"]} ${classes["values"]}`}>
        <b>{seen ? hourName(seen) : `${rows.length} days`}</b>
        {factsOf(shown).map((fact, at) => (
          <span key={fact} data-missing={(at === 1 && shown.missing > 0) || undefined}>
            {fact}
          </span>
        ))}
      </div>
      <div className={`${charts["legend"]} ${classes["legend"]}`}>
        <span>
          fewer events <i data-level={1} />
          <i data-level={2} />
          <i data-level={3} /> more
        </span>
        <span>
          <i data-missing="true" /> missing ledgers, with their number
        </span>
        <span>
          <i /> not watched
        </span>
      </div>
    </div>
  )
}
