/** What the search of the dashboard takes a text for. */
import { assert, describe, it } from "@effect/vitest"
import { asked, isIn } from "../../../dashboard/src/app/palette/asked.ts"

const HASH = "34EA07131234D2DBD6F8FD74EF155E66DB8D10FEEDECD57D2688E081B6AA34A5"
const ULID = "01KAJ0Q4M8000000G3T5W7Y9ZB"

describe("a text in the search", () => {
  it("is what its form says, whatever stands around it", () => {
    const kinds = [
      [` ${HASH}\n`, "transaction"],
      [`xrpl:108412087:${HASH}:payment.issued`, "event"],
      [`xrpl:108412087:${HASH}:dex.offer_filled:3`, "event"],
      [`dlv_${ULID}`, "delivery"],
      [`wh_${ULID}`, "webhook"],
      [`rpl_job_${ULID}`, "job"],
      [`inc_${ULID}`, "incident"],
      ["rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh", "account"],
      ["108412087", "ledger"],
      ["replays", "words"],
      ["", "words"]
    ] as const
    for (const [text, kind] of kinds) assert.strictEqual(asked(text).kind, kind, text)
  })

  it("is a hash in lower case too, and a ledger with spaces between its digits", () => {
    assert.deepStrictEqual(asked(HASH.toLowerCase()), { kind: "transaction", text: HASH })
    assert.deepStrictEqual(asked("108\u202f412\u2009087"), { kind: "ledger", text: "108412087" })
  })

  it("finds names that have all its words", () => {
    assert.isTrue(isIn("Deliveries that wait for a retry", "retry deliv"))
    assert.isFalse(isIn("Deliveries that wait for a retry", "retry events"))
  })
})
