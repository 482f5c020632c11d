/** Which server is used next, and how long one that failed is left alone. */
import { assert, describe, it } from "@effect/vitest"
import { afterFailure, backoffMs, choose, newcomer, type Standing } from "../../src/ledger/Preference.ts"

const standing = (notBefore: number): Standing => ({ failures: 1, notBefore })

describe("the choice of a server", () => {
  it("takes the first in order whose wait is over", () => {
    assert.deepStrictEqual(choose([newcomer, newcomer], 1_000), { server: 0, waitMs: 0 })
    assert.deepStrictEqual(choose([standing(1_001), newcomer], 1_000), { server: 1, waitMs: 0 })
    assert.deepStrictEqual(choose([standing(1_000), newcomer], 1_000), { server: 0, waitMs: 0 })
  })

  it("waits for the one that may be asked soonest when none may now", () => {
    assert.deepStrictEqual(choose([standing(5_000), standing(3_000)], 1_000), { server: 1, waitMs: 2_000 })
  })

  it("backs off exponentially, up to a bound, stretched by chance", () => {
    const bounds = { first: 250, longest: 15_000 }
    assert.deepStrictEqual(
      [1, 2, 3, 7, 50].map((failures) => backoffMs(failures, bounds, 0)),
      [250, 500, 1_000, 15_000, 15_000]
    )
    assert.strictEqual(backoffMs(1, bounds, 0.5), 281)
  })

  it("leaves a server that limits us alone for at least ten seconds", () => {
    assert.strictEqual(afterFailure(newcomer, "rate_limited", 1_000, 0).notBefore, 11_000)
    assert.strictEqual(afterFailure(newcomer, "disconnected", 1_000, 0).notBefore, 1_250)
    assert.strictEqual(afterFailure(newcomer, "wrong_network", 1_000, 0).notBefore, 61_000)
    assert.strictEqual(afterFailure(newcomer, "not_synced", 1_000, 0).notBefore, 31_000)
  })
})
