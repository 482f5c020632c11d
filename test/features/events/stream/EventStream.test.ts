/** Event streams over HTTP: their events and order, resuming, filters, refusals, and how streams end. */
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { EventIndex } from "../../../../src/features/events/EventIndex.ts"
import { StreamLimits } from "../../../../src/features/events/stream/Limits.ts"
import { EVENT_ID_FORM } from "../../../../src/http/ContractParts.ts"
import { expandPattern } from "../../../../src/spine/event/EventType.ts"
import { withIncluded } from "../../../../src/spine/event/Include.ts"
import { eventJson, type LedgerEvent } from "../../../../src/spine/event/LedgerEvent.ts"
import { booked } from "../../../support/deliver/bookedEvent.ts"
import { eventually } from "../../../support/deliver/delivering.ts"
import { addresses } from "../../../support/deliver/events.ts"
import { ApiUnderTest, anotherServer, apiLayer } from "../../../support/http/api.ts"
import { generator } from "../../../support/ledger/misbehavingServer.ts"
import {
  appendLedgers,
  appendNoise,
  ledgersOf,
  type OpenStream,
  openStream,
  type StreamRequest
} from "../eventStream.ts"

const SEED = 5

const idsOf = (events: ReadonlyArray<LedgerEvent>): ReadonlyArray<string> =>
  events.map(({ event_id }) => event_id)

const untilIds = ({ ids }: OpenStream, expected: ReadonlyArray<LedgerEvent>) =>
  eventually(Effect.sync(() => assert.deepStrictEqual(ids(), idsOf(expected))))

/** Each test has ledgers of its own on the shared log, which are those after the ones before. */
const nextLedger = (
  (next) => (count: number) =>
    // biome-ignore lint/suspicious/noAssignInExpressions: one counter for the file
    (next += count) - count
)(1_000)

const newLedgers = (options: Partial<Parameters<typeof ledgersOf>[0]> = {}) =>
  ledgersOf({ ...options, first: nextLedger(options.count ?? 1) })

const client = Effect.fnUntraced(function* (environment: "live" | "test" = "live") {
  const api = yield* ApiUnderTest
  const { key, accountId } = yield* api.account(environment)
  const open = (request: Partial<StreamRequest> = {}) => openStream({ url: api.url, key, ...request })
  return { ...api, key, accountId, open }
})

const limits = (changed: object) =>
  Layer.effect(
    StreamLimits,
    Effect.map(StreamLimits, (standard) => ({ ...standard, ...changed }))
  )

const lastError = (stream: OpenStream) => {
  const block = stream.blocks().at(-1)
  assert.strictEqual(block?.event, "error")
  return JSON.parse(block?.data ?? "").error
}

layer(apiLayer(), { excludeTestServices: true })("an event stream", (it) => {
  it.effect("gives new events in the log's order, with the bytes of GET /v1/events", () =>
    Effect.gen(function* () {
      const { call, key, open } = yield* client()
      yield* appendLedgers(newLedgers())
      const stream = yield* open()
      assert.strictEqual(stream.status, 200)
      assert.strictEqual(stream.headers["content-type"], "text/event-stream")
      const events = newLedgers({ count: 3 })
      yield* appendLedgers(events)
      yield* appendNoise("mainnet", 3)
      yield* untilIds(stream, events)
      yield* (yield* EventIndex).insert(events, Date.parse(events[0]!.timestamp))
      const { text } = yield* call("GET", "/v1/events?limit=100", { key })
      for (const { data, event, id } of stream.blocks().filter(({ data }) => data !== undefined)) {
        assert.include(text, data!)
        assert.strictEqual(JSON.parse(data!).event_id, id)
        assert.strictEqual(JSON.parse(data!).event_type, event)
      }
    })
  )

  it.effect("adds to payloads what it is asked for, in past events as in new ones", () =>
    Effect.gen(function* () {
      const { open } = yield* client()
      const events = newLedgers({ count: 2 }).map((event) => ({ ...event, ...booked }))
      const [first, ...others] = events
      yield* appendLedgers([first!])
      const query = "?include=balance_changes"
      const asking = yield* open({ query })
      const plain = yield* open()
      yield* appendLedgers(others)
      yield* untilIds(asking, others)
      yield* untilIds(plain, others)
      const late = yield* open({ query, lastEventId: first!.event_id })
      yield* untilIds(late, others)
      const dataOf = (stream: OpenStream) => stream.blocks().flatMap(({ data }) => data ?? [])
      const withChanges = others.map((event) => eventJson(withIncluded(event, ["balance_changes"])))
      assert.deepStrictEqual(dataOf(asking), withChanges)
      assert.deepStrictEqual(dataOf(late), withChanges)
      assert.deepStrictEqual(dataOf(plain), others.map(eventJson))
    })
  )

  it.effect("gives the events of one network: that of a live key, or the one a test key asks for", () =>
    Effect.gen(function* () {
      const { open } = yield* client("test")
      const [testnet, mainnet] = [ledgersOf({ network: "testnet", first: 1 }), newLedgers()]
      const stream = yield* open()
      const named = yield* open({ query: "?network=testnet" })
      yield* appendLedgers([...mainnet, ...testnet])
      yield* untilIds(stream, testnet)
      yield* untilIds(named, testnet)
    })
  )

  it.effect("gives the events that match its types, families and account", () =>
    Effect.gen(function* () {
      const { open } = yield* client()
      const account = addresses[1]
      const all = yield* open({ query: "?event_type=*" })
      const family = yield* open({ query: "?event_type=nft.*&event_type=payment.xrp" })
      const own = yield* open({ query: `?account=${account}` })
      const events = newLedgers({ count: 5, account })
      yield* appendLedgers(events)
      yield* untilIds(all, events)
      const wanted = [...expandPattern("nft.*"), "payment.xrp"]
      yield* untilIds(
        family,
        events.filter(({ event_type }) => wanted.includes(event_type))
      )
      yield* untilIds(
        own,
        events.filter(({ accounts }) => accounts.includes(account))
      )
    })
  )

  it.effect("resumes after any event, by header and by query, and the header counts unless it is empty", () =>
    Effect.gen(function* () {
      const { open } = yield* client()
      const events = newLedgers({ count: 3 })
      yield* appendLedgers(events)
      const [first, sixth] = [events[0]!.event_id, events[5]!.event_id]
      yield* untilIds(yield* open({ lastEventId: first }), events.slice(1))
      yield* untilIds(yield* open({ query: `?last_event_id=${sixth}` }), events.slice(6))
      const both = yield* open({ query: `?last_event_id=${first}`, lastEventId: sixth })
      yield* untilIds(yield* open({ query: `?last_event_id=${sixth}`, lastEventId: "" }), events.slice(6))
      const none = yield* open({ query: "?last_event_id=", lastEventId: "" })
      const more = newLedgers()
      yield* appendLedgers(more)
      yield* untilIds(both, [...events.slice(6), ...more])
      yield* untilIds(none, more)
    })
  )

  it.effect(`loses nothing and repeats nothing over any number of connections (seed ${SEED})`, () =>
    Effect.gen(function* () {
      const { open } = yield* client()
      const chance = generator(SEED)
      const appended: Array<LedgerEvent> = []
      const ids: Array<string> = []
      let lastEventId: string | undefined
      for (let connection = 0; connection < 12; connection++) {
        const stream = yield* open({ lastEventId })
        // Before the first event matches, the stream has sent its position.
        yield* eventually(Effect.sync(() => assert.isNotEmpty(stream.blocks())))
        for (let batch = 0; batch < 3; batch++) {
          const events = newLedgers({ count: 1 + Math.floor(chance() * 40) })
          appended.push(...events)
          yield* appendLedgers(events)
        }
        const enough = Math.floor(chance() * appended.length)
        yield* eventually(Effect.sync(() => assert.isAtLeast(ids.length + stream.ids().length, enough)))
        stream.close()
        ids.push(...stream.ids())
        lastEventId = stream.lastId()
        const meanwhile = newLedgers({ count: Math.floor(chance() * 3) })
        appended.push(...meanwhile)
        yield* appendLedgers(meanwhile)
      }
      const last = yield* open({ lastEventId })
      yield* eventually(Effect.sync(() => assert.deepStrictEqual([...ids, ...last.ids()], idsOf(appended))))
    })
  )

  it.effect("is resumed on a server that was started since", () =>
    Effect.gen(function* () {
      const { open } = yield* client()
      const [before, meanwhile] = [newLedgers(), newLedgers({ count: 2 })]
      const scope = yield* Scope.make()
      const { url } = yield* Scope.provide(anotherServer, scope)
      const stream = yield* open({ url })
      yield* eventually(Effect.sync(() => assert.isNotEmpty(stream.blocks())))
      yield* appendLedgers(before)
      yield* untilIds(stream, before)
      yield* Scope.close(scope, Exit.void)
      yield* eventually(Effect.sync(() => assert.isTrue(stream.isClosed())))
      assert.deepInclude(lastError(stream), { code: "UNAVAILABLE" })
      yield* appendLedgers(meanwhile)
      const { url: started } = yield* anotherServer
      yield* untilIds(yield* open({ url: started, lastEventId: stream.lastId() }), meanwhile)
    }).pipe(Effect.scoped)
  )

  it.effect("does not hold up a server that stops", () =>
    Effect.gen(function* () {
      const { open } = yield* client()
      const scope = yield* Scope.make()
      const { url } = yield* Scope.provide(anotherServer, scope)
      const streams = yield* Effect.forEach([1, 2, 3], () => open({ url }))
      yield* Effect.timeout(Scope.close(scope, Exit.void), "5 seconds")
      yield* eventually(
        Effect.sync(() => {
          for (const stream of streams) {
            assert.isTrue(stream.isClosed())
            assert.match(lastError(stream).message, /^This server is stopping\. /)
          }
        })
      )
    })
  )

  it.effect("ends when its key is revoked, and says so", () =>
    Effect.gen(function* () {
      const { call, key, accountId, keyFor, open } = yield* client()
      const other = yield* keyFor(accountId, "live", ["events:read"])
      const [stream, kept] = [yield* open({ key: other }), yield* open()]
      const { body } = yield* call("GET", "/v1/api-keys", { key })
      const { id } = body.data.find(({ key_hint }: { key_hint: string }) =>
        other.endsWith(key_hint.slice(-4))
      )
      yield* call("DELETE", `/v1/api-keys/${id}`, { key })
      yield* eventually(Effect.sync(() => assert.isTrue(stream.isClosed())))
      assert.deepInclude(lastError(stream), { code: "UNAUTHORIZED" })
      const events = newLedgers()
      yield* appendLedgers(events)
      yield* untilIds(kept, events)
    })
  )

  it.effect("ends when its session ends, and says so", () =>
    Effect.gen(function* () {
      const { call, key, open } = yield* client()
      const { headers } = yield* call("POST", "/v1/session", { body: { key } })
      const cookie = headers.getSetCookie()[0]!.split(";", 1)[0]!
      const [stream, kept] = [yield* open({ cookie }), yield* open()]
      assert.strictEqual(stream.status, 200)
      yield* call("DELETE", "/v1/session", { headers: { cookie, "x-requested-with": "ledgerhook" } })
      yield* eventually(Effect.sync(() => assert.isTrue(stream.isClosed())))
      assert.deepInclude(lastError(stream), { code: "UNAUTHORIZED" })
      assert.isFalse(kept.isClosed())
    })
  )

  it.effect("of a HEAD request ends at once and takes no place", () =>
    Effect.gen(function* () {
      const { call, key } = yield* client()
      for (let i = 0; i < 2 * (yield* StreamLimits).perAccount; i++) {
        const { headers, status, text } = yield* call("HEAD", "/v1/events/stream", { key })
        assert.deepStrictEqual([status, text, headers.get("content-type")], [200, "", "text/event-stream"])
      }
    })
  )

  it.effect("is refused with a sentence if it could not give what is asked for", () =>
    Effect.gen(function* () {
      const { call, key, account } = yield* client()
      const { key: testKey } = yield* account("test")
      const unknown = `xrpl:7:${"A".repeat(64)}:payment.xrp`
      const ask = (query: string, headers: Readonly<Record<string, string>> = {}, as = key) =>
        Effect.map(call("GET", `/v1/events/stream${query}`, { key: as, headers }), ({ status, body }) => [
          status,
          body?.error.message
        ])
      assert.deepStrictEqual(yield* ask("?network=testnet"), [
        400,
        "network must be mainnet with a live key."
      ])
      assert.deepStrictEqual(yield* ask("", { "last-event-id": "7" }), [
        400,
        `last-event-id must be an event id: ${EVENT_ID_FORM}.`
      ])
      assert.deepStrictEqual(yield* ask("?since=2026-11-21T09:30:00Z"), [
        400,
        "since is unknown; accepted: event_type, account, network, include, last_event_id."
      ])
      assert.deepStrictEqual(yield* ask(`?last_event_id=${unknown}`), [
        404,
        `There is no event ${unknown} in the retained log of mainnet. Without Last-Event-ID a stream begins with the next event. The operator sets how long events are kept: RETENTION_EVENTS.`
      ])
      const [event] = newLedgers()
      yield* appendLedgers([event!])
      const [status] = yield* ask("", { "last-event-id": event!.event_id }, testKey)
      assert.strictEqual(status, 404)
    })
  )
})

const few = apiLayer().pipe(Layer.provide(limits({ perAccount: 2, inAll: 3, checkMs: 20 })))
layer(few, { excludeTestServices: true })("the number of streams", (it) => {
  it.effect("are limited for an account and for the server, and an ended stream frees its place", () =>
    Effect.gen(function* () {
      const [one, other, third] = [yield* client(), yield* client(), yield* client()]
      const ask = ({ call, key }: typeof one) =>
        Effect.map(call("GET", "/v1/events/stream", { key }), ({ status, body, headers }) => [
          status,
          body?.error.message,
          headers.get("retry-after")
        ])
      const [first] = [yield* one.open(), yield* one.open()]
      assert.deepStrictEqual(yield* ask(one), [
        429,
        "This account has 2 event streams open on this server, and may have no more; end one first.",
        "5"
      ])
      yield* other.open()
      assert.deepStrictEqual(yield* ask(third), [
        503,
        "This server has 3 streams open, and can have no more. Try again.",
        "5"
      ])
      first.close()
      yield* eventually(
        Effect.gen(function* () {
          const [status] = yield* ask(third)
          assert.strictEqual(status, 200)
        })
      )
    })
  )
})

const impatient = apiLayer().pipe(Layer.provide(limits({ checkMs: 20, stalledMs: 500 })))
layer(impatient, { excludeTestServices: true })("while keys cannot be checked", (it) => {
  it.effect("a stream continues for a limited time, then ends and can be resumed", () =>
    Effect.gen(function* () {
      const { open } = yield* client()
      const sql = yield* SqlClient.SqlClient
      const stream = yield* open()
      const [before, after] = [newLedgers(), newLedgers()]
      yield* appendLedgers(before)
      yield* untilIds(stream, before)
      // To the stream, a failing statement looks like a database that does not answer.
      yield* sql`ALTER TABLE api_keys RENAME TO api_keys_away`
      yield* appendLedgers(after)
      yield* untilIds(stream, [...before, ...after])
      yield* eventually(Effect.sync(() => assert.isTrue(stream.isClosed())))
      assert.deepInclude(lastError(stream), { code: "UNAVAILABLE" })
      yield* sql`ALTER TABLE api_keys_away RENAME TO api_keys`
      const more = newLedgers()
      yield* appendLedgers(more)
      yield* untilIds(yield* open({ lastEventId: stream.lastId() }), more)
    })
  )
})

const hasty = apiLayer().pipe(
  Layer.provide(limits({ stalledMs: 2_000, checkMs: 20, recentEvents: 50, perAccount: 2 }))
)
layer(hasty, { excludeTestServices: true })("a reader that takes nothing", (it) => {
  it.effect("is cut, nothing is kept for it, and it resumes where it was", () =>
    Effect.gen(function* () {
      const { open } = yield* client()
      const [slow, quick] = [yield* open(), yield* open()]
      yield* eventually(Effect.sync(() => assert.isNotEmpty(slow.blocks())))
      slow.pause()
      // These are more events than the machine's own buffers can contain.
      const memo = "m".repeat(20_000)
      const events = newLedgers({ count: 1_500, perLedger: 1 }).map((event) => ({
        ...event,
        payload: { ...event.payload, memo }
      }))
      yield* appendLedgers(events)
      yield* untilIds(quick, events)
      yield* eventually(
        Effect.gen(function* () {
          const third = yield* open()
          third.close()
          assert.strictEqual(third.status, 200)
        })
      )
      slow.resume()
      yield* eventually(Effect.sync(() => assert.isTrue(slow.isClosed())))
      const taken = slow.ids()
      assert.isBelow(taken.length, events.length)
      assert.deepStrictEqual(taken, idsOf(events).slice(0, taken.length))
      const again = yield* open({ lastEventId: slow.lastId() })
      yield* untilIds(again, events.slice(taken.length))
    })
  )
})
