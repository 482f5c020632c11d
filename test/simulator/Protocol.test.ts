import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { LedgerStream } from "xrpl"
import { normaliseLedger } from "../../src/domain/NormaliseLedger.ts"
import { asLedger } from "../../src/simulator/Chain.ts"
import { eventually } from "../support/ingesting.ts"
import { makeSimulatedLedger, type SimulatedLedgerOptions } from "../support/simulatedLedger.ts"
import { ask, refusal, xrplClient } from "../support/xrplClient.ts"

const options: SimulatedLedgerOptions = {
  seed: 5,
  networkId: 2,
  transactionsPerLedger: 8
}

const running = Effect.gen(function* () {
  const simulated = yield* makeSimulatedLedger(options)
  return { simulated, connected: yield* xrplClient(simulated.url) }
})

describe("answers of the simulated server", () => {
  it.effect("announces closed ledgers to a subscribed client, and to it alone", () =>
    Effect.gen(function* () {
      const { connected, simulated } = yield* running
      const heard: Array<LedgerStream> = []
      connected.on("ledgerClosed", (message) => heard.push(message))
      yield* simulated.close
      const result = yield* ask(connected, { command: "subscribe", streams: ["ledger"] })
      const head = yield* simulated.head
      assert.deepStrictEqual(result, {
        fee_base: 10,
        ledger_hash: head.header.ledger_hash,
        ledger_index: 1_000_001,
        ledger_time: head.header.close_time,
        network_id: 2,
        reserve_base: 1_000_000,
        reserve_inc: 200_000,
        validated_ledgers: "1000000-1000001"
      })
      const closed = yield* simulated.close
      yield* eventually(Effect.sync(() => heard.length > 0))
      assert.deepStrictEqual(heard as ReadonlyArray<unknown>, [
        {
          ...result,
          ledger_hash: closed.header.ledger_hash,
          ledger_index: 1_000_002,
          ledger_time: closed.header.close_time,
          txn_count: 8,
          type: "ledgerClosed",
          validated_ledgers: "1000000-1000002"
        }
      ])
      yield* ask(connected, { command: "unsubscribe", streams: ["ledger"] })
      yield* simulated.close
      // A message sent earlier would have arrived before this answer.
      yield* ask(connected, { command: "ping" })
      assert.lengthOf(heard, 1)
    })
  )

  it.effect("gives the same ledger in both versions of the API", () =>
    Effect.gen(function* () {
      const { connected, simulated } = yield* running
      for (let n = 0; n < 20; n++) {
        const closed = yield* simulated.close
        const request = {
          command: "ledger",
          ledger_index: closed.header.ledger_index,
          transactions: true,
          expand: true
        }
        const second = yield* ask(connected, { ...request, api_version: 2 })
        const first = yield* ask(connected, { ...request, api_version: 1 })
        assert.isTrue(second["validated"])
        assert.strictEqual(typeof (first["ledger"] as Record<string, unknown>)["ledger_index"], "string")
        for (const result of [first, second]) {
          const { ledger, malformed } = normaliseLedger(result)!
          const { transactions, ...header } = asLedger(closed)
          assert.strictEqual(malformed, 0)
          assert.deepInclude(ledger, header)
          assert.deepStrictEqual(
            ledger.transactions.map(({ hash }) => hash),
            transactions.map(({ hash }) => hash)
          )
        }
      }
    })
  )

  it.effect("names the amount of a payment as each version does", () =>
    Effect.gen(function* () {
      const { connected, simulated } = yield* running
      let closed = yield* simulated.close
      const isPayment = ({ expected }: (typeof closed.transactions)[number]) =>
        expected.includes("payment.xrp")
      while (!closed.transactions.some(isPayment)) closed = yield* simulated.close
      const payment = closed.transactions.find(isPayment)!
      const listed = (version: number) =>
        Effect.map(
          ask(connected, {
            command: "ledger",
            ledger_index: "validated",
            transactions: true,
            expand: true,
            api_version: version
          }),
          (result) =>
            (result["ledger"] as { transactions: ReadonlyArray<Record<string, unknown>> }).transactions.find(
              ({ hash }) => hash === payment.hash
            )!
        )
      const first = yield* listed(1)
      assert.deepInclude(first, { Amount: payment.tx["Amount"], DeliverMax: payment.tx["Amount"] })
      assert.deepInclude(first["metaData"], { delivered_amount: payment.tx["Amount"] })
      const second = yield* listed(2)
      assert.deepInclude(second, { ledger_hash: closed.header.ledger_hash, validated: true })
      const json = second["tx_json"] as Record<string, unknown>
      assert.strictEqual(json["DeliverMax"], payment.tx["Amount"])
      assert.notProperty(json, "Amount")
      assert.deepInclude(second["meta"], { delivered_amount: payment.tx["Amount"] })
    })
  )

  it.effect("lists hashes only, and no transactions, when so asked", () =>
    Effect.gen(function* () {
      const { connected, simulated } = yield* running
      const { header, transactions } = yield* simulated.close
      const byHash = yield* ask(connected, {
        command: "ledger",
        ledger_hash: header.ledger_hash,
        transactions: true
      })
      assert.deepStrictEqual(
        (byHash["ledger"] as Record<string, unknown>)["transactions"],
        transactions.map(({ hash }) => hash).sort()
      )
      const bare = yield* ask(connected, { command: "ledger", ledger_index: "closed" })
      assert.notProperty(bare["ledger"], "transactions")
    })
  )

  it.effect("answers the open ledger's index with a ledger that is not validated", () =>
    Effect.gen(function* () {
      const { connected, simulated } = yield* running
      const { header } = yield* simulated.close
      for (const wanted of [header.ledger_index + 1, "current"]) {
        const result = yield* ask(connected, {
          command: "ledger",
          ledger_index: wanted,
          transactions: true
        })
        assert.deepStrictEqual(result, {
          ledger: {
            closed: false,
            ledger_index: header.ledger_index + 1,
            parent_hash: header.ledger_hash,
            transactions: []
          },
          ledger_current_index: header.ledger_index + 1,
          validated: false
        })
      }
    })
  )

  it.effect("refuses as rippled does", () =>
    Effect.gen(function* () {
      const { connected } = yield* running
      const request = { command: "ledger", ledger_index: 1_000_002 }
      const { id: _id, ...missing } = yield* refusal(connected, request)
      assert.deepInclude(missing, {
        error: "lgrNotFound",
        error_code: 21,
        error_message: "ledgerNotFound",
        status: "error",
        type: "response"
      })
      assert.deepInclude(missing["request"], request)
      const errors = yield* Effect.forEach(
        [
          { command: "ledger", ledger_index: 1 },
          { command: "ledger", ledger_hash: "0".repeat(64) },
          { command: "ledger", ledger_index: "soon" },
          { command: "ledger", ledger_index: "validated", binary: true, api_version: 1 },
          { command: "subscribe", streams: ["transactions"] },
          { command: "subscribe" },
          { command: "fly" },
          { command: "ping", api_version: 9 }
        ],
        (wrong) => Effect.map(refusal(connected, wrong), ({ error }) => error)
      )
      assert.deepStrictEqual(errors, [
        "lgrNotFound",
        "lgrNotFound",
        "invalidParams",
        "notSupported",
        "malformedStream",
        "invalidParams",
        "unknownCmd",
        "invalid_API_version"
      ])
    })
  )

  it.effect("answers what is no JSON object with an error and stays connected", () =>
    Effect.gen(function* () {
      const simulated = yield* makeSimulatedLedger(options)
      const answers = yield* Effect.callback<ReadonlyArray<unknown>>((resume) => {
        const socket = new WebSocket(simulated.url)
        const heard: Array<unknown> = []
        socket.onopen = () => {
          for (const text of ["{", "[1]", '{"id":7}', '{"id":8,"command":"ping"}']) socket.send(text)
        }
        socket.onmessage = ({ data }) => {
          heard.push(JSON.parse(String(data)))
          if (heard.length === 4) resume(Effect.succeed(heard))
        }
        return Effect.sync(() => socket.close())
      })
      assert.deepStrictEqual(answers, [
        { error: "jsonInvalid", type: "error", value: "{" },
        { error: "jsonInvalid", type: "error", value: "[1]" },
        { id: 7, error: "missingCommand", request: { id: 7 }, status: "error", type: "response" },
        { id: 8, result: {}, status: "success", type: "response" }
      ])
    })
  )

  it.effect("reports its network and its ledgers", () =>
    Effect.gen(function* () {
      const { connected, simulated } = yield* running
      const { header } = yield* simulated.close
      const result = yield* ask(connected, { command: "server_info" })
      assert.deepInclude(result["info"], {
        complete_ledgers: "1000000-1000001",
        network_id: 2,
        server_state: "full"
      })
      assert.deepInclude((result["info"] as Record<string, unknown>)["validated_ledger"], {
        hash: header.ledger_hash,
        seq: header.ledger_index
      })
      assert.strictEqual(connected.networkID, 2)
    })
  )
})
