/**
 * Reads all committed records, with our reader and with another client, and compares them with the books. Every
 * acknowledged record is in the log once, at its offset. A transaction is in the log whole or not at all. Keys are in
 * order. Groups got every record and nothing else. Every piped record came out once.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { KafkaSettings } from "../../../../src/spine/config/Config.ts"
import { type Log, type LogRecord, type Position, sourceOf } from "../../../../src/spine/log/Log.ts"
import { partitionsOf } from "../../../../src/spine/log/Topics.ts"
import { hasKcat, readByKcat } from "../kcat.ts"
import {
  type Books,
  CHAIN,
  identityOf,
  MARKERS,
  OUTPUT_GROUP,
  PIPE_FROM,
  PIPE_TO,
  SOURCE,
  topics,
  transactionName,
  transactionOf,
  WORK,
  WORK_GROUP
} from "./Books.ts"

const READ_AT_ONCE = 1_000
const IDENTITY_LENGTH = 40

/** Values are long, so the audit compares only their beginning and their length. */
const short = (value: string | null) => `${value?.slice(0, IDENTITY_LENGTH)} (${value?.length})`

type Found = Omit<LogRecord, "timestamp">

const readPartition = Effect.fnUntraced(function* (log: Log["Service"], topic: string, partition: number) {
  const found: Array<Found> = []
  let offset = 0
  while (true) {
    const records = yield* log.read({ topic, partition, offset }, READ_AT_ONCE)
    const last = records.at(-1)
    if (last === undefined) return found
    for (const record of records) found.push({ ...record, value: short(record.value) })
    offset = last.offset + 1
  }
})

const readTopic = (log: Log["Service"], topic: string) =>
  Effect.forEach(
    Array.from({ length: partitionsOf(topic) }, (_, partition) => partition),
    (partition) => readPartition(log, topic, partition),
    { concurrency: 4 }
  )

/** The records as lines of text, so that a failed comparison shows the difference. */
const linesOf = (records: ReadonlyArray<Pick<Found, "partition" | "offset" | "key" | "value">>) =>
  records.map(({ partition, offset, key, value }) => `${partition}@${offset} ${key}: ${value}`)

const sameToKcat = Effect.fnUntraced(function* (
  kafka: KafkaSettings,
  topic: string,
  ours: ReadonlyArray<ReadonlyArray<Found>>
) {
  const messages = yield* Effect.promise(() => readByKcat(kafka, topic))
  const theirs = Map.groupBy(messages, ({ partition }) => partition)
  for (const [partition, records] of ours.entries()) {
    const there = (theirs.get(partition) ?? []).map((message) => ({
      ...message,
      value: short(message.payload)
    }))
    assert.deepStrictEqual(linesOf(records), linesOf(there), `${topic}/${partition}: ours, kcat's`)
  }
})

const wholeTransactions = (books: Books, records: ReadonlyArray<Found>) => {
  const found = Map.groupBy(records, ({ value }) => transactionName(identityOf(value)))
  for (const [name, of] of found) {
    const { writer, n } = identityOf(of[0]!.value)
    assert.isTrue(books.acknowledged.has(name) || books.failed.has(name), `${name} was never appended`)
    assert.deepStrictEqual(
      of.map(({ value }) => identityOf(value).place).sort((a, b) => a - b),
      transactionOf(writer, n).map((_, place) => place),
      `the records of transaction ${name}`
    )
  }
  for (const [name, positions] of books.acknowledged) {
    const placeOf = new Map(found.get(name)?.map((record) => [identityOf(record.value).place, record]))
    assert.deepStrictEqual(
      positions.map((_, place) => sourceOf(placeOf.get(place) ?? noPosition)),
      positions.map(sourceOf),
      `where the records of ${name} are, and where they were said to be`
    )
  }
}
const noPosition: Position = { topic: "nowhere", partition: -1, offset: -1 }

const inOrder = (records: ReadonlyArray<Found>) => {
  for (const [key, of] of Map.groupBy(records, (record) => `${record.topic} ${record.key}`)) {
    const [first, ...rest] = of.map(({ value }) => identityOf(value))
    let before = first!
    for (const next of rest) {
      assert.isTrue(
        next.n > before.n || (next.n === before.n && next.place > before.place),
        `key ${key}: ${next.n}/${next.place} comes after ${before.n}/${before.place}`
      )
      before = next
    }
  }
}

const givenOnceOrMore = (books: Books, group: string, records: ReadonlyArray<Found>) => {
  const given = books.seen.get(group)!
  const there = new Set(records.map(sourceOf))
  assert.deepStrictEqual(
    [...there].filter((place) => !given.has(place)),
    [],
    `not given to ${group}`
  )
  assert.deepStrictEqual(
    [...given.keys()].filter((place) => !there.has(place)),
    [],
    `given to ${group} alone`
  )
}

const pipedOnce = (inputs: ReadonlyArray<Found>, outputs: ReadonlyArray<Found>) =>
  assert.deepStrictEqual(
    outputs.map(({ headers, value }) => `${headers[SOURCE]}: ${value}`).sort(),
    inputs.map((record) => `${sourceOf(record)}: ${record.value}`).sort(),
    "what came out of the pipes, and what went in"
  )

/** Checks that the chain has each link once and in order, with a marker that has the link's offset. */
const unbroken = (links: ReadonlyArray<Found>, markers: ReadonlyArray<Found>) => {
  const numbers = (of: ReadonlyArray<Found>) => of.map(({ value }) => identityOf(value).n)
  assert.deepStrictEqual(
    numbers(links),
    links.map((_, i) => i)
  )
  assert.deepStrictEqual(numbers(markers), numbers(links))
  assert.deepStrictEqual(
    markers.map(({ value }) => identityOf(value).place),
    links.map(({ offset }) => offset)
  )
}

/** Run it only when no writer is active and all records have been read. */
export const audit = Effect.fnUntraced(function* (kafka: KafkaSettings, log: Log["Service"], books: Books) {
  const found = new Map<string, ReadonlyArray<Found>>()
  for (const topic of topics) {
    const partitions = yield* readTopic(log, topic)
    if (hasKcat) yield* sameToKcat(kafka, topic, partitions)
    found.set(topic, partitions.flat())
  }
  const of = (topic: string) => found.get(topic)!
  const written = [...of(WORK), ...of(PIPE_FROM)]
  wholeTransactions(books, written)
  inOrder([...written, ...of(PIPE_TO)])
  givenOnceOrMore(books, WORK_GROUP, of(WORK))
  givenOnceOrMore(books, OUTPUT_GROUP, of(PIPE_TO))
  pipedOnce(of(PIPE_FROM), of(PIPE_TO))
  unbroken(of(CHAIN), of(MARKERS))
  return [...found.values()].reduce((sum, { length }) => sum + length, 0)
})
