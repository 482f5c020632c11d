/** Alerts are stored once, and deleted when they are too old or too many. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { AlertStore } from "../../../src/features/events/AlertStore.ts"
import { alertFinding } from "../../../src/features/operate/doctor/StoredChecks.ts"
import type { DetectionAlert } from "../../../src/spine/event/LedgerEvent.ts"
import { makeDeadLetters } from "../../../src/spine/store/DeadLetters.ts"
import { hashOf } from "../../support/ledger/chain.ts"
import { TestDatabase } from "../../support/store/postgres.ts"

const NOW = Date.parse("2026-11-21T09:30:00.000Z")
const Live = Layer.provideMerge(AlertStore.layer, TestDatabase)

const alerts: ReadonlyArray<DetectionAlert> = [
  {
    code: "delivered_amount_unknown",
    tx_hash: hashOf("a"),
    event_type: "payment.xrp",
    reason: "no delivered amount"
  },
  { code: "nodes_unreadable", tx_hash: hashOf("a"), event_type: null, reason: "no metadata\0 at all" },
  { code: "nodes_unreadable", tx_hash: hashOf("b"), event_type: null, reason: "no metadata at all" }
]

describe("alert store", () => {
  it.effect("stores an alert once, even if it is recorded again", () =>
    Effect.gen(function* () {
      const store = yield* AlertStore
      yield* store.record("mainnet", 7, alerts, NOW)
      yield* store.record("mainnet", 7, alerts, NOW + 60_000)
      yield* store.record("testnet", 7, alerts.slice(0, 1), NOW + 1)
      const { total, alerts: newest } = yield* store.newest(2)
      assert.strictEqual(total, 4)
      assert.deepStrictEqual(
        newest.map(({ recorded_at, ...row }) => [row, new Date(recorded_at).getTime()]),
        [
          [{ network: "testnet", ledger_index: 7, ...alerts[0]! }, NOW + 1],
          [{ network: "mainnet", ledger_index: 7, ...alerts[2]! }, NOW]
        ]
      )
    }).pipe(Effect.provide(Live))
  )

  it.effect(
    "makes a dead letter of an alert that PostgreSQL refuses, and stores the others of its ledger",
    () =>
      Effect.gen(function* () {
        const store = yield* AlertStore
        const bad = { ...alerts[1]!, tx_hash: "A\0B" }
        yield* store.record("mainnet", 7, [alerts[0]!, bad, alerts[2]!], NOW)
        const { alerts: kept, total } = yield* store.newest(10)
        assert.strictEqual(total, 2)
        assert.deepStrictEqual(
          new Set(kept.map(({ tx_hash }) => tx_hash)),
          new Set([hashOf("a"), hashOf("b")])
        )
        const { rows } = yield* (yield* makeDeadLetters).newest(10)
        assert.deepStrictEqual(
          rows.map(({ source, stage }) => [stage, source]),
          [["alerts", "mainnet ledger 7, alert 2"]]
        )
      }).pipe(Effect.provide(Live))
  )

  it.effect("deletes alerts that are too old, and the oldest ones beyond the maximum", () =>
    Effect.gen(function* () {
      const store = yield* AlertStore
      for (let i = 1; i <= 5; i++) yield* store.record("mainnet", i, alerts.slice(0, 1), NOW + i)
      const kept = Effect.map(store.newest(10), (all) => all.alerts.map(({ ledger_index }) => ledger_index))
      assert.strictEqual(yield* store.drop(NOW + 2, 10), 1)
      assert.deepStrictEqual(yield* kept, [5, 4, 3, 2])
      assert.strictEqual(yield* store.drop(NOW, 3), 1)
      assert.deepStrictEqual(yield* kept, [5, 4, 3])
      assert.strictEqual(yield* store.drop(NOW, 3), 0)
    }).pipe(Effect.provide(Live))
  )

  it.effect("returns what doctor shows: how many, and the newest", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* alertFinding)?.status, "ok")
      const store = yield* AlertStore
      yield* store.record("mainnet", 94_084_608, alerts, NOW)
      const { detail, status } = (yield* alertFinding)!
      assert.strictEqual(status, "warning")
      assert.match(detail, /^3 events were withheld/)
      assert.include(detail, `mainnet 94084608 ${hashOf("a")} payment.xrp: no delivered amount`)
    }).pipe(Effect.provide(Live))
  )
})
