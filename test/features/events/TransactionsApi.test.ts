/** `/v1/transactions` over HTTP: the recorded transaction, for keys of its network, while the log keeps it. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { TransactionIndex } from "../../../src/features/events/TransactionIndex.ts"
import { Log, LogError } from "../../../src/spine/log/Log.ts"
import { ApiUnderTest, anotherServer, apiLayer } from "../../support/http/api.ts"
import { chain } from "../../support/ledger/chain.ts"
import { appendTransactions, recordTransaction, transactionsOf } from "./transactions.ts"

const RAW = { RAW_TRANSACTIONS: "true" }
const UNKNOWN = "AB".repeat(32)

const get = Effect.fnUntraced(function* (path: string, environment: "live" | "test" = "live") {
  const api = yield* ApiUnderTest
  const { key } = yield* api.account(environment)
  return yield* api.call("GET", `/v1/transactions/${path}`, { key })
})

layer(apiLayer(RAW), { excludeTestServices: true })("a recorded transaction", (it) => {
  it.effect("is shown with its metadata and its ledger, whatever the case of the hash", () =>
    Effect.gen(function* () {
      const hash = yield* recordTransaction("mainnet")
      const log = yield* Log
      const record = yield* log.last(transactionsOf("mainnet"))
      for (const given of [hash, hash.toLowerCase()]) {
        const { body, status } = yield* get(given)
        assert.deepStrictEqual([status, body], [200, JSON.parse(record!.value!)])
        assert.strictEqual(body.meta.TransactionResult, "tesSUCCESS")
      }
    })
  )

  it.effect("is seen by keys of its network only, and testnet comes before devnet", () =>
    Effect.gen(function* () {
      const ledgers = chain(70_000_000, 70_000_000, { transactions: 1 })
      const index = yield* TransactionIndex
      const nowMs = yield* Clock.currentTimeMillis
      let hash = ""
      // Two networks may have the same transaction.
      for (const network of ["devnet", "testnet"] as const) {
        const [record] = yield* appendTransactions(network, ledgers)
        hash = record!.headers!["transaction-hash"]!
        yield* index.insert([{ network, hash, offset: record!.offset, writtenAt: nowMs }], nowMs)
      }
      const seen = (query: string) => Effect.map(get(`${hash}${query}`, "test"), ({ body }) => body.network)
      assert.strictEqual(yield* seen(""), "testnet")
      assert.strictEqual(yield* seen("?network=devnet"), "devnet")
      assert.strictEqual((yield* get(hash)).status, 404)
      assert.strictEqual((yield* get(`${hash}?network=testnet`)).status, 400)
    })
  )

  it.effect("is found among others whose hashes begin alike, and although a crash indexed it twice", () =>
    Effect.gen(function* () {
      const hash = yield* recordTransaction("mainnet")
      const index = yield* TransactionIndex
      const log = yield* Log
      const nowMs = yield* Clock.currentTimeMillis
      const { offset } = (yield* log.last(transactionsOf("mainnet")))!
      const alike = hash.slice(0, 16).padEnd(64, "0")
      const [first] = yield* log.read({ ...transactionsOf("mainnet"), offset: 0 }, 1)
      const places = [offset, first!.offset, offset].map((place) => ({
        network: "mainnet" as const,
        hash: alike,
        offset: place,
        writtenAt: nowMs
      }))
      yield* index.insert(places, nowMs)
      assert.strictEqual((yield* get(hash)).body.hash, hash)
      assert.strictEqual((yield* get(alike)).status, 404)
    })
  )

  it.effect("is 404 if it is unknown, and 400 if the hash is none, each with a sentence that says so", () =>
    Effect.gen(function* () {
      const unknown = yield* get(UNKNOWN)
      assert.strictEqual(unknown.status, 404)
      assert.match(
        unknown.body.error.message,
        /^There is no recorded transaction (AB){32} of mainnet: .*RETENTION_TRANSACTIONS/
      )
      for (const bad of ["AB", `${UNKNOWN}0`, "Z".repeat(64)]) {
        const { body, status } = yield* get(bad)
        assert.deepStrictEqual(
          [status, body.error.message],
          [400, "hash must be a transaction hash: 64 hexadecimal digits."]
        )
      }
    })
  )

  it.effect("is 503 while the log is away", () =>
    Effect.gen(function* () {
      const hash = yield* recordTransaction("mainnet")
      const log = yield* Log
      const away = Layer.succeed(Log, {
        ...log,
        read: () => Effect.fail(new LogError({ operation: "read", topic: "test", cause: "away" }))
      })
      const api = yield* anotherServer.pipe(Effect.provide(away))
      const { key } = yield* api.account()
      const { body, status } = yield* api.call("GET", `/v1/transactions/${hash}`, { key })
      assert.deepStrictEqual([status, body.error.code], [503, "UNAVAILABLE"])
    }).pipe(Effect.scoped)
  )
})

describe("transactions that are not kept", () => {
  it.live("are 404 once retention has dropped them from the log", () =>
    Effect.gen(function* () {
      const hash = yield* recordTransaction("mainnet")
      const log = yield* Log
      const dropped = Layer.succeed(Log, {
        ...log,
        read: (from, max) => log.read({ ...from, offset: from.offset + 1 }, max)
      })
      yield* recordTransaction("mainnet")
      const api = yield* anotherServer.pipe(Effect.provide(dropped))
      const { key } = yield* api.account()
      assert.strictEqual((yield* api.call("GET", `/v1/transactions/${hash}`, { key })).status, 404)
    }).pipe(Effect.scoped, Effect.provide(apiLayer(RAW)))
  )

  it.live("are 404 with a sentence that names the setting, where they are not recorded", () =>
    Effect.gen(function* () {
      const { body, status } = yield* get(UNKNOWN)
      assert.deepStrictEqual(
        [status, body.error.message],
        [
          404,
          "This service does not record transactions; its operator can change that (RAW_TRANSACTIONS=true)."
        ]
      )
    }).pipe(Effect.provide(apiLayer()))
  )
})
