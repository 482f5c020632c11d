/** The operator's commands for accounts, keys and webhooks run as real processes beside a service on their folder. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { apiClient, createWebhook, waitUntil } from "../../../support/http/apiClient.ts"
import { runProgram } from "../../../support/program/program.ts"
import { startService } from "../../../support/program/serviceProcess.ts"

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-accounts-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

describe("account commands on their own folder", () => {
  it.live(
    "work before the service starts; beside it, new keys, revocations and suspensions apply at once",
    () =>
      Effect.gen(function* () {
        const cwd = yield* temporaryFolder
        const folder = { DATA_DIR: join(cwd, "data"), XRPL_MAINNET_URLS: "" }
        const own = (...args: ReadonlyArray<string>) => {
          const { stdout, stderr } = runProgram(args, { cwd, environment: folder })
          assert.strictEqual(stderr, "")
          return JSON.parse(stdout)
        }
        const { id: account } = own(
          ...["account", "create", "--name", "a", "--email", "a@example.com", "--plan", "builder"]
        )
        const { apiUrl } = yield* startService({
          ...folder,
          LOG_LEVEL: "error",
          XRPL_MAINNET_URLS: "ws://127.0.0.1:1"
        })
        const { id, key } = own("key", "create", "--account", account, "--name", "k", "--scopes", "admin")
        const client = apiClient(apiUrl, key)
        const answers = (status: number) =>
          waitUntil(
            Effect.map(client.call("GET", "/v1/webhooks"), (answer) => answer.status === status),
            "10 seconds"
          )
        yield* answers(200)
        const webhook = yield* createWebhook(client, { url: "https://example.com/", event_types: ["*"] })
        const [listed] = own("webhook", "list", "--account", account)
        assert.deepInclude(listed, { id: webhook.id, account_id: account, url: "https://example.com/" })
        own("account", "suspend", account)
        yield* answers(403)
        own("account", "resume", account)
        yield* answers(200)
        own("key", "revoke", id)
        yield* answers(401)
      }),
    180_000
  )
})
