/** What is known of a network, as every process reads it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { readNetworks, writeNetwork } from "../../../src/features/operate/NetworkRows.ts"
import type { NetworkFacts } from "../../../src/spine/ledger/ingest/NetworkFacts.ts"
import { TestDatabase } from "../../support/store/postgres.ts"

const facts: NetworkFacts = {
  server: "s1",
  servers: [
    {
      address: "s1",
      state: "active",
      head: 9,
      ledgers: "1-9",
      last_fault: { reason: "timeout", detail: "no answer", is_unfit: false },
      backing_off_until: null
    }
  ],
  head: 9,
  head_at: "2026-11-21T09:30:02.000Z",
  head_ago_ms: 3_000,
  last_taken: 9,
  last_close_time: "2026-11-21T09:30:00Z",
  moved_ago_ms: 2_000,
  obstacle: null,
  last_error: null,
  idle: null,
  skipped_ledgers: 0,
  ledgers_per_second: 0.3,
  seconds_left: 0
}

/** As if `seconds` passed since a process wrote. */
const pass = (seconds: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`UPDATE networks SET seen_at = seen_at - ${seconds} * interval '1 second'`
  )

describe("what is known of a network", () => {
  it.effect("is read as it was written, with its age and what it means", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* readNetworks, [])
      yield* writeNetwork("testnet", { ...facts, head: 7 })
      yield* writeNetwork("testnet", facts)
      yield* writeNetwork("mainnet", { ...facts, idle: "no active webhook" })
      const [mainnet, testnet] = yield* readNetworks
      assert.deepStrictEqual(testnet!.facts, facts)
      assert.deepInclude(testnet, { network: "testnet", status: "ok", detail: "At the head." })
      assert.isBelow(testnet!.seenAgoMs, 10_000)
      assert.deepInclude(mainnet, { network: "mainnet", detail: "Idle: no active webhook." })
      yield* pass(60)
      const [, later] = yield* readNetworks
      assert.isAtLeast(later!.seenAgoMs, 60_000)
      assert.strictEqual(later!.status, "failed")
      assert.match(later!.detail, /^No process takes ledgers: the last one became silent 6\d s ago\.$/)
    }).pipe(Effect.provide(TestDatabase))
  )

  it.effect(
    "keeps the last ledger and the ageing head while a process that has just begun knows neither",
    () =>
      Effect.gen(function* () {
        yield* writeNetwork("devnet", facts)
        const begun = {
          ...facts,
          head: null,
          head_at: null,
          head_ago_ms: null,
          last_taken: null,
          last_close_time: null
        }
        for (const _ of [1, 2]) {
          yield* pass(60)
          yield* writeNetwork("devnet", { ...begun, moved_ago_ms: 0 })
        }
        const { facts: found } = (yield* readNetworks).find(({ network }) => network === "devnet")!
        const { head_ago_ms, ...others } = found
        assert.isAtLeast(head_ago_ms!, 123_000)
        assert.isBelow(head_ago_ms!, 180_000)
        const { head_ago_ms: _, ...expected } = facts
        assert.deepStrictEqual(others, { ...expected, moved_ago_ms: 0 })
        // A new chain has no last ledger yet.
        yield* writeNetwork("devnet", { ...begun, last_taken: 4 })
        const anew = (yield* readNetworks).find(({ network }) => network === "devnet")!
        assert.deepInclude(anew.facts, { last_taken: 4, last_close_time: null })
      }).pipe(Effect.provide(TestDatabase))
  )
})
