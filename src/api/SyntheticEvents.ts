/**
 * Events for tests of a webhook, of each type: what detection finds in transactions of the simulated ledger. Each one is
 * new: it has a transaction hash of its own, and so an event id that no receiver has seen. The accounts, hashes and
 * ledgers in it do not exist; its envelope says `testnet` whatever the webhook's network.
 */
import { randomBytes } from "node:crypto"
import { Context, Layer } from "effect"
import type { EventType } from "../domain/EventType.ts"
import { isoTime, type Ledger, unixMsToRipple } from "../domain/Ledger.ts"
import type { Detection, LedgerEvent } from "../domain/LedgerEvent.ts"

const HASH_BYTES = 32
/** The transactions are the same in every process: what is new in each event is its hash and its time. */
const SEED = 1

export class SyntheticEvents extends Context.Service<
  SyntheticEvents,
  { readonly make: (type: EventType, nowMs: number) => LedgerEvent }
>()("ledgerhook/api/SyntheticEvents") {
  /** The simulated ledger and detection are stages of their own: who knows them passes them in. */
  static readonly layer = (options: {
    /** For each event type a ledger with one transaction that causes it; `closeTime` in ripple seconds. */
    readonly transactions: (
      seed: number,
      closeTime: number
    ) => ReadonlyMap<EventType, { readonly ledger: Ledger }>
    readonly detect: (ledger: Ledger) => Detection
  }) =>
    Layer.sync(SyntheticEvents, () => {
      // Made once, when the first is wanted: it takes some 50 ms.
      let ledgers: ReadonlyMap<EventType, { readonly ledger: Ledger }> | undefined

      return SyntheticEvents.of({
        make: (type, nowMs) => {
          ledgers ??= options.transactions(SEED, unixMsToRipple(nowMs))
          const ledger = ledgers.get(type)?.ledger
          const [transaction] = ledger?.transactions ?? []
          if (ledger === undefined || transaction === undefined) {
            throw new Error(`SyntheticEvents: the simulated ledger makes no ${type}`)
          }
          const hash = randomBytes(HASH_BYTES).toString("hex").toUpperCase()
          const { events } = options.detect({ ...ledger, transactions: [{ ...transaction, hash }] })
          const event = events.find(({ event_type }) => event_type === type)
          if (event === undefined) throw new Error(`SyntheticEvents: detection finds no ${type}`)
          return {
            ...event,
            timestamp: isoTime(unixMsToRipple(nowMs)),
            network: "testnet",
            position: 0,
            detected_at: nowMs
          }
        }
      })
    })
}
