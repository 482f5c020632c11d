/** Which servers are connected, which one is asked, and how long to back off after a failure. */
import { assert, describe, it } from "@effect/vitest"
import {
  afterFailure,
  backoffMs,
  type Candidate,
  chooseServer,
  isSound,
  noBackoff,
  notBeforeOf,
  type PoolServer,
  planConnections
} from "../../src/ledger/ServerSelection.ts"

const NOW = 1_000

const idle = (host: string, change: Partial<PoolServer> = {}): PoolServer => ({
  host,
  phase: "idle",
  proven: false,
  notBefore: 0,
  wantedUntil: 0,
  ...change
})
const connected = (host: string, change: Partial<PoolServer> = {}) =>
  idle(host, { phase: "connected", proven: true, ...change })

const steps = (servers: ReadonlyArray<PoolServer>) => {
  const { connect, release } = planConnections(servers, NOW)
  return { connect, release }
}

describe("the plan of connections", () => {
  it("connects the first two that may be used, whatever their order of failing", () => {
    assert.deepStrictEqual(steps([idle("a"), idle("b"), idle("c")]), { connect: [0, 1], release: [] })
    const away = idle("a", { notBefore: NOW + 500 })
    assert.deepStrictEqual(planConnections([away, idle("b"), idle("c")], NOW), {
      connect: [1, 2],
      release: [],
      waitMs: 500
    })
    assert.deepStrictEqual(steps([connected("a"), idle("b", { phase: "connecting" }), idle("c")]), {
      connect: [],
      release: []
    })
  })

  it("takes a standby of another host than the active one", () => {
    assert.deepStrictEqual(steps([connected("a"), idle("a"), idle("c")]).connect, [2])
  })

  it("returns to a preferred server, and releases the other only once the preferred one has announced a ledger", () => {
    const others = [connected("b"), connected("c")]
    assert.deepStrictEqual(steps([idle("a"), ...others]), { connect: [0], release: [] })
    const coming = idle("a", { phase: "connected" })
    assert.deepStrictEqual(steps([coming, ...others]), { connect: [], release: [] })
    assert.deepStrictEqual(steps([connected("a"), ...others]), { connect: [], release: [2] })
  })

  it("connects one more server that a fetch needs, and keeps it for as long", () => {
    const two = [connected("a"), connected("b")]
    assert.deepStrictEqual(steps([...two, idle("c", { wantedUntil: NOW + 1 })]).connect, [2])
    const called = connected("c", { wantedUntil: NOW + 700 })
    assert.deepStrictEqual(planConnections([...two, called], NOW), { connect: [], release: [], waitMs: 700 })
    assert.deepStrictEqual(steps([...two, connected("c", { wantedUntil: NOW })]).release, [2])
  })
})

describe("the choice of a server for a ledger", () => {
  const candidate = (change: Partial<Candidate> = {}): Candidate => ({
    claims: true,
    announced: undefined,
    refused: false,
    full: false,
    ...change
  })

  it("is the first in order among equals, and the first to announce among those that did", () => {
    assert.strictEqual(chooseServer([candidate(), candidate()]), 0)
    assert.strictEqual(chooseServer([candidate({ announced: 1 }), candidate({ announced: 0 })]), 1)
    assert.strictEqual(chooseServer([candidate(), candidate({ announced: 0 })]), 1)
  })

  it("is not one that does not claim the ledger, or whose last answer was refused, if there is another", () => {
    assert.strictEqual(chooseServer([candidate({ claims: false, announced: 0 }), candidate()]), 1)
    assert.strictEqual(chooseServer([candidate({ refused: true, announced: 0 }), candidate()]), 1)
    assert.strictEqual(chooseServer([candidate({ claims: false }), candidate({ refused: true })]), 1)
  })

  it("is a server below its request limit, and undefined if the best candidates are all full", () => {
    assert.strictEqual(chooseServer([candidate({ full: true, announced: 0 }), candidate()]), 1)
    assert.isUndefined(chooseServer([candidate({ full: true }), candidate({ claims: false })]))
    assert.isUndefined(chooseServer([]))
  })
})

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
