/**
 * Chooses the log's adapter: Kafka if KAFKA_BROKERS is set, else the embedded log in the same PostgreSQL. If the
 * database belongs to another log, the start fails before anything is created on the cluster.
 */
import { Effect, Layer } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { type KafkaSettings, Settings, type SettingsShape, watchedNetworks } from "./config/Config.ts"
import { Limits } from "./config/Limits.ts"
import * as EmbeddedLog from "./log/embedded/EmbeddedLog.ts"
import type { KafkaTopicsError } from "./log/kafka/ClusterTopics.ts"
import { loadKafka } from "./log/kafka/LoadKafka.ts"
import { registerSchemas, restoreSchemas, type SchemaRegistryError } from "./log/kafka/SchemaRegistry.ts"
import type { Log, LogError } from "./log/Log.ts"
import { Leases } from "./store/Leases.ts"
import { claimLog, embeddedIdentity, type OtherLog, requireLog } from "./store/LogIdentity.ts"
import { ProcessId } from "./store/ProcessId.ts"

/**
 * Schemas are registered only by processes with the role ingest, since only they write the public topics. The log looks
 * the id up for each record, so it uses the ids of schemas that were registered again.
 */
const kafkaLog = (settings: SettingsShape, kafka: KafkaSettings, claim: typeof claimLog) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { ensureTopics, ensureGroups, identityOf, layer, requireRights } = yield* loadKafka
      const identity = yield* identityOf(kafka)
      // First, so that no topic is created on the wrong cluster.
      yield* requireLog(identity)
      yield* requireRights(kafka, settings.roles)
      yield* ensureTopics(kafka, settings)
      yield* ensureGroups(kafka)
      yield* claim(identity)
      const address = kafka.schemaRegistryUrl
      if (address === undefined || !settings.roles.includes("ingest")) return layer(kafka)
      const networks = watchedNetworks(settings)
      const ids = yield* registerSchemas(address, kafka.topicPrefix, networks, settings)
      const restoring = restoreSchemas(address, kafka.topicPrefix, networks, settings, ids).pipe(
        Effect.catch(({ message }) => Effect.logWarning(`the schemas could not be checked: ${message}`)),
        Effect.delay(Limits.sweepMs)
      )
      return Layer.merge(layer(kafka, ids), Layer.effectDiscard(Effect.forkScoped(Effect.forever(restoring))))
    })
  )

type LogFailure =
  | KafkaTopicsError
  | SchemaRegistryError
  | LogError
  | EmbeddedLog.LogInUse
  | OtherLog
  | SqlError.SqlError

const logOf = (
  settings: SettingsShape
): Layer.Layer<Log | Leases | ProcessId, LogFailure, Settings | SqlClient.SqlClient> =>
  settings.kafka === undefined
    ? Layer.mergeAll(
        Layer.unwrap(Effect.as(claimLog(embeddedIdentity), EmbeddedLog.layer)),
        Leases.alone,
        ProcessId.layer
      )
    : Layer.merge(kafkaLog(settings, settings.kafka, claimLog), Leases.layer)

/**
 * The log, and the leases for jobs that one process does at a time. With the embedded log there is one process, which
 * has every lease. With Kafka the processes share the leases through the database.
 */
export const logLayer = Layer.unwrap(Effect.map(Settings, logOf))

const unclaimedLogOf = (
  settings: SettingsShape
): Layer.Layer<Log, LogFailure, Settings | SqlClient.SqlClient> =>
  settings.kafka === undefined ? EmbeddedLog.layer : kafkaLog(settings, settings.kafka, () => Effect.void)

/** For `ledgerhook move`: the log that it fills, which the database does not belong to yet. */
export const unclaimedLogLayer = Layer.unwrap(Effect.map(Settings, unclaimedLogOf))

/** For commands that only read the log, also while a service is running. `database`: where an embedded log is. */
export const logReaderLayer = <A extends SqlClient.SqlClient, E, R>(database: Layer.Layer<A, E, R>) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { kafka } = yield* Settings
      if (kafka === undefined) return EmbeddedLog.readerLayer.pipe(Layer.provide(database))
      const { reachable, readerLayer } = yield* loadKafka
      yield* reachable(kafka)
      return readerLayer(kafka)
    })
  )
