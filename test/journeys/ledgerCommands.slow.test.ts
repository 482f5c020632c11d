/**
 * `ledger verify` and `doctor` on a DATA_DIR whose service runs, and after it has ended: both times they read what is
 * there, and the service does not notice.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { apiClient, waitUntil } from "../support/http/apiClient.ts"
import { chain, hashOf } from "../support/ledger/chain.ts"
import { rippledServer } from "../support/ledger/rippledServer.ts"
import { startProgram } from "../support/program/program.ts"

const ADMIN_KEY = "svc_live_0123456789abcdefghijklmnopqrstuv"
const FIRST = 100
const LAST = 160

interface Coverage {
  readonly ranges: ReadonlyArray<{
    readonly first: { readonly ledger_index: number }
    readonly last: { readonly ledger_index: number; readonly ledger_hash: string }
    readonly ledgers: number
  }>
  readonly head: { readonly ledger_index: number; readonly age_ms: number } | null
  readonly catching_up: unknown
}

describe("commands on ledgers", () => {
  it.live(
    "work beside the running service and without it",
    () =>
      Effect.gen(function* () {
        const cwd = yield* Effect.acquireRelease(
          Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-commands-"))),
          (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
        )
        const server = yield* rippledServer()
        // The offer that it accepts is not in its metadata.
        const undecided = {
          TransactionType: "NFTokenAcceptOffer",
          Account: "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh",
          NFTokenSellOffer: hashOf("offer"),
          hash: hashOf("undecided"),
          metaData: { AffectedNodes: [], TransactionIndex: 0, TransactionResult: "tesSUCCESS" }
        }
        server.serve(
          chain(FIRST, LAST).map((ledger) =>
            ledger.ledger_index === 120 ? { ...ledger, transactions: [undecided] } : ledger
          )
        )
        server.close(LAST)
        const environment = {
          DATA_DIR: join(cwd, "data"),
          PORT: "0",
          XRPL_MAINNET_URLS: server.url,
          XRPL_MAINNET_START: String(FIRST),
          ADMIN_KEY,
          LOG_FORMAT: "json"
        }
        const run = (...args: ReadonlyArray<string>) =>
          Effect.gen(function* () {
            const program = yield* startProgram(args, { cwd, environment })
            const code = yield* program.ended
            return { code, stdout: program.stdout() }
          }).pipe(Effect.scoped)
        const verify = (...args: ReadonlyArray<string>) =>
          run("ledger", "verify", "--from", String(FIRST), "--json", ...args)

        assert.strictEqual((yield* verify("--to", String(LAST))).code, 1)

        const service = yield* startProgram(["start"], { cwd, environment })
        const address = Effect.sync(() => /Ledgerhook API: (\S+)/.exec(service.stdout())?.[1])
        yield* waitUntil(
          Effect.map(address, (found) => found !== undefined),
          "60 seconds"
        )
        const client = apiClient((yield* address) ?? "", ADMIN_KEY)
        const coverage = Effect.map(client.call("GET", "/v1/ledgers/coverage"), ({ body }) => {
          // The response has the contract's shape. The assertions check its values.
          const { data } = body as unknown as { readonly data: ReadonlyArray<Coverage> }
          return data[0]!
        })
        yield* waitUntil(
          // Ingest writes the head within a second of taking the ledger.
          Effect.map(
            coverage,
            ({ head, ranges }) => ranges[0]?.last.ledger_index === LAST && head?.ledger_index === LAST
          ),
          "60 seconds"
        )
        const { catching_up, head, ranges } = yield* coverage
        assert.deepStrictEqual(
          ranges.map(({ first, last, ledgers }) => [first.ledger_index, last.ledger_hash, ledgers]),
          [[FIRST, chain(LAST, LAST)[0]!.ledger_hash, LAST - FIRST + 1]]
        )
        assert.strictEqual(head?.ledger_index, LAST)
        assert.isNull(catching_up)

        const beside = yield* verify("--to", String(LAST), "--against", server.url)
        assert.strictEqual(beside.code, 0, beside.stdout)
        assert.deepInclude(JSON.parse(beside.stdout), { ok: true, ledgers: LAST - FIRST + 1, fault: null })
        assert.strictEqual((yield* client.call("GET", "/readyz")).status, 200)

        yield* service.signal("SIGTERM")
        assert.strictEqual(yield* service.ended, 0)
        const without = yield* verify("--to", String(LAST + 1))
        assert.strictEqual(without.code, 1)
        assert.deepInclude(JSON.parse(without.stdout).fault, { ledger_index: LAST + 1 })
        const doctor = yield* run("doctor", "--json")
        const checks: ReadonlyArray<{ check: string; status: string; detail: string }> = JSON.parse(
          doctor.stdout
        ).checks
        const detection = checks.find(({ check }) => check === "detection")
        assert.strictEqual(detection?.status, "warning", doctor.stdout)
        assert.include(detection?.detail, `mainnet 120 ${hashOf("undecided")} nft.offer_accepted: `)
      }),
    // Five processes, one after another.
    120_000
  )
})
