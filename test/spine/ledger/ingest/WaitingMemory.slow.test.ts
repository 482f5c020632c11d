/** The memory of fetched ledgers that wait to be taken. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeWaitingMemory } from "../../../../src/spine/ledger/ingest/WaitingMemory.ts"
import type { FetchedLedger } from "../../../../src/spine/ledger/servers/LedgerSource.ts"
import { ledgerOf } from "../../../../src/spine/ledger/servers/ServerMessages.ts"
import { chain } from "../../../support/ledger/chain.ts"
import { eventually, ingesting, memoryLayer } from "../../../support/ledger/ingesting.ts"
import { rippledServer } from "../../../support/ledger/rippledServer.ts"

describe("the memory of waiting ledgers", () => {
  it.effect("holds back the next fetch while it is used up", () =>
    Effect.gen(function* () {
      const ledger = (bytes: number): FetchedLedger => ({
        ...ledgerOf("", { result: { ledger: chain(1, 1)[0]! } })!,
        bytes
      })
      const memory = makeWaitingMemory(100)
      yield* memory.awaitRoom
      memory.add(ledger(60))
      yield* memory.awaitRoom
      memory.add(ledger(60))
      const waits = yield* Effect.forkChild(memory.awaitRoom, { startImmediately: true })
      assert.isUndefined(waits.pollUnsafe())
      memory.release([ledger(60)])
      yield* memory.awaitRoom
    })
  )

  it.effect("lets no more than some dozen ledgers of 16 MB wait for a log that is slow", () =>
    Effect.gen(function* () {
      const pad = "0".repeat(16_000_000)
      const server = yield* rippledServer()
      server.serve(chain(10, 60).map((ledger) => ({ ...ledger, pad })))
      server.close(60)
      const alert = {
        code: "nodes_unreadable" as const,
        tx_hash: "",
        event_type: null,
        reason: "not decided"
      }
      yield* ingesting([server.url], {
        start: 10,
        detect: () => ({ events: [], alerts: [alert] }),
        onAlerts: () => Effect.never
      })
      const asked = () => server.requests.length
      yield* eventually(Effect.sync(() => asked() >= 16))
      let before = 0
      const isStill = Effect.sync(() => {
        const still = asked() === before
        before = asked()
        return still
      })
      for (let i = 0; i < 20; i++) yield* eventually(isStill)
      // 256 MB, those that were under way, and what a new connection asks first.
      assert.isAtMost(asked(), 16 + 8 + 4)
    }).pipe(Effect.provide(memoryLayer()))
  )
})
