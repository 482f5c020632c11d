/** How far a long command is: one line on a terminal's standard error, written over again and gone at the end. */
import { Clock, Effect } from "effect"
import { Limits } from "../../config/Limits.ts"
import { Invocation } from "./Invocation.ts"
import { overwriteErrorLine } from "./Output.ts"

/** Shown whenever it is called, but not too often; nowhere when standard error is no terminal. */
export type ShowProgress = (done: number, note?: string) => Effect.Effect<void>

const SECOND_MS = 1_000

/** Writes a line over the one before, for the life of the scope; nowhere when standard error is no terminal. */
export const statusLine = Effect.gen(function* () {
  const { stderrTerminal } = yield* Invocation
  if (stderrTerminal) yield* Effect.addFinalizer(() => overwriteErrorLine(""))
  return (text: string) => (stderrTerminal ? overwriteErrorLine(text) : Effect.void)
})

const BAR_WIDTH = 24

/** `part` from 0 to 1. Pure. */
export const bar = (part: number): string => {
  const full = Math.floor(part * BAR_WIDTH)
  return `[${"█".repeat(full)}${"░".repeat(BAR_WIDTH - full)}]`
}

/** For the life of the scope. */
export const showProgress = Effect.fnUntraced(function* (verb: string, total: number, noun = "ledgers") {
  const write = yield* statusLine
  const startedAt = yield* Clock.currentTimeMillis
  let shownAt = 0
  const show: ShowProgress = (done, note = "") =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      if (now - shownAt < Limits.progressRefreshMs) return
      shownAt = now
      const perSecond = Math.round((done * SECOND_MS) / Math.max(1, now - startedAt))
      const percent = Math.floor((100 * done) / total)
      yield* write(`${verb} ${done} of ${total} ${noun} (${percent} %), ${perSecond}/s${note}`)
    })
  return show
})
