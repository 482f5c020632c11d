/** The time at the cursor, which the charts of a page share: whoever points at one sees the same time in all. */
import { useSyncExternalStore } from "react"

let at: number | undefined
const listeners = new Set<() => void>()

/** Unix milliseconds; undefined: nowhere. */
export const pointAt = (time: number | undefined): void => {
  if (time === at) return
  at = time
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    // A page that is left leaves no cursor to the next one.
    if (listeners.size === 0) at = undefined
  }
}

export const useCursor = (): number | undefined => useSyncExternalStore(subscribe, () => at)

/** The place of the point that has the time; undefined if none has. */
export const placeOf = (
  points: ReadonlyArray<{ readonly at: number }>,
  pointMs: number,
  time: number | undefined
): number | undefined => {
  const place = time === undefined ? -1 : points.findIndex(({ at }) => at <= time && time < at + pointMs)
  return place === -1 ? undefined : place
}
