/**
 * The page's one stream of ledgers. It is open while something shows it and the tab is visible; otherwise there is no
 * connection and no timer. It reconnects with growing waits. What it has read is forgotten when nothing shows it.
 */
import { useSyncExternalStore } from "react"
import { ApiFailure, openStream } from "../../../api/call.ts"
import { type Kept, type Ledger, merged } from "./ledgers.ts"
import { messagesOf } from "./messages.ts"

const PATH = "/v1/activity/stream"
const [FIRST_WAIT_MS, LAST_WAIT_MS] = [1_000, 30_000]
/** The service sends at least a comment within this time. */
const SILENT_MS = 45_000

export interface LiveLedgers {
  readonly kept: Kept
  /** `connecting` also holds while a stream that has ended is opened again. */
  readonly state: "connecting" | "open" | "lost" | "refused"
  /** When it was lost. Unix milliseconds. */
  readonly lostAt: number | undefined
  /** Why the service refused it, for ever or for now. */
  readonly failure: ApiFailure | undefined
}

const nothing: LiveLedgers = { kept: {}, state: "connecting", lostAt: undefined, failure: undefined }
let current = nothing
const listeners = new Set<() => void>()

const set = (change: Partial<LiveLedgers>) => {
  current = { ...current, ...change }
  for (const listener of listeners) listener()
}

const sleep = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener("abort", () => {
      clearTimeout(timer)
      resolve()
    })
  })

/** Whether another try would be refused too. */
const isFinal = (thrown: unknown): thrown is ApiFailure =>
  thrown instanceof ApiFailure && thrown.status >= 400 && thrown.status < 500 && thrown.status !== 429

const read = async (signal: AbortSignal) => {
  let wait = FIRST_WAIT_MS
  while (!signal.aborted) {
    try {
      const body = await openStream(PATH, signal)
      set({ state: "open", lostAt: undefined })
      for await (const texts of messagesOf(body, "ledger", SILENT_MS)) {
        wait = FIRST_WAIT_MS
        set({
          kept: merged(
            current.kept,
            texts.map((text): Ledger => JSON.parse(text))
          )
        })
      }
      if (!signal.aborted) set({ state: "connecting" })
    } catch (thrown) {
      if (signal.aborted) return
      if (isFinal(thrown)) return set({ state: "refused", failure: thrown })
      set({
        state: "lost",
        lostAt: current.lostAt ?? Date.now(),
        failure: thrown instanceof ApiFailure ? thrown : undefined
      })
    }
    // Not all viewers come back at the same moment after a restart of the service.
    await sleep(wait * (0.75 + Math.random() / 2), signal)
    wait = Math.min(wait * 2, LAST_WAIT_MS)
  }
}

let connection: AbortController | undefined

const openIfSeen = () => {
  const wanted = listeners.size > 0 && !document.hidden
  if (wanted && connection === undefined) {
    connection = new AbortController()
    void read(connection.signal)
  } else if (!wanted) {
    connection?.abort()
    connection = undefined
  }
}

const endIfUnseen = () => {
  openIfSeen()
  if (listeners.size > 0) return
  document.removeEventListener("visibilitychange", openIfSeen)
  current = nothing
}

const subscribe = (listener: () => void) => {
  document.addEventListener("visibilitychange", openIfSeen)
  listeners.add(listener)
  openIfSeen()
  return () => {
    listeners.delete(listener)
    // What is mounted again at once keeps the stream.
    queueMicrotask(endIfUnseen)
  }
}

export const useLiveLedgers = (): LiveLedgers => useSyncExternalStore(subscribe, () => current)
