/**
 * `Log` on a Kafka cluster (4.0 or later), for any number of processes. A transaction succeeds when Kafka has
 * committed it. Offsets may be missing (transaction markers, compaction). Kafka applies retention from the topics'
 * settings (ClusterTopics.ts), so `applyRetention` does nothing.
 */
import { randomUUID } from "node:crypto"
import { Clock, Effect, Exit, Layer, Semaphore } from "effect"
import type { KafkaSettings } from "../../config/Config.ts"
import { fenced } from "../Exclusive.ts"
import { makeLast } from "../LastRecord.ts"
import {
  Log,
  LogError,
  LogReader,
  type NewRecord,
  type Partition,
  type Position,
  type Transaction
} from "../Log.ts"
import { partitionOf, partitionsOf } from "../Topics.ts"
import { type KafkaFault, makeChannels } from "./Channel.ts"
import { makeKafkaConsume } from "./ConsumeFromKafka.ts"
import { foreignHeaders } from "./ForeignHeaders.ts"
import { hasMemberBefore, type Member } from "./Member.ts"
import { ownName, topicName } from "./Names.ts"
import { clientOptions } from "./Options.ts"
import { type KafkaTransaction, makeProducer, type PlacedRecord } from "./Producer.ts"
import { makeReader } from "./Reader.ts"
import { makeTransactionQueue } from "./TransactionQueue.ts"

/** Transactional producers of the process. While one commits, the next can start. */
const PRODUCERS = 3

const failed =
  (operation: LogError["operation"], topic: string) =>
  (cause: KafkaFault): LogError =>
    new LogError({ operation, topic, cause })

/** The topic to name in an error. A transaction without records is named after the offsets it commits. */
const topicOf = ({ append, commit }: Transaction): string =>
  append[0]?.topic ?? commit?.positions[0]?.topic ?? ""

/** The parts for reading, shared by both layers below. */
const makeReading = (settings: KafkaSettings) =>
  Effect.gen(function* () {
    const openChannel = makeChannels(clientOptions(settings))
    const channel = yield* openChannel
    /** Throws if the topic is not in topics/topics.json. */
    const nameOf = (topic: string) => {
      partitionsOf(topic)
      return topicName(settings, topic)
    }
    const groupNameOf = (group: string) => ownName(settings, group)
    const reader = makeReader(channel, nameOf)
    const primitives = {
      read: (from: Position, max: number) =>
        Effect.mapError(reader.read(from, max), failed("read", from.topic)),
      offsets: (partition: Partition) =>
        Effect.suspend(() => Effect.mapError(reader.offsets(partition), failed("read", partition.topic))),
      committed: (group: string, partition: Partition) =>
        reader.committed(groupNameOf(group), partition).pipe(
          Effect.map(({ offset }) => offset),
          Effect.mapError(failed("read", partition.topic))
        )
    }
    return { openChannel, channel, nameOf, groupNameOf, reader, primitives }
  })

/** `schemaIds`: for each topic with a registered schema, the id to write before its values (SchemaRegistry.ts). */
export const layer = (
  settings: KafkaSettings,
  schemaIds: ReadonlyMap<string, number> = new Map()
): Layer.Layer<Log> =>
  Layer.effect(
    Log,
    Effect.gen(function* () {
      const { openChannel, channel, nameOf, groupNameOf, reader, primitives } = yield* makeReading(settings)
      // A channel of its own, so that health checks do not wait behind other requests.
      const health = yield* openChannel
      const members = new Map<string, Member>()
      const process = `${settings.topicPrefix}${settings.clientId}.${randomUUID()}`

      const place = (record: NewRecord, nowMs: number): PlacedRecord => ({
        topic: nameOf(record.topic),
        partition: partitionOf(record.topic, record.key),
        key: record.key,
        value: record.value,
        schemaId: schemaIds.get(record.topic),
        headers: { ...record.headers, ...foreignHeaders(record) },
        timestamp: record.timestamp ?? nowMs
      })

      const producers = yield* Effect.forEach(Array.from({ length: PRODUCERS }).keys(), (n) =>
        Effect.map(openChannel, (channel) => makeProducer(channel, `${process}.${n}`))
      )
      const submit = yield* makeTransactionQueue(producers)

      const toKafka = ({ append, appendThen, commit }: Transaction, nowMs: number) => {
        const placed = append.map((record) => place(record, nowMs))
        const positions = (offsets: ReadonlyArray<number>) =>
          append.map(
            ({ topic }, i): Position => ({ topic, partition: placed[i]!.partition, offset: offsets[i]! })
          )
        const transaction: KafkaTransaction = {
          append: placed,
          appendThen: (offsets) =>
            (appendThen?.(positions(offsets)) ?? []).map((record) => place(record, nowMs)),
          commit: commit && {
            group: groupNameOf(commit.group),
            member: members.get(groupNameOf(commit.group)),
            positions: commit.positions.map((position) => ({ ...position, topic: nameOf(position.topic) }))
          }
        }
        return { transaction, positions }
      }

      const transaction = Effect.fnUntraced(function* (given: Transaction) {
        const kafka = toKafka(given, yield* Clock.currentTimeMillis)
        const offsets = yield* Effect.mapError(submit(kafka.transaction), failed("append", topicOf(given)))
        return kafka.positions(offsets)
      })

      const exclusive = Effect.fnUntraced(function* (name: string) {
        const producer = makeProducer(yield* openChannel, ownName(settings, name))
        yield* Effect.mapError(producer.initialize, failed("append", ""))
        // After a failure the producer would initialize again and fence its successor, so it is not used any more.
        const lock = yield* Semaphore.make(1)
        let usable = true
        return {
          transaction: (given: Transaction) =>
            Effect.gen(function* () {
              const topic = topicOf(given)
              if (!usable) return yield* fenced(name, topic)
              const kafka = toKafka(given, yield* Clock.currentTimeMillis)
              const [offsets] = yield* producer.run([kafka.transaction]).pipe(
                Effect.onExit((exit) =>
                  Effect.sync(() => {
                    usable = Exit.isSuccess(exit)
                  })
                ),
                Effect.mapError(failed("append", topic))
              )
              return kafka.positions(offsets!)
            }).pipe(Semaphore.withPermits(lock, 1))
        }
      })

      return Log.of({
        ...primitives,
        reachable: Effect.mapError(health.reachable, failed("read", "")),
        transaction,
        exclusive,
        consume: makeKafkaConsume({
          channel,
          openChannel,
          reader,
          nameOf,
          groupNameOf,
          members
        }),
        awaitOffset: (position) =>
          Effect.mapError(reader.awaitOffset(position), failed("read", position.topic)),
        last: makeLast(primitives),
        topicIds: (topics) =>
          channel.topicIds(topics.map(nameOf)).pipe(
            Effect.map(
              (ids) =>
                new Map(
                  topics.flatMap((topic) => {
                    const id = ids.get(nameOf(topic))
                    return id === undefined ? [] : [[topic, id] as const]
                  })
                )
            ),
            Effect.mapError(failed("read", topics[0] ?? ""))
          ),
        hasMemberBefore: (release, group) =>
          Effect.mapError(hasMemberBefore(release, channel, groupNameOf(group)), failed("read", "")),
        applyRetention: Effect.void
      })
    })
  )

/** Read access for a process that joins no group and writes nothing. */
export const readerLayer = (settings: KafkaSettings): Layer.Layer<LogReader> =>
  Layer.effect(
    LogReader,
    Effect.map(makeReading(settings), ({ primitives }) => ({ ...primitives, last: makeLast(primitives) }))
  )
