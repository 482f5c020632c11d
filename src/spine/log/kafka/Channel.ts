/**
 * Requests to a Kafka cluster (4.0 or later). A channel has one connection per broker. A broker answers the requests of
 * a connection in order, so a fetch that waits for new records needs a channel of its own. Every failure is a
 * `KafkaFault`, which can be compared with Kafka's error names. `onLeader` and `onCoordinator` retry while a leader or
 * coordinator is being elected or has moved.
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
import { Effect, Predicate, Schedule, Schema, type Scope } from "effect"
import { monotonicNow } from "../../words/Monotonic.ts"
import { logLimits } from "../Limits.ts"
import { noteThrottled } from "../Throttling.ts"
import { DENIED, denialOf, reasonOf } from "./ErrorText.ts"

/** How often one step of a transaction is tried while its coordinator is busy or moving. */
export const STEP_TRIES = 200

export class KafkaFault extends Schema.TaggedError<KafkaFault>()("KafkaFault", {
  message: Schema.String,
  cause: Schema.Defect()
}) {
  /** Whether Kafka answered with one of these error names, such as `UNKNOWN_MEMBER_ID`. */
  is(...reasons: ReadonlyArray<string>): boolean {
    const { cause } = this
    if (!(cause instanceof Error && GenericError.isGenericError(cause))) return false
    // The cast names one of the union's two classes, because generic methods cannot be called through the union.
    const found = cause as GenericError
    return reasons.some((reason) => found.findBy("apiId", reason) !== null)
  }
}

const faultOf = (cause: unknown): KafkaFault => new KafkaFault({ message: reasonOf(cause), cause })

/** Whether this user lacks a right. Trying again does not help until an administrator has granted it. */
export const isDenied = (fault: KafkaFault): boolean => fault.is(...DENIED)

const UNANSWERED = ["PLT_KFK_NETWORK", "PLT_KFK_TIMEOUT", "PLT_KFK_AUTHENTICATION"]

/** Whether a broker answered, and its answer may be better for a part of what was asked. */
export const isAnswer = (fault: KafkaFault): boolean => {
  if (isDenied(fault)) return false
  const { cause } = fault
  if (!(cause instanceof Error && GenericError.isGenericError(cause))) return true
  // As in `is`.
  const found = cause as GenericError
  return UNANSWERED.every((code) => found.findBy("code", code) === null)
}

/** Names what a refused request was about, where the answer does not. `known`: by a topic's id, its name. */
export const named =
  (known: (name: string) => string) =>
  <A>(request: Effect.Effect<A, KafkaFault>): Effect.Effect<A, KafkaFault> =>
    Effect.mapError(request, (fault) => {
      const message = denialOf(fault.cause, known)
      return message === undefined ? fault : new KafkaFault({ message, cause: fault.cause })
    })

type Connection = Parameters<Parameters<Base[typeof kGetConnection]>[1]>[1] & object

export interface Leader {
  /** The broker's id. */
  readonly broker: number
  readonly topicId: string
}

type Connected = (error: Error | null, connection?: Connection) => void

export const connected = (connect: (done: Connected) => void): Promise<Connection> =>
  new Promise((resolve, reject) =>
    connect((error, connection) => (connection === undefined ? reject(error) : resolve(connection)))
  )

interface KafkaApi<Args extends Array<unknown>, Answer> {
  readonly async: (connection: Connection, ...args: Args) => Promise<Answer>
}

export interface KafkaChannel {
  /** The broker that leads the partition. */
  readonly leader: (topic: string, partition: number) => Effect.Effect<Leader, KafkaFault>
  /** The ids that the cluster has now, by topic. */
  readonly topicIds: (topics: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, string>, KafkaFault>
  /** The broker that keeps the group's or transaction's state. */
  readonly coordinator: (kind: "group" | "transaction", key: string) => Effect.Effect<number, KafkaFault>
  readonly call: <Args extends Array<unknown>, Answer>(
    api: KafkaApi<Args, Answer>,
    broker: number,
    ...args: Args
  ) => Effect.Effect<Answer, KafkaFault>
  /** Fails unless a broker answers now. */
  readonly reachable: Effect.Effect<void, KafkaFault>
  /** Clears the known leaders and coordinators, so that the next request looks them up. */
  readonly forget: Effect.Effect<void>
}

const stepSchedule = Schedule.min([
  Schedule.exponential(logLimits.kafkaStepWaitMs.first),
  Schedule.spaced(logLimits.kafkaStepWaitMs.longest)
])

/** Retries a request that fails with one of the `transient` errors, and looks the leader or coordinator up again. */
export const retryTransient =
  (channel: KafkaChannel, transient: ReadonlyArray<string>) =>
  <A>(request: Effect.Effect<A, KafkaFault>): Effect.Effect<A, KafkaFault> =>
    request.pipe(
      Effect.tapError((fault) => (fault.is(BUSY) ? Effect.void : channel.forget)),
      Effect.retry({
        while: (fault) => fault.is(...transient),
        schedule: stepSchedule,
        times: STEP_TRIES
      })
    )

/** The coordinator is still ending the previous transaction. */
const BUSY = "CONCURRENT_TRANSACTIONS"

/** A partition's leader is being elected or has moved. */
export const NO_LEADER = ["NOT_LEADER_OR_FOLLOWER", "LEADER_NOT_AVAILABLE", "UNKNOWN_TOPIC_OR_PARTITION"]

const NO_COORDINATOR = [
  BUSY,
  "COORDINATOR_LOAD_IN_PROGRESS",
  "COORDINATOR_NOT_AVAILABLE",
  "NOT_COORDINATOR",
  "UNKNOWN_TOPIC_OR_PARTITION"
]

/** Sends a request to the current leader of the partition. */
export const onLeader = <A>(
  channel: KafkaChannel,
  topic: string,
  partition: number,
  request: (leader: Leader) => Effect.Effect<A, KafkaFault>
): Effect.Effect<A, KafkaFault> =>
  Effect.flatMap(channel.leader(topic, partition), request).pipe(
    retryTransient(channel, NO_LEADER),
    named(() => topic)
  )

/** Sends a request to the current coordinator. */
export const onCoordinator = <A>(
  channel: KafkaChannel,
  kind: "group" | "transaction",
  key: string,
  request: (broker: number) => Effect.Effect<A, KafkaFault>
): Effect.Effect<A, KafkaFault> =>
  Effect.flatMap(channel.coordinator(kind, key), request).pipe(
    retryTransient(channel, NO_COORDINATOR),
    named((name) => (name === "" ? key : name))
  )

const CLOSED = "Connection closed"

/**
 * Returns a function that finds why a request failed: with TLS 1.3, a broker refuses a client's certificate after the
 * connection is open, so requests only learn that it was closed. The listener also keeps a second error of a connection
 * that was given up from ending the process.
 */
export const watchConnections = ({ connections }: Base): ((error: unknown) => unknown) => {
  let last: unknown
  connections.on("connecting", ({ connection }) => {
    connection.on("connect", () => {
      last = undefined
    })
    connection.on("error", (error) => {
      last = error
    })
  })
  return (error) => (last !== undefined && reasonOf(error) === CLOSED ? last : error)
}

/** For how long the broker answers no request of this connection: a quota limits the user. */
export const throttleOf = (answer: unknown): number =>
  Predicate.hasProperty(answer, "throttleTimeMs") && typeof answer.throttleTimeMs === "number"
    ? answer.throttleTimeMs
    : 0

const COORDINATOR_KINDS = { group: 0, transaction: 1 } as const

/** Returns an effect that opens a channel. All its channels share the list of known brokers. */
export const makeChannels = (options: BaseOptions): Effect.Effect<KafkaChannel, never, Scope.Scope> => {
  const named = options.bootstrapBrokers.map((broker) => parseBroker(broker))
  /** Any broker can be asked for metadata and coordinators. Requests try `brokers[first]` before the others. */
  let brokers = named
  let first = 0

  return Effect.gen(function* () {
    const client = yield* Effect.acquireRelease(
      Effect.sync(() => new Base({ ...options, autocreateTopics: false })),
      (opened) => Effect.ignore(Effect.tryPromise(() => opened.close()))
    )
    const coordinators = new Map<string, number>()
    const causeOf = watchConnections(client)

    // The library would always use the first broker that accepts a connection, even if it never answers.
    client[kGetBootstrapConnection] = (callback) =>
      client.connections.getFirstAvailable([...brokers.slice(first), ...brokers.slice(0, first)], callback)

    const attempt = <A>(request: () => Promise<A>) =>
      Effect.tryPromise({ try: request, catch: (error) => faultOf(causeOf(error)) })

    /** Asks one broker. After a failure, the next request goes to the next broker. */
    const askAny = <A>(request: () => Promise<A>) =>
      Effect.suspend(() => {
        const asked = first
        return Effect.tapError(attempt(request), () =>
          Effect.sync(() => {
            if (first === asked) first = (asked + 1) % brokers.length
          })
        )
      })

    const metadata = (wanted: MetadataOptions) =>
      Effect.tap(
        askAny(() => client.metadata(wanted)),
        (found) =>
          Effect.sync(() => {
            brokers = [...named, ...found.brokers.values()]
          })
      )

    /** By broker: until when it answers nothing on this connection. A request sent before would time out. */
    const throttledUntil = new Map<number, number>()
    const whileThrottled = (broker: number) =>
      Effect.flatMap(monotonicNow, (nowMs) =>
        Effect.sleep(Math.max(0, (throttledUntil.get(broker) ?? 0) - nowMs))
      )
    const noted = Effect.fnUntraced(function* (broker: number, throttleMs: number) {
      throttledUntil.set(broker, (yield* monotonicNow) + throttleMs)
      yield* noteThrottled(throttleMs)
    })

    const call: KafkaChannel["call"] = (api, broker, ...args) =>
      Effect.flatMap(metadata({ topics: [] }), (known) =>
        attempt(async () => {
          const address = known.brokers.get(broker)
          if (address === undefined) throw new Error(`broker ${broker} is not known`)
          return api.async(await connected((done) => client[kGetConnection](address, done)), ...args)
        })
      ).pipe(
        Effect.tap((answer) => {
          const throttleMs = throttleOf(answer)
          return throttleMs > 0 ? noted(broker, throttleMs) : Effect.void
        }),
        (request) => (throttledUntil.has(broker) ? Effect.andThen(whileThrottled(broker), request) : request)
      )

    return {
      leader: Effect.fnUntraced(function* (topic, partition) {
        const known = (yield* metadata({ topics: [topic] })).topics.get(topic)
        const broker = known?.partitions[partition]?.leader
        if (known === undefined || broker === undefined || broker < 0) {
          client.clearMetadata()
          return yield* faultOf(new ProtocolError("LEADER_NOT_AVAILABLE"))
        }
        return { broker, topicId: known.id }
      }),
      topicIds: (topics) =>
        Effect.map(
          metadata({ topics: [...topics], forceUpdate: true }),
          (found) => new Map(Array.from(found.topics, ([topic, { id }]) => [topic, id]))
        ),
      coordinator: Effect.fnUntraced(function* (kind, key) {
        const name = `${kind} ${key}`
        const known = coordinators.get(name)
        if (known !== undefined) return known
        const answer = yield* askAny(async () => {
          const connection = await connected((done) => client[kGetBootstrapConnection](done))
          return findCoordinatorV6.api.async(connection, COORDINATOR_KINDS[kind], [key])
        })
        const { nodeId } = answer.coordinators[0]!
        coordinators.set(name, nodeId)
        return nodeId
      }),
      call,
      reachable: Effect.asVoid(metadata({ topics: [], forceUpdate: true })),
      forget: Effect.sync(() => {
        coordinators.clear()
        client.clearMetadata()
      })
    }
  })
}
