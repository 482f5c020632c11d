/**
 * Makes a synthetic event of any type, for test deliveries: the event that detection finds in a transaction of the
 * simulated ledger. Each event has a new transaction hash, so its event id is new to every receiver. Its accounts,
 * hashes and ledgers do not exist. Its `network` is `testnet` whatever the webhook's network. A given payload, which must
 * fit the type, is sent instead of the simulated one.
 */
import { randomBytes } from "node:crypto"
import { Context, Layer } from "effect"
import { detectLedger } from "../../spine/detect/Detect.ts"
import type { EventType } from "../../spine/event/EventType.ts"
import { isoTime, type JsonObject, unixMsToRipple } from "../../spine/event/Ledger.ts"
import { type LedgerEvent, RULES_VERSION } from "../../spine/event/LedgerEvent.ts"
import { syntheticTransactions } from "../simulator/SyntheticTransactions.ts"

const HASH_BYTES = 32
/** The transactions are the same in every process; only the hash and the time of an event are new. */
const SEED = 1

export class SyntheticEvents extends Context.Service<
  SyntheticEvents,
  { readonly make: (type: EventType, nowMs: number, payload?: JsonObject) => LedgerEvent }
>()("ledgerhook/api/SyntheticEvents") {
  static readonly layer = Layer.sync(SyntheticEvents, () => {
    // Made at the first use: it takes about 50 ms.
    let ledgers: ReturnType<typeof syntheticTransactions> | undefined

    return SyntheticEvents.of({
      make: (type, nowMs, payload) => {
        ledgers ??= syntheticTransactions(SEED, unixMsToRipple(nowMs))
        const ledger = ledgers.get(type)?.ledger
        const [transaction] = ledger?.transactions ?? []
        if (ledger === undefined || transaction === undefined) {
          throw new Error(`SyntheticEvents: the simulated ledger makes no ${type}`)
        }
        const hash = randomBytes(HASH_BYTES).toString("hex").toUpperCase()
        const { events } = detectLedger({ ...ledger, transactions: [{ ...transaction, hash }] })
        const event = events.find(({ event_type }) => event_type === type)
        if (event === undefined) throw new Error(`SyntheticEvents: detection finds no ${type}`)
        return {
          ...event,
          payload: payload === undefined ? event.payload : { ...payload, tx_hash: hash },
          timestamp: isoTime(unixMsToRipple(nowMs)),
          network: "testnet",
          position: 0,
          detected_at: nowMs,
          rules_version: RULES_VERSION
        }
      }
    })
  })
}
