/** `capacity`: its costs are those of docs/capacity.md, and its estimates follow from them. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { kept, oneProcess, several } from "../../../src/features/capacity/Costs.ts"
import { estimateOf } from "../../../src/features/capacity/Estimate.ts"
import { runCommand } from "../../support/program/command.ts"

const DAY_MS = 86_400_000
const defaults = {
  retentionEventsMs: 400 * DAY_MS,
  retentionDeliveriesMs: 30 * DAY_MS,
  retentionTransactionsMs: 7 * DAY_MS
}
const load = { eventsPerSecond: 200, webhooks: 500, matches: 4, filters: 0 }
const guide = readFileSync("docs/capacity.md", "utf8")

const units: Readonly<Record<string, number>> = { KB: 1e3, GB: 1e9, TB: 1e12 }

/** The numbers of the rows that begin with this cell, in the order of the page; bytes with their unit. */
const rows = (first: string): ReadonlyArray<ReadonlyArray<number>> =>
  guide
    .split("\n")
    .filter((line) => line.startsWith(`| ${first} |`))
    .map((line) =>
      line
        .split("|")
        .slice(2, -1)
        .map((cell) => {
          const [number = "", unit = ""] = cell.trim().replaceAll(",", "").split(" ")
          return Math.round(Number(number) * 1e6 * (units[unit] ?? 1)) / 1e6
        })
    )

describe("an estimate of capacity", () => {
  it("uses the costs that the guide names", () => {
    for (const [row, name] of [
      ["an event, detected and kept", "event"],
      ["a delivery, at the first attempt", "delivery"]
    ] as const) {
      const [one, shared] = rows(row)
      const { database, log, program, wal } = oneProcess[name]
      assert.deepStrictEqual([one?.[0], one?.[1], one?.[4], one?.[5]], [program, database, log, wal], row)
      assert.strictEqual(one![2]! + one![3]!, kept[name], row)
      const cost = several[name]
      assert.deepStrictEqual(
        shared,
        [...Object.values(cost.processes), cost.database, cost.broker, cost.wal, cost.log],
        row
      )
    }
  })

  it("is that of the guide's table for one process", () => {
    for (const perSecond of [100, 10_000]) {
      const [row] = rows(perSecond.toLocaleString("en-US"))
      const one = { ...load, eventsPerSecond: perSecond, matches: 1 }
      // The table is of the deliveries alone.
      const none = estimateOf({ ...one, matches: 0 }, defaults, false)
      const { bytes, cores } = estimateOf(one, defaults, false)
      const shown = [
        cores.program - none.cores.program,
        cores.postgresql - none.cores.postgresql,
        bytes.deliveries,
        bytes.log - none.bytes.log,
        bytes.wal_a_day - none.bytes.wal_a_day
      ]
      shown.forEach((value, i) => assert.closeTo(value / row![i]!, 1, 0.2, `${perSecond}, column ${i + 1}`))
    }
  })

  it("names what one process cannot do", () => {
    const large = { ...load, eventsPerSecond: 2_000 }
    assert.match(estimateOf(large, defaults, false).warnings.join(), /^One process would be busy \d+ %/)
    assert.match(estimateOf(large, defaults, true).warnings.join(), /roles events,route works on a network/)
    assert.deepStrictEqual(estimateOf(load, defaults, true).warnings, [])
  })

  it.live("follows the retention of the settings, and names a flag that is no number", () =>
    Effect.gen(function* () {
      const args = ["capacity", "--events", "200", "--webhooks", "500", "--matches", "4"]
      const ask = Effect.fnUntraced(function* (environment: Readonly<Record<string, string>>) {
        const { code, stdout } = yield* runCommand(args, { environment })
        assert.strictEqual(code, 0)
        return JSON.parse(stdout)
      })
      const month = yield* ask({})
      const days = yield* ask({ RETENTION_DELIVERIES: "3 days" })
      assert.closeTo(month.bytes.deliveries / days.bytes.deliveries, 10, 1e-9)
      assert.strictEqual(month.processes, null)
      assert.strictEqual(
        (yield* ask({ KAFKA_BROKERS: "127.0.0.1:1", DATABASE_URL: "postgres://a@b/c" })).processes.ingest,
        2
      )
      const { code, stderr } = yield* runCommand([...args.slice(0, 2), "many", ...args.slice(3)], {
        environment: {}
      })
      assert.deepStrictEqual(
        [code, stderr.split("\n")[0]],
        [
          2,
          'ledgerhook: Invalid value for flag --events: "many". Expected: a number from 0 to 100,000, such as 200 or 0.5'
        ]
      )
    })
  )
})
