/**
 * How often pages refresh themselves. Each refresh costs requests of the viewer's key, whose number is limited by the
 * minute and by the day. So a page refreshes less often when half of them are used. When few are left, it
 * waits until the minute or the day ends.
 */
import { useSyncExternalStore } from "react"

/** Of the window, minute or day, that has fewer requests left. */
export interface RequestsLeft {
  readonly limit: number
  readonly remaining: number
  /** Unix milliseconds. */
  readonly resetsAt: number
}

const REFRESH_MS = 10_000
const SLOW_REFRESH_MS = 60_000

/** For a list that the viewer watches. A ledger closes every 3 to 4 seconds. */
export const LIVE_REFRESH_MS = 3_000

/** The part of the limit below which pages refresh slowly, and below which they wait until the window ends. */
const SLOW_BELOW = 0.5
const WAIT_BELOW = 0.1

/** Undefined if the response does not say. */
export const requestsLeftOf = (headers: Headers): RequestsLeft | undefined => {
  const [limit, remaining, reset] = ["limit", "remaining", "reset"].map((name) =>
    Number.parseInt(headers.get(`x-ratelimit-${name}`) ?? "", 10)
  ) as [number, number, number]
  return Number.isNaN(limit + remaining + reset) ? undefined : { limit, remaining, resetsAt: reset * 1_000 }
}

/** Whether pages wait with their next refresh until the window ends. */
export const fewLeft = ({ limit, remaining }: RequestsLeft): boolean => remaining < limit * WAIT_BELOW

/** Milliseconds until the next refresh. */
export const refreshInterval = (
  left: RequestsLeft | undefined,
  everyMs = REFRESH_MS,
  nowMs = Date.now()
): number => {
  if (left === undefined) return everyMs
  if (fewLeft(left)) return Math.max(left.resetsAt - nowMs, everyMs)
  return left.remaining < left.limit * SLOW_BELOW ? SLOW_REFRESH_MS : everyMs
}

let current: RequestsLeft | undefined
const listeners = new Set<() => void>()

export const setRequestsLeft = (left: RequestsLeft): void => {
  current = left
  for (const listener of listeners) listener()
}

/** Waits, if few requests are left, until the minute ends. */
export const untilRequestsAreLeft = async (mostMs = 60_000): Promise<void> => {
  if (current === undefined || !fewLeft(current)) return
  const ms = current.resetsAt - Date.now()
  if (ms > 0 && ms <= mostMs) await new Promise((resolve) => setTimeout(resolve, ms))
}

/** For `refetchInterval` of a query. */
export const autoRefresh = (): number => refreshInterval(current)

/** The same, for what the viewer watches. */
export const liveRefresh = (): number => refreshInterval(current, LIVE_REFRESH_MS)

export const useRequestsLeft = (): RequestsLeft | undefined =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => current
  )
