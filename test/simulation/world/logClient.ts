/**
 * The log as one process of a simulation sees it: each call takes time, and may fail before or after it has landed. A
 * call of a killed process never returns, and that of a frozen one returns when it is thawed.
 */
import { Effect } from "effect"
import {
  type AssignedPartition,
  type Log,
  LogError,
  type Partition,
  type Transaction
} from "../../../src/spine/log/Log.ts"
import type { Fate } from "./store.ts"
import type { Process } from "./timeline.ts"

export interface LogFaults {
  readonly delayMs: (process: Process) => number
  readonly fate: (process: Process) => Fate
  /** Whether a read fails. */
  readonly readFails: (process: Process) => boolean
  /** Called before a write: it may land although the process gets an error. */
  readonly sent: (transaction: Transaction) => void
  readonly landed: (process: Process, transaction: Transaction) => void
  /** Whether the process is frozen while it sends an exclusive write, which then lands when it is thawed. */
  readonly freezes: () => boolean
  /** Called when the process begins to handle the partition. */
  readonly taken: (partition: Partition) => void
}

type OpenLog = Log["Service"]

const ANSWER_MS = 1

const failure = (operation: LogError["operation"], topic: string) =>
  Effect.fail(new LogError({ operation, topic, cause: new Error("simulated") }))

export const makeLogClient = (inner: OpenLog, process: Process, faults: LogFaults): OpenLog => {
  /** The answer travels, so the process may die between what has landed and what it knows. */
  const answered = <A, E>(landing: Effect.Effect<A, E>) =>
    Effect.andThen(Effect.sleep(faults.delayMs(process)), landing).pipe(
      Effect.tap(() => Effect.sleep(ANSWER_MS))
    )

  const write = <A>(operation: LogError["operation"], topic: string, landing: Effect.Effect<A, LogError>) =>
    Effect.suspend(() => {
      const fate = faults.fate(process)
      return answered(
        fate === "lands"
          ? landing
          : fate === "fails"
            ? failure(operation, topic)
            : Effect.andThen(landing, failure(operation, topic))
      )
    })

  const transaction =
    (to: OpenLog["transaction"], sent: Effect.Effect<void> = Effect.void): OpenLog["transaction"] =>
    (given) =>
      write(
        "append",
        given.append[0]?.topic ?? "",
        sent.pipe(
          Effect.andThen(
            Effect.suspend(() => {
              faults.sent(given)
              return to(given)
            })
          ),
          Effect.tap(() => Effect.sync(() => faults.landed(process, given)))
        )
      )
  const sentSlowly = Effect.suspend(() => {
    if (faults.freezes()) process.freeze()
    return process.turn
  })

  const read = <A>(topic: string, reading: Effect.Effect<A, LogError>) =>
    Effect.suspend(() => (faults.readFails(process) ? failure("read", topic) : reading)).pipe(
      Effect.tap(() => process.turn)
    )

  const assigned = (partition: AssignedPartition): AssignedPartition => ({
    ...partition,
    take: (max) => Effect.andThen(Effect.sleep(ANSWER_MS), read(partition.topic, partition.take(max))),
    commit: (offset) => write("commit", partition.topic, partition.commit(offset))
  })

  return {
    ...inner,
    transaction: transaction(inner.transaction),
    exclusive: (name) =>
      answered(Effect.void).pipe(
        Effect.andThen(inner.exclusive(name)),
        Effect.map((writer) => ({ transaction: transaction(writer.transaction, sentSlowly) }))
      ),
    consume: (options, handle) =>
      inner.consume(options, (partition) => {
        faults.taken(partition)
        return handle(assigned(partition))
      }),
    read: (from, max) => answered(read(from.topic, inner.read(from, max))),
    awaitOffset: (position) => read(position.topic, inner.awaitOffset(position)),
    last: (partition) => answered(read(partition.topic, inner.last(partition))),
    offsets: (partition) => read(partition.topic, inner.offsets(partition)),
    committed: (group, partition) => answered(read(partition.topic, inner.committed(group, partition)))
  }
}
