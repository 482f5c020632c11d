/** Streams of ledgers over HTTP: whose webhooks and which networks they show, what is refused, and how they end. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { StreamLimits } from "../../../src/features/events/stream/Limits.ts"
import { Partitions } from "../../../src/spine/deliveries/Partitions.ts"
import type { EventType } from "../../../src/spine/event/EventType.ts"
import type { Network } from "../../../src/spine/event/Network.ts"
import { eventually } from "../../support/deliver/delivering.ts"
import { ApiUnderTest, apiLayer } from "../../support/http/api.ts"
import { type OpenStream, openStream } from "../events/eventStream.ts"
import {
  attemptDelivery,
  queueLedger,
  routeLedgers,
  TAKEN,
  type TakenLedger,
  takeLedger
} from "./liveLedgers.ts"

const PATH = "/v1/activity/stream"

const client = Effect.fnUntraced(function* (environment: "live" | "test" = "test") {
  yield* Effect.flatMap(Partitions, (partitions) => partitions.ensure(TAKEN, TAKEN))
  const api = yield* ApiUnderTest
  const { key, accountId } = yield* api.account(environment)
  const open = (query = "", as = key) => openStream({ url: api.url, path: PATH, key: as, query })
  const refusal = (query = "") =>
    Effect.map(api.call("GET", `${PATH}${query}`, { key }), ({ status, body }) => [
      status,
      body?.error.message
    ])
  /** Creates a webhook on the default network of the environment. */
  const create = Effect.fnUntraced(function* () {
    const body = { url: "https://example.com/", event_types: ["*"] }
    return (yield* api.call("POST", "/v1/webhooks", { key, body })).body.id as string
  })
  return { ...api, key, accountId, open, refusal, create }
})

const routed = Effect.fnUntraced(function* (network: Network, types?: ReadonlyArray<EventType>) {
  const ledger = yield* takeLedger(network, types)
  yield* routeLedgers(network)
  return ledger
})

const messages = (stream: OpenStream) =>
  stream.blocks().flatMap(({ data, event }) => (event === "ledger" ? [JSON.parse(data ?? "")] : []))

/** The newest state of the ledger that the stream has sent. */
const stateOf = (stream: OpenStream, { index, network }: TakenLedger) =>
  messages(stream).findLast((one) => one.ledger_index === index && one.network === network)

const untilState = (stream: OpenStream, ledger: TakenLedger, expected: object) =>
  eventually(Effect.sync(() => assert.deepInclude(stateOf(stream, ledger), expected)))

const lastError = (stream: OpenStream) => {
  const block = stream.blocks().at(-1)
  assert.strictEqual(block?.event, "error")
  return JSON.parse(block?.data ?? "").error
}

layer(apiLayer(), { excludeTestServices: true })("a stream of ledgers", (it) => {
  it.effect("shows a ledger's events by type, and what each webhook has answered so far", () =>
    Effect.gen(function* () {
      const { accountId, create, open } = yield* client()
      const [webhookId, other] = [yield* create(), yield* create()].toSorted()
      const stream = yield* open()
      assert.strictEqual(stream.status, 200)
      assert.strictEqual(stream.headers["content-type"], "text/event-stream")
      const ledger = yield* routed("testnet", ["payment.xrp", "nft.minted", "payment.xrp"])
      const { closedAt: closed_at, index: ledger_index } = ledger
      const events = { "payment.xrp": 2, "nft.minted": 1 }
      const state = { network: "testnet", ledger_index, closed_at, events }
      yield* untilState(stream, ledger, { ...state, webhooks: [] })
      const [first, second] = yield* queueLedger(ledger, accountId, webhookId!)
      const nothingYet = { last_status: null, last_error: null, response_time_ms: null }
      const queued = { events: 3, event_types: events, answered: 0, failed: 0, ...nothingYet }
      yield* untilState(stream, ledger, { ...state, webhooks: [{ webhook_id: webhookId, ...queued }] })
      yield* attemptDelivery(first!, 1, "delivered")
      yield* attemptDelivery(second!, 2, "retrying")
      yield* queueLedger(ledger, accountId, other!)
      const last = { last_status: 503, last_error: "HTTP 503", response_time_ms: 12 }
      yield* untilState(stream, ledger, {
        ...state,
        webhooks: [
          { webhook_id: webhookId, ...queued, answered: 1, failed: 1, ...last },
          { webhook_id: other, ...queued }
        ]
      })
    })
  )

  it.effect("begins with the ledgers that were there before", () =>
    Effect.gen(function* () {
      const { open } = yield* client()
      const before = [yield* routed("testnet"), yield* routed("testnet", [])]
      const stream = yield* open()
      for (const ledger of before) yield* untilState(stream, ledger, { ledger_index: ledger.index })
      assert.isBelow(
        messages(stream).findIndex(({ ledger_index }) => ledger_index === before[0]!.index),
        messages(stream).findIndex(({ ledger_index }) => ledger_index === before[1]!.index)
      )
    })
  )

  it.effect("shows the networks of its key that are watched, or the one that it asks for", () =>
    Effect.gen(function* () {
      const [test, live] = [yield* client("test"), yield* client("live")]
      const streams = {
        test: yield* test.open(),
        devnet: yield* test.open("?network=devnet"),
        live: yield* live.open()
      }
      const ledgers = [yield* routed("mainnet"), yield* routed("testnet"), yield* routed("devnet")]
      const seen = (stream: OpenStream) =>
        ledgers.flatMap((ledger) => (stateOf(stream, ledger) === undefined ? [] : [ledger.network]))
      yield* eventually(
        Effect.sync(() => {
          assert.deepStrictEqual(seen(streams.test), ["testnet", "devnet"])
          assert.deepStrictEqual(seen(streams.devnet), ["devnet"])
          assert.deepStrictEqual(seen(streams.live), ["mainnet"])
        })
      )
      assert.deepStrictEqual(yield* test.refusal("?network=mainnet"), [
        400,
        "network must be testnet or devnet with a test key."
      ])
      assert.deepStrictEqual(yield* test.refusal("?since=1"), [400, "since is unknown; accepted: network."])
    })
  )

  it.effect("shows no webhooks and no deliveries of other accounts", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* client(), yield* client()]
      const [stream, theirs] = [yield* one.open(), yield* other.open()]
      const webhookId = yield* one.create()
      const ledger = yield* routed("testnet")
      yield* queueLedger(ledger, one.accountId, webhookId)
      yield* eventually(Effect.sync(() => assert.lengthOf(stateOf(stream, ledger)?.webhooks ?? [], 1)))
      yield* untilState(theirs, ledger, { events: { "payment.xrp": 1 }, webhooks: [] })
      assert.notInclude(theirs.text(), webhookId)
    })
  )

  it.effect("ends when its key is revoked, and says so", () =>
    Effect.gen(function* () {
      const { accountId, call, key, keyFor, open } = yield* client()
      const other = yield* keyFor(accountId, "test", ["deliveries:read"])
      const [stream, kept] = [yield* open("", other), yield* open()]
      const { body } = yield* call("GET", "/v1/api-keys", { key })
      const { id } = body.data.find(({ key_hint }: { key_hint: string }) =>
        other.endsWith(key_hint.slice(-4))
      )
      yield* call("DELETE", `/v1/api-keys/${id}`, { key })
      yield* eventually(Effect.sync(() => assert.isTrue(stream.isClosed())))
      assert.deepInclude(lastError(stream), { code: "UNAUTHORIZED" })
      const ledger = yield* routed("testnet")
      yield* untilState(kept, ledger, { ledger_index: ledger.index })
    })
  )
})

const few = apiLayer().pipe(
  Layer.provide(
    Layer.effect(
      StreamLimits,
      Effect.map(StreamLimits, (standard) => ({ ...standard, perAccount: 1 }))
    )
  )
)
layer(few, { excludeTestServices: true })("the number of streams of ledgers", (it) => {
  it.effect("is limited for an account, beside that of its event streams", () =>
    Effect.gen(function* () {
      const { key, open, refusal, url } = yield* client()
      assert.strictEqual((yield* openStream({ url, key })).status, 200)
      const stream = yield* open()
      assert.strictEqual(stream.status, 200)
      assert.deepStrictEqual(yield* refusal(), [
        429,
        "This account has 1 ledger streams open on this server, and may have no more; end one first."
      ])
      stream.close()
      yield* eventually(Effect.map(refusal(), ([status]) => assert.strictEqual(status, 200)))
    })
  )
})

const withoutMainnet = apiLayer({ XRPL_MAINNET_URLS: "" })
layer(withoutMainnet, { excludeTestServices: true })("a live key", (it) => {
  it.effect("is refused a stream if mainnet is not watched, with what can be done", () =>
    Effect.gen(function* () {
      const [status, message] = yield* (yield* client("live")).refusal()
      assert.strictEqual(status, 400)
      assert.match(message, /^network mainnet is not watched by this service \(.*XRPL_MAINNET_URLS\)/)
    })
  )
})
