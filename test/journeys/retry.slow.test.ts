/**
 * A customer repairs a receiver that was broken for a while: one request brings everything that it missed, through kill -9
 * of the whole process tree. Each delivery keeps its id, and next to nothing is sent twice.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { expectedEventIds } from "../../src/features/simulator/Chain.ts"
import { makeReceiver } from "../support/deliver/receiver.ts"
import { allDeliveries, apiClient, createWebhook, waitUntil } from "../support/http/apiClient.ts"
import { ADMIN_KEY, jobOf, simulatedMainnet } from "../support/journeys/replayRun.ts"
import { startService } from "../support/program/serviceProcess.ts"

const EVENTS = 600
const KILL_AT = 200
/** Attempts that may be under way or unrecorded when the process dies. */
const REPEATED_MAX = 16 + 40

it.live(
  "a retry job brings all that a webhook has missed, through kill -9",
  () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-retry-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
      )
      const { environment: network, ledger } = yield* simulatedMainnet
      const environment = {
        ...network,
        DATA_DIR: folder,
        DELIVERY_RETRY_DELAYS: "1h",
        DISABLE_AFTER_FAILURES: "1000000"
      }
      let service = yield* startService(environment)
      let client = apiClient(service.apiUrl, ADMIN_KEY)
      let broken = true
      const receiver = yield* makeReceiver(() => (broken ? 503 : 200))
      const { id } = yield* createWebhook(client, { url: receiver.url, event_types: ["*"] })
      let expected = 0
      while (expected < EVENTS) expected += expectedEventIds(yield* ledger.close).length
      const retry = (body: object) => client.call("POST", "/v1/deliveries/retry", { webhook_id: id, ...body })
      const matched = (body: object) =>
        Effect.map(retry({ ...body, dry_run: true }), (answer) => answer.body["matched"] as unknown as number)
      const run = Effect.fnUntraced(function* (body: object) {
        const answer = yield* retry(body)
        assert.strictEqual(answer.status, 202, JSON.stringify(answer.body))
        return String(answer.body["job_id"])
      })
      const until = (jobId: string, status: string) =>
        waitUntil(
          Effect.suspend(() => Effect.map(jobOf(client, jobId), (job) => job.status === status)),
          "60 seconds"
        )

      yield* waitUntil(
        Effect.map(matched({ statuses: ["retrying"] }), (count) => count === expected),
        "60 seconds"
      )
      // The receiver is still broken, so the deliveries' last attempts fail now and not in an hour.
      const payments = yield* matched({ event_types: ["payment.*"] })
      assert.isAbove(payments, 50)
      yield* until(yield* run({ event_types: ["payment.*"] }), "completed")
      yield* waitUntil(
        Effect.map(matched({ statuses: ["failed"] }), (count) => count === payments),
        "60 seconds"
      )
      assert.strictEqual(yield* matched({}), expected)

      broken = false
      const before = receiver.received.length
      assert.strictEqual(before, expected + payments)
      const deliveries = yield* allDeliveries(client)
      const job = yield* run({})
      yield* receiver.until((received) => received.length >= before + KILL_AT)
      yield* service.kill
      service = yield* startService(environment)
      client = apiClient(service.apiUrl, ADMIN_KEY)
      yield* until(job, "completed")
      const delivered = Effect.map(allDeliveries(client), (all) =>
        all.every((one) => one.status === "delivered")
      )
      yield* waitUntil(delivered, "60 seconds")

      assert.deepInclude(yield* jobOf(client, job), { failed_events: 0, progress_percent: 100 })
      const after = new Map((yield* allDeliveries(client)).map((one) => [one.id, one]))
      assert.strictEqual(after.size, expected)
      for (const one of deliveries) assert.strictEqual(after.get(one.id)?.attempts, one.attempts + 1)
      const again = receiver.received.slice(before)
      assert.deepStrictEqual(
        new Set(again.map(({ deliveryId }) => deliveryId)),
        new Set(deliveries.map((one) => one.id))
      )
      assert.isAtMost(again.length - expected, REPEATED_MAX)
      assert.strictEqual(yield* matched({}), 0)
    }),
  300_000
)
