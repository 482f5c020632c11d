/** How far a long command is: one line on a terminal's standard error, written over again and gone at the end. */
import { Clock, Effect } from "effect"
import { Limits } from "../config/Limits.ts"
import { Invocation } from "./Invocation.ts"
import { overwriteErrorLine } from "./Output.ts"

/** Shown whenever it is called, but not too often; nowhere when standard error is no terminal. */
export type ShowProgress = (done: number, note?: string) => Effect.Effect<void>

const SECOND_MS = 1_000

/** For the life of the scope. */
export const showProgress = Effect.fnUntraced(function* (verb: string, total: number, noun = "ledgers") {
  const { stderrTerminal } = yield* Invocation
  const startedAt = yield* Clock.currentTimeMillis
  let shownAt = 0
  if (stderrTerminal) yield* Effect.addFinalizer(() => overwriteErrorLine(""))
  const show: ShowProgress = (done, note = "") =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      if (!stderrTerminal || now - shownAt < Limits.progressRefreshMs) return
      shownAt = now
      const perSecond = Math.round((done * SECOND_MS) / Math.max(1, now - startedAt))
      const percent = Math.floor((100 * done) / total)
      yield* overwriteErrorLine(`${verb} ${done} of ${total} ${noun} (${percent} %), ${perSecond}/s${note}`)
    })
  return show
})
