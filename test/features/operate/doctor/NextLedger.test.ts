/** `doctor` proves that the next ledger can be taken, also where every server answers. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Finding } from "../../../../src/features/operate/doctor/Finding.ts"
import * as EmbeddedLog from "../../../../src/spine/log/embedded/EmbeddedLog.ts"
import { chain } from "../../../support/ledger/chain.ts"
import { appendMarkers, markers } from "../../../support/ledger/markers.ts"
import { rippledServer } from "../../../support/ledger/rippledServer.ts"
import { runCommand } from "../../../support/program/command.ts"
import { settingsLayer } from "../../../support/program/settings.ts"
import { databaseUrl, makeDatabase } from "../../../support/store/postgres.ts"
import { examineHere } from "./examining.ts"

/** A server of ledgers `from` to `to`, all closed. */
const serving = Effect.fnUntraced(function* (from: number, to: number, name?: string) {
  const server = yield* rippledServer({ networkId: 1, ledgers: `${from}-${to}` })
  server.serve(chain(from, to, name === undefined ? {} : { name }))
  server.close(to)
  return server
})

/** The database of a service that took the ledgers `from` to `to` of the testnet. */
const taken = Effect.fnUntraced(function* (from: number, to: number) {
  const database = yield* makeDatabase
  yield* appendMarkers("testnet", markers(from, to)).pipe(
    Effect.provide(
      EmbeddedLog.layer.pipe(
        Layer.provide(settingsLayer()),
        Layer.provide(PgClient.layer({ ...database, maxConnections: 3 }))
      )
    )
  )
  return databaseUrl(database)
})

const examined = (DATABASE_URL: string, ...urls: ReadonlyArray<string>) =>
  examineHere({ DATABASE_URL, PORT: "0", XRPL_MAINNET_URLS: "", XRPL_TESTNET_URLS: urls.join(",") })

const next = (findings: ReadonlyArray<Finding>) =>
  findings.find(({ check }) => check === "testnet next ledger")

const isProblem = (finding: Finding | undefined, detail: string | RegExp, fix: RegExp) => {
  assert.strictEqual(finding?.status, "problem")
  if (typeof detail === "string") assert.strictEqual(finding?.detail, detail)
  else assert.match(finding?.detail ?? "", detail)
  assert.match(finding?.fix ?? "", fix)
}

describe("doctor and the next ledger", () => {
  it.live("is content if a server has it, or if none is closed yet", () =>
    Effect.gen(function* () {
      const database = yield* taken(5, 9)
      const short = yield* serving(20, 30)
      const whole = yield* serving(1, 30)
      const found = next(yield* examined(database, short.url, whole.url))
      assert.deepStrictEqual(
        [found?.status, found?.detail],
        ["ok", `ledger 10 can be taken from ${new URL(whole.url).host}`]
      )
      const atHead = yield* serving(1, 9)
      assert.strictEqual(
        next(yield* examined(database, atHead.url))?.detail,
        "ledger 9 was taken and is the newest"
      )
    })
  )

  it.live("names a reset: the head is below the last taken ledger", () =>
    Effect.gen(function* () {
      const server = yield* serving(3_001, 3_018, "after a reset")
      isProblem(
        next(yield* examined(yield* taken(40_000_001, 40_000_018), server.url)),
        "Servers are at ledger 3,018; the last one taken is 40,000,018: the network was reset, or the servers are wrong.",
        /`ledgerhook ledger new-chain --network testnet`/
      )
    })
  )

  it.live("names a reset: the last taken ledger has another hash", () =>
    Effect.gen(function* () {
      const server = yield* serving(1, 30, "after a reset")
      const findings = yield* examined(yield* taken(5, 9), server.url)
      isProblem(
        findings.find(({ check }) => check.startsWith("testnet 127.0.0.1")),
        /^its ledger 9 has the hash .* the network was reset$/,
        /"A test network was reset"/
      )
    })
  )

  it.live("names a reset: the server lacks the last taken ledger, and the next one does not link to it", () =>
    Effect.gen(function* () {
      const server = yield* serving(10, 30, "after a reset")
      isProblem(
        next(yield* examined(yield* taken(5, 9), server.url)),
        /^ledger 10 is the next to take, but no server sends it; .*: ledger 10 names .* as its parent/,
        /"A test network was reset"/
      )
    })
  )

  it.live("reports a ledger that no server has, and what they claim to have", () =>
    Effect.gen(function* () {
      const server = yield* serving(20, 30)
      isProblem(
        next(yield* examined(yield* taken(5, 9), server.url)),
        /^ledger 10 is the next to take, but no server sends it; 127\.0\.0\.1:\d+: answered lgrNotFound.*\(it claims to have 20-30\)$/,
        /^Add a server that has it to XRPL_TESTNET_URLS\.$/
      )
    })
  )

  it.live("reports a ledger that no server can list whole", () =>
    Effect.gen(function* () {
      const server = yield* serving(1, 30)
      server.serve(
        chain(10, 10, { transactions: 3 }).map((one) => ({ ...one, transactions: one.transactions.slice(1) }))
      )
      isProblem(
        next(yield* examined(yield* taken(5, 9), server.url)),
        /transaction 0 of ledger 10 is missing/,
        /"A ledger that no server can list" in docs\/operations\.md/
      )
    })
  )

  it.live("reports a first ledger that nobody has, or that is not closed yet", () =>
    Effect.gen(function* () {
      const database = databaseUrl(yield* makeDatabase)
      const server = yield* serving(20, 30)
      const started = (XRPL_TESTNET_START: string) =>
        Effect.map(
          examineHere({
            DATABASE_URL: database,
            PORT: "0",
            XRPL_MAINNET_URLS: "",
            XRPL_TESTNET_URLS: server.url,
            XRPL_TESTNET_START
          }),
          next
        )
      isProblem(
        yield* started("7"),
        /^ledger 7 is the next to take, but no server sends it/,
        /XRPL_TESTNET_START/
      )
      isProblem(
        yield* started("900"),
        "XRPL_TESTNET_START is ledger 900, but the servers are only at ledger 30",
        /^Set XRPL_TESTNET_START to latest/
      )
      assert.strictEqual((yield* started("25"))?.status, "ok")
      assert.strictEqual(
        (yield* started("latest"))?.detail,
        "nothing was taken yet; ingest starts with the newest ledger"
      )
    })
  )

  it.live("is content after a reset if an operator has ordered a new chain", () =>
    Effect.gen(function* () {
      const server = yield* serving(3_001, 3_018, "after a reset")
      const DATABASE_URL = yield* taken(4_001, 4_018)
      const environment = { DATABASE_URL, PORT: "0", XRPL_MAINNET_URLS: "", XRPL_TESTNET_URLS: server.url }
      assert.strictEqual(next(yield* examineHere(environment))?.status, "problem")
      const ordered = yield* runCommand(["ledger", "new-chain", "--network", "testnet"], { environment })
      assert.deepInclude(ordered, { code: 0, stderr: "" })
      assert.match(ordered.stdout, /^The chain of testnet ends with ledger 4018\. Restart the process/)
      assert.deepInclude(next(yield* examineHere(environment)), {
        status: "ok",
        detail: "nothing was taken yet; ingest starts with the newest ledger"
      })
      const refused = yield* runCommand(["ledger", "new-chain", "--network", "devnet"], { environment })
      assert.deepInclude(refused, {
        code: 1,
        stderr: "ledgerhook: no ledger of devnet was taken from a server, so there is no chain to end.\n"
      })
    })
  )

  it.live("waits for a server that is a ledger behind", () =>
    Effect.gen(function* () {
      const server = yield* rippledServer({ networkId: 1 })
      server.serve(chain(1, 30))
      server.close(8)
      const database = yield* taken(5, 9)
      const announced = Effect.gen(function* () {
        while (!server.requests.includes("subscribe")) yield* Effect.promise(() => new Promise(setImmediate))
        server.close(9)
      })
      const [findings] = yield* Effect.all([examined(database, server.url), announced], { concurrency: 2 })
      assert.strictEqual(next(findings)?.detail, "ledger 9 was taken and is the newest")
    })
  )
})
