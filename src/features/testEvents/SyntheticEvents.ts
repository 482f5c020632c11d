/**
 * Makes a synthetic event of any type, for test deliveries: the event that detection finds in a transaction of the
 * simulated ledger. Each event has a new transaction hash, so its event id is new to every receiver. Its accounts,
 * hashes and ledgers do not exist. Its `network` is `testnet` whatever the webhook's network. A given payload, which must
 * fit the type, is sent instead of the simulated one.
 */
import { randomBytes } from "node:crypto"
import { Context, Layer } from "effect"
import type { EventType } from "../../spine/event/EventType.ts"
import { isoTime, type JsonObject, type Ledger, unixMsToRipple } from "../../spine/event/Ledger.ts"
import { type Detection, type LedgerEvent, RULES_VERSION } from "../../spine/event/LedgerEvent.ts"

const HASH_BYTES = 32
/** The transactions are the same in every process; only the hash and the time of an event are new. */
const SEED = 1

export class SyntheticEvents extends Context.Service<
  SyntheticEvents,
  { readonly make: (type: EventType, nowMs: number, payload?: JsonObject) => LedgerEvent }
>()("ledgerhook/api/SyntheticEvents") {
  /** The API may not import the simulated ledger and detection, so Roles.ts passes them in. */
  static readonly layer = (options: {
    /**
     * Returns, for each event type, a ledger with one transaction that causes such an event. `closeTime` is in ripple
     * seconds.
     */
    readonly transactions: (
      seed: number,
      closeTime: number
    ) => ReadonlyMap<EventType, { readonly ledger: Ledger }>
    readonly detect: (ledger: Ledger) => Detection
  }) =>
    Layer.sync(SyntheticEvents, () => {
      // Made at the first use: it takes about 50 ms.
      let ledgers: ReadonlyMap<EventType, { readonly ledger: Ledger }> | undefined

      return SyntheticEvents.of({
        make: (type, nowMs, payload) => {
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
