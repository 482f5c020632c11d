/**
 * Each wrong variant must still have its place in the program, or `--mutants` would end with an error. Each check of
 * the simulation must be named by a variant that it catches: a check that nothing makes fail may be unable to fail.
 * Whether the named check really catches the variant, only `--mutants` shows.
 */
import { assert, describe, it } from "@effect/vitest"
import { checks } from "./checks.ts"
import { changes, mutants } from "./mutants.ts"

const names = [...Object.keys(checks), "settles"]

describe("the wrong variants of the program", () => {
  for (const mutant of mutants)
    it(`change exactly one place: ${mutant.name}`, () => {
      assert.lengthOf(changes(mutant), 1)
      assert.include(names, mutant.caughtBy)
    })

  it("make every check fail", () => {
    const shown = new Set(mutants.map(({ caughtBy }) => caughtBy))
    assert.deepStrictEqual(
      names.filter((name) => !shown.has(name)),
      []
    )
  })
})
