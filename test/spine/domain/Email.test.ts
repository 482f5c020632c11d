/** An email address names one mailbox and contains nothing that could become a header. */
import { assert, describe, it } from "@effect/vitest"
import { isEmail } from "../../../src/spine/domain/Email.ts"

describe("email addresses", () => {
  for (const good of [
    "ops@example.com",
    "a.b+c_d@mail.example.co.uk",
    "O'Neil@EXAMPLE.com",
    "x@a-b.xn--p1ai"
  ]) {
    it(`are: ${good}`, () => assert.isTrue(isEmail(good)))
  }

  const bad = [
    ...[
      "",
      "ops",
      "ops@",
      "@example.com",
      "a@b@example.com",
      "a@example",
      "a@-example.com",
      "a@example..com"
    ],
    ...["a b@example.com", ".a@example.com", "a..b@example.com", "Ops <ops@example.com>", "a@x.com,b@x.com"],
    ...["a@example.com\nBcc: b@example.com", "a@example.com ", `${"a".repeat(65)}@example.com`],
    `a@${"example.".repeat(32)}com`
  ]
  for (const text of bad) it(`are not: ${JSON.stringify(text)}`, () => assert.isFalse(isEmail(text)))
})
