/** What is said of the ingest of a network, by what the process that ingests it knows. */
import { assert, describe, it } from "@effect/vitest"
import {
  ingestAge,
  type NetworkFacts,
  networkState,
  type ServerFacts,
  seenState
} from "../../../../src/spine/ledger/ingest/NetworkFacts.ts"

const server = (address: string, given: Partial<ServerFacts>): ServerFacts => ({
  address,
  state: "standby",
  head: null,
  ledgers: null,
  last_fault: null,
  backing_off_until: null,
  ...given
})

const CLOSED = "2026-11-21T09:30:00Z"
const now = (seconds: number) => Date.parse(CLOSED) + seconds * 1_000

/** All is well: ledger 9,000 was announced and taken 3 s ago. */
const WELL: NetworkFacts = {
  server: "s1",
  servers: [server("s1", { state: "active", head: 9_000 }), server("s2", { head: 9_000 })],
  head: 9_000,
  head_at: "2026-11-21T09:30:02.000Z",
  head_ago_ms: 3_000,
  last_taken: 9_000,
  last_close_time: CLOSED,
  moved_ago_ms: 3_000,
  obstacle: null,
  last_error: null,
  idle: null,
  skipped_ledgers: 0,
  ledgers_per_second: 0.3,
  seconds_left: 0
}
const away = { reason: "disconnected", detail: "connection refused", is_unfit: false }
const stranger = { reason: "other_chain", detail: "ledger 9000 does not link", is_unfit: true }

const situations: ReadonlyArray<{
  readonly name: string
  readonly facts: Partial<NetworkFacts>
  readonly status: string
  readonly detail: string
  readonly because: string
}> = [
  { name: "1: a quiet night", facts: {}, status: "ok", detail: "At the head.", because: "outside" },
  {
    name: "35: servers are connected or away, and silent",
    facts: {
      head_ago_ms: 130_000,
      moved_ago_ms: 130_000,
      servers: [
        server("s1", { state: "active", head: 9_000, last_fault: away }),
        server("s2", { state: "backing_off", last_fault: away }),
        server("s3", { state: "backing_off" })
      ]
    },
    status: "failed",
    detail:
      "No server announced a ledger for 130 s: s1: connected, but silent; s2: connection refused; s3: backing off.",
    because: "outside"
  },
  {
    name: "35: the servers went away after they announced a ledger that was not taken",
    facts: {
      head: 9_001,
      head_ago_ms: 130_000,
      moved_ago_ms: 131_000,
      server: null,
      servers: [server("s1", { state: "connecting", last_fault: away })]
    },
    status: "failed",
    detail: "No server announced a ledger for 130 s: s1: connection refused.",
    because: "outside"
  },
  {
    name: "36: a test network was reset",
    facts: {
      head: 1_204,
      last_taken: 9_881_200,
      servers: [server("s1", { state: "active", head: 1_203 }), server("s2", { head: 1_204 })]
    },
    status: "reset",
    detail:
      "Servers are at ledger 1,204; the last one taken is 9,881,200: the network was reset, or the servers are wrong.",
    because: "outside"
  },
  {
    name: "36: a test network was reset, and its servers are gone at the moment",
    facts: {
      head: 1_204,
      head_ago_ms: 70_000,
      last_taken: 9_881_200,
      server: null,
      servers: [server("s1", { state: "backing_off", last_fault: away })]
    },
    status: "reset",
    detail:
      "Servers are at ledger 1,204; the last one taken is 9,881,200: the network was reset, or the servers are wrong.",
    because: "outside"
  },
  {
    name: "exactly 1,000 ledgers below the last one taken is no reset yet",
    facts: { head: 8_000, servers: [server("s1", { state: "active", head: 8_000 })] },
    status: "failed",
    detail: "Servers are at ledger 8,000; the last one taken is 9,000: they lag, or the network was reset.",
    because: "outside"
  },
  {
    name: "one server of several that is far below is no reset",
    facts: { servers: [server("s1", { state: "active", head: 9_000 }), server("s2", { head: 12 })] },
    status: "ok",
    detail: "At the head.",
    because: "outside"
  },
  {
    name: "37: one server lies",
    facts: {
      servers: [
        server("s1", { state: "active", head: 9_000 }),
        server("s2", { state: "backing_off", last_fault: stranger })
      ]
    },
    status: "degraded",
    detail: "At the head. Left out: s2: ledger 9000 does not link.",
    because: "outside"
  },
  {
    name: "every server is of another chain",
    facts: { server: null, servers: [server("s1", { state: "backing_off", last_fault: stranger })] },
    status: "failed",
    detail: "Stopped: s1: ledger 9000 does not link.",
    because: "outside"
  },
  {
    name: "38: behind, and draining",
    facts: {
      head: 10_700,
      seconds_left: 700,
      ledgers_per_second: 2.4,
      servers: [server("s1", { state: "active", head: 10_700 })]
    },
    status: "ok",
    detail: "Catching up: 1,700 ledgers left, about 12 min.",
    because: "service"
  },
  {
    name: "38: behind, and the rate is not known yet",
    facts: {
      head: 10_700,
      seconds_left: null,
      ledgers_per_second: null,
      servers: [server("s1", { state: "active", head: 10_700 })]
    },
    status: "ok",
    detail: "Catching up: 1,700 ledgers left.",
    because: "service"
  },
  {
    name: "39: behind, and ledgers close as fast as they are taken",
    facts: { head: 10_700, seconds_left: null, servers: [server("s1", { state: "active", head: 10_700 })] },
    status: "ok",
    detail: "Catching up: 1,700 ledgers left, not becoming fewer.",
    because: "service"
  },
  {
    name: "behind, and nothing moves",
    facts: {
      head: 9_012,
      moved_ago_ms: 75_000,
      obstacle: { kind: "waiting", detail: "the log failed to append testnet" },
      servers: [server("s1", { state: "active", head: 9_012 })]
    },
    status: "failed",
    detail: "12 ledgers left, and none was taken for 75 s: the log failed to append testnet.",
    because: "service"
  },
  {
    name: "a broken chain",
    facts: { obstacle: { kind: "stopped", detail: "s1: ledger 9001 names another parent" } },
    status: "failed",
    detail: "Stopped: s1: ledger 9001 names another parent.",
    because: "outside"
  },
  {
    name: "reconnecting",
    facts: {
      server: null,
      last_error: { server: "s1", detail: "connection refused" },
      servers: [server("s1", { state: "connecting", last_fault: away })]
    },
    status: "degraded",
    detail: "Reconnecting to the servers: s1: connection refused.",
    because: "outside"
  }
]

describe("the ingest of a network", () => {
  for (const { because, detail, facts, name, status } of situations)
    it(name, () => {
      const known = { ...WELL, ...facts }
      assert.deepStrictEqual(
        { detail: networkState(known).detail, status: networkState(known).status },
        { detail, status }
      )
      assert.deepStrictEqual(ingestAge({ facts: known, seenAgoMs: 0 }, now(7)), { oldestMs: 7_000, because })
    })

  it("25: says that no process ingests, and that this is the service's fault", () => {
    assert.strictEqual(seenState({ facts: WELL, seenAgoMs: 10_000 }).status, "ok")
    assert.deepStrictEqual(seenState({ facts: WELL, seenAgoMs: 42_000 }), {
      status: "failed",
      detail: "No process takes ledgers: the last one became silent 42 s ago."
    })
    assert.deepStrictEqual(ingestAge({ facts: WELL, seenAgoMs: 42_000 }, now(45)), {
      oldestMs: 45_000,
      because: "service"
    })
  })

  it("has no age while a simulated network is idle or before the first ledger, however old the row is", () => {
    const none = { oldestMs: 0, because: "outside" }
    const simulated = { ...WELL, server: "simulated ledger", servers: [] }
    const age = (facts: NetworkFacts) => ingestAge({ facts, seenAgoMs: 42_000 }, now(3_600))
    assert.deepStrictEqual(age({ ...simulated, idle: "no active webhook" }), none)
    assert.deepStrictEqual(age({ ...WELL, last_taken: null, last_close_time: null }), none)
    assert.deepStrictEqual(age({ ...WELL, last_close_time: null }), none)
    assert.deepStrictEqual(ingestAge({ facts: { ...simulated, head: 9_001 }, seenAgoMs: 0 }, now(9)), {
      oldestMs: 9_000,
      because: "service"
    })
  })
})
