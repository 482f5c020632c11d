/** The plot of a soak: a process, or a table, has one colour in all charts, which nothing else in a chart has. */
import { assert, describe, it } from "@effect/vitest"
import { svgOf } from "../../bench/reliability/support/LinePlot.ts"
import type { Sample } from "../../bench/reliability/support/Slope.ts"
import { chartsOf } from "../../bench/reliability/support/SoakReport.ts"

const processes = ["a", "b", "c", "d"]
const tables = ["a", "h", "b", "c", "d", "e", "f", "g", "i"]

/** Each name's series ends with its place in `order`, so the last one is drawn first. */
const ranked = (order: ReadonlyArray<string>, seriesName: (name: string) => string) =>
  order.map((name, i): [string, ReadonlyArray<Sample>] => [seriesName(name), [{ minute: 1, value: i + 1 }]])

/** The plot's charts, in order, as pairs of a name and its colour. */
const drawn = (...series: ReadonlyArray<ReadonlyArray<readonly [string, ReadonlyArray<Sample>]>>) =>
  svgOf(chartsOf(new Map(series.flat())))
    .split('font-weight="600"')
    .slice(1)
    .map((chart) =>
      [...chart.matchAll(/stroke="(#\w{6})".*\n<text [^>]*fill="(#\w{6})">([^<]+)</g)].map(
        ([, line, text, name]) => {
          assert.strictEqual(line, text, name)
          return [name!, text!] as const
        }
      )
    )

const memory = (name: string) => `process ${name}: memory, MiB`
const heap = (name: string) => `process ${name}: heap, MiB`

describe("the plot of a soak", () => {
  it("gives a process the same colour in every chart, whatever its rank", () => {
    const [first, second] = drawn(ranked(processes, memory), ranked(processes.toReversed(), heap))
    assert.deepStrictEqual(
      first!.map(([name]) => name),
      ["process d", "process c", "process b", "process a"]
    )
    assert.deepStrictEqual(second, first!.toReversed())
    assert.strictEqual(new Set(first!.map(([, colour]) => colour)).size, processes.length)
  })

  it("gives a process the same colour in the next plot", () => {
    const [before] = drawn(ranked(processes, memory))
    const [after] = drawn(ranked(["c", "a", "d", "b"], memory))
    assert.deepStrictEqual(new Map(after), new Map(before))
  })

  it("gives no colour twice in a chart, also if two charts share only some tables", () => {
    // A chart has the six largest. Three tables are in both.
    const charts = drawn(
      ranked(tables, (name) => `table ${name}: bytes, MiB`),
      ranked(tables.toReversed(), (name) => `table ${name}: indexes, MiB`)
    )
    for (const chart of charts) {
      assert.lengthOf(chart, 6)
      assert.strictEqual(new Set(chart.map(([, colour]) => colour)).size, 6)
    }
    // A name with two colours would be there twice.
    assert.strictEqual(new Set(charts.flat().map(String)).size, tables.length)
  })
})
