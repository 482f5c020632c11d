/** The documents' signature checks in languages that start at once. signatures.slow.test.ts has the compiled ones. */
import { assert, it } from "@effect/vitest"
import { codeBlocks } from "./support/tree/markdown.ts"
import { testLanguages } from "./support/tree/signatureLanguages.ts"

testLanguages("TypeScript", "Python")

it("README.md shows the signature check that docs/receiving.md shows", () => {
  const shown = codeBlocks("README.md", "ts")
  assert.lengthOf(shown, 1)
  assert.deepStrictEqual(shown, codeBlocks("docs/receiving.md", "ts"))
})
