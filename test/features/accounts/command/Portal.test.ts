/** `ledgerhook portal`: a link for an account's dashboard, printed once. */

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { accountBounds } from "../../../../src/features/accounts/Limits.ts"
import { runCommand } from "../../../support/program/command.ts"
import { databaseUrl, makeDatabase } from "../../../support/store/postgres.ts"

const cwd = mkdtempSync(join(tmpdir(), "ledgerhook-portal-"))
const scope = Scope.makeUnsafe()
let environment: Readonly<Record<string, string>>
let account: string

const run = (args: ReadonlyArray<string>, more: Readonly<Record<string, string>> = {}) =>
  Effect.runPromise(runCommand(args, { environment: { ...environment, ...more } }))

beforeAll(async () => {
  const options = await Effect.runPromise(Scope.provide(makeDatabase, scope))
  environment = {
    DATABASE_URL: databaseUrl(options),
    SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
    XRPL_MAINNET_URLS: ""
  }
  const create = "account create --name test --email ops@example.com --plan builder".split(" ")
  account = JSON.parse((await run(create)).stdout).id
})
afterAll(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  rmSync(cwd, { recursive: true, force: true })
})

describe("ledgerhook portal", () => {
  it("prints a link of 10 minutes for a key that the account's owner sees", async () => {
    const before = Date.now()
    const { code, stdout, stderr } = await run(["portal", account])
    assert.deepStrictEqual([code, stderr], [0, ""])
    const { url, key_id, valid_until, ...others } = JSON.parse(stdout)
    assert.match(url, /^http:\/\/127\.0\.0\.1:8080\/sign-in#link=link_live_\w{43}$/)
    assert.isAtLeast(Date.parse(valid_until), before + accountBounds.signInLinkMs)
    assert.deepStrictEqual(others, { account_id: account, environment: "live" })
    const again = JSON.parse((await run(["portal", account])).stdout)
    assert.strictEqual(again.key_id, key_id)
    assert.notStrictEqual(again.url, url)
    const [key] = JSON.parse((await run(["key", "list", "--account", account])).stdout)
    assert.deepInclude(key, { id: key_id, name: "sign-in links", scopes: ["admin"], revoked_at: null })
  })

  it("has the service's address for browsers, and the environment that is asked for", async () => {
    const addresses: ReadonlyArray<readonly [Readonly<Record<string, string>>, string]> = [
      [{ LEDGERHOOK_URL: "https://hooks.example.com/" }, "https://hooks.example.com/"],
      [{ HOST: "0.0.0.0", PORT: "9000" }, "http://127.0.0.1:9000/"],
      [{ HOST: "::1" }, "http://[::1]:8080/"]
    ]
    for (const [settings, address] of addresses) {
      const { stdout } = await run(["portal", account, "--environment", "test"], settings)
      assert.match(JSON.parse(stdout).url, /\/sign-in#link=link_test_\w+$/)
      assert.strictEqual(JSON.parse(stdout).url.split("sign-in")[0], address)
    }
    const unknown = await run(["portal", account], { PORT: "0" })
    assert.deepStrictEqual([unknown.code, unknown.stdout], [2, ""])
    assert.match(unknown.stderr, /^ledgerhook: set LEDGERHOOK_URL to the address of the service: PORT is 0/)
    const wrong = await run(["portal", account], { LEDGERHOOK_URL: "hooks.example.com" })
    assert.match(wrong.stderr, /^ledgerhook: LEDGERHOOK_URL must be an http or https URL/)
  })
})
