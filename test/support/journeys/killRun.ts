/**
 * Records the transactions of the ledger (RAW_TRANSACTIONS), and sends deliveries to a receiver that refuses a fifth of all requests. Meanwhile it kills the service's whole process
 * tree (kill -9) and starts it again. Every delivery must be delivered, each kill may repeat no more attempts than
 * docs/stages.md says, a window of 1 must keep the order, and the delivery log must agree with the receiver. Each
 * transaction must be recorded once.
 */

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { expectedEventIds } from "../../../src/features/simulator/Chain.ts"
import { deliverLimits } from "../../../src/spine/deliver/Limits.ts"
import { deliveryIdsOf, makeReceiver, signatureHolds } from "../deliver/receiver.ts"
import { allDeliveries, apiClient, createWebhook, waitWhileChanging } from "../http/apiClient.ts"
import { makeSimulatedLedger } from "../ledger/simulatedLedger.ts"
import { runProgram } from "../program/program.ts"
import { startService } from "../program/serviceProcess.ts"

const ADMIN_KEY = "svc_live_0123456789abcdefghijklmnopqrstuv"
/** Vitest ends a test after this time: it must be a hang. On a quiet machine a run takes 10 to 30 s. */
export const HANG_MS = 600_000

interface WebhookFields {
  readonly max_in_flight?: number
  readonly ordering?: "strict"
  readonly batch?: { readonly max_events: number; readonly max_wait_ms: number }
}

/** How many deliveries of the webhook may be under way. */
const windowOf = ({ batch, max_in_flight = 16, ordering }: WebhookFields) =>
  (ordering === "strict" ? 1 : max_in_flight) * (batch?.max_events ?? 1)

interface Attempt {
  readonly attempt: number
  readonly status: string
  readonly response_status: number | null
}

export interface KillRun {
  readonly deliveries: number
  /** How many deliveries have been received at each kill. */
  readonly killsAt: ReadonlyArray<number>
  /** They share the deliveries: each gets every event. */
  readonly webhooks?: ReadonlyArray<WebhookFields>
}

export const killRun = ({ deliveries: count, killsAt, webhooks = [{}] }: KillRun) =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-kill-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    )
    const ledger = yield* makeSimulatedLedger({
      seed: 7,
      networkId: 0,
      transactionsPerLedger: 50,
      hashing: "digest"
    })
    /** The receiver's answers for each delivery, in order. */
    const answers = new Map<string, Array<number>>()
    /** Of the strict webhook: the delivery that was refused last, and those that came although it was. */
    const strictPath = `/hook/${webhooks.findIndex(({ ordering }) => ordering === "strict")}`
    let firstRefused: string | undefined
    const tooEarly: Array<string> = []
    let requests = 0
    const receiver = yield* makeReceiver((one, response) => {
      const ids = deliveryIdsOf(one)
      const turn = requests++ % 5
      const status = turn === 0 ? 503 : turn === 1 && Array.isArray(one.event) ? 207 : 200
      if (one.path === strictPath) {
        // The ids of deliveries are in the order of the ledger. After a kill an earlier one may come again.
        const [id] = ids
        const isNext = firstRefused === undefined || id! <= firstRefused
        if (!isNext) tooEarly.push(id!)
        firstRefused = status === 200 ? undefined : id
      }
      for (const id of ids) answers.set(id, [...(answers.get(id) ?? []), status])
      if (status !== 207) return status
      response.writeHead(status).end(JSON.stringify({ failed: ids.slice(0, 3) }))
      return "handled"
    })
    const environment = {
      DATA_DIR: folder,
      RAW_TRANSACTIONS: "true",
      ADMIN_KEY,
      XRPL_MAINNET_URLS: ledger.url,
      XRPL_MAINNET_START: String((yield* ledger.head).header.ledger_index),
      DELIVERY_ALLOW_HTTP: "true",
      DELIVERY_ALLOW_PRIVATE_ADDRESSES: "true",
      // An attempt that ends without an answer could not be compared with the receiver's answers.
      DELIVERY_TIMEOUT: "60s",
      DELIVERY_RETRY_DELAYS: "100ms,200ms,400ms,1s,1s,1s,1s,1s,1s"
    }
    let service = yield* startService(environment)
    const created = yield* Effect.forEach(webhooks, (fields, index) =>
      createWebhook(apiClient(service.apiUrl, ADMIN_KEY), {
        url: `${receiver.url}/${index}`,
        event_types: ["*"],
        ...fields
      })
    )
    const eventIds = new Set<string>()
    const transactions: Array<string> = []
    const first = (yield* ledger.head).header.ledger_index + 1
    while (eventIds.size * webhooks.length < count) {
      const closed = yield* ledger.close
      for (const id of expectedEventIds(closed)) eventIds.add(id)
      transactions.push(...closed.transactions.map(({ hash }) => hash))
    }
    const expected = new Set(created.flatMap(({ id }) => [...eventIds].map((eventId) => `${id} ${eventId}`)))
    for (const killAt of killsAt) {
      yield* receiver.until((received) => received.flatMap(deliveryIdsOf).length >= killAt)
      yield* service.kill
      service = yield* startService(environment)
    }

    const client = apiClient(service.apiUrl, ADMIN_KEY)
    // One request: reading all deliveries again and again would take CPU from the service.
    const counts = Effect.map(client.call("GET", "/v1/deliveries/stats"), ({ body }) => ({
      total: Number(body["total"]),
      delivered: Number(body["delivered"])
    }))
    yield* waitWhileChanging(
      counts,
      ({ total, delivered }) => total === expected.size && delivered === total,
      "60 seconds"
    )

    const deliveries = yield* allDeliveries(client)
    assert.deepStrictEqual(
      new Set(deliveries.map(({ event_id, webhook_id }) => `${webhook_id} ${event_id}`)),
      expected
    )
    let repeated = 0
    for (const { id, attempts } of deliveries) {
      const given = answers.get(id) ?? []
      repeated += given.length - attempts
      const { body } = yield* client.call("GET", `/v1/deliveries/${id}`)
      const history = body["attempt_history"] as unknown as ReadonlyArray<Attempt>
      assert.deepStrictEqual(
        history.map(({ attempt }) => attempt),
        Array.from({ length: attempts }, (_, i) => i + 1)
      )
      // Attempts are recorded in the order of the receiver's answers. Attempts that a kill interrupted are missing.
      let seen = 0
      for (const { response_status } of history) {
        seen = given.indexOf(response_status ?? 0, seen) + 1
        assert.isAbove(seen, 0, `${id} recorded ${response_status}, the receiver answered ${given}`)
      }
    }
    const last = (yield* ledger.head).header.ledger_index
    const range = ["--from", String(first), "--to", String(last), "--network", "mainnet", "--json"]
    const verified = runProgram(["ledger", "verify", ...range], { cwd: folder, environment })
    assert.deepInclude(JSON.parse(verified.stdout), {
      ok: true,
      ledgers: last - first + 1,
      transactions: transactions.length
    })
    yield* waitWhileChanging(
      Effect.map(client.call("GET", `/v1/transactions/${transactions.at(-1)}`), ({ status }) => status),
      (status) => status === 200,
      "60 seconds"
    )
    for (const hash of transactions) {
      const { body } = yield* client.call("GET", `/v1/transactions/${hash}`)
      assert.strictEqual(body["hash"], hash)
    }
    const bound = webhooks.reduce((sum, fields) => sum + windowOf(fields), deliverLimits.unrecordedMost)
    assert.isAtMost(repeated, bound * killsAt.length, "attempts were made again")
    assert.deepStrictEqual(
      tooEarly,
      [],
      "in strict order nothing is sent before everything earlier is answered"
    )
    for (const [index, fields] of webhooks.entries()) {
      const received = receiver.received.filter(({ path }) => path === `/hook/${index}`)
      for (const one of received) assert.isTrue(signatureHolds(created[index]!.secret, one))
      if (fields.max_in_flight !== 1 && fields.ordering !== "strict") continue
      // The ids of deliveries are in the order of the ledger.
      const first = [...new Set(received.flatMap(deliveryIdsOf))]
      assert.lengthOf(first, eventIds.size)
      assert.deepStrictEqual(first, first.toSorted())
    }
  })
