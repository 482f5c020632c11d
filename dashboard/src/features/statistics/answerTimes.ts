/** Answers by when and how fast they came, as a map's columns. Pure. */
import type { DeliveryStatsPoint } from "../../api/ledgerhook.ts"

/** The upper bounds of the classes of `answer_times`. The last class has none. */
const boundsMs = [16, 31, 62, 125, 250, 500, 1_000, 2_000] as const
/** How the axis names a class: each is twice the one before. */
export const classMs = [...boundsMs, 4_000] as const
/** More columns would be too narrow to point at. */
const MOST_COLUMNS = 62

export interface AnswerColumn {
  readonly at: number
  /** By class, the fastest first. */
  readonly counts: ReadonlyArray<number>
}

/** Joins points where there are too many for a column each. */
export const columnsOf = (
  series: ReadonlyArray<DeliveryStatsPoint>,
  pointMs: number
): { readonly columns: ReadonlyArray<AnswerColumn>; readonly columnMs: number } => {
  const columnMs = pointMs * Math.ceil(series.length / MOST_COLUMNS)
  const columns = Map.groupBy(series, ({ at }) => Math.floor(Date.parse(at) / columnMs) * columnMs)
  return {
    columnMs,
    columns: [...columns].map(([at, points]) => ({
      at,
      counts: classMs.map((_, i) =>
        points.reduce((sum, { answer_times }) => sum + (answer_times?.[i] ?? 0), 0)
      )
    }))
  }
}

/** Steps of the ramp after the empty one. */
const LEVELS = 5

/** The step of the ramp for a count: 0 is none. The square root lets a single slow answer among thousands be seen. */
export const levelOf = (count: number, most: number): number =>
  count === 0 ? 0 : Math.max(1, Math.ceil(LEVELS * Math.sqrt(count / most)))
