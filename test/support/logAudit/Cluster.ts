/** What an operator sees and does of a cluster of several brokers, by a client that is not ours. */
import { Effect } from "effect"
import { Kafka, logLevel } from "kafkajs"
import type { KafkaSettings } from "../../../src/config/Config.ts"
import { ownName } from "../../../src/log/kafka/Names.ts"
import type { Broker } from "../../kafka/broker.ts"

/** The topic in which coordinators keep transactions: the one of an id is the leader of its partition, by Java's hash. */
const TRANSACTIONS = "__transaction_state"
const javaHash = (text: string): number =>
  [...text].reduce((hash, letter) => (Math.imul(hash, 31) + letter.charCodeAt(0)) | 0, 0) & 0x7fffffff

export const operate = Effect.fnUntraced(function* (kafka: KafkaSettings, brokers: ReadonlyArray<Broker>) {
  const admin = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new Kafka({ brokers: [...kafka.brokers], logLevel: logLevel.NOTHING }).admin()
      await client.connect()
      return client
    }),
    (client) => Effect.promise(() => client.disconnect())
  )
  /** Of all topics, the cluster's own too. */
  const partitions = Effect.map(
    Effect.tryPromise(() => admin.fetchTopicMetadata()),
    ({ topics }) => topics.flatMap(({ name, partitions: of }) => of.map((one) => ({ topic: name, ...one })))
  )
  const led = Effect.map(partitions, (all) =>
    brokers.map((_, i) => all.filter(({ leader }) => leader === i + 1).length)
  )
  return {
    leadsMost: Effect.map(led, (counts) => brokers[counts.indexOf(Math.max(...counts))]!),
    /** Every copy of every partition is in sync. */
    inSync: Effect.map(partitions, (all) => all.every(({ isr }) => isr.length === brokers.length)).pipe(
      Effect.orElseSucceed(() => false)
    ),
    /** Of the transactions of an exclusive writer. */
    coordinatorOf: (writer: string) =>
      Effect.map(partitions, (all) => {
        const own = all.filter(({ topic }) => topic === TRANSACTIONS)
        const partition = javaHash(ownName(kafka, writer)) % own.length
        return brokers[own.find(({ partitionId }) => partitionId === partition)!.leader - 1]!
      }),
    /** Every partition of the program's is to be led by the broker after the one that leads it. */
    moveLeaders: Effect.gen(function* () {
      const own = (yield* partitions).filter(({ topic }) => topic.startsWith(kafka.topicPrefix))
      const next = (leader: number, by: number) => ((leader - 1 + by) % brokers.length) + 1
      const wanted = own.map(({ topic, partitionId, leader }) => ({
        topic,
        partition: partitionId,
        replicas: [next(leader, 1), next(leader, 2), leader]
      }))
      yield* Effect.tryPromise(() =>
        admin.alterPartitionReassignments({
          topics: Array.from(
            Map.groupBy(wanted, ({ topic }) => topic),
            ([topic, of]) => ({
              topic,
              partitionAssignment: of.map(({ partition, replicas }) => ({ partition, replicas }))
            })
          )
        })
      )
      return Effect.map(partitions, (all) =>
        wanted.every(({ topic, partition, replicas }) =>
          all.some(
            (one) => one.topic === topic && one.partitionId === partition && one.leader === replicas[0]
          )
        )
      ).pipe(Effect.orElseSucceed(() => false))
    })
  }
})
