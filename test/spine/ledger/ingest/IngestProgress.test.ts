/** When the ingest of a network is healthy, from its progress and the state of its servers. */
import { assert, describe, it } from "@effect/vitest"
import { networkFacts, type Progress } from "../../../../src/spine/ledger/ingest/IngestProgress.ts"
import { flatFacts, networkState } from "../../../../src/spine/ledger/ingest/NetworkFacts.ts"
import { LedgerSourceError, type SourceState } from "../../../../src/spine/ledger/servers/LedgerSource.ts"

const NOW = 1_000_000
/** Both clocks. */
const BOTH = { monotonicMs: NOW, wallMs: 1_800_000_000_000 }

const taken = (lastTaken: number | undefined, secondsAgo: number): Progress => ({
  lastTaken,
  lastCloseTime: undefined,
  movedAt: NOW - secondsAgo * 1000,
  samples:
    lastTaken === undefined
      ? []
      : [
          { at: NOW - 10_000, lastTaken: lastTaken - 20, head: undefined },
          { at: NOW - secondsAgo * 1000, lastTaken, head: undefined }
        ],
  obstacle: undefined
})

const head = (ledgerIndex: number, secondsAgo: number): SourceState => ({
  server: "one.example",
  lastError: undefined,
  head: { ledgerIndex, ledgerHash: undefined, transactionCount: undefined },
  headAt: NOW - secondsAgo * 1000,
  servers: []
})

const none: SourceState = {
  server: undefined,
  lastError: undefined,
  head: undefined,
  headAt: undefined,
  servers: []
}
const lost = new LedgerSourceError({ server: "one.example", reason: "disconnected", detail: "it is away" })

const healthOf = (progress: Progress, source: SourceState) => {
  const facts = networkFacts(progress, source, BOTH)
  return { ...networkState(facts), facts: flatFacts(facts) }
}
const status = (progress: Progress, source: SourceState) => healthOf(progress, source).status

describe("the health of ingest", () => {
  it("is ok while the head is at most a minute old and taken", () => {
    assert.strictEqual(status(taken(9, 3), head(9, 3)), "ok")
    assert.strictEqual(status(taken(9, 60), head(9, 60)), "ok")
    assert.strictEqual(status(taken(9, 61), head(9, 61)), "failed")
  })

  it("is ok while it catches up and takes ledgers", () => {
    assert.strictEqual(status(taken(9, 9), head(900, 3)), "ok")
    assert.include(healthOf(taken(9, 9), head(900, 3)).detail, "891 ledgers left")
  })

  it("is degraded if an announced ledger has not been taken for 10 s, and failed after a minute", () => {
    assert.strictEqual(status(taken(9, 30), head(10, 9)), "ok")
    const health = healthOf(taken(9, 30), { ...head(10, 11), lastError: lost })
    assert.strictEqual(health.status, "degraded")
    assert.include(health.detail, "1 ledger left, and none was taken for 11 s: one.example: it is away.")
    assert.strictEqual(status(taken(9, 59), head(900, 3)), "degraded")
    assert.strictEqual(status(taken(9, 61), head(900, 3)), "failed")
  })

  it("is starting before the first announcement, and failed if none comes", () => {
    assert.strictEqual(status(taken(undefined, 3), none), "starting")
    const health = healthOf(taken(undefined, 61), {
      ...none,
      servers: [
        {
          server: "one.example",
          state: "backing_off",
          head: undefined,
          ledgers: undefined,
          lastFault: lost,
          backingOffUntil: undefined
        }
      ]
    })
    assert.strictEqual(health.status, "failed")
    assert.strictEqual(health.detail, "No server has announced a ledger yet: one.example: it is away.")
  })

  it("is degraded while it reconnects", () => {
    assert.strictEqual(status(taken(9, 3), { ...head(9, 3), server: undefined, lastError: lost }), "degraded")
  })

  it("is ok while the source is idle, however long", () => {
    const idle: SourceState = { ...head(9, 3_600), idle: "no active webhook" }
    assert.deepInclude(healthOf(taken(9, 3_600), idle), {
      status: "ok",
      detail: "Idle: no active webhook."
    })
    assert.strictEqual(status(taken(undefined, 3_600), { ...none, idle: "no active webhook" }), "ok")
  })

  it("is ok when the first ledger after a long silence has just been announced", () => {
    assert.strictEqual(status(taken(9, 3_600), head(10, 3)), "ok")
    assert.strictEqual(status(taken(9, 3_600), head(11, 3)), "failed")
  })

  it("never says that it is at the head while the servers are before the last taken ledger", () => {
    const reset = healthOf({ ...taken(40_000_018, 3), lastCloseTime: "2026-01-01T00:00:00Z" }, head(3_018, 3))
    assert.strictEqual(reset.status, "reset")
    assert.strictEqual(
      reset.detail,
      "Servers are at ledger 3,018; the last one taken is 40,000,018: the network was reset, or the servers are wrong."
    )
    // Servers that lag by a ledger or two are common for a moment.
    const lag = healthOf({ ...taken(9, 3), lastCloseTime: "2026-01-01T00:00:00Z" }, head(8, 3))
    assert.strictEqual(lag.status, "degraded")
    assert.include(lag.detail, "Servers are at ledger 8; the last one taken is 9: they lag")
    assert.strictEqual(status(taken(9, 61), head(8, 3)), "failed")
  })

  it("says that the first ledger to take is not closed yet", () => {
    assert.include(
      healthOf(taken(899, 3), head(30, 3)).detail,
      "Servers are at ledger 30; the first one to take is 900."
    )
  })

  it("is failed once the chain is broken, and says why", () => {
    const stopped: Progress = { ...taken(9, 3), obstacle: { kind: "stopped", detail: "ledger 10 names …" } }
    const health = healthOf(stopped, head(10, 3))
    assert.strictEqual(health.status, "failed")
    assert.include(health.detail, "ledger 10 names")
    assert.deepStrictEqual(health.facts, {
      server: "one.example",
      head: 10,
      head_at: "2027-01-15T07:59:57.000Z",
      last_taken: 9,
      last_close_time: null,
      obstacle: "ledger 10 names …",
      skipped_ledgers: null,
      behind: 1,
      ledgers_per_second: 2,
      seconds_left: 1
    })
  })
})
