/** Where the picture has its columns, dots, marks and ribbons. Pure; lengths are CSS pixels. */
import { roundStep } from "../../../charts/scale.ts"
import { byFamily } from "./families.ts"
import { eventsIn, type Ledger, SHOWN_LEDGERS } from "./ledgers.ts"
import type { Row } from "./rows.ts"

/** Below this width the ribbons become a list. */
export const NARROW_PIXELS = 640

/** Above this many events in a ledger, dots are small and have a scale. */
const BUSY_EVENTS = 250
const [NORMAL_ACROSS, BUSY_ACROSS] = [3, 7]
/** Of a dot and the space beside it. */
const DOT_PITCH = 5
const NARROW_PITCH = 4.5
const DOT_PART = 0.78
const [LEAST_STEP, SCALE_PIXELS, GAP] = [17, 40, 2.5]
export const FOOT_PIXELS = 26
/** The table of answers, at the right. */
const ANSWERS_PIXELS = 332

export interface Dots {
  readonly across: number
  readonly pitch: number
  readonly dot: number
}

export interface Grid {
  readonly width: number
  readonly height: number
  /** Pixels of the screen for each of the page. */
  readonly ratio: number
  readonly narrow: boolean
  readonly columns: number
  /** The left edge of the first column. */
  readonly left: number
  readonly step: number
  /** The line that the dots stand on. */
  readonly base: number
  readonly dots: Dots
  /** Empty unless dots are small. */
  readonly marks: ReadonlyArray<{ readonly events: number; readonly y: number }>
  /** The ribbons' left and right ends. */
  readonly from: number
  readonly to: number
}

/**
 * The largest dots with which `most` of them fit into a column of `width` and `height`, on whole pixels of the screen. They
 * are at most three wide and `pitch` apart, or fewer and larger where a network has few events.
 */
export const dotsFor = (most: number, width: number, height: number, pitch: number, ratio: number): Dots => {
  const first = most > BUSY_EVENTS ? BUSY_ACROSS : 1
  for (let across = first; ; across += 1) {
    const fitting = Math.max(Math.floor((width / across) * ratio) / ratio, 1 / ratio)
    const step = across === NORMAL_ACROSS ? Math.min(pitch, fitting) : fitting
    if (across * Math.floor(height / step) >= most || step <= 1 / ratio)
      return { across, pitch: step, dot: Math.max(Math.round(step * DOT_PART * ratio) / ratio, 1 / ratio) }
  }
}

interface GridOptions {
  readonly width: number
  readonly height: number
  readonly ratio: number
  /** The events of the fullest ledger. */
  readonly most: number
  /** The columns' part of what the table of answers leaves. */
  readonly share: number
  /** Dots stand in a lane of this height for each webhook, of which the fullest has `most`. */
  readonly lane?: number | undefined
}

export const gridOf = ({ width, height, ratio, most, share, lane }: GridOptions): Grid => {
  const narrow = width < NARROW_PIXELS
  const base = height - FOOT_PIXELS
  const busy = lane === undefined && most > BUSY_EVENTS
  const left = busy ? SCALE_PIXELS : 0
  const from = narrow ? width : Math.round((width - ANSWERS_PIXELS) * share)
  const columns = Math.max(Math.min(SHOWN_LEDGERS, Math.floor((from - left) / LEAST_STEP)), 1)
  const step = (from - left) / columns
  const pitch = narrow ? NARROW_PITCH : Math.max(DOT_PITCH, Math.floor(step / 4))
  const dots = dotsFor(most, step - GAP, lane ?? base - 8, pitch, ratio)
  const every = roundStep(most, 3)
  return {
    width,
    height,
    ratio,
    narrow,
    columns,
    left,
    step,
    base,
    dots,
    marks: busy
      ? Array.from({ length: Math.floor(most / every) + 1 }, (_, mark) => ({
          events: mark * every,
          y: base - ((mark * every) / dots.across) * dots.pitch
        }))
      : [],
    from,
    to: narrow ? width : width - ANSWERS_PIXELS
  }
}

/** The left edge of the dots in the column at `place`, counted from the newest ledger at the right. */
export const columnX = ({ columns, dots, left, step }: Grid, place: number): number =>
  left + (columns - 1 - place) * step + (step - dots.across * dots.pitch) / 2

/** The place of the column under `x`; undefined if there is none. `shown` ledgers are there. */
export const placeAt = ({ columns, left, step }: Grid, x: number, shown: number): number | undefined => {
  const place = columns - 1 - Math.floor((x - left) / step)
  return place >= 0 && place < Math.min(shown, columns) ? place : undefined
}

const FADED = 0.55
const FADED_LAST = 0.95
const OTHERS = 0.34

/** How strong the column at `place` is; `chosen` is the place of the chosen one. */
export const strengthOf = (place: number, columns: number, chosen: number | undefined): number =>
  chosen !== undefined
    ? place === chosen
      ? 1
      : OTHERS
    : place === 0
      ? 1
      : FADED + (FADED_LAST - FADED) * (1 - place / columns)

const [FIRST_ROW, ROW_MOST, ROW_LEAST] = [24, 38, 24]

/** The height of a row of answers, and the top of the first one. Their head stands above. */
export const answersAt = (height: number, rows: number) => {
  const room = height - FOOT_PIXELS - FIRST_ROW
  const pitch = Math.min(Math.max(room / Math.max(rows, 1), ROW_LEAST), ROW_MOST)
  return { pitch, top: FIRST_ROW + Math.max((room - rows * pitch) / 2, 0) }
}

const LEAST_HEIGHT = 200
const HEIGHT_STEP = 40

/** As high as the dots or the rows need, in steps, so that it seldom changes. */
export const heightFor = (most: number, rows: number, highest: number): number => {
  const dots = (Math.min(most, BUSY_EVENTS + 1) / NORMAL_ACROSS) * DOT_PITCH
  const needed = FOOT_PIXELS + Math.max(dots + 12, rows * ROW_LEAST + FIRST_ROW)
  return Math.min(Math.max(Math.ceil(needed / HEIGHT_STEP) * HEIGHT_STEP, LEAST_HEIGHT), highest)
}

export interface Ribbon {
  readonly family: number
  readonly row: Row
  readonly events: number
  /** Its upper edges and its widths, at the column and at the row. */
  readonly y: number
  readonly width: number
  readonly endY: number
  readonly endWidth: number
}

const [THICK_PART, THICK_MOST, THICK_LEAST, THIN] = [0.58, 0.55, 2, 1.2]

/** From the newest ledger's families to the webhooks that want them: as wide as their events are many. */
export const ribbonsOf = (
  ledger: Ledger,
  rows: ReadonlyArray<Row>,
  { base, dots, height }: Grid
): ReadonlyArray<Ribbon> => {
  const { pitch, top } = answersAt(height, rows.length)
  const takers = rows.flatMap((row, place) => {
    const activity = ledger.webhooks.find(({ webhook_id }) => webhook_id === row.id)
    if (activity === undefined) return []
    return [
      {
        row,
        centre: top + (place + 0.5) * pitch,
        wants: byFamily(activity.event_types),
        sum: activity.events
      }
    ]
  })
  const most = Math.max(...takers.map(({ sum }) => sum), 1)
  const scale = Math.min(THICK_MOST, (THICK_PART * pitch) / most)
  const yOf = (events: number) => base - (events / dots.across) * dots.pitch
  let below = 0
  return byFamily(ledger.events).flatMap((events, family) => {
    const wanted = takers.reduce((sum, { wants }) => sum + wants[family]!, 0)
    const [upper, lower] = [yOf(below + events), yOf(below)]
    below += events
    let y = upper
    return takers.flatMap(({ centre, row, sum, wants }) => {
      const some = wants[family]!
      if (some === 0 || events === 0) return []
      // What no webhook wants has no ribbon; what several want shares the height.
      const width = Math.max(((lower - upper) * some) / Math.max(wanted, events), THIN)
      const thick = Math.max(sum * scale, THICK_LEAST)
      const above = wants.slice(family + 1).reduce((total, one) => total + one, 0)
      const ribbon = {
        family,
        row,
        events: some,
        y,
        width,
        endY: centre - thick / 2 + (thick * above) / sum,
        endWidth: Math.max((thick * some) / sum, THIN)
      }
      y += width
      return [ribbon]
    })
  })
}

/** Between a ribbon's end and the row's icon. */
const RIBBON_END = 10
const ends = ({ from, to }: Grid) => ({ from: from - 1, to: to - RIBBON_END, middle: (from + to) / 2 })

const short = (value: number) => value.toFixed(1)

export const ribbonPath = ({ y, width, endY, endWidth }: Ribbon, grid: Grid): string => {
  const { from, middle, to } = ends(grid)
  const m = short(middle)
  return (
    `M${short(from)} ${short(y)}C${m} ${short(y)} ${m} ${short(endY)} ${short(to)} ${short(endY)}` +
    `v${short(endWidth)}C${m} ${short(endY + endWidth)} ${m} ${short(y + width)} ${short(from)} ${short(y + width)}z`
  )
}

/** The most dots that flow for a ledger. */
export const FLOWING_DOTS = 60

export interface FlowingDot {
  readonly ribbon: Ribbon
  /** When it starts, 0 to 1 of the time that is left before the last start. */
  readonly start: number
  /** Where it is across the ribbon, 0 to 1. */
  readonly across: number
}

/** Numbers that look scattered and are the same each time. */
const scattered = (index: number) => (index * 0.618_034) % 1

/** A dot for each event of each ribbon; of more than `FLOWING_DOTS` a part, at least one for each ribbon that has room. */
export const flowOf = (ribbons: ReadonlyArray<Ribbon>): ReadonlyArray<FlowingDot> => {
  const total = ribbons.reduce((sum, { events }) => sum + events, 0)
  const part = Math.min(1, FLOWING_DOTS / Math.max(total, 1))
  let index = 0
  return ribbons
    .toSorted((one, other) => other.events - one.events)
    .flatMap((ribbon) =>
      Array.from({ length: Math.max(Math.floor(ribbon.events * part), 1) }, () => {
        index += 1
        return { ribbon, start: scattered(index), across: 0.2 + 0.6 * scattered(index * 7) }
      })
    )
    .slice(0, FLOWING_DOTS)
}

/** Where a dot is after `part` of its way. */
export const flowPoint = ({ ribbon, across }: FlowingDot, part: number, grid: Grid) => {
  const { from, middle, to } = ends(grid)
  const rest = 1 - part
  const [a, b] = [ribbon.y + ribbon.width * across, ribbon.endY + ribbon.endWidth * across]
  const [first, second, third] = [rest ** 3, 3 * rest * part, part ** 3]
  return {
    x: first * from + second * middle + third * to,
    y: (first + second * rest) * a + (second * part + third) * b
  }
}

/** Marks of time are at least so far apart. */
const MARK_PIXELS = 96
const STEPS_MS = [15, 30, 60, 120, 300, 600, 1_800, 3_600, 10_800, 86_400].map((seconds) => seconds * 1_000)

export interface TimeMark {
  readonly at: number
  readonly x: number
}

/** The columns whose ledgers are the first after a whole half minute, minute and so on. Oldest first. */
export const timeMarksOf = (ledgers: ReadonlyArray<Ledger>, grid: Grid): ReadonlyArray<TimeMark> => {
  const times = ledgers.map(({ closed_at }) => Date.parse(closed_at))
  const span = (times.at(-1) ?? 0) - (times[0] ?? 0)
  const most = Math.max(Math.floor((ledgers.length * grid.step) / MARK_PIXELS), 1)
  const every = STEPS_MS.find((step) => span / step <= most) ?? STEPS_MS.at(-1)!
  return times.flatMap((time, index) => {
    const at = Math.floor(time / every) * every
    if (index === 0 || times[index - 1]! >= at) return []
    const x = grid.left + (grid.columns - ledgers.length + index + 0.5) * grid.step
    return x > grid.from - MARK_PIXELS / 3 || x < grid.left + 16 ? [] : [{ at, x }]
  })
}

/** The events of the fullest ledger. */
export const mostIn = (ledgers: ReadonlyArray<Ledger>): number => Math.max(...ledgers.map(eventsIn), 0)
