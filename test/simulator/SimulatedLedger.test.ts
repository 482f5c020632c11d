import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { LedgerSource } from "../../src/ledger/LedgerSource.ts"
import * as RippledSource from "../../src/ledger/RippledSource.ts"
import { makeSimulatedLedger, type SimulatedLedgerOptions } from "../support/simulatedLedger.ts"
import { ask, xrplClient } from "../support/xrplClient.ts"

const options: SimulatedLedgerOptions = {
  seed: 5,
  networkId: 2,
  transactionsPerLedger: 8
}

const running = Effect.gen(function* () {
  const simulated = yield* makeSimulatedLedger(options)
  return { simulated, connected: yield* xrplClient(simulated.url) }
})

describe("the simulated server", () => {
  it.effect("lets a test change, drop or cut off an answer", () =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const simulated = yield* makeSimulatedLedger({
        ...options,
        respond: (request, answer) => {
          seen.push(request["command"])
          if (request["command"] === "ping") return { ...answer, result: { changed: true } }
          if (request["command"] === "ledger") return "drop"
          return request["command"] === "unsubscribe" ? "close" : answer
        }
      })
      const connected = yield* xrplClient(simulated.url)
      assert.deepStrictEqual(yield* ask(connected, { command: "ping" }), { changed: true })
      const dropped = connected.request({ command: "ledger" }).catch(() => "never answered")
      const cut = connected.request({ command: "unsubscribe" }).catch(() => "disconnected")
      assert.strictEqual(yield* Effect.promise(() => cut), "disconnected")
      assert.strictEqual(yield* Effect.promise(() => dropped), "never answered")
      assert.includeMembers(seen, ["server_info", "ping", "ledger", "unsubscribe"])
    })
  )

  it.effect("names the port that is not free", () =>
    Effect.gen(function* () {
      const { url } = yield* makeSimulatedLedger(options)
      const port = Number(new URL(url).port)
      const error = yield* Effect.flip(makeSimulatedLedger({ ...options, port }))
      assert.strictEqual(error.message, `The simulated ledger cannot listen on 127.0.0.1:${port}.`)
    })
  )

  it.effect("ends with its scope, connections and all", () =>
    Effect.gen(function* () {
      const url = yield* Effect.scoped(
        Effect.gen(function* () {
          const { connected, simulated } = yield* running
          assert.isTrue(connected.isConnected())
          assert.strictEqual(yield* simulated.connections, 1)
          return simulated.url
        })
      )
      assert.isTrue(Exit.isFailure(yield* Effect.exit(Effect.scoped(xrplClient(url)))))
    })
  )
})

describe("the ledger source", () => {
  it.effect("reads the simulated ledger like a real one", () =>
    Effect.gen(function* () {
      const simulated = yield* makeSimulatedLedger(options)
      const closed = [yield* simulated.close, yield* simulated.close]
      yield* Effect.gen(function* () {
        const source = yield* LedgerSource
        assert.strictEqual((yield* source.awaitHead(1_000_002)).ledgerHash, closed[1]!.header.ledger_hash)
        for (const one of closed) {
          const fetched = yield* source.fetch(one.header.ledger_index, () => undefined)
          assert.isTrue(fetched.validated)
          assert.strictEqual(fetched.malformed, 0)
          assert.deepStrictEqual(
            fetched.ledger.transactions.map(({ hash, meta }) => [hash, meta["TransactionIndex"]]),
            one.transactions.map(({ hash }, n) => [hash, n])
          )
        }
      }).pipe(Effect.provide(RippledSource.layer({ network: "devnet", urls: [simulated.url] })))
    })
  )
})
