/**
 * A transactional producer: writes records and commits offsets in one Kafka transaction at a time. After a failure it
 * aborts the transaction and initializes again under the same transactional id: Kafka then aborts what an earlier
 * producer of that id left open, and refuses what it still sends (fencing). Kafka forgets an id that was idle for days
 * (`transactional.id.expiration.ms`): then the producer gets a new one, and writes the same transaction.
 */

import {
  addOffsetsToTxnV4,
  addPartitionsToTxnV3,
  endTxnV4,
  initProducerIdV5,
  type MessageRecord,
  NumericMap,
  produceV9,
  txnOffsetCommitV4
} from "@platformatic/kafka"
import { Effect, Schedule } from "effect"
import { Limits } from "../../config/Limits.ts"
import { logLimits } from "../Limits.ts"
import type { Position } from "../Log.ts"
import { type KafkaChannel, KafkaFault, NO_LEADER, onCoordinator, retryTransient } from "./Channel.ts"
import type { Member } from "./Member.ts"
import { splitByLimits } from "./SplitByLimits.ts"
import { encodeValue } from "./WireFormat.ts"

/** A record with its partition chosen. */
export interface PlacedRecord {
  /** The topic's name in the cluster. */
  readonly topic: string
  readonly partition: number
  readonly key: string
  readonly value: string | null
  /** The id of the value's schema, if the topic's schema is registered. */
  readonly schemaId: number | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly timestamp: number
}

export interface GroupCommit {
  readonly group: string
  /** The group's member in this process, if any. Kafka refuses the commit if that is no longer a member. */
  readonly member: Pick<Member, "id" | "epoch" | "topicIds"> | undefined
  /** Topics as the cluster names them. */
  readonly positions: ReadonlyArray<Position>
}

export interface KafkaTransaction {
  readonly append: ReadonlyArray<PlacedRecord>
  /** Given the offsets of `append`, in its order. */
  readonly appendThen: (offsets: ReadonlyArray<number>) => ReadonlyArray<PlacedRecord>
  readonly commit: GroupCommit | undefined
}

const ACKS_ALL = -1
const NO_PRODUCER = -1n
const NO_EPOCH = -1
const NO_MEMBER = ""
const NO_GENERATION = -1

interface ProducerIdentity {
  readonly id: bigint
  readonly epoch: number
}

interface Pending {
  readonly record: PlacedRecord
  /** Undefined until the record has landed. */
  offset: number | undefined
}

/** The key of a partition in the sequence numbers of the library's encoder. */
const partitionName = ({ topic, partition }: { readonly topic: string; readonly partition: number }) =>
  `${topic}:${partition}`

export const bytesOf = ({ key, value }: PlacedRecord): number =>
  Buffer.byteLength(key) + Buffer.byteLength(value ?? "")

const messageOf = (record: PlacedRecord): MessageRecord => ({
  topic: record.topic,
  partition: record.partition,
  key: Buffer.from(record.key),
  // The client writes `undefined` as Kafka's null; its type does not allow it.
  value: (record.value === null ? undefined : encodeValue(record.value, record.schemaId)) as Buffer,
  headers: new Map(
    Object.entries(record.headers).map(([name, text]) => [Buffer.from(name), Buffer.from(text)])
  ),
  timestamp: BigInt(record.timestamp)
})

/** Kafka has forgotten the producer's id. Nothing of its transaction was committed. */
const FORGOTTEN = ["INVALID_PRODUCER_ID_MAPPING", "UNKNOWN_PRODUCER_ID"]
/** Trying to end the transaction again does not help. */
const OVER = ["INVALID_PRODUCER_EPOCH", "PRODUCER_FENCED", "INVALID_TXN_STATE", ...FORGOTTEN]

export type Producer = ReturnType<typeof makeProducer>

export const makeProducer = (channel: KafkaChannel, transactionalId: string) => {
  let identity: ProducerIdentity | undefined
  let sequences = new NumericMap()

  const onTransaction = <A>(request: (broker: number) => Effect.Effect<A, KafkaFault>) =>
    onCoordinator(channel, "transaction", transactionalId, request)

  const identify = Effect.fnUntraced(function* ({ epoch, id }: ProducerIdentity) {
    const answer = yield* onTransaction((broker) =>
      channel.call(initProducerIdV5.api, broker, transactionalId, Limits.leaseMs, id, epoch)
    )
    sequences = new NumericMap()
    identity = { id: answer.producerId, epoch: answer.producerEpoch }
    return identity
  })
  const initialize = Effect.suspend(() =>
    identity === undefined ? identify({ id: NO_PRODUCER, epoch: NO_EPOCH }) : Effect.succeed(identity)
  )

  const end = (producer: ProducerIdentity, commit: boolean) =>
    onTransaction((broker) =>
      channel.call(endTxnV4.api, broker, transactionalId, producer.id, producer.epoch, commit)
    ).pipe(
      // If the answer is lost, sending the request again is safe: Kafka remembers the outcome.
      Effect.retry({
        while: (fault) => !fault.is(...OVER),
        schedule: Schedule.spaced(logLimits.kafkaStepWaitMs.longest),
        times: Math.ceil(Limits.leaseMs / logLimits.kafkaStepWaitMs.longest)
      })
    )

  /** One request to the broker that leads all these partitions, with one batch for each. */
  const sendTo = Effect.fnUntraced(function* (
    producer: ProducerIdentity,
    broker: number,
    batches: ReadonlyArray<ReadonlyArray<Pending>>
  ) {
    const answer = yield* channel.call(
      produceV9.api,
      broker,
      ACKS_ALL,
      logLimits.kafkaRequestMs,
      batches.flat().map(({ record }) => messageOf(record)),
      {
        transactionalId,
        compression: "zstd",
        producerId: producer.id,
        producerEpoch: producer.epoch,
        sequences
      }
    )
    const baseOffsets = new Map<string, bigint>()
    // The type includes a boolean for requests without acknowledgement, which we do not send.
    for (const { name, partitionResponses } of typeof answer === "boolean" ? [] : answer.responses) {
      for (const { index, baseOffset } of partitionResponses) {
        baseOffsets.set(partitionName({ topic: name, partition: index }), baseOffset)
      }
    }
    for (const batch of batches) {
      const name = partitionName(batch[0]!.record)
      sequences.postIncrement(name, batch.length, 0)
      const base = baseOffsets.get(name)
      if (base === undefined) {
        return yield* new KafkaFault({ message: `${name}: no offset in the answer`, cause: undefined })
      }
      for (const [i, pending] of batch.entries()) pending.offset = Number(base) + i
    }
  })

  /** Sends the records that have no offset yet. They are unchanged, so a broker recognizes those it already has. */
  const send = Effect.fnUntraced(function* (producer: ProducerIdentity, pending: ReadonlyArray<Pending>) {
    const unsent = pending.filter(({ offset }) => offset === undefined)
    const batches = yield* Effect.forEach(
      Map.groupBy(unsent, ({ record }) => partitionName(record)).values(),
      (batch) =>
        Effect.map(channel.leader(batch[0]!.record.topic, batch[0]!.record.partition), ({ broker }) => ({
          broker,
          batch
        }))
    )
    yield* Effect.forEach(
      Map.groupBy(batches, ({ broker }) => broker),
      ([broker, led]) =>
        sendTo(
          producer,
          broker,
          led.map(({ batch }) => batch)
        ),
      { concurrency: "unbounded", discard: true }
    )
  })

  const addPartitions = Effect.fnUntraced(function* (
    producer: ProducerIdentity,
    records: ReadonlyArray<PlacedRecord>,
    added: Set<string>
  ) {
    const fresh = new Map(
      records.map((record) => [partitionName(record), record] as const).filter(([name]) => !added.has(name))
    )
    if (fresh.size === 0) return
    yield* onTransaction((broker) =>
      // Version 3: later versions are for brokers, and a cluster with access control refuses them from clients.
      channel.call(addPartitionsToTxnV3.api, broker, [
        {
          transactionalId,
          producerId: producer.id,
          producerEpoch: producer.epoch,
          verifyOnly: false,
          topics: [...Map.groupBy(fresh.values(), ({ topic }) => topic)].map(([name, of]) => ({
            name,
            partitions: of.map(({ partition }) => partition)
          }))
        }
      ])
    )
    for (const name of fresh.keys()) added.add(name)
  })

  /** The records' offsets, in their order. */
  const produce = Effect.fnUntraced(function* (
    producer: ProducerIdentity,
    records: ReadonlyArray<PlacedRecord>,
    added: Set<string>
  ) {
    yield* addPartitions(producer, records, added)
    const all = records.map((record): Pending => ({ record, offset: undefined }))
    // Batches are sent one after the other, so that each partition keeps its order.
    for (const some of splitByLimits(all, [logLimits.logBatchBytes], ({ record }) => [bytesOf(record)])) {
      yield* retryTransient(channel, NO_LEADER)(Effect.suspend(() => send(producer, some)))
    }
    return all.map(({ offset }) => offset!)
  })

  const commitOffsets = Effect.fnUntraced(function* (
    producer: ProducerIdentity,
    { group, member, positions }: GroupCommit
  ) {
    yield* onTransaction((broker) =>
      channel.call(addOffsetsToTxnV4.api, broker, transactionalId, producer.id, producer.epoch, group)
    )
    yield* onCoordinator(channel, "group", group, (broker) =>
      channel.call(
        txnOffsetCommitV4.api,
        broker,
        transactionalId,
        group,
        producer.id,
        producer.epoch,
        member?.epoch ?? NO_GENERATION,
        member?.id ?? NO_MEMBER,
        null,
        [...Map.groupBy(positions, ({ topic }) => topic)].map(([name, of]) => ({
          name,
          partitions: of.map(({ partition, offset }) => ({
            partitionIndex: partition,
            committedOffset: BigInt(offset),
            committedLeaderEpoch: NO_EPOCH,
            committedMetadata: member?.topicIds.get(name) ?? null
          }))
        }))
      )
    )
  })

  return {
    /** Makes this the only producer of its id. Kafka aborts an open transaction of an earlier one and fences it. */
    initialize: Effect.asVoid(initialize),
    /** Writes the transactions as one Kafka transaction. Returns the offsets of each one's `append`. */
    run: (
      transactions: ReadonlyArray<KafkaTransaction>
    ): Effect.Effect<ReadonlyArray<ReadonlyArray<number>>, KafkaFault> =>
      Effect.gen(function* () {
        let producer = yield* initialize
        const write = Effect.gen(function* () {
          const added = new Set<string>()
          const appended = transactions.flatMap(({ append }) => append)
          const offsets = (yield* produce(producer, appended, added)).values()
          const each = transactions.map(({ append }) => append.map(() => offsets.next().value!))
          const then = transactions.flatMap(({ appendThen }, i) => appendThen(each[i]!))
          if (then.length > 0) yield* produce(producer, then, added)
          for (const { commit } of transactions) {
            if (commit !== undefined) yield* commitOffsets(producer, commit)
          }
          return each
        })
        // With the old id Kafka refuses this if there is a newer producer under the same name.
        const renew = Effect.map(
          Effect.suspend(() => identify(producer)),
          (renewed) => {
            producer = renewed
          }
        )
        return yield* write.pipe(
          Effect.catchIf(
            (fault) => fault.is(...FORGOTTEN),
            () => Effect.andThen(renew, write)
          ),
          Effect.tap(() => end(producer, true)),
          Effect.tapCause(() => {
            identity = undefined
            return Effect.andThen(channel.forget, Effect.ignore(end(producer, false)))
          })
        )
      })
  }
}
