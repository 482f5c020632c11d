/**
 * Handles each event once, although the service delivers at least once. An event counts as handled when the handler has
 * ended without an error: after a crash in between it is handled again, never lost.
 *
 * The default store is in memory, so a restart empties it. To handle each event exactly once, write its id in the
 * transaction that handles it.
 */
import type { LedgerhookEvent } from "./events.ts"

/** Stores the ids of handled events. Redis, a database table or anything else with these two methods can be used. */
export interface SeenStore {
  has(key: string): boolean | Promise<boolean>
  add(key: string): unknown
}

/** Ten thousand ids are about 2 MB, and more than a busy webhook gets in the minutes in which most duplicates come. */
const SEEN_MAX = 10_000

/** Remembers the newest ids in the process's memory. */
export const memoryStore = (max = SEEN_MAX): SeenStore => {
  const keys = new Set<string>()
  return {
    has: (key) => keys.has(key),
    add: (key) => {
      keys.delete(key)
      keys.add(key)
      // A Set iterates in the order of insertion: the first one is the oldest.
      const [oldest] = keys
      if (keys.size > max) keys.delete(oldest!)
    }
  }
}

export type Once = (event: LedgerhookEvent, handle: () => unknown) => Promise<"handled" | "duplicate">

/**
 * Runs `handle` unless the event was handled before. If `handle` fails, this fails too, and the event is handled
 * again when it is redelivered.
 */
export const deduplicate = (store: SeenStore = memoryStore()): Once => {
  const running = new Map<string, Promise<unknown>>()
  return async (event, handle) => {
    // An id is unique within its network.
    const key = `${event.network}/${event.event_id}`
    // If a duplicate arrives while the first copy is being handled, it waits. If handling the first copy fails, the
    // duplicate is handled.
    for (let other = running.get(key); other !== undefined; other = running.get(key)) {
      if (
        await other.then(
          () => true,
          () => false
        )
      )
        return "duplicate"
    }
    let duplicate = false
    const run = (async () => {
      duplicate = await store.has(key)
      if (duplicate) return
      const result = await handle()
      // A generator is no promise: nothing of it has run.
      if (/ (?:Async)?Generator]$/.test(Object.prototype.toString.call(result)))
        throw new TypeError("The handler returned a generator, which has not been run.")
      await store.add(key)
    })()
    running.set(key, run)
    try {
      await run
    } finally {
      running.delete(key)
    }
    return duplicate ? "duplicate" : "handled"
  }
}
