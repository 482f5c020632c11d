/** Webhooks with `batch`, on a real database and to a real receiver: what arrives, and what its answer does. */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { DeliverLimits } from "../../../src/spine/deliver/Limits.ts"
import { BATCH_RESPONSE_BYTES } from "../../../src/spine/deliver/send/Attempt.ts"
import {
  deliveringLayer,
  makeWebhook,
  queueEvents,
  queueReplayed,
  SECRET,
  startDelivering,
  tenthOfMemory,
  untilAll
} from "../../support/deliver/delivering.ts"
import { deliveryIdsOf, makeReceiver, type Received, signatureHolds } from "../../support/deliver/receiver.ts"
import { historyOf } from "../../support/store/rows.ts"

const sizes = (received: ReadonlyArray<Received>) => received.map((one) => deliveryIdsOf(one).length)

const listOf = (id: string | undefined) => JSON.stringify({ failed: [id] })

/** The codings that are decoded. The third is how `deflate` is sent by servers that leave out zlib's form. */
const coded: ReadonlyArray<readonly [string, (text: string) => Uint8Array, string?]> = [
  ["gzip", (text) => gzipSync(text)],
  ["deflate", (text) => deflateSync(text)],
  ["deflate", (text) => deflateRawSync(text), ", raw,"],
  ["br", (text) => brotliCompressSync(text)]
]

/** What a receiver may answer to a batch, and which of the deliveries [0, 1, 2] then fail, with which error. */
const answers: ReadonlyArray<
  readonly [
    what: string,
    status: number,
    body: (ids: ReadonlyArray<string>) => string | Uint8Array,
    failed: string,
    error: string,
    headers?: Readonly<Record<string, string>>
  ]
> = [
  ["a 2xx", 200, () => "ok", "", ""],
  ["another status", 500, () => "no", "012", "HTTP 500"],
  [
    "a 207 with a list",
    207,
    ([, second]) => JSON.stringify({ failed: [second] }),
    "1",
    "listed as failed (HTTP 207)"
  ],
  [
    "a 200 with a list",
    200,
    ([one, , two]) => JSON.stringify({ failed: [one, two] }),
    "02",
    "listed as failed (HTTP 200)"
  ],
  ["a list of unknown ids", 207, () => JSON.stringify({ failed: ["dlv_0"] }), "", ""],
  [
    "a list after much else",
    207,
    ([one]) => `${" ".repeat(40_000)}{"failed":["${one}"]}`,
    "0",
    "listed as failed (HTTP 207)"
  ],
  [
    "a 207 that is too long",
    207,
    ([one]) => `${" ".repeat(BATCH_RESPONSE_BYTES)}{"failed":["${one}"]}`,
    "012",
    "HTTP 207 without a list of failed deliveries"
  ],
  ...coded.flatMap(([coding, encode, as = ""]): typeof answers => [
    [
      `a 207 in ${coding}${as} with a list`,
      207,
      ([, second]) => encode(listOf(second)),
      "1",
      "listed as failed (HTTP 207)",
      { "content-encoding": coding }
    ]
  ]),
  [
    "a 200 in gzip with a list",
    200,
    ([, second]) => gzipSync(listOf(second)),
    "1",
    "listed as failed (HTTP 200)",
    { "content-encoding": "gzip" }
  ],
  [
    "a 207 whose coding is not known",
    207,
    ([, second]) => zstdCompressSync(listOf(second)),
    "012",
    "HTTP 207 without a list of failed deliveries",
    { "content-encoding": "zstd" }
  ],
  [
    "a 207 that is too long when it is decoded",
    207,
    ([one]) => gzipSync(`${" ".repeat(BATCH_RESPONSE_BYTES)}${listOf(one)}`),
    "012",
    "HTTP 207 without a list of failed deliveries",
    { "content-encoding": "gzip" }
  ],
  [
    "a 207 that says a coding and has none",
    207,
    ([, second]) => listOf(second),
    "1",
    "listed as failed (HTTP 207)",
    { "content-encoding": "gzip" }
  ],
  [
    "a 202 that cannot be decoded",
    202,
    ([, second]) => gzipSync(listOf(second)).subarray(0, -9),
    "",
    "",
    { "content-encoding": "gzip" }
  ]
]

describe("a batch", () => {
  it.live("carries waiting deliveries, signed as a whole, in order; each has its own row and attempt", () =>
    Effect.gen(function* () {
      const receiver = yield* makeReceiver()
      const webhook = yield* makeWebhook(receiver.url, {
        maxInFlight: 1,
        batch: { max_events: 100, max_wait_ms: 0 }
      })
      const ids = yield* queueEvents(webhook, 250)
      yield* startDelivering
      yield* untilAll(ids, "delivered")
      assert.deepStrictEqual(receiver.received.flatMap(deliveryIdsOf), ids)
      assert.deepStrictEqual(sizes(receiver.received), [100, 100, 50])
      const batchIds = receiver.received.map(({ headers }) => headers["x-service-batch-id"])
      assert.strictEqual(new Set(batchIds).size, 3)
      for (const one of receiver.received) {
        assert.isTrue(signatureHolds(SECRET, one))
        assert.match(String(one.headers["x-service-batch-id"]), /^bat_[0-9A-Z]{26}$/)
        for (const name of ["delivery-id", "event-id", "event-type"])
          assert.isUndefined(one.headers[`x-service-${name}`])
      }
      const last = yield* historyOf(ids[249]!)
      assert.deepStrictEqual(
        last.map(({ attempt, status, batchId }) => [attempt, status, batchId]),
        [[1, "delivered", batchIds[2]]]
      )
      const sql = yield* SqlClient.SqlClient
      const usage = yield* sql`SELECT sum(deliveries)::int AS deliveries FROM delivery_usage`
      assert.deepStrictEqual(usage, [{ deliveries: 250 }], "the quota counts each delivery")
    }).pipe(Effect.scoped, Effect.provide(deliveringLayer()))
  )

  for (const [what, status, body, failed, error, headers] of answers)
    it.live(
      `${what}: ${failed === "" ? "all are delivered" : "those that failed are retried as a batch"}`,
      () =>
        Effect.gen(function* () {
          let requests = 0
          const receiver = yield* makeReceiver((received, response) => {
            if (++requests > 1) return 200
            response.writeHead(status, headers).end(body(deliveryIdsOf(received)))
            return "handled"
          })
          yield* startDelivering
          const webhook = yield* makeWebhook(receiver.url, { batch: { max_events: 3, max_wait_ms: 5_000 } })
          const ids = yield* queueEvents(webhook, 3)
          // Fills the batch of the retries, if there are any.
          const retried = ids.filter((_, i) => failed.includes(String(i)))
          yield* receiver.until((received) => received.length > 0)
          yield* untilAll(
            ids.filter((id) => !retried.includes(id)),
            "delivered"
          )
          const more = retried.length === 0 ? [] : yield* queueEvents(webhook, 3 - retried.length)
          yield* untilAll([...ids, ...more], "delivered")
          assert.deepStrictEqual(deliveryIdsOf(receiver.received[0]!), ids)
          const second = receiver.received.slice(1).flatMap(deliveryIdsOf)
          assert.sameMembers(second, [...retried, ...more])
          assert.isAtMost(receiver.received.length, 2)
          for (const id of ids) {
            const history = yield* historyOf(id)
            const expected = retried.includes(id) ? [error, null] : [null]
            assert.deepStrictEqual(
              history.map((attempt) => attempt.error),
              expected
            )
          }
        }).pipe(Effect.scoped, Effect.provide(deliveringLayer()))
    )

  it.live("keeps ledger order at max_in_flight 1, also beyond the memory budget", () =>
    Effect.gen(function* () {
      const receiver = yield* makeReceiver()
      const webhook = yield* makeWebhook(receiver.url, {
        maxInFlight: 1,
        batch: { max_events: 50, max_wait_ms: 0 }
      })
      const ids = [...(yield* queueEvents(webhook, 150)), ...(yield* queueEvents(webhook, 150))]
      yield* startDelivering
      yield* untilAll(ids, "delivered")
      assert.deepStrictEqual(receiver.received.flatMap(deliveryIdsOf), ids)
      assert.isBelow(receiver.received.length, 60)
    }).pipe(
      Effect.scoped,
      Effect.provide(deliveringLayer()),
      Effect.provideService(DeliverLimits, tenthOfMemory)
    )
  )

  it.live("carries replayed deliveries, more than their lane may hold at once", () =>
    Effect.gen(function* () {
      const receiver = yield* makeReceiver()
      const webhook = yield* makeWebhook(receiver.url, { batch: { max_events: 50, max_wait_ms: 5_000 } })
      const ids = yield* queueReplayed(webhook, 60)
      yield* startDelivering
      yield* untilAll(ids, "delivered")
      assert.sameMembers(receiver.received.flatMap(deliveryIdsOf), [...ids])
      assert.isBelow(receiver.received.length, 10)
    }).pipe(
      Effect.scoped,
      Effect.provide(deliveringLayer()),
      Effect.provideService(DeliverLimits, tenthOfMemory)
    )
  )
})
