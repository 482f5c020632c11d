/**
 * Each wrong variant must still have its place in the program, or `--mutants` would end with an error. Each check of
 * the simulation must be named by a variant that it catches: a check that nothing makes fail may be unable to fail.
 * Whether the named check really catches the variant, only `--mutants` shows.
 */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { checks } from "./checks.ts"
import { mutants } from "./mutants.ts"

const names = [...Object.keys(checks), "settles"]

describe("the wrong variants of the program", () => {
  for (const { caughtBy, code, file, name } of mutants)
    it(`change exactly one place of ${file}: ${name}`, () => {
      assert.strictEqual(readFileSync(file, "utf8").split(code).length - 1, 1)
      assert.include(names, caughtBy)
    })

  it("make every check fail", () => {
    const shown = new Set(mutants.map(({ caughtBy }) => caughtBy))
    assert.deepStrictEqual(
      names.filter((name) => !shown.has(name)),
      []
    )
  })
})
