/** The receiver package accepts what the service signs, and nothing else. */
import { assert, describe, it } from "@effect/vitest"
import {
  createReceiver,
  refusalOf,
  type VerifyOptions,
  verify
} from "../../packages/receiver-js/src/index.ts"
import { vectors } from "../support/tree/signatureLanguages.ts"
import { eventBody, SECRET, signed } from "./support.ts"

const OTHER = "whsec_YW5vdGhlciBzZWNyZXQsIG5vdCB0aGUgcmlnaHQ="

const vectorNamed = (name: string) => vectors.find((vector) => vector.name === name)!
const requestOf = ({ body, headers }: (typeof vectors)[number]) => ({ headers, body: Buffer.from(body) })

describe("verify", () => {
  it.each(vectors)("decides rightly: $name", (vector) => {
    const { accepted, now, scheme, secret } = vector
    const options = { secrets: [secret], nowSeconds: now }
    assert.strictEqual(verify(requestOf(vector), { ...options, schemes: [scheme] }), accepted)
    // Both schemes are accepted by default.
    assert.strictEqual(verify(requestOf(vector), options), accepted)
    const headers = new Headers(vector.headers)
    assert.strictEqual(verify({ ...requestOf(vector), headers }, options), accepted)
  })

  it("accepts a request that one of several secrets signed", () => {
    assert.isTrue(verify(signed(eventBody()), { secrets: [OTHER, SECRET] }))
    assert.isFalse(verify(signed(eventBody()), { secrets: [OTHER] }))
  })

  it("demands the signed time where only the standard scheme is accepted", () => {
    const body = eventBody()
    assert.strictEqual(refusalOf(signed(body), { secrets: [SECRET], schemes: ["standard"] }), "no_signature")
  })

  it("says why it refuses a request", () => {
    const reasons = [
      ["standard: an old timestamp", "too_old"],
      ["standard: a timestamp too far ahead", "too_new"],
      ["standard: a wrong secret", "no_match"],
      ["standard: no webhook-id", "malformed"],
      ["standard: no webhook-signature", "no_signature"],
      ["service: a changed byte in the body", "no_match"],
      ["service: no header", "no_signature"]
    ] as const
    for (const [name, reason] of reasons) {
      const vector = vectorNamed(name)
      const options = { secrets: [vector.secret], nowSeconds: vector.now }
      assert.strictEqual(refusalOf(requestOf(vector), options), reason, name)
    }
  })

  it("has a tolerance that can be changed", () => {
    const vector = vectorNamed("standard: an old timestamp")
    const options = { secrets: [vector.secret], nowSeconds: vector.now }
    assert.isTrue(verify(requestOf(vector), { ...options, toleranceSeconds: 301 }))
    const fresh = vectorNamed("standard: as old as the tolerance allows")
    assert.isFalse(verify(requestOf(fresh), { ...options, toleranceSeconds: 299 }))
  })

  it("uses this machine's clock", () => {
    const vector = vectorNamed("standard: the right signature")
    assert.strictEqual(refusalOf(requestOf(vector), { secrets: [vector.secret] }), "too_old")
  })

  it.each<[name: string, options: object]>([
    ["no secret", { secrets: [] }],
    ["an empty secret, which everybody knows", { secrets: [""] }],
    ["a variable that is not set", { secrets: [undefined] }],
    ["one text instead of a list", { secrets: SECRET }],
    ["no scheme", { secrets: [SECRET], schemes: [] }],
    ["an unknown scheme", { secrets: [SECRET], schemes: ["sha1"] }],
    ["a secret without a key for the only scheme", { secrets: ["plain"], schemes: ["standard"] }],
    ["base64 that is cut off, for the only scheme", { secrets: ["whsec_AAAAA"], schemes: ["standard"] }],
    ["base64 with other characters, for the only scheme", { secrets: ["whsec_AA-_"], schemes: ["standard"] }],
    ["a tolerance that is no number", { secrets: [SECRET], toleranceSeconds: Number.NaN }]
  ])("throws for options that cannot be meant: %s", (_, options) => {
    // The types refuse most of these. JavaScript callers have none.
    assert.throws(() => verify(signed(eventBody()), options as VerifyOptions), TypeError)
  })

  it.each([
    [`${SECRET}\n`],
    [`${SECRET}\r\n`],
    [` ${SECRET}`],
    [`${SECRET}\t`],
    ["two words of a secret"],
    [`\ufeff${SECRET}`],
    [`${SECRET}ü`],
    ["\n"]
  ])("throws for a secret that the service cannot have, and names it: %j", (wrong) => {
    const named = /^secrets\[1\] must be visible ASCII without blanks or newlines/
    assert.throws(() => verify(signed(eventBody()), { secrets: [SECRET, wrong] }), TypeError, named)
    assert.throws(() => createReceiver({ secrets: [SECRET, wrong], onEvent: () => {} }), TypeError, named)
  })

  it("throws for a body that was parsed", () => {
    const request = { ...signed(eventBody()), body: eventBody() as unknown as Uint8Array }
    assert.throws(() => verify(request, { secrets: [SECRET] }), /raw bytes/)
  })
})
