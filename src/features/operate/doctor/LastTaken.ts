/** Reads which ledger of each network was taken last, for `doctor`, from the embedded log or from Kafka. */

import { Effect } from "effect"
import type { KafkaSettings } from "../../../spine/config/Config.ts"
import { eventsTopic, type LedgerMarker, ledgersTopic } from "../../../spine/event/LedgerEvent.ts"
import type { Network } from "../../../spine/event/Network.ts"
import * as EmbeddedLog from "../../../spine/log/embedded/EmbeddedLog.ts"
import { loadKafka } from "../../../spine/log/kafka/LoadKafka.ts"
import { LogReader } from "../../../spine/log/Log.ts"
import { markerIn } from "../../../spine/log/ledgers/LedgerMarkers.ts"
import { hasTable } from "../../../terminal/Stores.ts"
import { ChainRestarts } from "../../events/ChainRestarts.ts"
import { operateLimits } from "../Limits.ts"

/** A network that is not in it has taken none. */
export type LastTaken = ReadonlyMap<Network, LedgerMarker>

/**
 * The hashes after which an operator ordered a new chain, in the database of the context: for ingest, nothing was taken
 * of such a chain.
 */
export const endedChains = Effect.gen(function* () {
  if (!(yield* hasTable("chain_restarts"))) return new Set<string>()
  return new Set(yield* (yield* ChainRestarts).endedHashes)
}).pipe(Effect.provide(ChainRestarts.layer))

const lastMarkers = Effect.fnUntraced(function* (networks: ReadonlyArray<Network>) {
  const log = yield* LogReader
  const found = new Map<Network, LedgerMarker>()
  for (const network of networks) {
    const record = yield* log.last({ topic: ledgersTopic(network), partition: 0 })
    if (record !== undefined) found.set(network, yield* markerIn(record))
  }
  return found
})

/** The ledgers in the database of the context. Undefined: they cannot be read. */
export const lastInDatabase = (networks: ReadonlyArray<Network>) =>
  Effect.gen(function* () {
    if (!(yield* hasTable("log_ends"))) return new Map<Network, LedgerMarker>()
    return yield* Effect.provide(lastMarkers(networks), EmbeddedLog.readerLayer)
  }).pipe(Effect.orElseSucceed(() => undefined))

/** Undefined also if the cluster does not answer, which kafkaChecks reports. */
export const lastInKafka = (kafka: KafkaSettings, networks: ReadonlyArray<Network>) =>
  Effect.gen(function* () {
    const { reachable, readerLayer } = yield* loadKafka
    yield* reachable(kafka)
    return yield* Effect.provide(lastMarkers(networks), readerLayer(kafka))
  }).pipe(
    Effect.timeout(operateLimits.doctorCheckMs),
    Effect.orElseSucceed(() => undefined)
  )

/** The id of the schema that the oldest retained event of each network names, by topic. Empty also if it cannot be read. */
export const oldestSchemaIds = (kafka: KafkaSettings, networks: ReadonlyArray<Network>) =>
  Effect.gen(function* () {
    const { readerLayer } = yield* loadKafka
    const ids = new Map<string, number>()
    yield* Effect.gen(function* () {
      const log = yield* LogReader
      for (const network of networks) {
        const partition = { topic: eventsTopic(network), partition: 0 }
        const { end, start } = yield* log.offsets(partition)
        if (start === end) continue
        const [oldest] = yield* log.read({ ...partition, offset: start }, 1)
        if (oldest?.schemaId !== undefined) ids.set(partition.topic, oldest.schemaId)
      }
    }).pipe(Effect.provide(readerLayer(kafka)))
    return ids
  }).pipe(
    // The registry is asked afterwards, within the time of one check.
    Effect.timeout(operateLimits.doctorCheckMs / 2),
    Effect.orElseSucceed(() => new Map<string, number>())
  )
