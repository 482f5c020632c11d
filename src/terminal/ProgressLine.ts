/** Progress of a command: one line on standard error, which is updated and finally removed. Only on a terminal. */
import { Effect } from "effect"
import { monotonicNow } from "../spine/words/Monotonic.ts"
import { Invocation } from "./Invocation.ts"
import { overwriteErrorLine } from "./Output.ts"

/** How often a command's progress line and the demo's view are refreshed. */
export const REFRESH_MS = 250

/** Shows the progress at most every `REFRESH_MS`. */
export type ShowProgress = (done: number, note?: string) => Effect.Effect<void>

const SECOND_MS = 1_000

/** Returns a function that replaces the line. The line is removed when the scope closes. */
export const statusLine = Effect.gen(function* () {
  const { stderrTerminal } = yield* Invocation
  if (stderrTerminal) yield* Effect.addFinalizer(() => overwriteErrorLine(""))
  return (text: string) => (stderrTerminal ? overwriteErrorLine(text) : Effect.void)
})

const BAR_WIDTH = 24

/** `part` is from 0 to 1. Pure. */
export const bar = (part: number): string => {
  const full = Math.floor(part * BAR_WIDTH)
  return `[${"█".repeat(full)}${"░".repeat(BAR_WIDTH - full)}]`
}

export const showProgress = Effect.fnUntraced(function* (verb: string, total: number, noun = "ledgers") {
  const write = yield* statusLine
  const startedAt = yield* monotonicNow
  let shownAt = 0
  const show: ShowProgress = (done, note = "") =>
    Effect.gen(function* () {
      const now = yield* monotonicNow
      if (now - shownAt < REFRESH_MS) return
      shownAt = now
      const perSecond = Math.round((done * SECOND_MS) / Math.max(1, now - startedAt))
      const percent = Math.floor((100 * done) / total)
      yield* write(`${verb} ${done} of ${total} ${noun} (${percent} %), ${perSecond}/s${note}`)
    })
  return show
})
