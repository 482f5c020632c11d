/**
 * Makes a store as customers would leave it: the program of this version runs on a simulated mainnet with webhooks of
 * every form and receivers that accept, fail and ask to wait, and is stopped in order. Returns the list of the store.
 */
import { join } from "node:path"
import { Effect } from "effect"
import { expectedEventIds } from "../../../src/features/simulator/Chain.ts"
import { rippleToUnixMs } from "../../../src/spine/event/Ledger.ts"
import { makeReceiver } from "../deliver/receiver.ts"
import { allDeliveries, apiClient, createWebhook, waitUntil } from "../http/apiClient.ts"
import { makeSimulatedLedger } from "../ledger/simulatedLedger.ts"
import { startProgram } from "../program/program.ts"
import type { KeptAnswer, StoreList } from "./fixture.ts"
import { completeStore, MAIL_CAUSE } from "./rareRows.ts"

/** Opens this store only. */
const LIVE_KEY = "svc_live_0123456789abcdefghijklmnopqrstuv"
const PAST_LEDGERS = 4
const RETRY_AFTER_S = 300
const ALL = { event_types: ["*"] }

/** Runs the program while `use` runs, and stops it with SIGTERM. */
export const withService = <A, E, R>(
  folder: string,
  environment: Readonly<Record<string, string>>,
  use: (url: string) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const program = yield* startProgram(["start"], {
      cwd: folder,
      environment: { PORT: "0", LOG_LEVEL: "warn", ...environment }
    })
    const line = yield* program.printed(/Ledgerhook API: /)
    const result = yield* use(line.replace("Ledgerhook API: ", ""))
    yield* program.signal("SIGTERM")
    if ((yield* program.ended) !== 0) return yield* Effect.die(new Error("the program did not stop in order"))
    return result
  }).pipe(Effect.scoped)

export const makeStore = Effect.fnUntraced(function* (folder: string, version: string) {
  const dataDir = join(folder, "data")
  const ledger = yield* makeSimulatedLedger({ seed: 27, networkId: 0, transactionsPerLedger: 8 })
  const pastTime = (yield* ledger.head).header.close_time
  for (let n = 0; n < PAST_LEDGERS; n++) yield* ledger.close
  const first = (yield* ledger.head).header.ledger_index + 1
  const environment = {
    DATA_DIR: dataDir,
    ADMIN_KEY: LIVE_KEY,
    XRPL_MAINNET_URLS: ledger.url,
    XRPL_MAINNET_HISTORY_URLS: ledger.url,
    XRPL_MAINNET_START: String(first),
    RAW_TRANSACTIONS: "true",
    DELIVERY_ALLOW_HTTP: "true",
    DELIVERY_ALLOW_PRIVATE_ADDRESSES: "true"
  }
  const receiver = yield* makeReceiver(({ path }, response) => {
    if (path.startsWith("/hook/down")) return 503
    if (!path.startsWith("/hook/later")) return 200
    response.writeHead(503, { "Retry-After": String(RETRY_AFTER_S) }).end("later")
    return "handled"
  })
  const expected: Array<string> = []
  const close = Effect.gen(function* () {
    expected.push(...expectedEventIds(yield* ledger.close))
  })
  const hook = (path: string, fields: object = {}) => ({ url: `${receiver.url}/${path}`, ...ALL, ...fields })
  const must = (answer: { readonly status: number; readonly body: unknown }) => {
    if (answer.status >= 300) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body as Readonly<Record<string, unknown>>
  }

  // A series of two attempts, so that deliveries end `failed`, and the webhook is disabled, which causes mails.
  const failing = { ...environment, DELIVERY_RETRY_DELAYS: "100ms", DISABLE_AFTER_FAILURES: "4" }
  const down = yield* withService(folder, failing, (url) =>
    Effect.gen(function* () {
      const client = apiClient(url, LIVE_KEY)
      const { id } = yield* createWebhook(client, hook("down"))
      while (expected.length < 10) yield* close
      const isDisabled = Effect.map(
        client.call("GET", `/v1/webhooks/${id}`),
        ({ body }) => body["status"] === "disabled"
      )
      yield* waitUntil(isDisabled, "60 seconds")
      return id
    })
  )

  const ran = yield* withService(folder, environment, (url) =>
    Effect.gen(function* () {
      const live = apiClient(url, LIVE_KEY)
      const post = (path: string, body: object) => Effect.map(live.call("POST", path, body), must)
      const testKey = String(
        (yield* post("/v1/api-keys", { name: "test", environment: "test", scopes: ["admin"] }))["key"]
      )
      const revoked = yield* post("/v1/api-keys", { name: "old", scopes: ["webhooks:read"] })
      yield* live.call("DELETE", `/v1/api-keys/${revoked["id"]}`)
      const test = apiClient(url, testKey)
      yield* createWebhook(test, hook("test", { network: "testnet" }))
      yield* createWebhook(test, hook("test", { network: "devnet", status: undefined }))

      const made: Array<string> = []
      for (const form of [
        { max_in_flight: 1, description: "Plain" },
        { signing: ["service", "standard"], format: "cloudevents", headers: { "X-Team": "one" } },
        { batch: { max_events: 20, max_wait_ms: 200 }, compression: "gzip" },
        { compression: "zstd" }
      ])
        made.push((yield* createWebhook(live, hook("accept", form))).id)
      const rotated = yield* post(`/v1/webhooks/${made[0]}/rotate-secret`, { grace_seconds: 86_400 })
      if (rotated["secret"] === undefined) throw new Error("no secret after the rotation")
      yield* createWebhook(
        live,
        hook("some", {
          event_types: ["payment.xrp"],
          payload_filter: { amount: { $gt: "1" } }
        })
      )
      const later = (yield* createWebhook(live, hook("later"))).id
      const slow = { max_per_second: 1, max_in_flight: 1 }
      const paused = (yield* createWebhook(live, hook("slow", slow))).id
      const deleted = (yield* createWebhook(live, hook("slow", slow))).id

      const headers = { "X-Service-Key": LIVE_KEY, "Idempotency-Key": "store-fixture" }
      const { status } = yield* Effect.promise(() =>
        fetch(`${url}/v1/webhooks/${later}/rotate-secret`, { method: "POST", headers })
      )
      if (status !== 200) throw new Error(`${status} for a request with an Idempotency-Key`)
      const before = expected.length
      for (let n = 0; n < 3; n++) yield* close
      const accepted = () => receiver.received.filter(({ path }) => path === "/hook/accept").length
      yield* waitUntil(
        Effect.map(
          allDeliveries(live),
          (all) =>
            all.filter(({ webhook_id, status }) => webhook_id === later && status === "retrying").length ===
            expected.length - before
        ),
        "60 seconds"
      )
      yield* Effect.map(live.call("PATCH", `/v1/webhooks/${paused}`, { status: "disabled" }), must)
      yield* live.call("DELETE", `/v1/webhooks/${deleted}`)
      yield* Effect.map(live.call("PUT", "/v1/account/notices", { url: `${receiver.url}/notices` }), must)
      const [event] = expected
      yield* post(`/v1/webhooks/${made[0]}/test`, { event_type: "nft.minted" })
      const jobs = [
        yield* post("/v1/replay", { webhook_id: made[0], event_ids: [event, expected[1]] }),
        yield* post("/v1/replay", {
          webhook_id: made[1],
          filters: { since: new Date(rippleToUnixMs(pastTime)).toISOString() }
        }),
        yield* post("/v1/deliveries/retry", { webhook_id: later, statuses: ["retrying"] })
      ].map((job) => String(job["job_id"]))
      for (const id of jobs)
        yield* waitUntil(
          Effect.map(live.call("GET", `/v1/replay/${id}`), ({ body }) => body["status"] === "completed"),
          "60 seconds"
        )
      yield* waitUntil(
        Effect.map(allDeliveries(live), (all) =>
          all.every(({ status, webhook_id }) => status !== "pending" || webhook_id === paused)
        ),
        "60 seconds"
      )
      if (accepted() === 0) throw new Error("nothing was accepted")
      return { testKey, made, paused, jobs }
    })
  )
  const {
    close_time: closeTime,
    ledger_hash: ledgerHash,
    ledger_index: ledgerIndex
  } = (yield* ledger.head).header
  const newest = { ledgerIndex, ledgerHash, closeTime }

  // Without workers, jobs stay queued, and nothing changes while the answers are read.
  const kept = yield* withService(folder, { ...environment, ROLES: "api" }, (url) =>
    Effect.gen(function* () {
      const clients = { live: apiClient(url, LIVE_KEY), test: apiClient(url, ran.testKey) }
      const job = (body: object) =>
        Effect.map(clients.live.call("POST", "/v1/replay", body), (answer) => String(must(answer)["job_id"]))
      const [webhook] = ran.made
      const queued = yield* Effect.forEach([0, 1, 2], (n) =>
        job({ webhook_id: webhook, event_ids: expected.slice(n, n + 2) })
      )
      const cancelled = queued.pop()
      yield* clients.live.call("DELETE", `/v1/replay/${cancelled}`)
      // The others were finished before, or wait for the webhook that answers later.
      yield* waitUntil(
        Effect.map(
          clients.live.call("GET", `/v1/replay/${cancelled}`),
          ({ body }) => (body["finished_at"] as unknown) !== null
        ),
        "60 seconds"
      )
      const deliveries = yield* allDeliveries(clients.live)
      const withStatus = (status: string) => deliveries.filter((one) => one.status === status)
      const answers: Array<KeptAnswer> = []
      const keep = Effect.fnUntraced(function* (
        key: "live" | "test",
        path: string,
        without: ReadonlyArray<string> = []
      ) {
        const text = JSON.stringify(must(yield* clients[key].call("GET", path)), (field, value) =>
          without.includes(field) ? undefined : value
        )
        answers.push({ key, path, body: JSON.parse(text) })
      })
      // The first one is changed below.
      for (const id of [...ran.made.slice(1), ran.paused, down]) yield* keep("live", `/v1/webhooks/${id}`)
      for (const status of ["delivered", "failed", "retrying", "pending"])
        for (const { id } of withStatus(status).slice(0, 3)) yield* keep("live", `/v1/deliveries/${id}`)
      for (const id of [...ran.jobs, cancelled]) yield* keep("live", `/v1/replay/${id}`)
      for (const id of expected.slice(-3)) yield* keep("live", `/v1/events/${id}`)
      // These change while nothing is stored.
      yield* keep("live", "/v1/ledgers/coverage", ["head", "catching_up", "seconds_late"])
      yield* keep("test", "/v1/webhooks")
      const { body: account } = yield* clients.live.call("GET", "/v1/account")
      return {
        account: String(account["id"]),
        answers,
        counts: Object.fromEntries(
          ["delivered", "failed", "retrying", "pending"].map((status) => [status, withStatus(status).length])
        ),
        retrying: withStatus("retrying").map(({ id }) => id),
        waiting: withStatus("pending").map(({ id }) => id),
        queued
      }
    })
  )
  const completed = yield* completeStore(dataDir, kept.account, ran.made[0]!)
  const list: StoreList = {
    version,
    created_at: new Date().toISOString(),
    keys: { live: LIVE_KEY, test: ran.testKey },
    mainnet: { first, last: newest },
    answers: kept.answers,
    deliveries: kept.counts,
    unfinished: {
      webhooks: ran.made,
      disabledWebhook: ran.paused,
      retrying: kept.retrying,
      waiting: kept.waiting,
      jobs: kept.queued,
      mail: MAIL_CAUSE
    },
    ...completed
  }
  return { list, dataDir }
})
