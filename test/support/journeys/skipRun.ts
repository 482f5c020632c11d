/**
 * An operator meets a ledger that no server can list: doctor names it, an order skips it, a process is killed meanwhile,
 * and every view shows the hole.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { apiClient, waitUntil } from "../http/apiClient.ts"
import { chain } from "../ledger/chain.ts"
import { rippledServer } from "../ledger/rippledServer.ts"
import { unlistable } from "../ledger/unlistable.ts"
import { startProgram } from "../program/program.ts"
import { startService } from "../program/serviceProcess.ts"

const ADMIN_KEY = "svc_live_0123456789abcdefghijklmnopqrstuv"
const FIRST = 100
const HOLE = 110
const LAST = 120
const REASON = "no server lists it"

/** `environment`: the store and the log. */
export const skipRun = Effect.fnUntraced(function* (cwd: string, given: Readonly<Record<string, string>>) {
  const server = yield* rippledServer({
    networkId: 0,
    interfere: unlistable(new Map([[HOLE, "lacking"]]))
  })
  server.serve(chain(FIRST, LAST, { transactions: 2 }))
  server.close(LAST)
  const environment = {
    PORT: "0",
    XRPL_MAINNET_URLS: server.url,
    XRPL_MAINNET_START: String(FIRST),
    ADMIN_KEY,
    ...given
  }
  const run = (...args: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const program = yield* startProgram(args, { cwd, environment })
      const code = yield* program.ended
      return { code, stdout: program.stdout() }
    }).pipe(Effect.scoped)
  const next = Effect.map(run("doctor", "--json"), ({ stdout }) =>
    JSON.parse(stdout).checks.find(({ check }: { readonly check: string }) => check === "mainnet next ledger")
  )
  const coverageOf = (apiUrl: string) =>
    Effect.map(apiClient(apiUrl, ADMIN_KEY).call("GET", "/v1/ledgers/coverage"), ({ body }) => {
      // The response has the contract's shape. The assertions check its values.
      const [mainnet] = body["data"] as unknown as ReadonlyArray<{
        readonly ranges: ReadonlyArray<{ readonly last: { readonly ledger_index: number } }>
        readonly skipped?: ReadonlyArray<{ readonly ledger_index: number; readonly reason: string }>
      }>
      return { last: mainnet?.ranges.at(-1)?.last.ledger_index, skipped: mainnet?.skipped }
    })
  const reaches = (apiUrl: string, ledger: number) =>
    waitUntil(
      Effect.map(coverageOf(apiUrl), ({ last }) => last === ledger),
      "60 seconds"
    )

  const first = yield* startService(environment)
  yield* reaches(first.apiUrl, HOLE - 1)
  const stuck = yield* next
  assert.strictEqual(stuck?.status, "problem")
  assert.match(stuck.detail, /transaction 0 of ledger 110 is missing/)
  assert.strictEqual((yield* run("ledger", "skip", String(HOLE), "--reason", REASON)).code, 0)
  yield* first.kill

  const second = yield* startService(environment)
  yield* reaches(second.apiUrl, LAST)
  yield* waitUntil(
    Effect.map(coverageOf(second.apiUrl), ({ skipped }) => skipped !== undefined),
    "20 seconds"
  )
  assert.deepInclude((yield* coverageOf(second.apiUrl)).skipped?.[0], { ledger_index: HOLE, reason: REASON })
  assert.strictEqual((yield* next)?.detail, `ledger ${LAST} was taken and is the newest`)
  const verified = yield* run("ledger", "verify", "--from", String(FIRST), "--to", String(LAST), "--json")
  assert.deepInclude(JSON.parse(verified.stdout), { ok: true, ledgers: LAST - FIRST + 1, skipped: 1 })
  assert.strictEqual((yield* run("ledger", "skip", String(HOLE), "--reason", "again")).code, 1)
})
