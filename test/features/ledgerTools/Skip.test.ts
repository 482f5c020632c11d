/** `ledger skip`: an order that nothing would follow is refused with one sentence. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SkippedLedgers } from "../../../src/features/events/SkipOrders.ts"
import { BackfillStore } from "../../../src/spine/ledger/backfill/BackfillStore.ts"
import * as EmbeddedLog from "../../../src/spine/log/embedded/EmbeddedLog.ts"
import { appendMarkers, markers } from "../../support/ledger/markers.ts"
import { runCommand } from "../../support/program/command.ts"
import { settingsLayer } from "../../support/program/settings.ts"
import { databaseUrl, makeDatabase } from "../../support/store/postgres.ts"

/** A database in which ledgers 100 to 110 and 120 to 130 were taken, and 50 to 60 fetched as history. */
const prepared = Effect.gen(function* () {
  const options = yield* makeDatabase
  const sql = PgClient.layer({ ...options, maxConnections: 3 })
  yield* Effect.andThen(
    appendMarkers("mainnet", [...markers(100, 110), ...markers(120, 130)]),
    Effect.flatMap(BackfillStore, (history) =>
      history.add("mainnet", {
        firstLedger: 50,
        lastLedger: 60,
        parentHash: "A".repeat(64),
        lastHash: "B".repeat(64),
        firstClosedAt: 1,
        lastClosedAt: 2,
        markerOffset: 0,
        eventOffset: 0,
        events: 0
      })
    )
  ).pipe(
    Effect.provide(
      Layer.merge(EmbeddedLog.layer, BackfillStore.layer).pipe(
        Layer.provide(settingsLayer()),
        Layer.provide(sql)
      )
    )
  )
  const environment = { DATABASE_URL: databaseUrl(options), XRPL_MAINNET_URLS: "ws://127.0.0.1:1" }
  const skip = (...args: ReadonlyArray<string>) => runCommand(["ledger", "skip", ...args], { environment })
  const orders = SkippedLedgers.layer.pipe(Layer.provide(sql))
  return { skip, orders }
})

describe("ledger skip", () => {
  it.live("orders, changes and withdraws, also in advance", () =>
    Effect.gen(function* () {
      const { orders, skip } = yield* prepared
      const reason = (index: number) =>
        Effect.flatMap(SkippedLedgers, (store) => store.reason("mainnet", index)).pipe(Effect.provide(orders))
      for (const index of [20, 131]) {
        const ordered = yield* skip(String(index), "--reason", "no server lists it")
        assert.deepInclude(ordered, { code: 0, stderr: "" })
        assert.match(
          ordered.stdout,
          new RegExp(`^ledger ${index} of mainnet will be skipped once no server sends it`)
        )
        assert.strictEqual(yield* reason(index), "no server lists it")
      }
      assert.strictEqual((yield* skip("20", "--reason", "better words")).code, 0)
      assert.strictEqual(yield* reason(20), "better words")
      assert.strictEqual(
        (yield* skip("20", "--withdraw")).stdout,
        "ledger 20 of mainnet will not be skipped.\n"
      )
      assert.isUndefined(yield* reason(20))
    })
  )

  const refused: ReadonlyArray<readonly [ReadonlyArray<string>, number, RegExp]> = [
    [["105", "--reason", "x"], 1, /^ledgerhook: ledger 105 of mainnet was taken already\.$/],
    [["55", "--reason", "x"], 1, /^ledgerhook: ledger 55 of mainnet was taken already\.$/],
    [
      ["115", "--reason", "x"],
      1,
      /ledger 115 of mainnet is between ledgers that were taken, so nothing fetches it\.$/
    ],
    [
      ["4000000000", "--reason", "x"],
      1,
      /4000000000 of mainnet is not closed yet: ledger 130 is the newest that was taken\.$/
    ],
    [["131"], 2, /--reason is missing/],
    [["131", "--reason", " "], 2, /1 to 200 characters on one line/],
    [["131", "--reason", "a\nb"], 2, /1 to 200 characters on one line/],
    [["0", "--reason", "x"], 2, /a ledger index from 1 to 4294967295/],
    [["seven", "--reason", "x"], 2, /a ledger index from 1 to 4294967295/],
    [
      ["131", "--network", "testnet", "--reason", "x"],
      2,
      /^ledgerhook: XRPL_TESTNET_URLS: no server of testnet/
    ],
    [["131", "--withdraw"], 1, /there is no order for ledger 131 of mainnet/]
  ]
  it.live("refuses with one sentence what nothing would follow", () =>
    Effect.gen(function* () {
      const { skip } = yield* prepared
      for (const [args, code, message] of refused) {
        const result = yield* skip(...args)
        assert.strictEqual(result.code, code, args.join(" "))
        assert.match(result.stderr.trimEnd(), message)
      }
    })
  )

  it.live("refuses a ledger that was skipped already", () =>
    Effect.gen(function* () {
      const { orders, skip } = yield* prepared
      const [hole] = markers(20, 20)
      yield* Effect.flatMap(SkippedLedgers, (store) =>
        store.note("mainnet", { ...hole!, skipped: "lost" })
      ).pipe(Effect.provide(orders))
      assert.match((yield* skip("20", "--reason", "x")).stderr, /ledger 20 of mainnet was skipped already/)
    })
  )
})
