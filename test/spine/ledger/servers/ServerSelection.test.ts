/** How long a server is left alone after a failure. ServerPool.test.ts says which are connected and asked. */
import { assert, describe, it } from "@effect/vitest"
import {
  afterFailure,
  backoffMs,
  isSound,
  noBackoff,
  notBeforeOf
} from "../../../../src/spine/ledger/servers/ServerSelection.ts"

const NOW = 1_000

describe("a server that failed", () => {
  it("gets an exponential backoff, up to a bound, with jitter", () => {
    const bounds = { first: 250, longest: 15_000 }
    assert.deepStrictEqual(
      [1, 2, 3, 7, 50].map((failures) => backoffMs(failures, bounds, 0)),
      [250, 500, 1_000, 15_000, 15_000]
    )
    assert.strictEqual(backoffMs(1, bounds, 0.5), 281)
  })

  it("gets a backoff of at most 30 s, with jitter, while no server is connected", () => {
    const waits = (chance: number, noneConnected: boolean) => {
      let backoff = noBackoff
      return [1, 2, 3, 4, 5].map(() => {
        backoff = afterFailure(backoff, "rate_limited", NOW, chance)
        return (notBeforeOf(backoff, noneConnected) - NOW) / 1_000
      })
    }
    assert.deepStrictEqual(waits(0, false), [10, 20, 40, 80, 120])
    assert.deepStrictEqual(waits(0, true), [10, 20, 24, 24, 24])
    assert.deepStrictEqual(waits(1, true), [12.5, 25, 30, 30, 30])
  })

  it("gets a backoff of at least 10 s if it limits us, and a longer one if it is unfit", () => {
    assert.strictEqual(afterFailure(noBackoff, "rate_limited", NOW, 0).notBefore, 11_000)
    assert.strictEqual(afterFailure(noBackoff, "disconnected", NOW, 0).notBefore, 1_250)
    assert.strictEqual(afterFailure(noBackoff, "wrong_network", NOW, 0).notBefore, 61_000)
    assert.strictEqual(afterFailure(noBackoff, "other_chain", NOW, 0).notBefore, 61_000)
    assert.strictEqual(afterFailure(noBackoff, "not_synced", NOW, 0).notBefore, 31_000)
  })

  it("is left for longer and longer if it misbehaves soon after each connection, although it announces ledgers", () => {
    let backoff = noBackoff
    const waits = [1, 2, 3, 4, 5, 6, 7, 8].map(() => {
      backoff = afterFailure(backoff, "misbehaving", NOW, 0)
      assert.isFalse(isSound(backoff, 9_000))
      return backoff.waitMs / 1_000
    })
    assert.deepStrictEqual(waits, [10, 20, 40, 80, 160, 320, 600, 600])
    assert.isTrue(isSound(backoff, 600_000))
    // Ingest stands still without a server, so then it is asked again after 30 s at most.
    assert.isAtMost(notBeforeOf(backoff, true) - NOW, 30_000)
    assert.isTrue(isSound(afterFailure(noBackoff, "disconnected", NOW, 0), 1_000))
  })
})
