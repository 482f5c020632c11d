/** The time, for texts that change every second. Nothing runs in a hidden tab, or if no such text is shown. */
import { useSyncExternalStore } from "react"

const TICK_MS = 1_000

let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined
const listeners = new Set<() => void>()

const tick = () => {
  if (document.hidden) return
  now = Date.now()
  for (const listener of listeners) listener()
}
document.addEventListener("visibilitychange", tick)

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  timer ??= setInterval(tick, TICK_MS)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** Unix milliseconds. */
export const useNow = (): number =>
  useSyncExternalStore(subscribe, () => {
    // The clock has not run while no such text was shown.
    if (timer === undefined) now = Math.floor(Date.now() / TICK_MS) * TICK_MS
    return now
  })
