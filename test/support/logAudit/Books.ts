/**
 * What the callers of a log know of it: which appends it acknowledged, which failed, what each group was given. Every
 * record names its writer, its transaction and its place in it, so that an audit can hold the log to these books.
 */
import type { LogRecord, NewRecord, Position } from "../../../src/log/EventLog.ts"
import { sourceOf } from "../../../src/log/EventLog.ts"

/** Writers append to both; a group reads the first, and pipes move the second's records to the third. */
export const WORK = "webhooks.deliveries"
export const PIPE_FROM = "webhooks.delay.2"
export const PIPE_TO = "webhooks.delay.3"
/** Of the one writer that repeats what failed, when it has read that it did not land. */
export const CHAIN = "xrpl.testnet.events"
export const MARKERS = "xrpl.testnet.ledgers"
export const topics = [WORK, PIPE_FROM, PIPE_TO, CHAIN, MARKERS]

export const WORK_GROUP = "deliver"
export const PIPE_GROUP = "delay"
export const OUTPUT_GROUP = "events"

/** Header of a piped record: which record it was made of. */
export const SOURCE = "source"

const SIZES = [1, 3, 1, 12, 40, 2, 5, 1, 120, 8]
/** Records of this many bytes go out in several batches of a partition. */
const LARGE_EVERY = 97
const LARGE = { records: 14, bytes: 90_000 }
const KEYS = 8

/** The records of a writer's transaction `n`. Values begin with their identity: `writer n place`. */
export const transactionOf = (writer: string, n: number): ReadonlyArray<NewRecord> => {
  const large = n % LARGE_EVERY === LARGE_EVERY - 1
  const size = large ? LARGE.records : SIZES[n % SIZES.length]!
  return Array.from({ length: size }, (_, place) => ({
    topic: place % 3 === 1 ? PIPE_FROM : WORK,
    key: `${writer}.${large ? 0 : place % KEYS}`,
    value: `${writer} ${n} ${place} ${"x".repeat(large ? LARGE.bytes : 100)}`
  }))
}

export interface Identity {
  readonly writer: string
  readonly n: number
  readonly place: number
}

export const identityOf = (value: string | null): Identity => {
  const [writer = "", n, place] = (value ?? "").split(" ", 3)
  return { writer, n: Number(n), place: Number(place) }
}

export const transactionName = ({ writer, n }: Pick<Identity, "writer" | "n">): string => `${writer} ${n}`

/** Figures of a time under one kind of fault. */
export interface Phase {
  readonly name: string
  readonly beganAt: number
  transactions: number
  records: number
  failures: number
  /** Of a writer between two acknowledgements; from an acknowledgement to a group; through a pipe. */
  appendMs: number
  readMs: number
  pipeMs: number
}

export const makeBooks = () => {
  const acknowledged = new Map<string, ReadonlyArray<Position>>()
  const failed = new Set<string>()
  /** By place in the log, how often a group was given the record. */
  const seen = new Map([WORK_GROUP, OUTPUT_GROUP].map((group) => [group, new Map<string, number>()]))
  /** Acknowledged and not seen, since when; and seen before they were acknowledged. By identity. */
  const pending = new Map<string, number>()
  const early = new Set<string>()
  const counts = new Map<string, number>()
  const lastOf = new Map<string, number>()
  const phases: Array<Phase> = []

  const begin = (name: string) => {
    phases.push({
      ...{ name, beganAt: performance.now() },
      ...{ transactions: 0, records: 0, failures: 0, appendMs: 0, readMs: 0, pipeMs: 0 }
    })
  }
  begin("start")

  return {
    acknowledged,
    failed,
    seen,
    phases,
    begin,
    /** Writers were not let on: what passed since is no stall. */
    resumed: () => {
      for (const writer of lastOf.keys()) lastOf.set(writer, performance.now())
    },
    appended: (writer: string, n: number, positions: ReadonlyArray<Position>) => {
      const now = performance.now()
      const phase = phases.at(-1)!
      phase.transactions++
      phase.records += positions.length
      phase.appendMs = Math.max(phase.appendMs, now - (lastOf.get(writer) ?? now))
      lastOf.set(writer, now)
      counts.set(writer, (counts.get(writer) ?? 0) + 1)
      acknowledged.set(transactionName({ writer, n }), positions)
      for (const place of positions.keys()) {
        const identity = `${writer} ${n} ${place}`
        if (!early.delete(identity)) pending.set(identity, now)
      }
    },
    refused: (writer: string, n: number) => {
      phases.at(-1)!.failures++
      failed.add(transactionName({ writer, n }))
    },
    given: (group: string, records: ReadonlyArray<LogRecord>) => {
      const now = performance.now()
      const phase = phases.at(-1)!
      const places = seen.get(group)!
      for (const record of records) {
        const place = sourceOf(record)
        places.set(place, (places.get(place) ?? 0) + 1)
        const { writer, n, place: i } = identityOf(record.value)
        const identity = `${writer} ${n} ${i}`
        const since = pending.get(identity)
        if (since === undefined) {
          if (!acknowledged.has(transactionName({ writer, n }))) early.add(identity)
          continue
        }
        pending.delete(identity)
        if (group === WORK_GROUP) phase.readMs = Math.max(phase.readMs, now - since)
        else phase.pipeMs = Math.max(phase.pipeMs, now - since)
      }
    },
    /** What is acknowledged and has not reached the end of its way. */
    pending: (): ReadonlyArray<string> => [...pending.keys()],
    isPending: (identity: string): boolean => pending.has(identity),
    /** Of the writer's transactions that were acknowledged. */
    countOf: (writer: string): number => counts.get(writer) ?? 0
  }
}

export type Books = ReturnType<typeof makeBooks>
