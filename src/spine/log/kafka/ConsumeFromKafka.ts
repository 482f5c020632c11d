/**
 * `Log.consume` on Kafka: a member of the group for the life of the scope, and a fiber for each partition it owns.
 * A revoked partition is given up only after its handler has ended, so that work under way is finished and committed
 * and a partition never has two owners. A fenced member drops its partitions at once, and its commits are fenced.
 * While brokers are unavailable, heartbeats and fetches are retried. If this user lacks a right, `consume` fails.
 */
import { Cause, Deferred, Effect, Fiber, FiberHandle, Latch, Queue, type Scope } from "effect"
import { Limits } from "../../config/Limits.ts"
import { retryUntilSuccess } from "../../observe/RetryUntilSuccess.ts"
import { fencedError } from "../ConsumeInProcess.ts"
import {
  type AssignedPartition,
  type ConsumeOptions,
  type Log,
  LogError,
  type LogRecord,
  type Partition
} from "../Log.ts"
import { logWentBack, StartAnew } from "../StartAnew.ts"
import { isDenied, type KafkaChannel, type KafkaFault } from "./Channel.ts"
import { type FetchedPartition, makeFetcher } from "./Fetcher.ts"
import {
  changeOf,
  commitOffset,
  heartbeat,
  isFenced,
  keyOf,
  leave,
  type Member,
  mayBeFenced,
  newMember,
  type TopicPartition
} from "./Member.ts"
import type { KafkaReader } from "./Reader.ts"

/**
 * Partitions change owners within two or three heartbeats. Three of them must be missing before a member is given up.
 */
const HEARTBEAT_MS = Math.floor(Limits.leaseMs / 3)

interface OwnedPartition extends TopicPartition {
  readonly fetched: FetchedPartition
  readonly fiber: Fiber.Fiber<void>
  revoking: boolean
}

/** The commit may be tried again until the member is fenced, or may be without knowing it. */
const commitFailed = Effect.fnUntraced(function* (topic: string, member: Member, cause: KafkaFault) {
  const isLost = isFenced(cause) || (yield* mayBeFenced(member))
  return yield* new LogError({ operation: isLost ? "fence" : "commit", topic, cause })
})

export interface ConsumeParts {
  readonly channel: KafkaChannel
  /** Opens a channel for the fetches of each group. Brokers delay the answers to fetches while nothing is new. */
  readonly openChannel: Effect.Effect<KafkaChannel, never, Scope.Scope>
  readonly reader: KafkaReader
  readonly nameOf: (topic: string) => string
  readonly groupNameOf: (group: string) => string
  /** This process's members, by group. A transaction that commits offsets names the group's member. */
  readonly members: Map<string, Member>
}

export const makeKafkaConsume = (parts: ConsumeParts): Log["Service"]["consume"] => {
  const { channel, openChannel, reader, nameOf, groupNameOf, members } = parts
  /**
   * Members that could not leave, by group. The next call goes on as the same member: partitions of another one would
   * rest until the cluster takes this one for dead.
   */
  const staying = new Map<string, Member>()

  return <E, R>(
    options: ConsumeOptions,
    handle: (partition: AssignedPartition) => Effect.Effect<void, E, R>
  ) =>
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const group = groupNameOf(options.group)
      const groupOptions = {
        group,
        topics: options.topics.map(nameOf),
        together: options.together === true
      }
      const failed = yield* Deferred.make<never, E | LogError>()
      const startAnew = yield* StartAnew
      const onWentBack = (found: string) => startAnew(logWentBack(found))
      const fetcher = makeFetcher({ openChannel, offsetsOf: reader.offsets, onWentBack })
      const fetching = yield* FiberHandle.make<never>()
      /** Opened to send the next heartbeat at once, because the owned partitions have changed. */
      const changed = Latch.makeUnsafe(false)
      const owned = new Map<string, OwnedPartition>()
      const topicOf = new Map<string, string>()
      const topicIds = new Map<string, string>()
      for (const topic of options.topics) {
        const { topicId } = yield* channel
          .leader(nameOf(topic), 0)
          .pipe(retryUntilSuccess(`finding ${nameOf(topic)}`))
        topicOf.set(topicId, topic)
        topicIds.set(nameOf(topic), topicId)
      }
      let member = staying.get(group) ?? newMember(topicIds)
      staying.delete(group)
      let leaving = false

      const assign = Effect.fnUntraced(function* (one: TopicPartition) {
        const owner = member
        const topic = topicOf.get(one.topicId)
        if (topic === undefined)
          return yield* onWentBack(`a topic of group ${group} was deleted and made again`)
        const partition: Partition = { topic, partition: one.partition }
        const topicName = nameOf(topic)
        const { start, end } = yield* reader.offsets(partition)
        const committed = yield* reader.committed(group, partition)
        const isOfAnother = committed.topicId !== undefined && committed.topicId !== one.topicId
        if (isOfAnother || committed.offset > end)
          yield* Effect.logError(
            `${topicName}/${one.partition} went back: group ${group} had read ${committed.offset} records, ${isOfAnother ? "of a topic that was deleted and made again" : `and there are ${end}`}; all its records are read again`
          )
        const startOffset = isOfAnother || committed.offset > end ? start : Math.max(start, committed.offset)
        const buffer = yield* Queue.unbounded<LogRecord>()
        const fetched: FetchedPartition = {
          ...partition,
          topicName,
          topicId: one.topicId,
          buffer,
          next: startOffset
        }
        const isOwner = () => owned.get(keyOf(one))?.fetched === fetched && owner === member
        const assigned: AssignedPartition = {
          ...partition,
          startOffset,
          endOffsetAtStart: end,
          take: (max) => fetcher.take(fetched, max),
          commit: (offset) =>
            Effect.suspend(() =>
              isOwner()
                ? Effect.catch(
                    commitOffset(channel, group, owner, { ...partition, topic: topicName, offset }),
                    (cause) => commitFailed(partition.topic, owner, cause)
                  )
                : Effect.fail(fencedError(partition.topic))
            )
        }
        const fiber = yield* handle(assigned).pipe(
          Effect.andThen(Effect.die(new Error(`the handler of ${partition.topic} ended`))),
          Effect.onError((cause) =>
            Cause.hasInterruptsOnly(cause) ? Effect.void : Deferred.failCause(failed, cause)
          ),
          Effect.exit,
          Effect.asVoid,
          Effect.forkIn(scope)
        )
        owned.set(keyOf(one), { ...one, fetched, fiber, revoking: false })
      })

      /**
       * One that has no leader, for example, keeps no other one waiting, nor the heartbeat: it is tried again after the
       * next one.
       */
      const assignSoon = (one: TopicPartition) =>
        Effect.timeout(assign(one), HEARTBEAT_MS).pipe(
          Effect.catch((fault) =>
            fault._tag === "KafkaFault" && isDenied(fault)
              ? Effect.fail(fault)
              : Effect.logWarning(
                  `${topicOf.get(one.topicId)}/${one.partition} cannot be read now; retrying`,
                  fault
                )
          )
        )

      /**
       * Ends the handler. The next heartbeat leaves the partition out, so the cluster may assign it to another member.
       */
      const revoke = (one: OwnedPartition) => {
        one.revoking = true
        return Fiber.interrupt(one.fiber).pipe(
          Effect.andThen(
            Effect.sync(() => {
              if (owned.get(keyOf(one)) === one) owned.delete(keyOf(one))
              changed.openUnsafe()
            })
          ),
          Effect.forkIn(scope)
        )
      }

      const rejoin = Effect.gen(function* () {
        yield* Effect.logWarning(`group ${group}: Kafka has fenced this member; joining again`)
        const lost = [...owned.values()]
        owned.clear()
        member = newMember(topicIds)
        members.set(group, member)
        for (const { fiber } of lost) yield* Effect.forkIn(Fiber.interrupt(fiber), scope)
      })

      const fetchOwned = Effect.suspend(() => {
        const toFetch = [...owned.values()].filter(({ revoking }) => !revoking)
        const fetches = fetcher.run(toFetch.map(({ fetched }) => fetched))
        return FiberHandle.run(fetching, Effect.catch(fetches, denied))
      })

      /** The stage fails with a sentence that names the right, which `/readyz` shows, and is started again later. */
      const denied = (cause: KafkaFault) =>
        Effect.andThen(
          Deferred.fail(failed, new LogError({ operation: "consume", topic: group, cause })),
          Effect.never
        )

      const beat = Effect.gen(function* () {
        const assigned = yield* heartbeat(channel, groupOptions, member, owned.values())
        const { added, revoked } = changeOf(owned, assigned ?? [...owned.values()])
        const toRevoke = revoked.filter(({ revoking }) => !revoking)
        // Usually nothing has changed.
        if (added.length + toRevoke.length === 0) return
        if (added.length > 0) changed.openUnsafe()
        yield* Effect.forEach(toRevoke, revoke, { discard: true })
        yield* Effect.ensuring(
          Effect.forEach(added, assignSoon, { concurrency: "unbounded", discard: true }),
          fetchOwned
        )
      }).pipe(
        Effect.catch((fault) =>
          isFenced(fault)
            ? rejoin
            : isDenied(fault)
              ? denied(fault)
              : Effect.andThen(
                  Effect.logWarning(`group ${group}: heartbeat failed; retrying`, fault),
                  channel.forget
                )
        )
      )

      members.set(group, member)
      yield* Effect.suspend(() => {
        changed.closeUnsafe()
        return leaving ? Effect.never : beat
      }).pipe(
        Effect.andThen(Effect.raceFirst(Latch.await(changed), Effect.sleep(HEARTBEAT_MS))),
        Effect.forever,
        Effect.forkScoped
      )
      // Handlers end first, while heartbeats continue, so that they can still commit.
      yield* Effect.addFinalizer(() =>
        Effect.gen(function* () {
          yield* Fiber.interruptAll([...owned.values()].map(({ fiber }) => fiber))
          leaving = true
          if (!(yield* leave(channel, groupOptions, member))) staying.set(group, member)
          owned.clear()
          if (members.get(group) === member) members.delete(group)
        })
      )
      return yield* Deferred.await(failed)
    }).pipe(Effect.scoped) as Effect.Effect<never, E | LogError, Exclude<R, Scope.Scope>>
}
