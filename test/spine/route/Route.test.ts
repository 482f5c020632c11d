/**
 * Route on a real database: which events become deliveries while accounts are on hold, and what happens after a
 * crash.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { eventsTopic, type LedgerEvent } from "../../../src/spine/event/LedgerEvent.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { AccountHolds } from "../../../src/spine/registry/AccountHolds.ts"
import { route } from "../../../src/spine/route/Route.ts"
import { makeDeadLetters } from "../../../src/spine/store/DeadLetters.ts"
import { deliveryId } from "../../../src/spine/words/Ids.ts"
import {
  deliveringLayer,
  eventually,
  makeWebhook,
  startDelivering,
  untilAll
} from "../../support/deliver/delivering.ts"
import { makeReceiver } from "../../support/deliver/receiver.ts"
import { queuedFor } from "../../support/deliver/routing.ts"
import { setUsage } from "../../support/store/rows.ts"

const DETECTED = Date.parse("2026-11-21T09:30:00.000Z")
const QUOTA = 100
const ACCOUNT = "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"

const eventAt = (position: number): LedgerEvent => ({
  event_id: `xrpl:90000000:${position.toString(16).toUpperCase().padStart(64, "0")}:payment.xrp`,
  event_type: "payment.xrp",
  ledger_index: 90_000_000,
  timestamp: "2026-11-21T09:30:00Z",
  payload: { tx_hash: "AB" },
  accounts: [ACCOUNT],
  network: "mainnet",
  position,
  detected_at: DETECTED
})

const append = Effect.fnUntraced(function* (positions: ReadonlyArray<number>) {
  const log = yield* Log
  yield* log.transaction({
    append: positions.map((position) => ({
      topic: eventsTopic("mainnet"),
      key: "mainnet",
      value: JSON.stringify(eventAt(position))
    }))
  })
})

const idOf = (webhookId: string, position: number) =>
  deliveryId(DETECTED, position, webhookId, eventAt(position).event_id)

const isQueued = (webhookId: string, positions: ReadonlyArray<number>) =>
  eventually(
    Effect.map(queuedFor(webhookId), (works) =>
      assert.deepStrictEqual(
        works.map(({ delivery_id }) => delivery_id),
        positions.map((position) => idOf(webhookId, position))
      )
    )
  )

const useUp = Effect.fnUntraced(function* (accountId: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE accounts SET monthly_deliveries = ${QUOTA}::bigint WHERE id = ${accountId}`
  yield* setUsage(accountId, new Date().toISOString().slice(0, 7), QUOTA)
})

const raise = Effect.fnUntraced(function* (accountId: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE accounts SET monthly_deliveries = NULL WHERE id = ${accountId}`
})

const untilHeld = (accountId: string, held: boolean) =>
  eventually(
    Effect.map(AccountHolds, (holds) => assert.strictEqual(holds.get(accountId) !== undefined, held))
  )

describe("route", () => {
  it.live("makes dead letters of unreadable records, and queues the rest in order", () =>
    Effect.gen(function* () {
      const log = yield* Log
      const webhookId = yield* makeWebhook("https://a.example/")
      yield* Effect.forkScoped(route(["mainnet"]))
      yield* append([0, 1])
      yield* log.transaction({
        append: [{ topic: eventsTopic("mainnet"), key: "mainnet", value: "no event" }]
      })
      yield* append([3, 4])
      yield* isQueued(webhookId, [0, 1, 3, 4])
      const { rows } = yield* (yield* makeDeadLetters).newest(10)
      assert.deepStrictEqual(
        rows.map(({ source, stage }) => `${stage} ${source}`),
        ["route xrpl.mainnet.events/0@2"]
      )
    }).pipe(Effect.scoped, Effect.provide(deliveringLayer()))
  )

  it.live(
    "delivers an event whose row PostgreSQL refuses, makes its row a dead letter, and delivers the rest",
    () =>
      Effect.gen(function* () {
        const log = yield* Log
        const receiver = yield* makeReceiver()
        const webhookId = yield* makeWebhook(receiver.url)
        yield* Effect.forkScoped(route(["mainnet"]))
        yield* startDelivering
        yield* append([0, 1])
        const bad = { ...eventAt(2), event_id: "xrpl:90000000:\0" }
        yield* log.transaction({
          append: [{ topic: eventsTopic("mainnet"), key: "mainnet", value: JSON.stringify(bad) }]
        })
        yield* append([3, 4])
        yield* untilAll(
          [0, 1, 3, 4].map((position) => idOf(webhookId, position)),
          "delivered"
        )
        const deadLettersOf = Effect.flatMap(makeDeadLetters, ({ newest }) => newest(10))
        yield* eventually(
          Effect.map(deadLettersOf, ({ rows }) =>
            assert.deepStrictEqual(
              rows.map(({ source, stage }) => `${stage} ${source}`),
              [`deliver xrpl:90000000:\\u0000 for ${webhookId}`]
            )
          )
        )
      }).pipe(Effect.scoped, Effect.provide(deliveringLayer()))
  )

  it.live("queues nothing new for accounts whose quota is used up, and resumes with later events", () =>
    Effect.gen(function* () {
      const held = yield* makeWebhook("https://a.example/", { accountId: "acct_1" })
      const other = yield* makeWebhook("https://b.example/", { accountId: "acct_2" })
      yield* Effect.forkScoped(route(["mainnet"]))
      yield* append([0, 1])
      yield* isQueued(held, [0, 1])
      yield* useUp("acct_1")
      yield* untilHeld("acct_1", true)
      yield* append([2, 3])
      yield* isQueued(other, [0, 1, 2, 3])
      yield* isQueued(held, [0, 1])
      yield* raise("acct_1")
      yield* untilHeld("acct_1", false)
      yield* append([4])
      yield* isQueued(other, [0, 1, 2, 3, 4])
      yield* isQueued(held, [0, 1, 4])
    }).pipe(Effect.scoped, Effect.provide(deliveringLayer()))
  )

  it.live("does not queue again what an earlier owner has queued already", () =>
    Effect.gen(function* () {
      const webhookId = yield* makeWebhook("https://a.example/")
      yield* append([0, 1])
      const routing = yield* Effect.forkScoped(route(["mainnet"]))
      yield* isQueued(webhookId, [0, 1])
      yield* Fiber.interrupt(routing)
      yield* append([2])
      yield* Effect.forkScoped(route(["mainnet"]))
      yield* isQueued(webhookId, [0, 1, 2])
    }).pipe(Effect.scoped, Effect.provide(deliveringLayer()))
  )
})
