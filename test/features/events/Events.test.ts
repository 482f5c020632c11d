/** The event index over HTTP: filters against a plain search, exact pages, and which key sees which network. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { EventIndex } from "../../../src/features/events/EventIndex.ts"
import { expandPattern } from "../../../src/spine/event/EventType.ts"
import type { LedgerEvent } from "../../../src/spine/event/LedgerEvent.ts"
import type { Network } from "../../../src/spine/event/Network.ts"
import { addresses, eventOf, eventsByChance, pick, types } from "../../support/deliver/events.ts"
import { type Answer, ApiUnderTest, apiLayer } from "../../support/http/api.ts"
import { generator } from "../../support/ledger/misbehavingServer.ts"
import { eventsClient, pathOf, type Query } from "./eventsClient.ts"

const SEED = 20_261_121
const BEGIN = Date.parse("2026-08-20T00:00:00Z")
const NOW = BEGIN + 95 * 86_400_000
const LEDGERS = 30

const fields = [
  "event_id",
  "event_type",
  "ledger_index",
  "position",
  "timestamp",
  "network",
  "payload"
] as const

const itemOf = (event: LedgerEvent) => Object.fromEntries(fields.map((field) => [field, event[field]]))

/** Newest first: by time, then network, then place. */
const newestFirst = (a: LedgerEvent, b: LedgerEvent): number =>
  Date.parse(b.timestamp) - Date.parse(a.timestamp) ||
  (a.network === b.network ? 0 : a.network < b.network ? 1 : -1) ||
  b.ledger_index - a.ledger_index ||
  b.position - a.position

interface Wanted {
  readonly networks: ReadonlyArray<Network>
  readonly types?: ReadonlyArray<string>
  readonly account?: string
  readonly min?: number
  readonly max?: number
  readonly since?: string
  readonly until?: string
}

const found = (all: ReadonlyArray<LedgerEvent>, wanted: Wanted): ReadonlyArray<LedgerEvent> =>
  all
    .filter(
      (event) =>
        wanted.networks.includes(event.network) &&
        (wanted.types === undefined || wanted.types.flatMap(expandPattern).includes(event.event_type)) &&
        (wanted.account === undefined || event.accounts.includes(wanted.account)) &&
        event.ledger_index >= (wanted.min ?? 0) &&
        event.ledger_index <= (wanted.max ?? Number.POSITIVE_INFINITY) &&
        (wanted.since === undefined || Date.parse(event.timestamp) > Date.parse(wanted.since)) &&
        (wanted.until === undefined || Date.parse(event.timestamp) < Date.parse(wanted.until))
    )
    .toSorted(newestFirst)

const store = (events: ReadonlyArray<LedgerEvent>) =>
  Effect.flatMap(EventIndex, (eventIndex) => eventIndex.insert(events, NOW))

/** A client whose key is of that environment. */
const refusal = (answer: Answer, status: number, message: string) => {
  assert.strictEqual(answer.status, status, answer.text)
  assert.strictEqual(answer.body.error.message, message)
}

const seeded = eventsByChance(SEED, BEGIN, LEDGERS)
const moments = seeded.map(({ timestamp }) => timestamp).toSorted()
/** The time before which the given part of the events happened. */
const momentAt = (part: number) => moments[Math.floor(part * moments.length)]!

layer(Layer.provideMerge(Layer.effectDiscard(store(seeded)), apiLayer()), { excludeTestServices: true })(
  "events by filters",
  (it) => {
    it.effect("are those that a plain search finds, for every combination of filters", () =>
      Effect.gen(function* () {
        const chance = generator(SEED)
        const [live, test] = [yield* eventsClient("live"), yield* eventsClient("test")]
        const views = [
          { client: live, networks: ["mainnet"] as const },
          { client: test, networks: ["testnet", "devnet"] as const },
          { client: test, networks: ["testnet"] as const, network: "testnet" }
        ]
        let shown = 0
        for (let combination = 0; combination < 96; combination++) {
          for (const { client, networks, network } of views) {
            const bit = (place: number) => ((combination >> place) & 1) === 1
            const own = seeded.filter((event) => networks.some((one) => one === event.network))
            const ledgerOf = () => own[Math.floor(chance() * own.length)]!.ledger_index
            const [lower, higher] = [ledgerOf(), ledgerOf()].toSorted((a, b) => a - b)
            const kinds = combination >> 5
            const wanted: Wanted = {
              networks,
              ...(kinds > 0 && {
                types: kinds === 1 ? [pick(chance, [...types, "nft.*", "*"])] : [types[0], "check.*"]
              }),
              ...(bit(0) && { account: pick(chance, addresses) }),
              ...(bit(1) && { min: lower! }),
              ...(bit(2) && { max: higher! }),
              ...(bit(3) && { since: momentAt(chance() * 0.4) }),
              ...(bit(4) && { until: momentAt(0.6 + chance() * 0.4) })
            }
            const { types: eventTypes, account, min, max, since, until } = wanted
            const query: Query = {
              limit: String(20 + Math.floor(chance() * 81)),
              ...(network !== undefined && { network }),
              ...(eventTypes !== undefined && { event_type: eventTypes }),
              ...(account !== undefined && { account }),
              ...(min !== undefined && { ledger_index_min: String(min) }),
              ...(max !== undefined && { ledger_index_max: String(max) }),
              ...(since !== undefined && { since }),
              ...(until !== undefined && { until })
            }
            const expected = found(seeded, wanted).map(itemOf)
            assert.deepStrictEqual(yield* client.allPages(query), expected, pathOf(query))
            shown += expected.length
          }
        }
        // If this fails, the filters are so narrow that nothing was compared.
        assert.isAbove(shown, 96 * 10)
      })
    )

    it.effect("are the same for any page length and any way to write a time", () =>
      Effect.gen(function* () {
        const { allPages } = yield* eventsClient("test")
        const expected = found(seeded, { networks: ["testnet", "devnet"] }).map(itemOf)
        for (const limit of ["3", "20", "100"]) assert.deepStrictEqual(yield* allPages({ limit }), expected)
        const moment = momentAt(0.5)
        const later = found(seeded, { networks: ["testnet", "devnet"], since: moment }).map(itemOf)
        const written = [moment, moment.replace("Z", "+00:00"), moment.replace("Z", ".900Z")]
        for (const since of written) assert.deepStrictEqual(yield* allPages({ since, limit: "100" }), later)
        assert.deepStrictEqual(yield* allPages({ since: "0000-01-01T00:00:00Z", limit: "100" }), expected)
        assert.deepStrictEqual(yield* allPages({ until: "0000-01-01T00:00:00Z" }), [])
        assert.deepStrictEqual(yield* allPages({ since: "9999-12-31T23:59:59Z" }), [])
      })
    )
  }
)

layer(apiLayer(), { excludeTestServices: true })("events", (it) => {
  it.effect("have exactly the envelope's fields, their position and the payload's original bytes", () =>
    Effect.gen(function* () {
      const { get } = yield* eventsClient("live")
      const payload = { zebra: "1", apple: { y: null, a: ["\u0000", "ü", 1e21] }, "9": true, "10": -0.5 }
      const event = { ...eventOf({ ledgerIndex: 77, position: 3 }), payload }
      yield* store([event])
      const { text, body } = yield* get(pathOf({ ledger_index_min: "77", ledger_index_max: "77" }))
      assert.deepStrictEqual(body, { data: [itemOf(event)], has_more: false, next_cursor: null })
      assert.include(text, `"payload":${JSON.stringify(payload)}`)
      assert.strictEqual((yield* get(`/v1/events/${event.event_id}`)).text, JSON.stringify(itemOf(event)))
    })
  )

  it.effect("keep their pages exact while events are added, of newer ledgers and of older ones", () =>
    Effect.gen(function* () {
      const { get } = yield* eventsClient("test")
      const at = (network: Network, second: number, position = 0) =>
        eventOf({
          network,
          ledgerIndex: 1_000 + second,
          position,
          type: "nft.burned",
          timestamp: `2026-11-20T10:00:${String(second).padStart(2, "0")}Z`
        })
      const nameOf = ({ network, event_id }: LedgerEvent) => `${network} ${event_id}`
      const before = [10, 11, 12, 13].flatMap((second) => [
        at("testnet", second),
        at("testnet", second, 1),
        at("devnet", second)
      ])
      yield* store(before)
      const shown: Array<string> = []
      let cursor: string | null = null
      let second = 20
      do {
        const page: Answer = yield* get(
          pathOf({ event_type: "nft.burned", limit: "2", ...(cursor !== null && { cursor }) })
        )
        shown.push(...page.body.data.map(nameOf))
        cursor = page.body.next_cursor
        // Testnet has new ledgers. Devnet is still catching up: its ledgers are older than the events shown.
        yield* store([at("testnet", second++), at("devnet", 5, second)])
      } while (cursor !== null)
      const known = before.toSorted(newestFirst).map(nameOf)
      assert.deepStrictEqual(
        shown.filter((name) => known.includes(name)),
        known
      )
      assert.strictEqual(new Set(shown).size, shown.length)
    })
  )

  it.effect("bind a cursor to its filters and networks, and to nothing else", () =>
    Effect.gen(function* () {
      const { get } = yield* eventsClient("test")
      yield* store(
        [1, 2, 3].map((index) => eventOf({ network: "testnet", ledgerIndex: index, type: "check.cashed" }))
      )
      const query = { event_type: ["check.cashed", "check.created"], limit: "1" }
      const { body } = yield* get(pathOf(query))
      const cursor: string = body.next_cursor
      const others: ReadonlyArray<Query> = [
        { event_type: "check.cashed", cursor },
        { ...query, network: "testnet", cursor },
        { ...query, ledger_index_min: "1", cursor },
        { ...query, account: addresses[0], cursor },
        { ...query, since: "2026-01-01T00:00:00Z", cursor },
        { ...query, cursor: `${cursor}A` },
        { ...query, cursor: Buffer.from("0 testnet 0 0").toString("base64url") }
      ]
      for (const other of others) {
        refusal(
          yield* get(pathOf(other)),
          400,
          "cursor must be the next_cursor of the previous page, with the same filters, account and key environment."
        )
      }
      const again = { event_type: ["check.created", "check.cashed", "check.created"], limit: "2", cursor }
      assert.lengthOf((yield* get(pathOf(again))).body.data, 2)
    })
  )

  it.effect("are mainnet's for a live key, testnet's and devnet's for a test key", () =>
    Effect.gen(function* () {
      const [live, test] = [yield* eventsClient("live"), yield* eventsClient("test")]
      const ids = new Map<Network, string>()
      for (const network of ["mainnet", "testnet", "devnet"] as const) {
        const event = eventOf({ network, ledgerIndex: 500, type: "escrow.created" })
        yield* store([{ ...event, payload: { network } }])
        ids.set(network, event.event_id)
      }
      const networksSeen = (answer: Answer) =>
        answer.body.data.map((event: { network: string }) => event.network)
      const escrows = { event_type: "escrow.created" }
      assert.deepStrictEqual(networksSeen(yield* live.get(pathOf(escrows))), ["mainnet"])
      assert.deepStrictEqual(networksSeen(yield* test.get(pathOf(escrows))), ["testnet", "devnet"])
      refusal(
        yield* live.get(pathOf({ network: "testnet" })),
        400,
        "network must be mainnet with a live key."
      )
      const message = "network must be testnet or devnet with a test key."
      refusal(yield* test.get(pathOf({ network: "mainnet" })), 400, message)

      // Two networks have an event with the same id. Only the network distinguishes them.
      const path = `/v1/events/${ids.get("mainnet")}`
      assert.deepStrictEqual((yield* live.get(path)).body.payload, { network: "mainnet" })
      assert.deepStrictEqual((yield* test.get(path)).body.payload, { network: "testnet" })
      assert.deepStrictEqual((yield* test.get(`${path}?network=devnet`)).body.payload, { network: "devnet" })
      refusal(yield* test.get(`${path}?network=mainnet`), 400, message)
    })
  )

  it.effect("are found by their id, with colons encoded or not", () =>
    Effect.gen(function* () {
      const { get } = yield* eventsClient("live")
      const event = eventOf({ ledgerIndex: 4_294_967_295, type: "account.settings_changed" })
      const numbered = { ...event, position: 1, event_id: `${event.event_id}:12` }
      yield* store([event, numbered])
      for (const { event_id } of [event, numbered]) {
        assert.strictEqual((yield* get(`/v1/events/${event_id}`)).body.event_id, event_id)
        const encoded = encodeURIComponent(event_id)
        assert.strictEqual((yield* get(`/v1/events/${encoded}`)).body.event_id, event_id)
      }
      const unknown = [`${event.event_id}:13`, `xrpl:99999999999999999999:${"A".repeat(64)}:payment.xrp`]
      for (const id of unknown) refusal(yield* get(`/v1/events/${id}`), 404, `There is no event ${id}.`)
      const malformed = ["xrpl", "xrpl:0:AB:payment.xrp", `${event.event_id}:`, event.event_id.toLowerCase()]
      for (const id of malformed) {
        refusal(
          yield* get(`/v1/events/${id}`),
          400,
          "event_id must be an event id: xrpl:<ledger_index>:<tx_hash>:<event_type>, followed by :<sub_index> if one transaction caused several events of the type."
        )
      }
    })
  )

  it.effect("refuse unknown parameters and name them", () =>
    Effect.gen(function* () {
      const { get } = yield* eventsClient("live")
      const wrong: ReadonlyArray<readonly [Query, RegExp]> = [
        [{ event_types: "payment.xrp" }, /^event_types is unknown; accepted: event_type, account/],
        [{ event_type: "paymen.*" }, /^event_type\[0\] must be .*payment\.xrp/],
        [{ event_type: ["payment.xrp", "nonsense"] }, /^event_type\[1\] must be /],
        [{ account: "rNobody" }, /^account must be /],
        [{ account: [addresses[0], addresses[1]] }, /^account must be given once\.$/],
        [{ ledger_index_min: "0" }, /^ledger_index_min must be an integer from 1 to 4294967295\.$/],
        [{ ledger_index_max: "4294967296" }, /^ledger_index_max must be an integer from 1 to 4294967295\.$/],
        [{ ledger_index_min: "1e3" }, /^ledger_index_min must be an integer/],
        [
          { ledger_index_min: "8", ledger_index_max: "7" },
          /^ledger_index_min must not be above ledger_index_max\.$/
        ],
        [{ since: "2026-11-21" }, /^since must be an ISO 8601 date-time/],
        [{ since: "2026-11-21T09:30:00Z", until: "2026-11-21T09:30:00Z" }, /^since must be before until\.$/],
        [{ network: "xahau" }, /^network must be /],
        [{ limit: "101" }, /^limit must be an integer from 1 to 100\.$/]
      ]
      for (const [query, message] of wrong) {
        const { status, body } = yield* get(pathOf(query))
        assert.strictEqual(status, 400, pathOf(query))
        assert.strictEqual(body.error.code, "VALIDATION_ERROR")
        assert.match(body.error.message, message)
      }
    })
  )

  it.effect("describe repeated types as an array and ledgers as integers", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { body } = yield* api.call("GET", "/openapi.json")
      const parameters: ReadonlyArray<{ name: string; schema: { type: string } }> =
        body.paths["/v1/events"].get.parameters
      const typeOf = (name: string) => parameters.find((parameter) => parameter.name === name)?.schema.type
      assert.strictEqual(typeOf("event_type"), "array")
      assert.strictEqual(typeOf("ledger_index_min"), "integer")
      assert.strictEqual(typeOf("ledger_index_max"), "integer")
    })
  )
})
