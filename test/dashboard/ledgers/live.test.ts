/** The live ledger keeps what the stream sends, lays it out to fit, and says what each webhook answered. */
import { assert, describe, it } from "@effect/vitest"
import { sentenceOf } from "../../../dashboard/src/features/ledgers/live/sentence.ts"
import { troubleOf } from "../../../dashboard/src/features/ledgers/live/trouble.ts"
import { byFamily, sumOf } from "../../../dashboard/src/features/ledgers/picture/families.ts"
import {
  columnX,
  dotsFor,
  FLOWING_DOTS,
  flowOf,
  flowPoint,
  type Grid,
  gridOf,
  placeAt,
  ribbonsOf,
  strengthOf,
  timeMarksOf
} from "../../../dashboard/src/features/ledgers/picture/layout.ts"
import {
  KEPT_LEDGERS,
  type Ledger,
  merged,
  newestNetwork,
  rateOf,
  SHOWN_LEDGERS,
  type WebhookActivity,
  windowOf
} from "../../../dashboard/src/features/ledgers/picture/ledgers.ts"
import { messagesOf } from "../../../dashboard/src/features/ledgers/picture/messages.ts"
import { answerOf, outcomesOf, rowsOf } from "../../../dashboard/src/features/ledgers/picture/rows.ts"
import { stacksOf } from "../../../dashboard/src/features/ledgers/picture/stacks.ts"

const START = Date.parse("2026-11-26T14:30:00Z")

const activityOf = (webhook_id: string, event_types: Record<string, number>, more = {}): WebhookActivity => ({
  webhook_id,
  event_types,
  events: Object.values(event_types).reduce((sum, some) => sum + some, 0),
  answered: 0,
  failed: 0,
  last_status: null,
  last_error: null,
  response_time_ms: null,
  ...more
})

const ledgerOf = (
  ledger_index: number,
  events: Record<string, number> = { "payment.xrp": 6, "dex.offer_filled": 3 },
  webhooks: ReadonlyArray<WebhookActivity> = []
): Ledger => ({
  network: "testnet",
  ledger_index,
  closed_at: new Date(START + ledger_index * 4_000).toISOString(),
  events,
  webhooks: [...webhooks]
})

const ledgers = (count: number, from = 1) => Array.from({ length: count }, (_, at) => ledgerOf(from + at))

const wide = (most: number, more: Partial<Parameters<typeof gridOf>[0]> = {}): Grid =>
  gridOf({ width: 1_128, height: 300, ratio: 2, most, share: 0.734, ...more })

describe("the stream of ledgers", () => {
  const bodyOf = (texts: ReadonlyArray<string>) =>
    new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => {
        for (const text of texts) controller.enqueue(new TextEncoder().encode(text))
        controller.close()
      }
    })
  const read = async (texts: ReadonlyArray<string>) => {
    const groups: Array<ReadonlyArray<string>> = []
    for await (const group of messagesOf(bodyOf(texts), "ledger", 1_000)) groups.push(group)
    return groups
  }

  it("is read in groups, wherever the network cuts it, and without comments and other events", async () => {
    assert.deepStrictEqual(
      await read([
        ": hello\n\n",
        "event: ledger\ndata: 1\n\nevent: ledger\nda",
        "ta: 2\n\nevent: other\ndata: 3\n\n",
        "event: ledger\r\ndata: é"
      ]),
      [["1"], ["2"]]
    )
    assert.deepStrictEqual(await read(["event: ledger\ndata: 1\n\nevent: ledger\ndata: 2\n\n"]), [["1", "2"]])
  })

  it("ends when nothing comes", async () => {
    const silent = new ReadableStream<Uint8Array<ArrayBuffer>>()
    for await (const _ of messagesOf(silent, "ledger", 1)) assert.fail("nothing was sent")
  })
})

describe("the kept ledgers", () => {
  it("have the newest numbers of each ledger, in order, by network", () => {
    const first = merged({}, [ledgerOf(2), ledgerOf(1), { ...ledgerOf(9), network: "devnet" }])
    const next = merged(first, [ledgerOf(2, { "nft.minted": 1 }), ledgerOf(3)])
    assert.deepStrictEqual(
      next["testnet"]!.map(({ ledger_index, events }) => [ledger_index, sumOf(byFamily(events))]),
      [
        [1, 9],
        [2, 1],
        [3, 9]
      ]
    )
    assert.strictEqual(newestNetwork(next), "devnet")
  })

  it("are bounded, and the picture shows those until a chosen one", () => {
    const kept = merged({}, ledgers(KEPT_LEDGERS + 40))["testnet"]!
    assert.strictEqual(kept.length, KEPT_LEDGERS)
    assert.strictEqual(kept[0]!.ledger_index, 41)
    const indexes = (last?: number) => windowOf(kept, SHOWN_LEDGERS, last).map((one) => one.ledger_index)
    assert.deepStrictEqual([indexes()[0], indexes().at(-1)], [169, 200])
    assert.deepStrictEqual([indexes(150)[0], indexes(150).at(-1)], [119, 150])
    assert.deepStrictEqual([indexes(10)[0], indexes(10).at(-1)], [41, 72])
    assert.deepStrictEqual(windowOf([], SHOWN_LEDGERS), [])
    // Few are kept: a paused picture grows as its end moves.
    assert.deepStrictEqual(
      [0, 1, 3, 9].map((last) => windowOf(ledgers(5), SHOWN_LEDGERS, last).length),
      [1, 1, 3, 5]
    )
  })

  it("have a rate between their first and their last close", () => {
    assert.strictEqual(rateOf(ledgers(5)), 9 / 4)
    assert.isUndefined(rateOf(ledgers(1)))
    assert.isUndefined(rateOf([]))
  })
})

describe("the layout", () => {
  it("has 32 columns of dots that are three wide and 5 pixels apart", () => {
    const grid = wide(140)
    assert.strictEqual(grid.columns, SHOWN_LEDGERS)
    assert.deepStrictEqual(grid.dots, { across: 3, pitch: 5, dot: 4 })
    assert.deepStrictEqual(grid.marks, [])
  })

  it("has fewer and larger dots if there are few events", () => {
    assert.deepStrictEqual(wide(6).dots, { across: 1, pitch: 15.5, dot: 12 })
    assert.strictEqual(wide(30).dots.across, 2)
  })

  it("shrinks all dots until the fullest column fits, and has a scale if a ledger is busy", () => {
    for (const most of [160, 250, 251, 1_000, 4_000]) {
      const { base, dots, marks, step } = wide(most)
      assert.isAtMost(Math.ceil(most / dots.across) * dots.pitch, base, `${most} events`)
      assert.isAtMost(dots.across * dots.pitch, step)
      assert.strictEqual(marks.length > 0, most > 250)
    }
    assert.deepStrictEqual(wide(1_200, { height: 508, share: 0.854 }).dots, { across: 7, pitch: 2.5, dot: 2 })
    // More than the screen has pixels for.
    assert.strictEqual(dotsFor(1e6, 15, 250, 5, 1).pitch, 1)
  })

  it("has fewer columns and no ribbons on a narrow screen", () => {
    const grid = wide(100, { width: 358 })
    assert.isTrue(grid.narrow)
    assert.strictEqual(grid.columns, 21)
    assert.strictEqual(grid.from, 358)
  })

  it("finds the ledger under the pointer", () => {
    const grid = wide(100)
    for (const place of [0, 7, 31])
      assert.strictEqual(placeAt(grid, columnX(grid, place) + 5, SHOWN_LEDGERS), place)
    assert.isUndefined(placeAt(grid, columnX(grid, 20), 10))
    assert.isUndefined(placeAt(grid, grid.from + 5, SHOWN_LEDGERS))
  })

  it("fades older columns to 55 %, and all but the chosen one to 34 %", () => {
    assert.strictEqual(strengthOf(0, 32, undefined), 1)
    assert.closeTo(strengthOf(32, 32, undefined), 0.55, 0.001)
    assert.deepStrictEqual([strengthOf(5, 32, 5), strengthOf(0, 32, 5)], [1, 0.34])
  })

  it("marks whole minutes where there is room", () => {
    const shown = ledgers(SHOWN_LEDGERS)
    const marks = timeMarksOf(shown, wide(9))
    assert.isAbove(marks.length, 1)
    for (const { at } of marks) assert.strictEqual(at % 30_000, 0)
    for (const [at, { x }] of marks.slice(1).entries()) assert.isAbove(x - marks[at]!.x, 60)
    assert.deepStrictEqual(timeMarksOf([], wide(9)), [])
  })
})

describe("the ribbons", () => {
  const rows = [
    { id: "a", name: "A", state: "failing" as const },
    { id: "b", name: "B", state: "healthy" as const }
  ]
  const ledger = ledgerOf(1, { "payment.xrp": 30, "dex.offer_filled": 12 }, [
    activityOf("a", { "payment.xrp": 10 }),
    activityOf("b", { "payment.xrp": 5, "dex.offer_filled": 12 }),
    activityOf("unseen", { "dex.offer_filled": 12 })
  ])
  const grid = wide(42)
  const ribbons = ribbonsOf(ledger, rows, grid)

  it("lead from a family to each webhook that wants it, as wide as its events are many", () => {
    assert.deepStrictEqual(
      ribbons.map(({ events, family, row }) => [family, row.id, events]),
      [
        [0, "a", 10],
        [0, "b", 5],
        [1, "b", 12]
      ]
    )
    assert.closeTo(ribbons[0]!.width, 2 * ribbons[1]!.width, 0.001)
    // Ten of thirty payments are a third of their height.
    assert.closeTo(ribbons[0]!.width, (10 / grid.dots.across) * grid.dots.pitch, 0.001)
    assert.closeTo(ribbons[1]!.endY, ribbons[2]!.endY + ribbons[2]!.endWidth, 0.001)
  })

  it("carry at most 60 dots, each from the column to the webhook", () => {
    const dots = flowOf(ribbons)
    assert.strictEqual(dots.length, 27)
    const many = flowOf(ribbons.map((ribbon) => ({ ...ribbon, events: 400 })))
    assert.strictEqual(many.length, FLOWING_DOTS)
    assert.strictEqual(new Set(many.map(({ ribbon }) => ribbon.endY)).size, 3)
    for (const dot of dots) {
      const [start, end] = [flowPoint(dot, 0, grid), flowPoint(dot, 1, grid)]
      assert.isBelow(start.x, end.x)
      assert.isTrue(start.y >= dot.ribbon.y && start.y <= dot.ribbon.y + dot.ribbon.width)
      assert.isTrue(end.y >= dot.ribbon.endY && end.y <= dot.ribbon.endY + dot.ribbon.endWidth)
    }
    assert.deepStrictEqual(flowOf([]), [])
  })

  it("give way to the answers where dots stand by webhook", () => {
    const [first, second] = stacksOf(
      { ...ledger, webhooks: [activityOf("a", { "payment.xrp": 10 }, { answered: 7, failed: 2 })] },
      rows,
      grid,
      "webhook"
    )
    assert.deepStrictEqual(
      first!.runs.map(({ dots }) => dots),
      [7, 2, 1]
    )
    assert.deepStrictEqual(
      second!.runs.map(({ dots }) => dots),
      [0, 0, 0]
    )
    assert.isBelow(first!.base, second!.base)
    assert.deepStrictEqual(outcomesOf(undefined), [0, 0, 0])
  })
})

describe("the webhooks beside the picture", () => {
  it("are those that fail and those with the most events, in an order that does not change", () => {
    const known = [
      { id: "1", name: "One", state: "healthy" as const },
      { id: "2", name: "Two", state: "healthy" as const },
      { id: "3", name: "Three", state: "failing" as const }
    ]
    const shown = [
      ledgerOf(1, {}, [
        activityOf("2", { "payment.xrp": 5 }),
        activityOf("4", { "payment.xrp": 9 }, { failed: 9 })
      ])
    ]
    assert.deepStrictEqual(
      rowsOf(shown, known, 3).map(({ id, state }) => [id, state]),
      [
        ["3", "failing"],
        ["4", "failing"],
        ["2", "healthy"]
      ]
    )
    // Deleted ones are left out where all others are known.
    assert.deepStrictEqual(
      rowsOf(shown, known, 3, true).map(({ id }) => id),
      ["3", "1", "2"]
    )
  })

  it("say what they answered", () => {
    const wants = { "payment.xrp": 3 }
    const failed = (last_error: string, last_status: number | null = null) =>
      activityOf("a", wants, { failed: 3, last_error, last_status, response_time_ms: last_status && 9 })
    const text = (
      activity: WebhookActivity | undefined,
      state: Parameters<typeof answerOf>[1] = "failing"
    ) => {
      const { detail, status, tone } = answerOf(activity, state)
      return `${status}|${detail}|${tone}`.replaceAll("\u00a0", " ")
    }
    assert.strictEqual(text(failed("HTTP 503", 503)), "503|9 ms|bad")
    assert.strictEqual(text(failed("HTTP 429", 429), "waiting"), "429|9 ms|wait")
    assert.strictEqual(text(failed("TLS: certificate has expired")), "TLS|expired|bad")
    assert.strictEqual(text(failed("connection refused")), "connection|refused|bad")
    assert.strictEqual(text(activityOf("a", wants), "paused"), "|held|none")
    assert.strictEqual(text(activityOf("a", wants), "healthy"), "|no answer yet|none")
    assert.strictEqual(text(undefined), "||none")
    const answered = activityOf("a", wants, { answered: 3, last_status: 200, response_time_ms: 41 })
    assert.strictEqual(text(answered, "healthy"), "200|41 ms|ok")
  })

  it("are summed up in a sentence", () => {
    const calm = { disabled: 0, failing: 0, healthy: 3, new: 0, paused: 0, waiting: 0 }
    assert.strictEqual(troubleOf(calm), "")
    assert.strictEqual(troubleOf({ ...calm, failing: 1 }), "1 webhook fails.")
    assert.strictEqual(troubleOf({ ...calm, failing: 2, paused: 1 }), "2 webhooks fail, 1 is paused.")
  })
})

describe("an event", () => {
  const [one, other] = ["rPPx9ZCRbmcbA5jfQGAkD6Mo3yVkbxNTDK", "rLXrVQqSDMPkbpLBGPZ2p9TVgvmwRkjnzd"]
  const textOf = (type: string, payload: Record<string, unknown>) =>
    sentenceOf(type, payload)
      .map(({ text }) => text)
      .join("")

  it("is a sentence with short addresses and readable amounts", () => {
    assert.strictEqual(
      textOf("payment.xrp", { sender: one, receiver: other, amount: "2500000000" }).replaceAll(/\s/g, " "),
      "rPPx9Z…NTDK paid 2 500 XRP to rLXrVQ…jnzd"
    )
    assert.strictEqual(
      textOf("trustline.created", {
        account: one,
        counterparty: other,
        currency: "USD",
        limit: "0",
        limit_peer: "50"
      }),
      "rLXrVQ…jnzd trusts rPPx9Z…NTDK for 50 USD"
    )
    assert.strictEqual(textOf("unknown.type", {}), "")
  })
})
