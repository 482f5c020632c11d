/** Accounts that are pasted into the form of a webhook. */
import { assert, describe, it } from "@effect/vitest"
import { paste } from "../../../dashboard/src/features/webhooks/form/accounts.ts"
import { ACCOUNTS_MAX } from "../../../dashboard/src/features/webhooks/form/values.ts"
import { webhookBounds } from "../../../src/features/webhooks/Limits.ts"
import { addressOfAccountId } from "../../../src/spine/event/AccountId.ts"

const account = (number: number): string => {
  const bytes = Buffer.alloc(20)
  bytes.writeUInt32BE((number * 2_654_435_761) >>> 0, 2)
  bytes.writeUInt32BE(number, 10)
  return addressOfAccountId(bytes.toString("hex"))
}
const [one, other] = ["rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX", "rMCp1E7euh98rAaVVshYfkTfNnrWRZ46vc"]

describe("pasted accounts", () => {
  it("may have any separators; those that are there already are counted", () => {
    const { accounts, added, present, refused } = paste([one], `["${other}", "${one}"]\n${other};\t`)
    assert.deepStrictEqual([accounts, added, present, refused], [[other, one], 1, 2, []])
    const none = [one]
    assert.strictEqual(paste(none, " \n").accounts, none)
  })

  it("are refused with the reason", () => {
    const { accounts, refused } = paste(
      [],
      `${one.slice(0, -1)}Y X7TYFSeMMWzmBJDgxLiXsy6a4wWVxf5jieKsTnBCKPZKpG6 X7TYFSeMMWzmBJDgxLiXsy6a4wWVxf5jieKsTnBCKPZKpG7 hello rTooShort r0OIl`
    )
    assert.deepStrictEqual(accounts, [])
    assert.deepStrictEqual(
      refused.map(({ because }) => because),
      [
        "has a wrong checksum",
        "is an X-address",
        "is an X-address with a wrong checksum",
        "is not an address, which begins with r",
        "has 9 characters; an address has 25 to 35",
        "has a character that no address has"
      ]
    )
    const [, tagged] = refused
    assert.strictEqual(paste([], tagged!.account!).added, 1)
  })

  it("are read by the ten thousand, up to the API's limit", () => {
    assert.strictEqual(ACCOUNTS_MAX, webhookBounds.accountFilters)
    const text = Array.from({ length: ACCOUNTS_MAX + 5 }, (_, at) => account(at)).join("\n")
    const { added, over } = paste([], text)
    assert.deepStrictEqual([added, over], [ACCOUNTS_MAX, 5])
    assert.strictEqual(paste(paste([], text).accounts, text).present, ACCOUNTS_MAX)
  })
})
