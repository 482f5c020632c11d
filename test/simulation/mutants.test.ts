/** Each wrong variant must still have its place in the program, or `--mutants` would end with an error. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { mutants } from "./mutants.ts"

describe("the wrong variants of the program", () => {
  for (const { code, file, name } of mutants)
    it(`change exactly one place of ${file}: ${name}`, () => {
      assert.strictEqual(readFileSync(file, "utf8").split(code).length - 1, 1)
    })
})
