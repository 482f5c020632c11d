/** The part of a period that a chart draws. Pure. */
import type { DeliveryStatsPoint } from "../../api/ledgerhook.ts"

/** With fewer points a chart says nothing: a sentence does. */
const LEAST_POINTS = 3

export const isTooNew = (points: ReadonlyArray<unknown>): boolean => points.length < LEAST_POINTS

/** Without the points that ended before `sinceMs`, from when on there can be data. */
export const pointsSince = (
  series: ReadonlyArray<DeliveryStatsPoint>,
  pointMs: number,
  sinceMs: number
): ReadonlyArray<DeliveryStatsPoint> => series.filter(({ at }) => Date.parse(at) + pointMs > sinceMs)

/** From the first point that has a delivery or an attempt. */
export const fromFirst = (series: ReadonlyArray<DeliveryStatsPoint>): ReadonlyArray<DeliveryStatsPoint> => {
  const first = series.findIndex(
    ({ attempts, delivered, failed, pending }) => attempts + delivered + failed + pending > 0
  )
  return first === -1 ? [] : series.slice(first)
}
