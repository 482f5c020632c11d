/** The addresses of traces and metrics from one setting. User and password go into a header, never into a message. */
import { assert, describe, it } from "@effect/vitest"
import { otlpEndpoint } from "../../../src/spine/observe/OtlpEndpoint.ts"

describe("otlpEndpoint", () => {
  it("puts each signal's path below the address", () => {
    for (const address of ["http://127.0.0.1:4318", "http://127.0.0.1:4318/"]) {
      const { host, metrics, traces } = otlpEndpoint(address)
      assert.deepStrictEqual(
        { host, metrics, traces },
        {
          host: "127.0.0.1:4318",
          metrics: "http://127.0.0.1:4318/v1/metrics",
          traces: "http://127.0.0.1:4318/v1/traces"
        }
      )
    }
    assert.strictEqual(otlpEndpoint("https://host/otlp/?x=1").traces, "https://host/otlp/v1/traces?x=1")
  })

  it("sends user and password as a header, unless one is given", () => {
    const { headers, host, traces } = otlpEndpoint("https://u%40b:p%3Aw@host/otlp")
    assert.deepStrictEqual(headers, {
      authorization: `Basic ${Buffer.from("u@b:p:w").toString("base64")}`
    })
    assert.deepStrictEqual([host, traces], ["host", "https://host/otlp/v1/traces"])
    const given = { authorization: "Bearer x" }
    assert.deepStrictEqual(otlpEndpoint("https://u:p@host", given).headers, given)
    assert.deepStrictEqual(otlpEndpoint("https://host").headers, {})
  })
})
