/** The response headers that are stored: a limited number, without noise and without cookies. */
import { assert, describe, it } from "@effect/vitest"
import { keptHeaders } from "../../../src/spine/deliver/ResponseHeaders.ts"

const budget = { headers: 3, characters: 20 }

describe("kept headers", () => {
  it("are those that say something about the receiver", () => {
    const received = {
      server: "nginx",
      date: "now",
      connection: "close",
      "content-length": "2",
      via: ["a", "b"]
    }
    assert.deepStrictEqual(keptHeaders(received, budget), { server: "nginx", via: "a, b" })
    assert.isNull(keptHeaders({ date: "now", "keep-alive": "timeout=5" }, budget))
  })

  it("are as many as fit", () => {
    assert.deepStrictEqual(keptHeaders({ a: "1", b: "2", c: "3", d: "4" }, budget), {
      a: "1",
      b: "2",
      c: "3"
    })
    assert.deepStrictEqual(keptHeaders({ a: "1".repeat(20), b: "2".repeat(19) }, budget), {
      b: "2".repeat(19)
    })
  })

  it("do not show cookies", () => {
    assert.deepStrictEqual(keptHeaders({ "set-cookie": ["session=1", "b=2"] }, budget), {
      "set-cookie": "***"
    })
  })
})
