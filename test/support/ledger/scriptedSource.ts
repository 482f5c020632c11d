/** A `LedgerSource` without sockets, for the virtual clock: announces and answers as the test says. */
import { Effect, Layer } from "effect"
import { normaliseLedger } from "../../../src/spine/event/NormaliseLedger.ts"
import { makeAnnouncements } from "../../../src/spine/ledger/servers/Announcements.ts"
import { LedgerSource, LedgerSourceError } from "../../../src/spine/ledger/servers/LedgerSource.ts"
import type { RawLedger } from "./chain.ts"

export interface ScriptedSource {
  readonly layer: Layer.Layer<LedgerSource>
  readonly announce: (index: number) => Effect.Effect<void>
  /** Adds or replaces ledgers. */
  readonly serve: (ledgers: ReadonlyArray<RawLedger>) => void
  /** The requested ledger indexes, in order. */
  readonly asked: ReadonlyArray<number>
}

const server = "scripted"

export const scriptedSource = (): ScriptedSource => {
  const announcements = makeAnnouncements()
  const ledgers = new Map<number, RawLedger>()
  const asked: Array<number> = []
  return {
    asked,
    announce: (index) =>
      announcements.announce(server, {
        ledgerIndex: index,
        ledgerHash: ledgers.get(index)?.ledger_hash,
        transactionCount: ledgers.get(index)?.transactions.length
      }),
    serve: (added) => {
      for (const ledger of added) ledgers.set(ledger.ledger_index, ledger)
    },
    layer: Layer.succeed(LedgerSource, {
      simulated: false,
      awaitHead: announcements.await,
      awaitNews: announcements.awaitNews,
      anchor: () => Effect.void,
      announced: announcements.announced,
      fetch: Effect.fnUntraced(function* (index, accept) {
        asked.push(index)
        const raw = ledgers.get(index)
        if (raw === undefined)
          return yield* new LedgerSourceError({ server, reason: "not_found", detail: `no ledger ${index}` })
        const { ledger, malformed } = normaliseLedger(raw)!
        const fetched = { server, validated: true, ledger, malformed }
        const fault = accept(fetched)
        return fault === undefined ? fetched : yield* new LedgerSourceError({ server, ...fault })
      }),
      state: Effect.sync(() => ({
        server,
        lastError: undefined,
        head: announcements.newest()?.announcement,
        headAt: announcements.newest()?.at,
        servers: []
      }))
    })
  }
}
