/**
 * Requests to a Kafka cluster (4.0 or later). A channel has a connection per broker of its own, on which requests are
 * answered in order: what may wait long (a fetch at the head) goes through another channel than what must not.
 * Every failure is a `KafkaFault` that knows Kafka's names for what went wrong. What passes by itself within seconds (a
 * leader or coordinator being chosen) is asked again by `onLeader` and `onCoordinator`.
 */
import {
  Base,
  type BaseOptions,
  findCoordinatorV6,
  GenericError,
  kGetBootstrapConnection,
  kGetConnection,
  type MetadataOptions,
  ProtocolError,
  parseBroker
} from "@platformatic/kafka"
import { Effect, Schedule, Schema, type Scope } from "effect"
import { Limits } from "../../config/Limits.ts"
import { reasonOf } from "./Reason.ts"

export class KafkaFault extends Schema.TaggedError<KafkaFault>()("KafkaFault", {
  message: Schema.String,
  cause: Schema.Defect()
}) {
  /** Whether Kafka gave this reason, by its name in the protocol: `UNKNOWN_MEMBER_ID`. */
  is(...reasons: ReadonlyArray<string>): boolean {
    const { cause } = this
    if (!(cause instanceof Error && GenericError.isGenericError(cause))) return false
    // One of the union's two classes stands for both: their generic methods cannot be called through the union.
    const found = cause as GenericError
    return reasons.some((reason) => found.findBy("apiId", reason) !== null)
  }
}

const faultOf = (cause: unknown): KafkaFault => new KafkaFault({ message: reasonOf(cause), cause })

type Connection = Parameters<Parameters<Base[typeof kGetConnection]>[1]>[1] & object

export interface Leader {
  /** The broker's number. */
  readonly node: number
  readonly connection: Connection
  readonly topicId: string
}

interface KafkaApi<Args extends Array<unknown>, Answer> {
  readonly async: (connection: Connection, ...args: Args) => Promise<Answer>
}

export interface KafkaChannel {
  /** The broker that leads the partition, with a connection to it. */
  readonly leader: (topic: string, partition: number) => Effect.Effect<Leader, KafkaFault>
  /** The broker that keeps the group's or transaction's state. */
  readonly coordinator: (kind: "group" | "transaction", key: string) => Effect.Effect<Connection, KafkaFault>
  readonly call: <Args extends Array<unknown>, Answer>(
    api: KafkaApi<Args, Answer>,
    connection: Connection,
    ...args: Args
  ) => Effect.Effect<Answer, KafkaFault>
  /** Whether a broker answers, asked for real. */
  readonly reachable: Effect.Effect<void, KafkaFault>
  /** Leaders and coordinators are asked for anew: after a fault they may be others. */
  readonly forget: Effect.Effect<void>
}

const stepSchedule = Schedule.min([
  Schedule.exponential(Limits.kafkaStepWaitMs.first),
  Schedule.spaced(Limits.kafkaStepWaitMs.longest)
])

/** Repeats what Kafka refuses for one of the `passing` reasons, asking anew who is in charge. */
export const whilePassing =
  (channel: KafkaChannel, passing: ReadonlyArray<string>) =>
  <A>(request: Effect.Effect<A, KafkaFault>): Effect.Effect<A, KafkaFault> =>
    request.pipe(
      Effect.tapError((fault) => (fault.is(BUSY) ? Effect.void : channel.forget)),
      Effect.retry({
        while: (fault) => fault.is(...passing),
        schedule: stepSchedule,
        times: Limits.kafkaStepTries
      })
    )

/** The transaction before is still being ended by the same coordinator. */
const BUSY = "CONCURRENT_TRANSACTIONS"

/** A partition's leader is being chosen or has moved. */
export const NO_LEADER = ["NOT_LEADER_OR_FOLLOWER", "LEADER_NOT_AVAILABLE", "UNKNOWN_TOPIC_OR_PARTITION"]

const NO_COORDINATOR = [
  BUSY,
  "COORDINATOR_LOAD_IN_PROGRESS",
  "COORDINATOR_NOT_AVAILABLE",
  "NOT_COORDINATOR",
  "UNKNOWN_TOPIC_OR_PARTITION"
]

/** A request to the partition's leader of the moment. */
export const onLeader = <A>(
  channel: KafkaChannel,
  topic: string,
  partition: number,
  request: (leader: Leader) => Effect.Effect<A, KafkaFault>
): Effect.Effect<A, KafkaFault> =>
  Effect.flatMap(channel.leader(topic, partition), request).pipe(whilePassing(channel, NO_LEADER))

/** A request to the coordinator of the moment. */
export const onCoordinator = <A>(
  channel: KafkaChannel,
  kind: "group" | "transaction",
  key: string,
  request: (connection: Leader["connection"]) => Effect.Effect<A, KafkaFault>
): Effect.Effect<A, KafkaFault> =>
  Effect.flatMap(channel.coordinator(kind, key), request).pipe(whilePassing(channel, NO_COORDINATOR))

type Connected = (error: Error | null, connection?: Connection) => void

const connected = (connect: (done: Connected) => void): Promise<Connection> =>
  new Promise((resolve, reject) =>
    connect((error, connection) => (connection === undefined ? reject(error) : resolve(connection)))
  )

const COORDINATOR_KINDS = { group: 0, transaction: 1 } as const

/** Opens channels to the cluster, which share what they learn of its brokers. */
export const makeChannels = (options: BaseOptions): Effect.Effect<KafkaChannel, never, Scope.Scope> => {
  const named = options.bootstrapBrokers.map((broker) => parseBroker(broker))
  /** Any broker knows who is in charge; the one at `first` is asked before the others. */
  let brokers = named
  let first = 0

  return Effect.gen(function* () {
    const client = yield* Effect.acquireRelease(
      Effect.sync(() => new Base({ ...options, autocreateTopics: false })),
      (opened) => Effect.ignore(Effect.tryPromise(() => opened.close()))
    )
    const coordinators = new Map<string, number>()

    // The library would ask the first one named that takes connections, though it answers nothing any more.
    client[kGetBootstrapConnection] = (callback) =>
      client.connections.getFirstAvailable([...brokers.slice(first), ...brokers.slice(0, first)], callback)
    const asking = <A>(request: () => Promise<A>) =>
      Effect.suspend(() => {
        const asked = first
        return Effect.tapError(Effect.tryPromise({ try: request, catch: faultOf }), () =>
          Effect.sync(() => {
            if (first === asked) first = (asked + 1) % brokers.length
          })
        )
      })
    const metadataOf = (wanted: MetadataOptions) =>
      asking(() => client.metadata(wanted)).pipe(
        Effect.tap((metadata) =>
          Effect.sync(() => {
            brokers = [...named, ...metadata.brokers.values()]
          })
        )
      )

    const connectionTo = Effect.fnUntraced(function* (node: number, topics: ReadonlyArray<string>) {
      const metadata = yield* metadataOf({ topics: [...topics] })
      return yield* Effect.tryPromise({
        try: () => {
          const broker = metadata.brokers.get(node)
          if (broker === undefined) throw new Error(`broker ${node} is not known`)
          return connected((done) => client[kGetConnection](broker, done))
        },
        catch: faultOf
      })
    })

    const call: KafkaChannel["call"] = (api, connection, ...args) =>
      Effect.tryPromise({ try: () => api.async(connection, ...args), catch: faultOf })

    return {
      leader: Effect.fnUntraced(function* (topic, partition) {
        const metadata = yield* metadataOf({ topics: [topic] })
        const known = metadata.topics.get(topic)
        const leader = known?.partitions[partition]?.leader
        if (known === undefined || leader === undefined || leader < 0) {
          client.clearMetadata()
          return yield* faultOf(new ProtocolError("LEADER_NOT_AVAILABLE"))
        }
        return { node: leader, connection: yield* connectionTo(leader, [topic]), topicId: known.id }
      }),
      coordinator: Effect.fnUntraced(function* (kind, key) {
        const name = `${kind} ${key}`
        let node = coordinators.get(name)
        if (node === undefined) {
          const answer = yield* asking(async () => {
            const any = await connected((done) => client[kGetBootstrapConnection](done))
            return findCoordinatorV6.api.async(any, COORDINATOR_KINDS[kind], [key])
          })
          node = answer.coordinators[0]!.nodeId
          coordinators.set(name, node)
        }
        return yield* connectionTo(node, [])
      }),
      call,
      reachable: Effect.asVoid(metadataOf({ topics: [], forceUpdate: true })),
      forget: Effect.sync(() => {
        coordinators.clear()
        client.clearMetadata()
      })
    }
  })
}
