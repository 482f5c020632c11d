/**
 * Sends 1,000 deliveries to a receiver that refuses a fifth of all attempts, and runs `strike`, a kill -9, twice in
 * between. Every delivery must be delivered, at most 5% may be duplicates after each kill, and the delivery log must
 * agree with the receiver.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { expectedEventIds } from "../../src/simulator/Chain.ts"
import { allDeliveries, apiClient, createWebhook, waitUntil } from "./apiClient.ts"
import { makeReceiver, signatureHolds } from "./receiver.ts"
import { type ServiceProcess, startService } from "./serviceProcess.ts"
import { makeSimulatedLedger } from "./simulatedLedger.ts"

const ADMIN_KEY = "svc_live_0123456789abcdefghijklmnopqrstuv"
const DELIVERIES = 1_000
const KILLS_AT = [300, 700]
/** The fraction of the deliveries that each kill may duplicate. */
const DUPLICATES_MAX = 0.05

interface Attempt {
  readonly attempt: number
  readonly status: string
  readonly response_status: number | null
}

type Environment = Readonly<Record<string, string>>

/** Kills the service or a part of it; returns the service that runs afterwards. */
type Strike = (
  service: ServiceProcess,
  environment: Environment
) => Effect.Effect<ServiceProcess, Error, Scope.Scope>

export const killRun = (strike: Strike) =>
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
    let requests = 0
    const receiver = yield* makeReceiver(({ deliveryId }) => {
      const given = answers.get(deliveryId) ?? []
      answers.set(deliveryId, given)
      const status = requests++ % 5 === 0 ? 503 : 200
      given.push(status)
      return status
    })
    const environment = {
      DATA_DIR: folder,
      ADMIN_KEY,
      XRPL_MAINNET_URLS: ledger.url,
      XRPL_MAINNET_START: String((yield* ledger.head).header.ledger_index),
      DELIVERY_ALLOW_HTTP: "true",
      DELIVERY_ALLOW_PRIVATE_ADDRESSES: "true",
      DELIVERY_RETRY_DELAYS: "100ms,200ms,400ms,1s,1s,1s,1s,1s,1s"
    }
    let service = yield* startService(environment)
    const { secret } = yield* createWebhook(apiClient(service.apiUrl, ADMIN_KEY), {
      url: receiver.url,
      event_types: ["*"]
    })
    const expected = new Set<string>()
    while (expected.size < DELIVERIES) {
      for (const id of expectedEventIds(yield* ledger.close)) expected.add(id)
    }
    for (const count of KILLS_AT) {
      yield* receiver.until((received) => received.length >= count)
      service = yield* strike(service, environment)
    }

    const client = apiClient(service.apiUrl, ADMIN_KEY)
    const ended = Effect.map(
      allDeliveries(client),
      (deliveries) =>
        deliveries.length === expected.size && deliveries.every(({ status }) => status === "delivered")
    )
    yield* waitUntil(ended, "60 seconds")

    const deliveries = yield* allDeliveries(client)
    assert.deepStrictEqual(new Set(deliveries.map(({ event_id }) => event_id)), expected)
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
    assert.isBelow(
      repeated / deliveries.length / KILLS_AT.length,
      DUPLICATES_MAX,
      `${repeated} attempts were made again`
    )
    for (const one of receiver.received) assert.isTrue(signatureHolds(secret, one))
  })
