/** An operator's view of a cluster of several brokers, and changes to it, through kafkajs instead of our client. */
import { Effect } from "effect"
import { Kafka, logLevel } from "kafkajs"
import type { KafkaSettings } from "../../../../src/spine/config/Config.ts"
import { ownName } from "../../../../src/spine/log/kafka/Names.ts"
import type { Broker } from "../../../kafka/broker.ts"

/** Coordinators keep transactions in this topic. Java's hash of an id gives its partition; its leader coordinates. */
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
  /** The partitions of all topics, including Kafka's internal ones. */
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
    /** The broker that coordinates an exclusive writer's transactions. */
    coordinatorOf: (writer: string) =>
      Effect.map(partitions, (all) => {
        const own = all.filter(({ topic }) => topic === TRANSACTIONS)
        const partition = javaHash(ownName(kafka, writer)) % own.length
        return brokers[own.find(({ partitionId }) => partitionId === partition)!.leader - 1]!
      }),
    /** Moves the leadership of each of the program's partitions to the next broker. */
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
