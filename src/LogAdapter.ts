/**
 * The log's adapter, by the settings: Kafka where KAFKA_BROKERS is set, else the embedded log in the same PostgreSQL. The
 * only place that chooses. A log that is not the database's is refused before anything is made there.
 */
import { Effect, Layer } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { type KafkaSettings, Settings, type SettingsShape, watchedNetworks } from "./config/Config.ts"
import type { EventLog, EventLogError } from "./log/EventLog.ts"
import * as EmbeddedEventLog from "./log/embedded/EmbeddedEventLog.ts"
import type { KafkaTopicsError } from "./log/kafka/ClusterTopics.ts"
import { loadKafka } from "./log/kafka/LoadKafka.ts"
import { registerSchemas, type SchemaRegistryError } from "./log/kafka/SchemaRegistry.ts"
import { Leases } from "./storage/Leases.ts"
import { claimLog, embeddedIdentity, type OtherLog, requireLog } from "./storage/LogIdentity.ts"

/** Only ingest writes the public topics: it needs the ids of their schemas. */
const kafkaLog = (settings: SettingsShape, kafka: KafkaSettings) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { ensureTopics, ensureGroups, identityOf, layer } = yield* loadKafka
      const identity = yield* identityOf(kafka)
      // Before a topic is made on a cluster that is not the database's.
      yield* requireLog(identity)
      yield* ensureTopics(kafka, settings)
      yield* ensureGroups(kafka)
      yield* claimLog(identity)
      return kafka.schemaRegistryUrl === undefined || !settings.roles.includes("ingest")
        ? layer(kafka)
        : layer(
            kafka,
            yield* registerSchemas(kafka.schemaRegistryUrl, kafka.topicPrefix, watchedNetworks(settings))
          )
    })
  )

const logOf = (
  settings: SettingsShape
): Layer.Layer<
  EventLog | Leases,
  | KafkaTopicsError
  | SchemaRegistryError
  | EventLogError
  | EmbeddedEventLog.EventLogInUse
  | OtherLog
  | SqlError.SqlError,
  Settings | SqlClient.SqlClient
> =>
  settings.kafka === undefined
    ? Layer.merge(Layer.unwrap(Effect.as(claimLog(embeddedIdentity), EmbeddedEventLog.layer)), Leases.alone)
    : Layer.merge(kafkaLog(settings, settings.kafka), Leases.layer)

/**
 * The log in which the stages meet, and the leases of what one process does at a time. The embedded log has one owner,
 * which then has every lease; on Kafka any number of processes share them.
 */
export const logLayer = Layer.unwrap(Effect.map(Settings, logOf))

/** For commands that only read a log, which may be another process's. `database`: where an embedded log is. */
export const logReaderLayer = <A extends SqlClient.SqlClient, E, R>(database: Layer.Layer<A, E, R>) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { kafka } = yield* Settings
      if (kafka === undefined) return EmbeddedEventLog.readerLayer.pipe(Layer.provide(database))
      const { reachable, readerLayer } = yield* loadKafka
      yield* reachable(kafka)
      return readerLayer(kafka)
    })
  )
