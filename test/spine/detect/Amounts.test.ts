/** Exact arithmetic on ledger amounts (docs/detection-rules.md 1.5). */
import { assert, describe, it } from "@effect/vitest"
import {
  asAmount,
  difference,
  negated,
  render,
  sameValue,
  scaled,
  signOf
} from "../../../src/spine/detect/Amounts.ts"
import { issuer, usd } from "./support.ts"

describe("amounts", () => {
  it("render in plain notation without needless zeros", () => {
    for (const [text, plain] of [
      ["0", "0"],
      ["-0", "0"],
      ["0.0", "0"],
      ["007.500", "7.5"],
      ["-0.05", "-0.05"],
      ["1000000000000000e-3", "1000000000000"],
      ["5000000000000000e-29", "0.00000000000005"],
      ["1e3", "1000"],
      ["1E+2", "100"],
      ["1e-96", `0.${"0".repeat(95)}1`],
      ["9999999999999999e80", `${"9".repeat(16)}${"0".repeat(80)}`]
    ] as const)
      assert.strictEqual(render(scaled(text)), plain)
  })

  it("subtract exactly over the whole range", () => {
    assert.strictEqual(difference("100000000000000000", "1"), "99999999999999999")
    assert.strictEqual(difference("0.3", "0.1"), "0.2")
    assert.strictEqual(difference("1e80", "1e-96"), `${"9".repeat(80)}.${"9".repeat(96)}`)
    assert.strictEqual(difference("5", "7"), "-2")
    assert.strictEqual(difference("-0", "0"), "0")
  })

  it("compare by value, not by text", () => {
    assert.isTrue(sameValue("5.0", "5"))
    assert.isTrue(sameValue("1000000000000000e-3", "1000000000000"))
    assert.isFalse(sameValue("1", "1.0000000000000001"))
  })

  it("have the sign of their digits: -0 has none", () => {
    assert.deepStrictEqual(["0", "-0", "0e5", "-0.0", "1e-5", "-2"].map(signOf), [0, 0, 0, 0, 1, -1])
    assert.deepStrictEqual(["0", "-0.0", "3", "-3e-9"].map(negated), ["0", "0", "-3", "3e-9"])
  })

  it("are read with keys in the published order; anything else is refused", () => {
    for (const wrong of [
      undefined,
      null,
      5,
      "",
      "unavailable",
      "1.5",
      "1e3",
      "1".repeat(20),
      {},
      { value: "1" },
      { ...usd("1"), currency: "US" },
      { ...usd("1"), currency: "US\0" },
      { ...usd("1"), currency: "a".repeat(40) },
      { ...usd("1"), issuer: "<script>" },
      // One letter is wrong: the checksum does not match.
      { ...usd("1"), issuer: issuer.replace(/.$/, (last) => (last === "r" ? "p" : "r")) },
      usd("1e97"),
      usd("007"),
      usd("1".repeat(300)),
      { mpt_issuance_id: "00", value: "1" },
      { mpt_issuance_id: "0".repeat(48), value: "1.5" }
    ])
      assert.isUndefined(asAmount(wrong), JSON.stringify(wrong))
    const amount = asAmount({ value: "1", issuer, currency: "USD" })
    assert.strictEqual(JSON.stringify(amount), `{"currency":"USD","issuer":"${issuer}","value":"1"}`)
    assert.throws(() => scaled("1e-97"), /finer than any token value/)
    assert.throws(() => scaled("twelve"), /not a decimal number/)
  })
})
