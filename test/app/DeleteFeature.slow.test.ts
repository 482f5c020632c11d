/**
 * Whoever deletes a feature's folder and its line of the list has removed the feature: nothing else names it, the rest
 * compiles, its tests pass, and a service starts that has none of it. Each of these features is deleted from a copy of the
 * project.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { startProgram } from "../support/program/program.ts"
import { copyWithout, removeCopy, runIn } from "./withoutFeature.ts"

/** Its path or command, which is gone with it. */
const removable: Readonly<
  Record<string, { readonly path?: string; readonly command?: ReadonlyArray<string> }>
> = {
  export: { command: ["events", "export"] },
  listen: { command: ["listen"] },
  demo: { command: ["demo"] },
  docs: { path: "/docs" },
  ledgers: { path: "/v1/ledgers/coverage" },
  progress: { path: "/v1/explain" },
  copies: { command: ["backup"] },
  capacity: { command: ["capacity"] }
}

/** For this one service, so that a path that is gone answers 404 and not 401. */
const ADMIN_KEY = `svc_live_${"deleteTest0".repeat(4)}`

/** Tests that pass without any of them. They are run without the one that most others use. */
const TESTS = { without: "ledgers", folders: ["test/spine/registry", "test/spine/route", "test/http"] }

const ask = (url: string, path: string) =>
  Effect.promise(async () => {
    const { status } = await fetch(url + path, { headers: { "x-service-key": ADMIN_KEY } })
    return status
  })

const without = (feature: string) =>
  Effect.acquireRelease(
    Effect.sync(() => copyWithout(feature)),
    (copy) => Effect.sync(() => removeCopy(copy))
  )

describe("the project without the feature", () => {
  for (const [feature, { command, path }] of Object.entries(removable)) {
    it.live(
      `${feature} compiles, and starts`,
      () =>
        Effect.gen(function* () {
          assert.isTrue(existsSync(join("src/features", feature)))
          const copy = yield* without(feature)
          assert.deepStrictEqual(copy.left, [])
          const compiled = runIn(copy, "tsc", "--noEmit", "-p", "tsconfig.without.json")
          assert.strictEqual(compiled.status, 0, compiled.output)

          const program = join(copy.folder, "bin/ledgerhook.js")
          if (command !== undefined) {
            const parent = yield* startProgram([...command.slice(0, -1), "--help"], {
              program,
              cwd: copy.folder
            })
            assert.strictEqual(yield* parent.ended, 0)
            assert.notMatch(parent.stdout(), new RegExp(`^ +${command.at(-1)}\\b`, "m"))
          }
          const service = yield* startProgram(["start"], {
            program,
            cwd: copy.folder,
            environment: { PORT: "0", XRPL_MAINNET_URLS: "", ADMIN_KEY }
          })
          const line = yield* service.printed(/^Ledgerhook API: /)
          const url = line.replace("Ledgerhook API: ", "")
          assert.strictEqual(yield* ask(url, "/v1/webhooks"), 200)
          if (path !== undefined) assert.strictEqual(yield* ask(url, path), 404)
          yield* service.signal("SIGTERM")
          assert.strictEqual(yield* service.ended, 0)
        }).pipe(Effect.scoped),
      180_000
    )
  }

  it.live(
    `${TESTS.without} passes the tests of the spine and of http`,
    () =>
      Effect.gen(function* () {
        const copy = yield* without(TESTS.without)
        // Tests take their cases from the document of the API.
        const made = runIn(copy, "node", "tools/schemas.ts")
        assert.strictEqual(made.status, 0, made.output)
        const { output, status } = runIn(copy, "vitest", "run", "--project", "quick", ...TESTS.folders)
        assert.strictEqual(
          status,
          0,
          output
            .split("\n")
            .filter((line) => /FAIL|Error|Tests/.test(line))
            .join("\n")
        )
      }).pipe(Effect.scoped),
    300_000
  )
})
