/** `tools/dashboard.js` builds the dashboard once for each state of its sources, and a build is complete or absent. */
import { spawn } from "node:child_process"
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { brotliDecompressSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const root = resolve(import.meta.dirname, "..")

/** An API without operations. */
const document = (title: string) => ({ openapi: "3.1.0", info: { title, version: "1.0.0" }, paths: {} })

/** A project with this script and a dashboard of two files. */
const project = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "ledgerhook-build-"))
    for (const name of ["tools", "schemas", "dashboard"]) mkdirSync(join(folder, name))
    for (const file of ["tools/client.js", "tools/dashboard.js", "dashboard/package.json"])
      cpSync(join(root, file), join(folder, file))
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
    writeFileSync(join(folder, "schemas/openapi.json"), JSON.stringify(document("First")))
    writeFileSync(join(folder, "package-lock.json"), "{}")
    writeFileSync(join(folder, "dashboard/index.html"), `<script type="module" src="/main.js"></script>`)
    writeFileSync(join(folder, "dashboard/main.js"), `document.title = "first"`)
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const run = (folder: string, args: ReadonlyArray<string> = []) =>
  Effect.callback<{ readonly code: number | null; readonly errors: string }>((resume) => {
    const child = spawn(process.execPath, [join(folder, "tools/dashboard.js"), ...args], { cwd: folder })
    let errors = ""
    child.stderr.on("data", (chunk) => (errors += String(chunk)))
    child.once("exit", (code) => resume(Effect.succeed({ code, errors })))
  })

const script = (folder: string): string => {
  const assets = join(folder, "dashboard/dist/assets")
  const name = readdirSync(assets).find((name) => name.endsWith(".js"))!
  const text = readFileSync(join(assets, name), "utf8")
  assert.strictEqual(brotliDecompressSync(readFileSync(join(assets, `${name}.br`))).toString(), text)
  return text
}

const temporaries = (folder: string) =>
  readdirSync(join(folder, "dashboard")).filter((name) => name.startsWith(".dist-"))

const built = { code: 0, errors: "Building the dashboard (once) ...\n" }
const skipped = { code: 0, errors: "" }

describe("the build of the dashboard", () => {
  it.live("is skipped until a source changes", () =>
    Effect.gen(function* () {
      const folder = yield* project
      assert.deepStrictEqual(yield* run(folder), built)
      assert.include(script(folder), "first")
      assert.deepStrictEqual(yield* run(folder), skipped)
      writeFileSync(join(folder, "dashboard/main.js"), `document.title = "second"`)
      assert.deepStrictEqual(yield* run(folder), built)
      assert.include(script(folder), "second")
      // The client is generated from this document.
      writeFileSync(join(folder, "schemas/openapi.json"), JSON.stringify(document("Second")))
      assert.deepStrictEqual(yield* run(folder), built)
      assert.deepStrictEqual(yield* run(folder), skipped)
      assert.deepStrictEqual(temporaries(folder), [])
    })
  )

  it.live("may run twice at the same time", () =>
    Effect.gen(function* () {
      const folder = yield* project
      for (const title of ["first", "second"]) {
        writeFileSync(join(folder, "dashboard/main.js"), `document.title = "${title}"`)
        const both = yield* Effect.all([run(folder), run(folder)], { concurrency: 2 })
        for (const { code, errors } of both) assert.strictEqual(code, 0, errors)
        assert.include(script(folder), title)
        assert.deepStrictEqual(yield* run(folder), skipped)
        assert.deepStrictEqual(temporaries(folder), [])
      }
    })
  )

  it.live("keeps the last build if it fails, which is no error where the dashboard is optional", () =>
    Effect.gen(function* () {
      const folder = yield* project
      yield* run(folder)
      writeFileSync(join(folder, "dashboard/main.js"), "const =")
      const failed = yield* run(folder)
      assert.strictEqual(failed.code, 1)
      assert.match(failed.errors, /the dashboard was not built \([\s\S]*npm run dashboard:build/)
      assert.strictEqual((yield* run(folder, ["--optional"])).code, 0)
      assert.include(script(folder), "first")
      assert.deepStrictEqual(temporaries(folder), [])
    })
  )

  it.live("names the wrong address of an API", () =>
    Effect.gen(function* () {
      const folder = yield* project
      const { code, errors } = yield* Effect.acquireUseRelease(
        Effect.sync(() => {
          process.env["DASHBOARD_API"] = "ftp://example.com"
        }),
        () => run(folder, ["serve"]),
        () => Effect.sync(() => void delete process.env["DASHBOARD_API"])
      )
      assert.strictEqual(code, 1)
      assert.include(errors, `DASHBOARD_API: "ftp://example.com" is not an http or https address`)
    })
  )
})
