/**
 * Bounds the memory of fetched ledgers that wait to be taken. A server may send false ledgers of any size, because the
 * link to the parent is checked later. Only the next fetch waits; fetches under way always end, so nothing deadlocks.
 */
import { type Effect, Latch } from "effect"
import type { FetchedLedger } from "../servers/LedgerSource.ts"

export interface WaitingMemory {
  readonly add: (ledger: FetchedLedger) => void
  readonly release: (ledgers: ReadonlyArray<FetchedLedger>) => void
  /** Waits while the ledgers take `limit` bytes or more. */
  readonly awaitRoom: Effect.Effect<void>
}

export const makeWaitingMemory = (limit: number): WaitingMemory => {
  let held = 0
  const room = Latch.makeUnsafe(true)
  const change = (bytes: number) => {
    held += bytes
    if (held < limit) room.openUnsafe()
    else room.closeUnsafe()
  }
  return {
    add: ({ bytes = 0 }) => change(bytes),
    release: (ledgers) => change(-ledgers.reduce((sum, { bytes = 0 }) => sum + bytes, 0)),
    awaitRoom: Latch.await(room)
  }
}
