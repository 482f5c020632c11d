/**
 * The memory log for several clients, each in place of a process: a group shares its partitions among the members that
 * consume. A partition moves only when its handler has ended, unless its member is expelled, as Kafka does with a
 * member that is silent for too long: its partitions move at once, its commits are fencedError, and it joins again.
 *
 *   join ─▶ assigned ─▶ runs a handler for each partition ─▶ rebalance: gives up and takes ─▶ leaves when consume ends
 *                                                         └─ expelled: ends its handlers, joins again
 */
import { Cause, Deferred, Effect, Fiber, Latch, type Scope } from "effect"
import { fencedError, makeAssigned } from "../../../../src/spine/log/ConsumeInProcess.ts"
import {
  type AssignedPartition,
  type ConsumeOptions,
  Log,
  type LogError,
  type Partition,
  type Transaction
} from "../../../../src/spine/log/Log.ts"
import { partitionKey } from "../../../../src/spine/log/PlaceRecords.ts"
import { partitionsOf, type RetentionSettings } from "../../../../src/spine/log/Topics.ts"
import { assignment } from "./Assignment.ts"
import { makeMemoryRecords } from "./MemoryRecords.ts"

interface Member {
  /** Opened when its assignment has changed. */
  readonly changed: Latch.Latch
  /** The units it should have. */
  wanted: ReadonlySet<string>
  expelled: boolean
  /** Opened when it is expelled. */
  readonly expulsion: Latch.Latch
}

interface Group {
  readonly members: Array<Member>
  /** The partitions of each unit. */
  readonly units: Map<string, ReadonlyArray<Partition>>
  /** Who runs the handlers of a unit now. */
  readonly owners: Map<string, Member>
}

export interface LogClient {
  readonly log: Log["Service"]
  /** The client is silent for too long: its members lose their partitions at once. */
  readonly expel: () => void
}

export interface SharedLog {
  /** `turn` is run before a member reacts to a change. A process that is frozen or dead lets it wait. */
  readonly connect: (turn?: Effect.Effect<void>) => LogClient
  /** Moves partitions of the group between its members. `order` sorts the members that take the first ones. */
  readonly rebalance: (group: string, order: <A>(members: ReadonlyArray<A>) => ReadonlyArray<A>) => void
}

const unitsOf = ({ topics, together }: ConsumeOptions): Map<string, ReadonlyArray<Partition>> =>
  Map.groupBy(
    topics.flatMap((topic) =>
      Array.from({ length: partitionsOf(topic) }, (_, partition): Partition => ({ topic, partition }))
    ),
    ({ partition, topic }) => (together === true ? String(partition) : partitionKey(topic, partition))
  )

const unitOf = (group: Group, partition: Partition): string | undefined =>
  [...group.units].find(([, partitions]) =>
    partitions.some((one) => one.topic === partition.topic && one.partition === partition.partition)
  )?.[0]

const share = (
  { members, owners, units }: Group,
  order: ReadonlyArray<Member> = members,
  before: ReadonlyMap<string, Member> = owners
) => {
  const assigned = assignment([...units.keys()], order, before)
  for (const member of members) {
    member.wanted = new Set([...assigned].flatMap(([unit, one]) => (one === member ? [unit] : [])))
    member.changed.openUnsafe()
  }
}

const leave = (group: Group, member: Member) => {
  const at = group.members.indexOf(member)
  if (at !== -1) group.members.splice(at, 1)
  for (const [unit, owner] of group.owners) if (owner === member) group.owners.delete(unit)
  share(group)
}

/** `markers`: as in MemoryRecords.ts. */
export const makeSharedLog = (settings: RetentionSettings, markers = false): SharedLog => {
  const records = makeMemoryRecords(settings, markers)
  const groups = new Map<string, Group>()

  const groupOf = (options: ConsumeOptions): Group => {
    let group = groups.get(options.group)
    if (group === undefined) {
      group = { members: [], units: unitsOf(options), owners: new Map() }
      groups.set(options.group, group)
    }
    return group
  }

  const connect = (turn: Effect.Effect<void> = Effect.void): LogClient => {
    /** By group; a process has one member in each. */
    const own = new Map<string, Member>()

    /** A transaction may commit for a partition only while no other client handles it. */
    const mayCommit = ({ commit }: Transaction): boolean => {
      const group = commit === undefined ? undefined : groups.get(commit.group)
      if (group === undefined) return true
      const member = own.get(commit!.group)
      return commit!.positions.every((position) => {
        const unit = unitOf(group, position)
        const owner = unit === undefined ? undefined : group.owners.get(unit)
        return owner === member
      })
    }
    const fenced =
      (write: Log["Service"]["transaction"]): Log["Service"]["transaction"] =>
      (given) =>
        Effect.suspend(() =>
          mayCommit(given) ? write(given) : Effect.fail(fencedError(given.commit!.positions[0]!.topic))
        )
    const primitives = { ...records, transaction: fenced(records.transaction) }

    const consume = <E, R>(
      options: ConsumeOptions,
      handle: (partition: AssignedPartition) => Effect.Effect<void, E, R>
    ) =>
      Effect.gen(function* () {
        const scope = yield* Effect.scope
        const group = groupOf(options)
        const failed = yield* Deferred.make<never, E | LogError>()

        const run = (member: Member, unit: string, partition: Partition) =>
          makeAssigned(primitives, options.group, partition, () => group.owners.get(unit) === member).pipe(
            Effect.flatMap(handle),
            Effect.andThen(Effect.die(new Error(`the handler of ${partition.topic} ended`))),
            Effect.onError((cause) =>
              Cause.hasInterruptsOnly(cause) ? Effect.void : Deferred.failCause(failed, cause)
            ),
            Effect.exit
          )

        /** Keeps what runs equal to what is assigned, until the member is expelled. */
        const serve = (member: Member, running: Map<string, ReadonlyArray<Fiber.Fiber<unknown>>>) =>
          Effect.gen(function* () {
            while (!member.expelled) {
              member.changed.closeUnsafe()
              const unwanted = [...running].filter(([unit]) => !member.wanted.has(unit))
              // A member that is expelled meanwhile must let go of all others at once.
              yield* Effect.raceFirst(
                Fiber.interruptAll(unwanted.flatMap(([, fibers]) => fibers)),
                Effect.andThen(Latch.await(member.expulsion), turn)
              )
              if (member.expelled) return
              for (const [unit] of unwanted) {
                running.delete(unit)
                if (group.owners.get(unit) === member) group.owners.delete(unit)
              }
              // Who waits for a unit may take it now.
              if (unwanted.length > 0) for (const other of group.members) other.changed.openUnsafe()
              for (const unit of member.wanted) {
                if (group.owners.has(unit) || member.expelled) continue
                group.owners.set(unit, member)
                const fibers: Array<Fiber.Fiber<unknown>> = []
                for (const partition of group.units.get(unit)!)
                  fibers.push(yield* Effect.forkIn(run(member, unit, partition), scope))
                running.set(unit, fibers)
              }
              yield* Effect.andThen(Latch.await(member.changed), turn)
            }
          })

        const membership = Effect.gen(function* () {
          const member: Member = {
            changed: Latch.makeUnsafe(),
            wanted: new Set(),
            expelled: false,
            expulsion: Latch.makeUnsafe()
          }
          const running = new Map<string, ReadonlyArray<Fiber.Fiber<unknown>>>()
          own.set(options.group, member)
          group.members.push(member)
          share(group)
          const end = Effect.suspend(() => Fiber.interruptAll([...running.values()].flat())).pipe(
            Effect.andThen(
              Effect.sync(() => {
                leave(group, member)
                if (own.get(options.group) === member) own.delete(options.group)
              })
            )
          )
          yield* Effect.ensuring(serve(member, running), end)
        })
        return yield* Effect.raceFirst(Effect.forever(membership), Deferred.await(failed))
      }).pipe(Effect.scoped) as Effect.Effect<never, E | LogError, Exclude<R, Scope.Scope>>

    return {
      log: Log.of({
        ...primitives,
        exclusive: (name) =>
          Effect.map(records.exclusive(name), ({ transaction }) => ({ transaction: fenced(transaction) })),
        consume
      }),
      expel: () => {
        for (const [name, member] of own) {
          member.expelled = true
          member.expulsion.openUnsafe()
          leave(groups.get(name)!, member)
          member.changed.openUnsafe()
        }
      }
    }
  }

  return {
    connect,
    rebalance: (name, order) => {
      const group = groups.get(name)
      if (group !== undefined) share(group, order(group.members), new Map())
    }
  }
}
