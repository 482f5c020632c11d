/**
 * Starts the whole program, as an operator runs it, for the benchmarks that measure it from outside. `bench --against`
 * gives the program of the other commit, so that one benchmark measures both.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { apiClient } from "../../test/support/http/apiClient.ts"
import { startProcess } from "../../test/support/program/serviceProcess.ts"

const ADMIN_KEY = "svc_live_0123456789abcdefghijklmnopqrstuv"

/** Starts the service in a folder of its own. It ends with the scope. */
export const startProgram = Effect.fnUntraced(function* (
  program: string,
  environment: Readonly<Record<string, string>>
) {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-bench-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  const settings = {
    ADMIN_KEY,
    DATA_DIR: folder,
    DELIVERY_ALLOW_HTTP: "true",
    DELIVERY_ALLOW_PRIVATE_ADDRESSES: "true",
    ...environment
  }
  const { pid, match } = yield* startProcess(settings, /Ledgerhook API: (\S+)/, program)
  const url = match[1]!
  /** Runs a command of the program, and returns the JSON that it prints. */
  const command = (...args: ReadonlyArray<string>) =>
    Effect.map(startProcess(settings, /^\{.*\}$/ms, program, args), ({ match }) => JSON.parse(match[0]))
  /** A client of an account of its own, whose plan bounds nothing that a benchmark does. */
  const otherAccount = Effect.gen(function* () {
    const account = ["--name", "other", "--email", "other@example.com", "--plan", "enterprise"]
    const { id } = yield* command("account", "create", ...account)
    const { key } = yield* command("key", "create", "--account", id, "--name", "other", "--scopes", "admin")
    return apiClient(url, key)
  })
  return { pid, client: apiClient(url, ADMIN_KEY), otherAccount }
})
