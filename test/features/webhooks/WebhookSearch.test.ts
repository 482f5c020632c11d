/** The search for webhooks over HTTP: what it finds, for whom, and that its pages are exact. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ApiUnderTest, apiLayer } from "../../support/http/api.ts"
import { answersAmong, prepare } from "./searching.ts"

layer(apiLayer(), { excludeTestServices: true })("the search for webhooks", (it) => {
  it.effect("finds a part of the url, the description or the id, newest first", () =>
    Effect.gen(function* () {
      const { ids, found } = yield* prepare([
        ["https://shop.example.com/hook", "Payments received"],
        ["https://example.org/SHOP"],
        ["https://example.net/100%25_", "größer 😀 \\'"]
      ])
      assert.deepStrictEqual(yield* found("shop"), [1, 0])
      assert.deepStrictEqual(yield* found("payments R"), [0])
      assert.deepStrictEqual(yield* found("größer 😀"), [2])
      // These are no patterns.
      for (const none of ["shop%", "sh_p", "nowhere", '"'])
        assert.deepStrictEqual(yield* found(none), [], none)
      for (const mark of ["100%25_", "\\'"]) assert.deepStrictEqual(yield* found(mark), [2], mark)
      assert.deepStrictEqual(yield* found(ids[1]!), [1])
      assert.deepStrictEqual(yield* found(ids[1]!.slice(-6).toLowerCase()), [1])
      assert.deepStrictEqual(yield* found("https://"), [2, 1, 0])
    })
  )

  it.effect("finds those of a network, and those that ask for a type or for one of a family", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { accountId } = yield* api.account()
      const key = yield* api.keyFor(accountId, "test")
      const wanted = [["payment.xrp"], ["payment.*", "nft.minted"], ["dex.*"], ["*"]]
      const ids: Array<string> = []
      for (const event_types of wanted) {
        const network = event_types[0] === "dex.*" ? "devnet" : "testnet"
        const body = { url: "https://example.com/", event_types, network }
        ids.push((yield* api.call("POST", "/v1/webhooks", { key, body })).body.id)
      }
      const found = (query: string) =>
        Effect.map(api.call("GET", `/v1/webhooks?${query}`, { key }), ({ body }) =>
          body.data.map(({ id }: { id: string }) => ids.indexOf(id)).sort()
        )
      assert.deepStrictEqual(yield* found("event_type=payment.xrp"), [0, 1, 3])
      assert.deepStrictEqual(yield* found("event_type=payment.issued"), [1, 3])
      assert.deepStrictEqual(yield* found("event_type=nft.*"), [1, 3])
      assert.deepStrictEqual(yield* found("event_type=*"), [0, 1, 2, 3])
      assert.deepStrictEqual(yield* found("network=devnet"), [2])
      assert.deepStrictEqual(yield* found("network=devnet&event_type=nft.*"), [])
      assert.deepStrictEqual(yield* found("network=mainnet"), [])
    })
  )

  it.effect("finds nothing of other accounts and networks, nothing deleted, and combines with a status", () =>
    Effect.gen(function* () {
      const { api, accountId, key, ids, listed, found } = yield* prepare([
        ["https://a.example.com/"],
        ["https://b.example.com/"],
        ["https://c.example.com/"]
      ])
      const other = yield* api.account()
      assert.deepStrictEqual(yield* found("example.com", other.key), [])
      assert.deepStrictEqual(yield* found(ids[0]!, other.key), [])
      assert.deepStrictEqual(yield* found("example.com", yield* api.keyFor(accountId, "test")), [])
      yield* api.call("DELETE", `/v1/webhooks/${ids[2]}`, { key })
      yield* api.call("PATCH", `/v1/webhooks/${ids[0]}`, { key, body: { status: "disabled" } })
      assert.deepStrictEqual(yield* found("example.com"), [1, 0])
      const { body } = yield* listed({ search: "example.com", status: "disabled" })
      assert.deepStrictEqual(
        body.data.map(({ id }: { id: string }) => id),
        [ids[0]]
      )
    })
  )

  it.effect("pages, and refuses a cursor of another search", () =>
    Effect.gen(function* () {
      const { ids, listed } = yield* prepare(
        ["a", "b", "c", "d", "e"].map((path) => [`https://example.com/${path === "c" ? "other" : "hook"}`])
      )
      const first = (yield* listed({ search: "hook", limit: "3" })).body
      const next = (yield* listed({ search: "hook", cursor: first.next_cursor })).body
      assert.deepStrictEqual(
        [...first.data, ...next.data].map(({ id }: { id: string }) => id),
        [ids[4], ids[3], ids[1], ids[0]]
      )
      assert.isNull(next.next_cursor)
      for (const query of [{ search: "other" }, { status: "active" }] as const)
        assert.strictEqual((yield* listed({ ...query, cursor: first.next_cursor })).status, 400)
    })
  )

  it.effect("refuses a text that is empty or too long", () =>
    Effect.gen(function* () {
      const { listed } = yield* prepare([])
      assert.strictEqual((yield* listed({ search: "😀".repeat(200) })).status, 200)
      for (const search of ["", "x".repeat(201)]) {
        const { status, body } = yield* listed({ search })
        assert.strictEqual(status, 400)
        assert.match(body.error.message, /^search must have 1 to 200 characters\./)
      }
    })
  )

  it.effect("answers among 10,000 webhooks", () => answersAmong(10_000))
})
