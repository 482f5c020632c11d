/**
 * The Kafka adapter's pure decisions: which records it hands out, how it splits batches, and which partitions it
 * revokes.
 */

import { assert, describe, it } from "@effect/vitest"
import type { fetchV17, RecordsBatch } from "@platformatic/kafka"
import { changeOf, keyOf, type TopicPartition } from "../../../../src/spine/log/kafka/Member.ts"
import { committedRecords } from "../../../../src/spine/log/kafka/Records.ts"
import { splitByLimits } from "../../../../src/spine/log/kafka/SplitByLimits.ts"

const TRANSACTIONAL = 0b1_0000
const CONTROL = 0b11_0000
const ABORT = Buffer.from([0, 0, 0, 0])
const COMMIT = Buffer.from([0, 0, 0, 1])

const batch = (firstOffset: number, producer: number, keys: ReadonlyArray<string>): RecordsBatch => ({
  firstOffset: BigInt(firstOffset),
  length: 0,
  partitionLeaderEpoch: 0,
  magic: 2,
  crc: 0,
  attributes: TRANSACTIONAL,
  lastOffsetDelta: keys.length - 1,
  firstTimestamp: 1_000n,
  maxTimestamp: 1_000n,
  producerId: BigInt(producer),
  producerEpoch: 0,
  firstSequence: 0,
  records: keys.map((key, i) => ({
    length: 0,
    attributes: 0,
    timestampDelta: BigInt(i),
    offsetDelta: i,
    key: Buffer.from(key),
    value: key === "gone" ? null : Buffer.from(key),
    headers: [[Buffer.from("h"), Buffer.from("1")]]
  }))
})

const marker = (offset: number, producer: number, key: Buffer): RecordsBatch => {
  const one = batch(offset, producer, ["marker"])
  return { ...one, attributes: CONTROL, records: [{ ...one.records[0]!, key }] }
}

const answer = (
  records: Array<RecordsBatch>,
  aborted: ReadonlyArray<readonly [producer: number, firstOffset: number]> = []
): fetchV17.FetchResponsePartition => ({
  partitionIndex: 0,
  errorCode: 0,
  highWatermark: 100n,
  lastStableOffset: 90n,
  logStartOffset: 0n,
  abortedTransactions: aborted.map(([producer, firstOffset]) => ({
    producerId: BigInt(producer),
    firstOffset: BigInt(firstOffset)
  })),
  preferredReadReplica: -1,
  records
})

const PARTITION = { topic: "t", partition: 0 }
const keys = (from: number, given: fetchV17.FetchResponsePartition) =>
  committedRecords(PARTITION, from, given).records.map(({ key }) => key)

describe("what a fetch hands out", () => {
  it("is only the records of committed transactions, without markers", () => {
    const given = answer(
      [
        batch(0, 1, ["a", "b"]),
        batch(2, 2, ["lost"]),
        marker(3, 2, ABORT),
        marker(4, 1, COMMIT),
        batch(5, 2, ["c"]),
        marker(6, 2, COMMIT)
      ],
      [[2, 2]]
    )
    assert.deepStrictEqual(keys(0, given), ["a", "b", "c"])
    assert.strictEqual(committedRecords(PARTITION, 0, given).next, 7)
  })

  it("keeps a producer's later transaction apart from the aborted one before it", () => {
    const given = answer(
      [
        batch(0, 1, ["x"]),
        marker(1, 1, ABORT),
        batch(2, 1, ["y"]),
        marker(3, 1, COMMIT),
        batch(4, 1, ["z"]),
        marker(5, 1, ABORT)
      ],
      [
        [1, 4],
        [1, 0]
      ]
    )
    assert.deepStrictEqual(keys(0, given), ["y"])
  })

  it("begins at the asked offset, though a batch comes whole, and knows a tombstone", () => {
    const { records } = committedRecords(PARTITION, 1, answer([batch(0, 1, ["a", "gone", "c"])]))
    assert.deepStrictEqual(
      records.map(({ offset, key, value, timestamp, headers }) => [offset, key, value, timestamp, headers]),
      [
        [1, "gone", null, 1_001, { h: "1" }],
        [2, "c", "c", 1_002, { h: "1" }]
      ]
    )
  })

  it("continues after batches without records", () => {
    const { records, next } = committedRecords(
      PARTITION,
      7,
      answer([batch(7, 3, ["lost", "too"]), marker(9, 3, ABORT)], [[3, 7]])
    )
    assert.deepStrictEqual([records.length, next], [0, 10])
  })
})

describe("what goes into one transaction or request", () => {
  const sizesOf = (item: number) => [1, item]

  it("is neighbours, in order, while all of their sizes are within the limits", () => {
    assert.deepStrictEqual(splitByLimits([60, 40, 60, 30, 10], [10, 100], sizesOf), [
      [60, 40],
      [60, 30, 10]
    ])
    assert.deepStrictEqual(splitByLimits([1, 1, 1], [2, 100], sizesOf), [[1, 1], [1]])
  })

  it("is one item alone when it is too large", () => {
    assert.deepStrictEqual(splitByLimits([10, 500, 10], [10, 100], sizesOf), [[10], [500], [10]])
    assert.deepStrictEqual(splitByLimits([], [10, 100], sizesOf), [])
  })
})

describe("an assignment", () => {
  const partition = (n: number): TopicPartition => ({ topicId: "t", partition: n })
  const owning = (...numbers: ReadonlyArray<number>) =>
    new Map(numbers.map((n) => [keyOf(partition(n)), partition(n)]))

  it("says which partitions are added and which revoked; what stays is left alone", () => {
    assert.deepStrictEqual(changeOf(owning(1, 2, 3), [partition(2), partition(4)]), {
      added: [partition(4)],
      revoked: [partition(1), partition(3)]
    })
    assert.deepStrictEqual(changeOf(owning(1), [partition(1)]), { added: [], revoked: [] })
    assert.deepStrictEqual(changeOf(owning(1), []), { added: [], revoked: [partition(1)] })
  })
})
