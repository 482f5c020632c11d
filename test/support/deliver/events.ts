/** Events for tests of the event index: single ones as ingest writes them, and random ones from a seed. */
import type { EventType } from "../../../src/spine/event/EventType.ts"
import { eventsTopic, type LedgerEvent } from "../../../src/spine/event/LedgerEvent.ts"
import type { Network } from "../../../src/spine/event/Network.ts"
import type { NewRecord } from "../../../src/spine/log/Log.ts"
import { generator } from "../ledger/misbehavingServer.ts"

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
    payload: {
      tx_hash: hash,
      sender: accounts[0] ?? null,
      receiver: accounts.at(-1) ?? null,
      amount: String(position)
    },
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

/** Addresses with a valid checksum. */
export const addresses = [
  "rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX",
  "rLXrxX6X9Ep8mvWwDaw3ooRehYfqDjnzdJ",
  "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh",
  "rrrrrrrrrrrrrrrrrrrrBZbvji"
] as const

/** Event types, the most frequent first: `pick` rarely chooses the last ones. */
export const types = ["payment.xrp", "dex.offer_created", "nft.minted", "check.cancelled"] as const

export const pick = <A>(chance: () => number, from: ReadonlyArray<A>): A =>
  from[Math.floor(chance() ** 2 * from.length)]!

/**
 * Random events of every network over 90 days from `begin` on, up to six for each ledger. The test networks share many
 * closing times, so that pages contain events with equal times and their order is tested.
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
