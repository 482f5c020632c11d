/** The families of events that the first webhook asks for. */
import { assert, describe, it } from "vitest"
import { choices, sampleOf, toggled } from "../../../dashboard/src/features/overview/firstRun/families.ts"
import { families } from "../../../dashboard/src/words/eventTypes.ts"

describe("the families of the first webhook", () => {
  it("are those of the service, and everything", () => {
    assert.sameMembers(
      choices.map(({ pattern }) => pattern as string),
      [...families.map(({ pattern }) => pattern), "*"]
    )
  })

  it("are chosen one by one or all at once, and never none", () => {
    assert.deepStrictEqual(toggled(["nft.*"], "check.*"), ["nft.*", "check.*"])
    assert.deepStrictEqual(toggled(["nft.*", "check.*"], "nft.*"), ["check.*"])
    assert.deepStrictEqual(toggled(["nft.*", "check.*"], "*"), ["*"])
    assert.deepStrictEqual(toggled(["*"], "nft.*"), ["nft.*"])
    assert.deepStrictEqual(toggled(["nft.*"], "nft.*"), ["nft.*"])
    assert.strictEqual(sampleOf(["check.*", "nft.*"]), "nft.minted")
  })
})
