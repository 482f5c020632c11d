/**
 * A customer's replay on a running service with any log. More than 1,000 events of the simulated ledger are delivered,
 * then all of them are replayed, and the process that works on the replay is killed halfway. The replay must deliver
 * the same events as the first time.
 */
import { assert } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { expectedEventIds } from "../../../src/features/simulator/Chain.ts"
import { makeReceiver, type Received, signatureHolds } from "../deliver/receiver.ts"
import { type ApiClient, apiClient, createWebhook, waitUntil } from "../http/apiClient.ts"
import { makeSimulatedLedger } from "../ledger/simulatedLedger.ts"
import type { ServiceProcess } from "../program/serviceProcess.ts"

export const ADMIN_KEY = "svc_live_0123456789abcdefghijklmnopqrstuv"
const EVENTS = 1_500
const KILL_AT = 300

interface Job {
  readonly status: string
  readonly total_events: number
  readonly processed_events: number
  readonly failed_events: number
  readonly progress_percent: number
  readonly error: string | null
}

export const jobOf = (client: ApiClient, id: string) =>
  Effect.map(client.call("GET", `/v1/replay/${id}`), ({ body }) => body as unknown as Job)

export const replay = Effect.fnUntraced(function* (client: ApiClient, body: object) {
  const answer = yield* client.call("POST", "/v1/replay", body)
  assert.strictEqual(answer.status, 202, JSON.stringify(answer.body))
  return answer.body as unknown as { readonly job_id: string; readonly estimated_events: number }
})

const bodies = (received: ReadonlyArray<Received>): ReadonlyMap<string, string> =>
  new Map(received.map(({ event, body }) => [event.event_id, body]))

const ids = (received: ReadonlyArray<Received>) => new Set(received.map(({ deliveryId }) => deliveryId))

export const simulatedMainnet = Effect.gen(function* () {
  const ledger = yield* makeSimulatedLedger({
    seed: 5,
    networkId: 0,
    transactionsPerLedger: 50,
    hashing: "digest"
  })
  const environment = {
    ADMIN_KEY,
    XRPL_MAINNET_URLS: ledger.url,
    XRPL_MAINNET_START: String((yield* ledger.head).header.ledger_index),
    DELIVERY_ALLOW_HTTP: "true",
    DELIVERY_ALLOW_PRIVATE_ADDRESSES: "true"
  }
  return { ledger, environment }
})

/** `strike` kills the process that works on the replay, and returns the process that serves the API afterwards. */
export const replayRun = Effect.fnUntraced(function* (
  api: ServiceProcess,
  ledger: Effect.Success<typeof simulatedMainnet>["ledger"],
  strike: Effect.Effect<ServiceProcess, Error, Scope.Scope>
) {
  const receiver = yield* makeReceiver()
  let client = apiClient(api.apiUrl, ADMIN_KEY)
  const { id, secret } = yield* createWebhook(client, { url: receiver.url, event_types: ["*"] })
  const expected: Array<string> = []
  while (expected.length < EVENTS) expected.push(...expectedEventIds(yield* ledger.close))
  yield* receiver.until((received) => bodies(received).size === expected.length)
  const first = [...receiver.received]

  // The estimate counts the rows of the event index's tables.
  yield* waitUntil(
    Effect.map(client.call("GET", `/v1/events/${expected.at(-1)}`), ({ status }) => status === 200),
    "30 seconds"
  )
  const job = yield* replay(client, { webhook_id: id, filters: {} })
  assert.strictEqual(job.estimated_events, expected.length)
  yield* receiver.until((received) => received.length >= first.length + KILL_AT)
  client = apiClient((yield* strike).apiUrl, ADMIN_KEY)
  yield* waitUntil(
    Effect.map(jobOf(client, job.job_id), ({ status }) => status === "completed"),
    "60 seconds"
  )
  yield* receiver.until((received) => ids(received.slice(first.length)).size >= expected.length)
  assert.deepInclude(yield* jobOf(client, job.job_id), {
    total_events: expected.length,
    processed_events: expected.length,
    failed_events: 0,
    progress_percent: 100
  })

  const again = receiver.received.slice(first.length)
  // Each event has one new delivery with the same bytes.
  assert.strictEqual(ids(again).size, expected.length)
  assert.deepStrictEqual(
    [...ids(again)].filter((one) => ids(first).has(one)),
    []
  )
  assert.deepStrictEqual(bodies(again), bodies(first))
  for (const one of again) assert.isTrue(signatureHolds(secret, one))

  // A job with event ids reads only their ledgers; an unknown id counts as failed.
  const some = expected.filter((_, i) => i % 100 === 0)
  const before = receiver.received.length
  const byIds = yield* replay(client, {
    webhook_id: id,
    event_ids: [...some, `xrpl:1:${"0".repeat(64)}:payment.xrp`]
  })
  yield* waitUntil(
    Effect.map(jobOf(client, byIds.job_id), ({ status }) => status === "completed"),
    "60 seconds"
  )
  assert.deepInclude(yield* jobOf(client, byIds.job_id), {
    processed_events: some.length,
    failed_events: 1
  })
  yield* receiver.until((received) => received.length >= before + some.length)
  assert.sameMembers(
    receiver.received.slice(before).map(({ event }) => event.event_id),
    some
  )
  return { client, expected }
})
