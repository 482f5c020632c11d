/**
 * Keeps what the callers of a log know: which appends it acknowledged, which failed, and which records each group got.
 * Every record names its writer, its transaction and its place there, so that an audit can compare the log with it.
 */
import type { LogRecord, NewRecord, Position } from "../../../../src/spine/log/Log.ts"
import { sourceOf } from "../../../../src/spine/log/Log.ts"

/** Writers append to both; a group reads the first, and pipes move the second's records to the third. */
export const WORK = "webhooks.deliveries"
export const PIPE_FROM = "webhooks.delay.2"
export const PIPE_TO = "webhooks.delay.3"
/** The topics of the chain writer: it retries a failed append after it has read that the append was not written. */
export const CHAIN = "xrpl.testnet.events"
export const MARKERS = "xrpl.testnet.ledgers"
export const topics = [WORK, PIPE_FROM, PIPE_TO, CHAIN, MARKERS]

export const WORK_GROUP = "deliver"
export const PIPE_GROUP = "delay"
export const OUTPUT_GROUP = "events"

/** The header of a piped record that names its source record. */
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

/** The figures for a period with one kind of fault. */
export interface Phase {
  readonly name: string
  readonly beganAt: number
  transactions: number
  records: number
  failures: number
  /** The longest times: between a writer's acknowledgements, from an acknowledgement to a group, and through a pipe. */
  appendMs: number
  readMs: number
  pipeMs: number
}

export const makeBooks = () => {
  const acknowledged = new Map<string, ReadonlyArray<Position>>()
  const failed = new Set<string>()
  /** For each group: how often it got the record at each place in the log. */
  const seen = new Map([WORK_GROUP, OUTPUT_GROUP].map((group) => [group, new Map<string, number>()]))
  /** By identity: when each unread record was acknowledged, and the records that were read before that. */
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
    /** Call it when halted writers resume, so that the halt does not count as a stall. */
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
    /** The acknowledged records that the group at the end of their path has not read yet. */
    pending: (): ReadonlyArray<string> => [...pending.keys()],
    isPending: (identity: string): boolean => pending.has(identity),
    /** The number of the writer's acknowledged transactions. */
    countOf: (writer: string): number => counts.get(writer) ?? 0
  }
}

export type Books = ReturnType<typeof makeBooks>
