/**
 * An upgrade from the newest release: its program serves and delivers under steady load, the present program migrates
 * beside it, then its processes are replaced one after the other. Nothing may be lost, sent twice or sent out of order.
 */
import { tmpdir } from "node:os"
import { assert } from "@effect/vitest"
import { Effect, Layer, Schedule } from "effect"
import { expectedEventIds } from "../../../src/features/simulator/Chain.ts"
import * as Sql from "../../../src/spine/store/Sql.ts"
import { makeReceiver } from "../deliver/receiver.ts"
import { allDeliveries, apiClient, createWebhook, waitUntil } from "../http/apiClient.ts"
import { makeSimulatedLedger } from "../ledger/simulatedLedger.ts"
import { startProgram } from "../program/program.ts"
import { settingsLayer } from "../program/settings.ts"
import { compatibleChange } from "./compatibleChange.ts"
import { releasedProgram } from "./releasedProgram.ts"

const ADMIN_KEY = "svc_live_0123456789abcdefghijklmnopqrstuv"
/** Events between two steps. */
const STEP = 30

/** `where` names the stores. Each process has all roles. */
export const upgradeRun = Effect.fnUntraced(function* (
  where: Readonly<Record<string, string>>,
  processes: number
) {
  const older = yield* releasedProgram
  const ledger = yield* makeSimulatedLedger({
    seed: 12,
    networkId: 0,
    transactionsPerLedger: 5,
    hashing: "digest"
  })
  const environment = {
    ...where,
    ADMIN_KEY,
    SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
    XRPL_MAINNET_URLS: ledger.url,
    XRPL_MAINNET_START: String((yield* ledger.head).header.ledger_index),
    DELIVERY_ALLOW_HTTP: "true",
    DELIVERY_ALLOW_PRIVATE_ADDRESSES: "true",
    DELIVERY_RETRY_DELAYS: "2s,3s,1s,1s,1s,1s,1s,1s,1s"
  }
  const start = Effect.fnUntraced(function* (program?: string) {
    const running = yield* startProgram(["start"], {
      cwd: tmpdir(),
      environment: { PORT: "0", LOG_LEVEL: "warn", ...environment },
      ...(program === undefined ? {} : { program })
    })
    const url = (yield* running.printed(/Ledgerhook API: /)).replace("Ledgerhook API: ", "")
    const isReady = Effect.promise(() =>
      fetch(`${url}/readyz`).then(
        ({ status }) => status === 200,
        () => false
      )
    )
    yield* waitUntil(isReady, "60 seconds")
    return { running, client: apiClient(url, ADMIN_KEY) }
  })

  const ordered = yield* makeReceiver()
  /** How often each event was accepted. Every fourth request is refused, so that retries wait at every step. */
  const accepted = new Map<string, number>()
  let requests = 0
  const refusing = yield* makeReceiver(({ event: { event_id } }) => {
    if (requests++ % 4 === 0) return 503
    accepted.set(event_id, (accepted.get(event_id) ?? 0) + 1)
    return 200
  })

  const services = yield* Effect.forEach(Array.from({ length: processes }), () => start(older), {
    concurrency: "unbounded"
  })
  const { client } = services[0]!
  const { id } = yield* createWebhook(client, { url: ordered.url, event_types: ["*"], max_in_flight: 1 })
  yield* createWebhook(client, { url: refusing.url, event_types: ["*"] })

  const expected: Array<string> = []
  let underLoad = true
  const close = Effect.gen(function* () {
    if (underLoad) expected.push(...expectedEventIds(yield* ledger.close))
  })
  yield* Effect.forkScoped(Effect.repeat(close, Schedule.spaced("250 millis")))
  /** Waits until both receivers have what was closed so far and `STEP` events more. */
  const step = Effect.suspend(() => {
    const wanted = expected.length + STEP
    return waitUntil(
      Effect.sync(() => ordered.received.length >= wanted && accepted.size >= wanted),
      "60 seconds"
    )
  })

  yield* step
  const migrating = yield* startProgram(["migrate"], { cwd: tmpdir(), environment })
  assert.strictEqual(yield* migrating.ended, 0)
  // Also what a later migration may do, so that this holds while the present program brings none.
  yield* compatibleChange.pipe(
    Effect.provide(
      Sql.unmigratedLayer({ command: "test", owner: false }).pipe(Layer.provide(settingsLayer(where)))
    )
  )
  yield* step
  const changed = yield* client.call("PATCH", `/v1/webhooks/${id}`, { description: "changed by the older" })
  assert.strictEqual(changed.status, 200)

  for (const [place, { running }] of services.entries()) {
    yield* running.signal("SIGTERM")
    assert.strictEqual(yield* running.ended, 0)
    services[place] = yield* start()
    yield* step
  }
  underLoad = false
  yield* waitUntil(
    Effect.sync(() => ordered.received.length >= expected.length && accepted.size >= expected.length),
    "60 seconds"
  )
  assert.deepStrictEqual(
    ordered.received.map(({ event }) => event.event_id),
    expected
  )
  assert.deepStrictEqual([...accepted.keys()].sort(), [...expected].sort())
  assert.deepStrictEqual(
    [...new Set(accepted.values())],
    [1],
    "an event was sent again after it was accepted"
  )
  const present = services[0]!.client
  const isRecorded = Effect.map(
    allDeliveries(present),
    (all) => all.length === 2 * expected.length && all.every(({ status }) => status === "delivered")
  )
  yield* waitUntil(isRecorded, "30 seconds")
  const { body } = yield* present.call("GET", `/v1/webhooks/${id}`)
  assert.strictEqual(body["description"], "changed by the older")
  yield* Effect.forEach(services, ({ running }) => Effect.andThen(running.signal("SIGTERM"), running.ended))
})
