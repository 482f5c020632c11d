/** What may be parsed, by its number of tokens and its depth. */

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { ledgerLimits } from "../../../../src/spine/ledger/Limits.ts"
import { parsedBytes } from "../../../../src/spine/ledger/servers/MessageSize.ts"
import { corpusFiles, corpusFolder, corpusPresent } from "../../../support/ledger/corpusLedgers.ts"

const limits = { tokens: 6, depth: 3 }
const mayBeParsed = (text: string) => parsedBytes(Buffer.from(text), limits) !== undefined

describe("a message", () => {
  it("may have so many brackets, commas and colons, and no more", () => {
    assert.isTrue(mayBeParsed('[{"a":1},2,[]]'))
    assert.isFalse(mayBeParsed('[{"a":1},2,[],3]'))
    assert.isTrue(mayBeParsed("[1,2,3,4,5,6]"))
    assert.isFalse(mayBeParsed("[1,2,3,4,5,6,7]"))
  })

  it("may be nested so deep, and no deeper", () => {
    assert.isTrue(mayBeParsed("[[{}],[[]]]"))
    assert.isFalse(mayBeParsed("[[[[]]]]"))
    assert.isFalse(mayBeParsed('[[{"a":['))
  })

  it("may have any of them in its strings, also beside escaped quotes and other bytes", () => {
    assert.isTrue(mayBeParsed('["[[[[,,,,::::","\\"[[[[[,,,,,,","\\\\","é[[[[[["]'))
    assert.isFalse(mayBeParsed('["\\\\",[[[]]]]'))
    // A string without an end is no JSON, so it does not matter how it is measured.
    assert.isTrue(mayBeParsed('["\\'))
  })
})

it.skipIf(!corpusPresent)(
  "real ledgers reach a tenth of each limit at most, except the depth (skipped without the corpus)",
  () => {
    const real = {
      tokens: ledgerLimits.ledgerMessageTokens / 10,
      depth: ledgerLimits.ledgerMessageDepth / 4
    }
    for (const file of corpusFiles())
      assert.isDefined(parsedBytes(readFileSync(join(corpusFolder, file)), real), file)
  }
)
