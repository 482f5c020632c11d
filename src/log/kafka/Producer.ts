/**
 * One transactional producer: batches of several callers, in order, as one Kafka transaction each, with the offsets they
 * commit. A transaction that fails is aborted, and the producer begins anew under the same id: Kafka then ends what an
 * earlier one of that id left open, and refuses whatever of it is still on its way (fencing).
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
import type { Position } from "../EventLog.ts"
import {
  type KafkaChannel,
  KafkaFault,
  type Leader,
  NO_LEADER,
  onCoordinator,
  whilePassing
} from "./Channel.ts"
import { encodeValue } from "./WireFormat.ts"

/** A record with its place decided. */
export interface PlacedRecord {
  /** As the cluster names it. */
  readonly topic: string
  readonly partition: number
  readonly key: string
  readonly value: string | null
  /** Of the value, where a registry has one for the topic. */
  readonly schemaId: number | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly timestamp: number
}

export interface GroupCommit {
  readonly group: string
  /** Of the group's member in this process: Kafka refuses the commit when it is no longer one. Undefined: no member. */
  readonly member: { readonly id: string; readonly epoch: number } | undefined
  /** Topics as the cluster names them. */
  readonly positions: ReadonlyArray<Position>
}

export interface KafkaTransaction {
  readonly append: ReadonlyArray<PlacedRecord>
  /** Given the offsets of `append`, in its order. */
  readonly appendThen: (offsets: ReadonlyArray<number>) => ReadonlyArray<PlacedRecord>
  readonly commits: ReadonlyArray<GroupCommit>
}

const ACKS_ALL = -1
const NO_PRODUCER = -1n
const NO_EPOCH = -1
const NO_MEMBER = ""
const NO_GENERATION = -1

const partitionName = ({ topic, partition }: { readonly topic: string; readonly partition: number }) =>
  `${topic}:${partition}`

const byTopic = (places: ReadonlyArray<{ readonly topic: string; readonly partition: number }>) => {
  const found = new Map<string, Set<number>>()
  for (const { topic, partition } of places) {
    const partitions = found.get(topic) ?? new Set()
    found.set(topic, partitions.add(partition))
  }
  return [...found].map(([name, partitions]) => ({ name, partitions: [...partitions] }))
}

const messageOf = (record: PlacedRecord): MessageRecord => ({
  topic: record.topic,
  partition: record.partition,
  key: Buffer.from(record.key),
  // The client writes an absent value as Kafka's null; its type does not say so.
  value: (record.value === null ? undefined : encodeValue(record.value, record.schemaId)) as Buffer,
  headers: new Map(
    Object.entries(record.headers).map(([name, text]) => [Buffer.from(name), Buffer.from(text)])
  ),
  timestamp: BigInt(record.timestamp)
})

/**
 * The records' indexes in rounds: in each a partition has at most one batch that a broker takes, so that a round is one
 * request to each leader, and rounds that follow one another keep every partition's order.
 */
export const roundsOf = (
  records: ReadonlyArray<Pick<PlacedRecord, "topic" | "partition" | "key" | "value">>,
  maxBytes: number
): ReadonlyArray<ReadonlyArray<number>> => {
  const rounds: Array<Array<number>> = []
  const open = new Map<string, { round: number; bytes: number }>()
  for (const [index, record] of records.entries()) {
    const bytes = Buffer.byteLength(record.value ?? "") + Buffer.byteLength(record.key)
    const name = partitionName(record)
    let batch = open.get(name)
    if (batch === undefined || batch.bytes + bytes > maxBytes) {
      batch = { round: batch === undefined ? 0 : batch.round + 1, bytes: 0 }
      open.set(name, batch)
    }
    batch.bytes += bytes
    const round = rounds[batch.round] ?? []
    rounds[batch.round] = round
    round.push(index)
  }
  return rounds
}

export const makeProducer = (channel: KafkaChannel, transactionalId: string) => {
  let identity: { readonly id: bigint; readonly epoch: number } | undefined
  let sequences = new NumericMap()

  const onTransaction = <A>(request: (connection: Leader["connection"]) => Effect.Effect<A, KafkaFault>) =>
    onCoordinator(channel, "transaction", transactionalId, request)

  const open = Effect.gen(function* () {
    if (identity !== undefined) return identity
    const answer = yield* onTransaction((connection) =>
      channel.call(
        initProducerIdV5.api,
        connection,
        transactionalId,
        Limits.kafkaTransactionMs,
        NO_PRODUCER,
        NO_EPOCH
      )
    )
    sequences = new NumericMap()
    identity = { id: answer.producerId, epoch: answer.producerEpoch }
    return identity
  })

  const end = (producer: NonNullable<typeof identity>, commit: boolean) =>
    onTransaction((connection) =>
      channel.call(endTxnV4.api, connection, transactionalId, producer.id, producer.epoch, commit)
    ).pipe(
      // Asked again when the answer was lost: Kafka knows that it has done it already.
      Effect.retry({
        while: (fault) => !fault.is("INVALID_PRODUCER_EPOCH", "PRODUCER_FENCED", "INVALID_TXN_STATE"),
        schedule: Schedule.spaced(Limits.kafkaStepWaitMs.longest),
        times: Math.ceil(Limits.kafkaTransactionMs / Limits.kafkaStepWaitMs.longest)
      })
    )

  /** One request: the records of partitions with one leader. Returns the offset of each partition's first record. */
  const send = Effect.fnUntraced(function* (
    producer: NonNullable<typeof identity>,
    connection: Leader["connection"],
    records: ReadonlyArray<PlacedRecord>
  ) {
    const answer = yield* channel.call(
      produceV9.api,
      connection,
      ACKS_ALL,
      Limits.kafkaRequestMs,
      records.map(messageOf),
      {
        transactionalId,
        compression: "zstd",
        producerId: producer.id,
        producerEpoch: producer.epoch,
        sequences
      }
    )
    for (const record of records) sequences.postIncrement(partitionName(record), 1, 0)
    const bases = new Map<string, number>()
    // `true` is the answer to requests that want none.
    for (const { name, partitionResponses } of typeof answer === "boolean" ? [] : answer.responses) {
      for (const { index, baseOffset } of partitionResponses) {
        bases.set(partitionName({ topic: name, partition: index }), Number(baseOffset))
      }
    }
    return bases
  })

  /** Sends one round and enters where its records landed. */
  const sendRound = Effect.fnUntraced(function* (
    producer: NonNullable<typeof identity>,
    records: ReadonlyArray<PlacedRecord>,
    round: ReadonlyArray<number>,
    offsets: Array<number | undefined>
  ) {
    const leaders = new Map<Leader["connection"], Array<number>>()
    const known = new Map<string, Leader["connection"]>()
    for (const index of round) {
      const record = records[index]!
      const name = partitionName(record)
      const connection = known.get(name) ?? (yield* channel.leader(record.topic, record.partition)).connection
      known.set(name, connection)
      const indexes = leaders.get(connection) ?? []
      leaders.set(connection, indexes)
      indexes.push(index)
    }
    yield* Effect.forEach(
      leaders,
      ([connection, indexes]) =>
        Effect.flatMap(
          send(
            producer,
            connection,
            indexes.map((index) => records[index]!)
          ),
          (bases) => {
            for (const index of indexes) {
              const name = partitionName(records[index]!)
              const offset = bases.get(name)
              if (offset === undefined) {
                return Effect.fail(
                  new KafkaFault({ message: `${name}: no offset in the answer`, cause: undefined })
                )
              }
              offsets[index] = offset
              bases.set(name, offset + 1)
            }
            return Effect.void
          }
        ),
      { concurrency: "unbounded", discard: true }
    )
  })

  /** The records' offsets, in their order. */
  const produce = Effect.fnUntraced(function* (
    producer: NonNullable<typeof identity>,
    records: ReadonlyArray<PlacedRecord>,
    added: Set<string>
  ) {
    const fresh = records.filter((record) => !added.has(partitionName(record)))
    if (fresh.length > 0) {
      yield* onTransaction((connection) =>
        // Version 3: later ones are for brokers, and a cluster with access control refuses them to clients.
        channel.call(addPartitionsToTxnV3.api, connection, [
          {
            transactionalId,
            producerId: producer.id,
            producerEpoch: producer.epoch,
            verifyOnly: false,
            topics: byTopic(fresh)
          }
        ])
      )
      for (const record of fresh) added.add(partitionName(record))
    }
    const offsets = new Array<number | undefined>(records.length).fill(undefined)
    for (const round of roundsOf(records, Limits.kafkaBatchBytes)) {
      // What has landed is not sent again; the rest goes out as it was, so that a broker knows what it has already.
      yield* Effect.suspend(() =>
        sendRound(
          producer,
          records,
          round.filter((index) => offsets[index] === undefined),
          offsets
        )
      ).pipe(whilePassing(channel, NO_LEADER))
    }
    return offsets.map((offset) => offset!)
  })

  const commitOffsets = Effect.fnUntraced(function* (
    producer: NonNullable<typeof identity>,
    { group, member, positions }: GroupCommit
  ) {
    yield* onTransaction((connection) =>
      channel.call(addOffsetsToTxnV4.api, connection, transactionalId, producer.id, producer.epoch, group)
    )
    yield* onCoordinator(channel, "group", group, (connection) =>
      channel.call(
        txnOffsetCommitV4.api,
        connection,
        transactionalId,
        group,
        producer.id,
        producer.epoch,
        member?.epoch ?? NO_GENERATION,
        member?.id ?? NO_MEMBER,
        null,
        byTopic(positions).map(({ name }) => ({
          name,
          partitions: positions
            .filter(({ topic }) => topic === name)
            .map(({ partition, offset }) => ({
              partitionIndex: partition,
              committedOffset: BigInt(offset),
              committedLeaderEpoch: NO_EPOCH,
              committedMetadata: null
            }))
        }))
      )
    )
  })

  return {
    /** Makes this the only producer of its id: what another one left open is ended, what it still sends is refused. */
    open: Effect.asVoid(open),
    /** The offsets of each transaction's `append`. All of them land, or none. */
    run: (
      transactions: ReadonlyArray<KafkaTransaction>
    ): Effect.Effect<ReadonlyArray<ReadonlyArray<number>>, KafkaFault> =>
      Effect.gen(function* () {
        const producer = yield* open
        const added = new Set<string>()
        const work = Effect.gen(function* () {
          const offsets = yield* produce(
            producer,
            transactions.flatMap(({ append }) => append),
            added
          )
          let taken = 0
          const each = transactions.map(({ append }) => {
            const own = offsets.slice(taken, taken + append.length)
            taken += append.length
            return own
          })
          const more = transactions.flatMap(({ appendThen }, i) => appendThen(each[i]!))
          if (more.length > 0) yield* produce(producer, more, added)
          for (const commit of transactions.flatMap(({ commits }) => commits)) {
            yield* commitOffsets(producer, commit)
          }
          yield* end(producer, true)
          return each
        })
        return yield* work.pipe(
          Effect.tapCause(() => {
            identity = undefined
            return Effect.andThen(channel.forget, Effect.ignore(end(producer, false)))
          })
        )
      })
  }
}
