/**
 * `EventLog.consume` on Kafka: a member of the group for the life of the scope, a fiber per partition it holds. A
 * partition that goes to another member is given back when its handler has ended (what it had in flight is finished
 * and committed first), so it never has two owners; one that the cluster took away (fenced) is dropped at once, and its
 * commits are refused. Brokers that are away stop nothing: heartbeats and fetches go on when they are back.
 */
import { randomUUID } from "node:crypto"
import { offsetCommitV9 } from "@platformatic/kafka"
import { Cause, Deferred, Effect, Fiber, Latch, type Scope } from "effect"
import { Limits } from "../../config/Limits.ts"
import { patiently } from "../../observability/Patiently.ts"
import {
  type AssignedPartition,
  type ConsumeOptions,
  type EventLog,
  EventLogError,
  type Partition
} from "../EventLog.ts"
import { partitionsOf } from "../Topics.ts"
import { type KafkaChannel, type KafkaFault, onCoordinator } from "./Channel.ts"
import { type FetchedPartition, fetching, makeFetched, takeFetched } from "./Fetcher.ts"
import { changeOf, type HeldPartition, heartbeat, heldName, isFenced, leave, type Member } from "./Member.ts"
import type { KafkaReader } from "./Reader.ts"

interface Handled extends HeldPartition {
  readonly fetched: FetchedPartition
  readonly fiber: Fiber.Fiber<void>
  ending: boolean
}

const refused = (topic: string, cause: unknown) => new EventLogError({ operation: "commit", topic, cause })

export interface ConsumeParts {
  /** Requests that must not wait. */
  readonly now: KafkaChannel
  /** A channel for each group's fetches, which are held back. */
  readonly openChannel: Effect.Effect<KafkaChannel, never, Scope.Scope>
  readonly reader: KafkaReader
  readonly nameOf: (topic: string) => string
  readonly groupNameOf: (group: string) => string
  /** The process's memberships, by group: transactions that commit for a group name its member. */
  readonly members: Map<string, Member>
}

export const makeKafkaConsume = (parts: ConsumeParts): EventLog["Service"]["consume"] => {
  const { now, openChannel, reader, nameOf, groupNameOf, members } = parts

  const commitOffset = (
    group: string,
    member: Member,
    { topic, partition }: Partition,
    offset: number
  ): Effect.Effect<void, KafkaFault> =>
    onCoordinator(now, "group", group, (connection) =>
      now.call(offsetCommitV9.api, connection, group, member.epoch, member.id, null, [
        {
          name: nameOf(topic),
          partitions: [
            {
              partitionIndex: partition,
              committedOffset: BigInt(offset),
              committedLeaderEpoch: -1,
              committedMetadata: null
            }
          ]
        }
      ])
    ).pipe(
      // The epoch moves with each change of the group; the partition is still this member's.
      Effect.retry({ while: (fault) => fault.is("STALE_MEMBER_EPOCH"), times: Limits.kafkaStepTries }),
      Effect.asVoid
    )

  return <E, R>(
    options: ConsumeOptions,
    handle: (partition: AssignedPartition) => Effect.Effect<void, E, R>
  ) =>
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const group = groupNameOf(options.group)
      const failed = yield* Deferred.make<never, E | EventLogError>()
      const waiting = yield* openChannel
      const nudge = Latch.makeUnsafe(false)
      const wake = Latch.makeUnsafe(false)
      const held = new Map<string, Handled>()
      const topicOf = new Map<string, string>()
      for (const topic of options.topics) {
        partitionsOf(topic)
        const { topicId } = yield* now.leader(nameOf(topic), 0).pipe(patiently(`finding ${nameOf(topic)}`))
        topicOf.set(topicId, topic)
      }
      const topics = options.topics.map(nameOf)
      const together = options.together === true
      let member: Member = { id: randomUUID(), epoch: 0 }
      let leaving = false

      const start = Effect.fnUntraced(function* (one: HeldPartition) {
        const owner = member
        const partition: Partition = { topic: topicOf.get(one.topicId)!, partition: one.partition }
        const { start: first, end } = yield* reader.offsets(partition)
        const startOffset = Math.max(first, yield* reader.committed(group, partition))
        const fetched = makeFetched(partition, nameOf(partition.topic), startOffset, wake)
        const owned = () => held.get(heldName(one))?.fetched === fetched && owner === member
        const assigned: AssignedPartition = {
          ...partition,
          startOffset,
          endOffsetAtStart: end,
          take: (max) => takeFetched(fetched, max),
          commit: (offset) =>
            Effect.suspend(() =>
              owned()
                ? commitOffset(group, owner, partition, offset).pipe(
                    Effect.mapError((fault) => refused(partition.topic, fault))
                  )
                : Effect.fail(refused(partition.topic, new Error("the partition has another owner")))
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
        held.set(heldName(one), { ...one, fetched, fiber, ending: false })
        wake.openUnsafe()
      })

      /** Ends the handler, and then tells the cluster that the partition is free. */
      const giveBack = (one: Handled) =>
        Effect.suspend(() => {
          one.ending = true
          return Fiber.interrupt(one.fiber).pipe(
            Effect.andThen(
              Effect.sync(() => {
                if (held.get(heldName(one)) === one) held.delete(heldName(one))
                nudge.openUnsafe()
              })
            ),
            Effect.forkIn(scope)
          )
        })

      const beginAnew = Effect.gen(function* () {
        if (leaving) return
        yield* Effect.logWarning(`group ${group}: this member was given up by the cluster; it joins anew`)
        const lost = [...held.values()]
        held.clear()
        member = { id: randomUUID(), epoch: 0 }
        members.set(group, member)
        for (const { fiber } of lost) yield* Effect.forkIn(Fiber.interrupt(fiber), scope)
      })

      const beat = Effect.gen(function* () {
        if (leaving) return
        const assigned = yield* heartbeat(now, { group, topics, together }, member, held.values())
        if (assigned === undefined) return
        const { gained, lost } = changeOf(held, assigned)
        for (const one of lost) {
          const handled = held.get(heldName(one))!
          if (!handled.ending) yield* giveBack(handled)
        }
        for (const one of gained) yield* start(one)
        if (gained.length > 0) nudge.openUnsafe()
      }).pipe(
        Effect.catch((fault) =>
          isFenced(fault)
            ? beginAnew
            : Effect.andThen(
                Effect.logWarning(`group ${group}: no heartbeat, trying again`, fault),
                now.forget
              )
        )
      )

      members.set(group, member)
      yield* Effect.forkScoped(
        fetching({
          waiting,
          now,
          partitions: () => [...held.values()].filter(({ ending }) => !ending).map(({ fetched }) => fetched),
          wake,
          startOf: (partition) => Effect.map(reader.offsets(partition), ({ start: first }) => first)
        })
      )
      yield* Effect.forkScoped(
        Effect.forever(
          Effect.suspend(() => {
            nudge.closeUnsafe()
            return Effect.andThen(
              beat,
              Effect.raceFirst(Latch.await(nudge), Effect.sleep(Limits.kafkaHeartbeatMs))
            )
          })
        )
      )
      // Handlers end first, while heartbeats and fetches go on: what they finish can still be committed.
      yield* Effect.addFinalizer(() =>
        Effect.forEach([...held.values()], ({ fiber }) => Fiber.interrupt(fiber), {
          concurrency: "unbounded",
          discard: true
        }).pipe(
          Effect.andThen(
            Effect.suspend(() => {
              leaving = true
              return leave(now, group, member)
            })
          ),
          Effect.andThen(
            Effect.sync(() => {
              held.clear()
              if (members.get(group) === member) members.delete(group)
            })
          )
        )
      )
      return yield* Deferred.await(failed)
    }).pipe(Effect.scoped) as Effect.Effect<never, E | EventLogError, Exclude<R, Scope.Scope>>
}
