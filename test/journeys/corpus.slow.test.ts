/**
 * The whole chain on real ledgers: served over rippled's WebSocket protocol, read, detected, routed, delivered to a
 * real receiver. What arrives is exactly what the ledgers are known to hold: each event once, signed, in ledger order.
 */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { roles } from "../../src/app/Roles.ts"
import type { DetectedEvent } from "../../src/spine/event/LedgerEvent.ts"
import { normaliseLedger } from "../../src/spine/event/NormaliseLedger.ts"
import { apiPart, Health } from "../../src/spine/observe/Health.ts"
import { makeReceiver, signatureHolds } from "../support/deliver/receiver.ts"
import { apiClient, createWebhook } from "../support/http/apiClient.ts"
import { comparable, corpusPresent, corpusRuns, expectedEvents } from "../support/ledger/corpusLedgers.ts"
import { rippledServer } from "../support/ledger/rippledServer.ts"
import { asVersion1 } from "../support/ledger/rulesVersion1.ts"
import { settingsLayer } from "../support/program/settings.ts"
import { TestDatabase } from "../support/store/postgres.ts"

const ADMIN_KEY = "svc_live_0123456789abcdefghijklmnopqrstuv"
const runs = corpusPresent ? corpusRuns().filter(({ files }) => expectedEvents(files).length > 0) : []

describe.skipIf(!corpusPresent)("real ledgers, whole chain (skipped without ../shared/xrpl-corpus)", () => {
  it("are there", () => assert.isAbove(runs.length, 0))

  it.live.each(runs.map((run) => [run.files[0]!, run] as const))(
    "arrive as exactly their events, in order: from %s on",
    ([, { files, ledgers }]) =>
      Effect.gen(function* () {
        const [first, last] = [ledgers[0]!.ledger_index, ledgers.at(-1)!.ledger_index]
        const server = yield* rippledServer()
        server.serve(ledgers)
        const receiver = yield* makeReceiver()
        const settings = settingsLayer({
          ADMIN_KEY,
          XRPL_MAINNET_URLS: server.url,
          XRPL_MAINNET_START: String(first)
        })
        const context = yield* Layer.build(
          Layer.fresh(roles).pipe(Layer.provide(TestDatabase), Layer.provide(settings))
        )
        const health = yield* Context.get(context, Health).get(apiPart)
        const client = apiClient(String(health?.facts?.["address"]), ADMIN_KEY)
        const { id, secret } = yield* createWebhook(client, {
          url: receiver.url,
          event_types: ["*"],
          max_in_flight: 1
        })
        server.close(last)

        const expected = expectedEvents(files)
        yield* receiver
          .until((received) => received.length >= expected.length)
          .pipe(Effect.timeout("30 seconds"))
        const transactions = new Map(
          ledgers
            .flatMap((one) => normaliseLedger(one)?.ledger.transactions ?? [])
            .map((one) => [one.hash, one])
        )
        const known = (index: number) => expected[index]?.timestamp !== null
        assert.deepStrictEqual(
          receiver.received.map(({ event: received }, i) => {
            // Every envelope has a payload.
            const event = received as unknown as DetectedEvent
            const transaction = transactions.get(String(event.payload["tx_hash"]))!
            return comparable({ ...asVersion1(event, transaction) }, { withTime: known(i) })
          }),
          expected.map(({ accounts: _, ...event }, i) => comparable(event, { withTime: known(i) }))
        )
        for (const one of receiver.received) {
          assert.isTrue(signatureHolds(secret, one))
          assert.strictEqual(one.event.webhook_id, id)
        }
      })
  )
})
