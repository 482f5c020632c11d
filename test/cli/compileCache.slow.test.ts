/** Of its own, since it takes away what makes every other process of the tests start sooner. */
import { readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { resolve } from "node:path"
import { assert, it } from "@effect/vitest"
import { runProgram } from "../support/program.ts"

const COMPILED = resolve(import.meta.dirname, "../../node_modules/.cache/ledgerhook")

it("the program keeps what was compiled beside the packages: the next command starts sooner", () => {
  // Programs of other tests write there as they end.
  rmSync(COMPILED, { recursive: true, force: true, maxRetries: 10 })
  assert.strictEqual(runProgram(["--version"], { cwd: tmpdir() }).code, 0)
  assert.isNotEmpty(readdirSync(COMPILED))
})
