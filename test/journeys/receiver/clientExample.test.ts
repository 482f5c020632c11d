/** The client example of docs/api.md, run as it stands in a package as `npm init` makes it (type commonjs). */
import { execFile } from "node:child_process"
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ApiUnderTest, apiLayer } from "../../support/http/api.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-client-example-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** The only value that a reader inserts. */
const KEY = "svc_live_…"

describe("the client example of docs/api.md", () => {
  it.live("runs in a package whose type is commonjs, as npm makes it", () =>
    Effect.gen(function* () {
      const page = readFileSync("docs/api.md", "utf8")
      const generated = /npx oazapfts \S+\/openapi\.json (\S+)/.exec(page)?.[1] ?? ""
      const example = /```typescript\n\/\/ (\S+)\n([\s\S]*?)```/.exec(page)
      const main = example?.[1] ?? ""
      assert.include(example?.[2], KEY)

      const { url, account, call } = yield* ApiUnderTest
      const { key } = yield* account()
      const cwd = yield* folder
      writeFileSync(join(cwd, "package.json"), JSON.stringify({ type: "commonjs" }))
      mkdirSync(join(cwd, "node_modules/@oazapfts"), { recursive: true })
      symlinkSync(resolve("node_modules/@oazapfts/runtime"), join(cwd, "node_modules/@oazapfts/runtime"))
      copyFileSync("dashboard/src/api/ledgerhook.ts", join(cwd, generated))
      writeFileSync(
        join(cwd, main),
        (example?.[2] ?? "").replace(KEY, key).replace("http://127.0.0.1:8080", url)
      )
      yield* Effect.promise(() => promisify(execFile)(process.execPath, [main], { cwd }))
      const { body } = yield* call("GET", "/v1/webhooks", { key })
      assert.deepStrictEqual(
        body.data.map((webhook: { url: string }) => webhook.url),
        ["https://example.com/hook"]
      )
    }).pipe(Effect.scoped, Effect.provide(apiLayer()))
  )
})
