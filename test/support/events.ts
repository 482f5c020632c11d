/** Events for tests of the event log: as ingest would write them, and by chance as a seed decides. */
import type { EventType } from "../../src/domain/EventType.ts"
import { eventsTopic, type LedgerEvent } from "../../src/domain/LedgerEvent.ts"
import type { Network } from "../../src/domain/Network.ts"
import type { NewRecord } from "../../src/log/EventLog.ts"
import { generator } from "./misbehavingServer.ts"

export interface EventFields {
  readonly network?: Network
  readonly ledgerIndex?: number
  readonly position?: number
  readonly type?: EventType
  readonly timestamp?: string
  readonly accounts?: ReadonlyArray<string>
}

export const eventOf = ({
  network = "mainnet",
  ledgerIndex = 90_000_000,
  position = 0,
  type = "payment.xrp",
  timestamp = "2026-11-21T09:30:00Z",
  accounts = ["rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX"]
}: EventFields): LedgerEvent => {
  const hash = `${ledgerIndex.toString(16)}A${position.toString(16)}`.toUpperCase().padStart(64, "0")
  return {
    event_id: `xrpl:${ledgerIndex}:${hash}:${type}`,
    event_type: type,
    ledger_index: ledgerIndex,
    timestamp,
    payload: { tx_hash: hash, sender: accounts[0] ?? null, amount: String(position) },
    accounts,
    network,
    position,
    detected_at: Date.parse(timestamp) + 1_500
  }
}

export const recordOf = (event: LedgerEvent): NewRecord => ({
  topic: eventsTopic(event.network),
  key: event.network,
  value: JSON.stringify(event)
})

/** Addresses with a right checksum. */
export const addresses = [
  "rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX",
  "rLXrxX6X9Ep8mvWwDaw3ooRehYfqDjnzdJ",
  "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh",
  "rrrrrrrrrrrrrrrrrrrrBZbvji"
] as const

/** By rank of how often they come: the last ones are rare. */
export const types = ["payment.xrp", "dex.offer_created", "nft.minted", "check.cancelled"] as const

export const pick = <A>(chance: () => number, from: ReadonlyArray<A>): A =>
  from[Math.floor(chance() ** 2 * from.length)]!

/**
 * Ledgers of every network over 90 days from `begin` on, each with up to six events. Test networks share many closing
 * seconds, so that pages of both have ties to keep in order.
 */
export const eventsByChance = (seed: number, begin: number, ledgers: number): ReadonlyArray<LedgerEvent> => {
  const chance = generator(seed)
  const firstLedger = { mainnet: 90_000_000, testnet: 5_000, devnet: 4_294_960_000 }
  const stepMs = Math.floor((90 * 86_400_000) / ledgers / 1_000) * 1_000
  return (["mainnet", "testnet", "devnet"] as const).flatMap((network) =>
    Array.from({ length: ledgers }, (_, number) => {
      const late = network !== "mainnet" && chance() < 0.5 ? 0 : Math.floor(chance() * 9) * 1_000
      const timestamp = `${new Date(begin + number * stepMs + late).toISOString().slice(0, 19)}Z`
      return Array.from({ length: Math.floor(chance() * 7) }, (_, position) =>
        eventOf({
          network,
          ledgerIndex: firstLedger[network] + number * 2,
          position,
          type: pick(chance, types),
          timestamp,
          accounts: addresses.filter(() => chance() < 0.4)
        })
      )
    }).flat()
  )
}
