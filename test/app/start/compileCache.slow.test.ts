/** This is a separate file because it deletes the compile cache that other tests' processes use. */
import { readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { resolve } from "node:path"
import { assert, it } from "@effect/vitest"
import { runProgram } from "../../support/program/program.ts"

const COMPILED = resolve(import.meta.dirname, "../../../node_modules/.cache/ledgerhook")

it("caches compiled code, so that the next command starts faster", () => {
  // Programs of other tests write there as they end.
  rmSync(COMPILED, { recursive: true, force: true, maxRetries: 10 })
  assert.strictEqual(runProgram(["--version"], { cwd: tmpdir() }).code, 0)
  assert.isNotEmpty(readdirSync(COMPILED))
})
