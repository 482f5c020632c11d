/**
 * A customer's replay of events from before the service's first ledger, on any log. The simulated network closed
 * hundreds of ledgers before the service started. The process that fetches them is killed halfway. The webhook gets
 * exactly the events that the simulator recorded, and the next replay fetches nothing.
 */
import { assert } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { type ClosedLedger, expectedEventIds } from "../../../src/features/simulator/Chain.ts"
import { rippleToUnixMs } from "../../../src/spine/event/Ledger.ts"
import { makeReceiver } from "../deliver/receiver.ts"
import { apiClient, createWebhook, waitUntil } from "../http/apiClient.ts"
import { makeSimulatedLedger } from "../ledger/simulatedLedger.ts"
import type { ServiceProcess } from "../program/serviceProcess.ts"

const ADMIN_KEY = "svc_live_0123456789abcdefghijklmnopqrstuv"
const PAST_LEDGERS = 280
/** How many of the newest ledgers are requested. */
const WANTED = 265

export const pastMainnet = Effect.gen(function* () {
  const requests: Array<number> = []
  const ledger = yield* makeSimulatedLedger({
    seed: 11,
    networkId: 0,
    transactionsPerLedger: 3,
    hashing: "digest",
    interfere: (_, answer, request) => {
      if (request.command === "ledger" && request.transactions === true)
        requests.push(Number(request.ledger_index))
      return answer
    }
  })
  const past: Array<ClosedLedger> = []
  while (past.length < PAST_LEDGERS) past.push(yield* ledger.close)
  const first = past.at(-1)!.header.ledger_index + 1
  const environment = {
    ADMIN_KEY,
    XRPL_MAINNET_URLS: ledger.url,
    XRPL_MAINNET_HISTORY_URLS: ledger.url,
    XRPL_MAINNET_START: String(first),
    DELIVERY_ALLOW_HTTP: "true",
    DELIVERY_ALLOW_PRIVATE_ADDRESSES: "true"
  }
  return { ledger, past, first, requests, environment }
})

interface Job {
  readonly status: string
  readonly error: string | null
  readonly processed_events: number
  readonly total_events: number
  readonly history?: { readonly ledgers: number | null; readonly fetched_ledgers: number }
}

/** `strike` kills the process that works on the replay, and returns the process that serves the API afterwards. */
export const backfillRun = Effect.fnUntraced(function* (
  api: ServiceProcess,
  { first, ledger, past, requests }: Effect.Success<typeof pastMainnet>,
  strike: Effect.Effect<ServiceProcess, Error, Scope.Scope>
) {
  const receiver = yield* makeReceiver()
  let client = apiClient(api.apiUrl, ADMIN_KEY)
  const { id: webhookId } = yield* createWebhook(client, { url: receiver.url, event_types: ["*"] })
  const live = [yield* ledger.close, yield* ledger.close].flatMap(expectedEventIds)
  yield* receiver.until((received) => received.length >= live.length)

  const [last] = past.slice(-WANTED - 1)
  const expected = [...past.slice(-WANTED).flatMap(expectedEventIds), ...live]
  const since = new Date(rippleToUnixMs(last!.header.close_time)).toISOString()
  const jobOf = (id: string) =>
    Effect.map(client.call("GET", `/v1/replay/${id}`), ({ body }) => body as unknown as Job)
  const replay = Effect.gen(function* () {
    const answer = yield* client.call("POST", "/v1/replay", { webhook_id: webhookId, filters: { since } })
    assert.strictEqual(answer.status, 202, JSON.stringify(answer.body))
    return answer.body as unknown as { readonly job_id: string; readonly estimated_events: number }
  })
  const completed = Effect.fnUntraced(function* (id: string) {
    yield* waitUntil(
      Effect.map(jobOf(id), ({ status }) => status !== "queued" && status !== "running"),
      "90 seconds"
    )
    const job = yield* jobOf(id)
    assert.deepInclude(job, { status: "completed", error: null, processed_events: expected.length })
    return job
  })

  const { job_id: id } = yield* replay
  yield* waitUntil(
    Effect.map(jobOf(id), ({ history }) => (history?.fetched_ledgers ?? 0) > 0),
    "60 seconds"
  )
  client = apiClient((yield* strike).apiUrl, ADMIN_KEY)
  yield* completed(id)
  const ids = () => new Set(receiver.received.slice(live.length).map(({ deliveryId }) => deliveryId))
  yield* receiver.until(() => ids().size >= expected.length)
  assert.strictEqual(ids().size, expected.length)
  const received = new Map(receiver.received.slice(live.length).map((one) => [one.event.event_id, one]))
  assert.sameMembers([...received.keys()], expected)

  // A second replay fetches nothing, and its estimate is close to the number of events.
  const before = requests.filter((index) => index < first).length
  const again = yield* replay
  assert.closeTo(again.estimated_events, expected.length, expected.length / 100)
  assert.deepInclude((yield* completed(again.job_id)).history, { ledgers: 0, fetched_ledgers: 0 })
  assert.strictEqual(requests.filter((index) => index < first).length, before)

  // The API shows these events like any others, and replays them by id.
  const oldest = received.get(expected[0]!)!
  const delivery = yield* client.call("GET", `/v1/deliveries/${oldest.deliveryId}`)
  assert.strictEqual(delivery.status, 200)
  assert.strictEqual((delivery.body as { readonly request_body?: unknown }).request_body, oldest.body)
  yield* waitUntil(
    Effect.map(client.call("GET", `/v1/events/${expected[0]}`), ({ status }) => status === 200),
    "30 seconds"
  )
})
