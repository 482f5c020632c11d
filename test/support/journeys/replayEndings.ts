/**
 * Stops replays halfway on a running service with any log: cancels the job, disables or deletes its webhook, and (with
 * the operator's commands) uses up the quota. The receiver must get exactly the events that the job reports as queued.
 * This needs more past events than a job queues ahead: a receiver that delays its answers then stops the job too.
 */

import type { ServerResponse } from "node:http"
import { assert } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { replayLimits } from "../../../src/features/replay/Limits.ts"
import { makeReceiver, type Receiver } from "../deliver/receiver.ts"
import { type ApiClient, createWebhook, waitUntil } from "../http/apiClient.ts"
import { startProgram } from "../program/program.ts"
import { jobOf, replay } from "./replayRun.ts"

/** The answer is promised within one second; the rest is for the request itself. */
const CANCELLED_MS = 1_500
/** More events than a job queues ahead, and not a whole number of batches. */
const CARRIED = replayLimits.replayAhead + 123

const makeHoldingReceiver = Effect.gen(function* () {
  let held: Array<ServerResponse> | undefined = []
  const receiver = yield* makeReceiver((_, response) => {
    if (held === undefined) return 200
    held.push(response)
    return "handled"
  })
  const release = Effect.sync(() => {
    for (const response of held ?? []) response.end()
    held = undefined
  })
  return { receiver, release }
})

interface Stats {
  readonly total: number
  readonly delivered: number
  readonly failed: number
  readonly pending: number
}

const statsOf = (client: ApiClient, query: string) =>
  Effect.map(client.call("GET", `/v1/deliveries/stats?${query}`), ({ body }) => body as unknown as Stats)

const untilEnded = Effect.fnUntraced(function* (client: ApiClient, id: string, status: string) {
  yield* waitUntil(
    Effect.map(jobOf(client, id), (job) => job.status === status),
    "90 seconds"
  )
  return yield* jobOf(client, id)
})

/** Starts a job, and waits until its receiver delays the answer to the first delivery. */
const heldJob = Effect.fnUntraced(function* (client: ApiClient) {
  const { receiver, release } = yield* makeHoldingReceiver
  const { id: webhookId } = yield* createWebhook(client, {
    url: receiver.url,
    event_types: ["*"],
    max_in_flight: 1
  })
  const { job_id: id } = yield* replay(client, { webhook_id: webhookId, filters: {} })
  yield* waitUntil(
    Effect.map(jobOf(client, id), ({ processed_events }) => processed_events === replayLimits.replayAhead),
    "90 seconds"
  )
  yield* receiver.until((received) => received.length > 0)
  return { id, webhookId, receiver, release }
})

const comes = Effect.fnUntraced(function* (
  client: ApiClient,
  receiver: Receiver,
  webhookId: string,
  expected: ReadonlyArray<string>
) {
  const arrived = () => new Set(receiver.received.map(({ event }) => event.event_id))
  yield* receiver.until(() => arrived().size >= expected.length)
  const stats = statsOf(client, `period=1h&webhook_id=${webhookId}`)
  yield* waitUntil(
    Effect.map(stats, ({ delivered }) => delivered === expected.length),
    "90 seconds"
  )
  assert.deepInclude(yield* stats, { total: expected.length, pending: 0, failed: 0 })
  assert.deepStrictEqual([...arrived()].toSorted(), expected.toSorted())
})

/** `expected`: all past events, in ledger order. `environment`: the service's, for the operator's commands. */
export const replayEndings = Effect.fnUntraced(function* (
  client: ApiClient,
  expected: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>
) {
  const cancelled = yield* heldJob(client)
  const [elapsed, answer] = yield* Effect.timed(client.call("DELETE", `/v1/replay/${cancelled.id}`))
  assert.strictEqual(answer.status, 200)
  assert.isBelow(Duration.toMillis(elapsed), CANCELLED_MS)
  const left = {
    processed_events: replayLimits.replayAhead,
    failed_events: expected.length - replayLimits.replayAhead
  }
  assert.deepInclude(yield* jobOf(client, cancelled.id), {
    status: "cancelled",
    processed_events: left.processed_events
  })
  yield* cancelled.release
  yield* comes(client, cancelled.receiver, cancelled.webhookId, expected.slice(0, replayLimits.replayAhead))

  const disabled = yield* heldJob(client)
  const path = `/v1/webhooks/${disabled.webhookId}`
  yield* client.call("PATCH", path, { status: "disabled" })
  assert.deepInclude(yield* untilEnded(client, disabled.id, "failed"), {
    ...left,
    error: "The webhook was disabled."
  })
  yield* disabled.release
  yield* client.call("PATCH", path, { status: "active" })
  yield* comes(client, disabled.receiver, disabled.webhookId, expected.slice(0, replayLimits.replayAhead))

  const deleted = yield* heldJob(client)
  yield* client.call("DELETE", `/v1/webhooks/${deleted.webhookId}`)
  assert.deepInclude(yield* untilEnded(client, deleted.id, "failed"), {
    ...left,
    error: "The webhook was deleted."
  })
  yield* deleted.release

  // When none of the account's deliveries is pending, its usage no longer changes.
  yield* waitUntil(
    Effect.map(statsOf(client, "period=24h"), ({ pending }) => pending === 0),
    "90 seconds"
  )
  const ledgerhook = Effect.fnUntraced(function* (code: number, ...args: ReadonlyArray<string>) {
    const program = yield* startProgram(args, { cwd: import.meta.dirname, environment })
    assert.strictEqual(yield* program.ended, code, args.join(" "))
    return program.stdout()
  })
  const json = (...args: ReadonlyArray<string>) =>
    Effect.map(ledgerhook(0, ...args, "--json"), (text) => JSON.parse(text))
  const used = Effect.map(client.call("GET", "/v1/account"), ({ body }) => {
    const { usage } = body as unknown as { readonly usage: { readonly deliveries: number } }
    return usage.deliveries
  })
  const [account] = yield* json("account", "list")
  const quota = (yield* used) + CARRIED
  yield* json("account", "set-limits", account.id, "--monthly-deliveries", String(quota))

  const receiver = yield* makeReceiver()
  const { id: webhookId } = yield* createWebhook(client, { url: receiver.url, event_types: ["*"] })
  const create = ["replay", "create", "--webhook", webhookId, "--type", "*"]
  assert.deepInclude(yield* json(...create, "--dry-run"), { events: expected.length, unknown_events: 0 })
  const { job_id: id } = yield* json(...create)
  // The last line and the exit code describe how the job ended.
  const lines = (yield* ledgerhook(1, "replay", "watch", id)).trim().split("\n")
  const ended = JSON.parse(lines.at(-1)!)
  const queued = ended.processed_events
  // The attempt under way when its webhook was deleted may have been charged after `used` was first read.
  assert.include([CARRIED, CARRIED - 1], queued)
  assert.deepInclude(ended, {
    job_id: id,
    status: "failed",
    failed_events: expected.length - queued,
    error: "The month's delivery quota is used up."
  })
  assert.deepInclude((yield* json("replay", "list", "--webhook", webhookId))[0], {
    job_id: id,
    processed_events: queued
  })
  yield* comes(client, receiver, webhookId, expected.slice(0, queued))
  assert.strictEqual(yield* used, quota)
})
