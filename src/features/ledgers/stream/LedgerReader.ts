/**
 * Makes the pieces of one stream of ledgers: those that have changed since the last piece, in their newest state. It
 * makes a piece only after the client has taken the previous piece, so nothing is queued.
 */
import { Deferred, Effect } from "effect"
import { Limits } from "../../../spine/config/Limits.ts"
import { monotonicNow } from "../../../spine/words/Monotonic.ts"
import { type Ending, heartbeat, lastWords } from "../../events/stream/Frames.ts"
import { StreamLimits } from "../../events/stream/Limits.ts"
import type { Pieces } from "../../events/stream/OpenStreams.ts"
import type { LedgerView } from "./LedgerView.ts"

export const makeLedgerReader = Effect.fnUntraced(function* (
  views: ReadonlyArray<LedgerView>,
  ended: Deferred.Deferred<Ending>
) {
  const { pieceChars } = yield* StreamLimits
  /** Everything up to this version has been sent. */
  let sent = 0
  let wroteAt: number | undefined
  let isOver = false

  const gather = () => {
    let text = ""
    const ledgers = views.flatMap((view) => view.after(sent)).toSorted((a, b) => a.version - b.version)
    for (const ledger of ledgers) {
      if (text.length >= pieceChars) break
      text += ledger.text
      sent = ledger.version
    }
    return text
  }

  const piece = Effect.gen(function* () {
    if (isOver) return undefined
    while (true) {
      if (Deferred.isDoneUnsafe(ended)) {
        isOver = true
        return lastWords(yield* Deferred.await(ended))
      }
      const nowMs = yield* monotonicNow
      // The first piece is a heartbeat. It shows the reader that the stream is open.
      const text = wroteAt === undefined ? "" : gather()
      const isDue = wroteAt === undefined || nowMs - wroteAt >= Limits.heartbeatMs
      if (text !== "" || isDue) {
        wroteAt = nowMs
        return text === "" ? heartbeat(undefined) : text
      }
      yield* Effect.raceAllFirst([
        ...views.map((view) => view.changed(sent)),
        Deferred.await(ended),
        Effect.sleep(wroteAt! + Limits.heartbeatMs - nowMs)
      ])
    }
  })
  return { piece, endedBecause: () => undefined } satisfies Pieces<never>
})
