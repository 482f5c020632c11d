/** What a viewer is shown of the newest ledgers, when their answers are read, and what is sent again. */
import { assert, describe, it } from "@effect/vitest"
import type { LedgerAnswers } from "../../../../src/features/deliveries/LedgerAnswers.ts"
import { makeLiveLedgers, type RoutedLedger } from "../../../../src/features/ledgers/stream/LiveLedgers.ts"
import { generator } from "../../../support/ledger/misbehavingServer.ts"

const SEED = 7

/** A ledger whose events were queued at that time of the monotonic clock. */
const ledgerAt = (routedAtMs: number, offset = routedAtMs): RoutedLedger => ({
  offset,
  network: "testnet",
  ledgerIndex: 1_000 + offset,
  closedAt: "2026-11-21T09:30:00Z",
  takenAt: 1_700_000_000_000 + offset,
  routedAtMs,
  events: { "payment.xrp": 3 }
})

const answers = (ledger: RoutedLedger, of: Partial<LedgerAnswers> = {}): LedgerAnswers => ({
  taken_at: ledger.takenAt,
  webhook_id: "wh_a",
  event_type: "payment.xrp",
  events: 3,
  answered: 0,
  failed: 0,
  waiting: 3,
  last_status: null,
  last_error: null,
  response_time_ms: null,
  ...of
})

const numbered = () => {
  let version = 0
  return makeLiveLedgers(() => ++version)
}

type Live = ReturnType<typeof numbered>

const dataOf = (text: string) => JSON.parse(text.slice("event: ledger\ndata: ".length))
const shown = (live: Live, version = 0) => live.after(version).map(({ text }) => dataOf(text))
const newest = (live: Live) => live.after(0).at(-1)?.version ?? 0

describe("a viewer of ledgers", () => {
  it("sees what a ledger's events are, and what became of them for each webhook", () => {
    const live = numbered()
    const ledger = { ...ledgerAt(0), events: { "nft.minted": 1, "payment.xrp": 3 } }
    live.keep([ledger])
    const failing = {
      webhook_id: "wh_b",
      failed: 2,
      waiting: 3,
      last_status: 503,
      last_error: "HTTP 503",
      response_time_ms: 12
    }
    const rows = [
      answers(ledger, { answered: 2, waiting: 1, last_status: 200 }),
      answers(ledger, { event_type: "nft.minted", events: 1, answered: 1, waiting: 0, last_status: 200 }),
      answers(ledger, failing)
    ]
    live.answered([ledger], rows, 250)
    const text = live.after(0)[0]?.text ?? ""
    assert.match(text, /^event: ledger\ndata: [^\n]+\n\n$/)
    assert.deepStrictEqual(dataOf(text), {
      network: "testnet",
      ledger_index: 1_000,
      closed_at: "2026-11-21T09:30:00Z",
      events: { "nft.minted": 1, "payment.xrp": 3 },
      webhooks: [
        {
          webhook_id: "wh_a",
          events: 4,
          event_types: { "payment.xrp": 3, "nft.minted": 1 },
          answered: 3,
          failed: 0,
          last_status: 200,
          last_error: null,
          response_time_ms: null
        },
        {
          webhook_id: "wh_b",
          events: 3,
          event_types: { "payment.xrp": 3 },
          answered: 0,
          failed: 2,
          last_status: 503,
          last_error: "HTTP 503",
          response_time_ms: 12
        }
      ]
    })
  })

  it("sees a ledger without events and without deliveries", () => {
    const live = numbered()
    const ledger = { ...ledgerAt(0), events: {} }
    live.keep([ledger])
    assert.deepStrictEqual(shown(live), [])
    assert.isTrue(live.answered([ledger], [], 250))
    assert.deepInclude(shown(live)[0], { events: {}, webhooks: [] })
  })

  it("is sent a ledger again only if an answer has changed it", () => {
    const live = numbered()
    const [one, other] = [ledgerAt(0, 1), ledgerAt(0, 2)]
    live.keep([one, other])
    live.answered([one, other], [answers(one), answers(other)], 250)
    const before = newest(live)
    assert.isFalse(live.answered([one, other], [answers(one), answers(other)], 1_250))
    assert.deepStrictEqual(shown(live, before), [])
    assert.isTrue(
      live.answered([one, other], [answers(one), answers(other, { answered: 3, waiting: 0 })], 2_250)
    )
    assert.deepStrictEqual(
      shown(live, before).map(({ ledger_index }) => ledger_index),
      [other.ledgerIndex]
    )
  })

  it(`who takes nothing is owed each kept ledger once, in its newest state (seed ${SEED})`, () => {
    const live = numbered()
    const chance = generator(SEED)
    const kept = [1, 2, 3, 4].map((offset) => ledgerAt(0, offset))
    const state = new Map<number, number>()
    live.keep(kept)
    for (let i = 0; i < 200; i++) {
      const ledger = kept[Math.floor(chance() * kept.length)]!
      const answered = Math.floor(chance() * 4)
      state.set(ledger.ledgerIndex, answered)
      live.answered([ledger], [answers(ledger, { answered })], 250)
    }
    const owed = shown(live)
    assert.strictEqual(owed.length, kept.length)
    assert.deepStrictEqual(new Map(owed.map((one) => [one.ledger_index, one.webhooks[0].answered])), state)
    live.keep(kept.slice(2))
    assert.deepStrictEqual(
      shown(live)
        .map(({ ledger_index }) => ledger_index)
        .sort(),
      [kept[2]!.ledgerIndex, kept[3]!.ledgerIndex]
    )
  })
})

describe("the answers to a ledger's events", () => {
  /** When they are read until `untilMs`, if each read finds `rows`. */
  const readsOf = (rows: ReadonlyArray<LedgerAnswers>, ledger: RoutedLedger, untilMs: number) => {
    const live = numbered()
    live.keep([ledger])
    const reads: Array<number> = []
    for (let nowMs = live.nextDueAtMs()!; nowMs <= untilMs; nowMs = live.nextDueAtMs()!) {
      assert.deepStrictEqual(live.due(nowMs - 1), [])
      assert.deepStrictEqual(live.due(nowMs), [ledger])
      reads.push(nowMs)
      live.answered([ledger], rows, nowMs)
    }
    return reads
  }
  const ledger = ledgerAt(0)

  it("are first read a quarter of a second after the events were queued, then not more than once a second", () => {
    const reads = readsOf([answers(ledger)], ledger, 60_000)
    assert.deepStrictEqual(reads.slice(0, 3), [250, 1_250, 2_250])
    for (const [i, at] of reads.slice(1).entries()) assert.isAtLeast(at - reads[i]!, 1_000)
  })

  it("are never older than half of the ledger's age while one is awaited, or than twice its age otherwise", () => {
    const settled = answers(ledger, { answered: 3, waiting: 0 })
    for (const [rows, growth] of [
      [[answers(ledger)], 3 / 2],
      [[], 3 / 2],
      [[settled], 3]
    ] as const) {
      const reads = readsOf(rows, ledger, 120_000)
      for (const [i, at] of reads.slice(1).entries())
        assert.isAtMost(at, Math.max(reads[i]! + 1_000, reads[i]! * growth))
      assert.isBelow(reads.length, growth === 3 ? 8 : 15)
    }
  })

  it("are read for the oldest ledgers first", () => {
    const live = numbered()
    const kept = Array.from({ length: 5 }, (_, i) => ledgerAt(i))
    live.keep(kept)
    assert.deepStrictEqual(live.due(1_000), kept)
    live.answered(kept.slice(0, 3), [], 1_000)
    assert.deepStrictEqual(live.due(1_000), kept.slice(3))
  })
})
