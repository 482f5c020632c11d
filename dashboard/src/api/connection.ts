/** Whether the service answers. Every call reports its outcome here. */
import { useSyncExternalStore } from "react"

interface Connection {
  /** When the first of the calls failed that had no answer; undefined while the service answers. Unix milliseconds. */
  readonly lostAt: number | undefined
  readonly answeredAt: number | undefined
}

let current: Connection = { lostAt: undefined, answeredAt: undefined }
const listeners = new Set<() => void>()

const set = (next: Connection) => {
  const isNews = (next.lostAt === undefined) !== (current.lostAt === undefined)
  current = next
  if (isNews) for (const listener of listeners) listener()
}

export const callAnswered = (): void => set({ lostAt: undefined, answeredAt: Date.now() })
export const callUnanswered = (): void => set({ ...current, lostAt: current.lostAt ?? Date.now() })

export const useConnection = (): Connection =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => current
  )
