/** Draws a chart with uPlot, in the width of its box and the colours of the theme. */
import "uplot/dist/uPlot.min.css"
import { useComputedColorScheme } from "@mantine/core"
import { useEffect, useRef } from "react"
import uPlot from "uplot"
import classes from "./Chart.module.css"

export interface Series {
  readonly label: string
  /** The name of a colour of theme.css, such as "good". */
  readonly colour: string
  readonly values: ReadonlyArray<number | null>
}

interface ChartProps {
  /** Says in one sentence what the chart shows, for screen readers. */
  readonly description: string
  /** Unix seconds. */
  readonly times: ReadonlyArray<number>
  readonly series: ReadonlyArray<Series>
  /** Bars that stand on one another, or lines. */
  readonly kind: "stacked" | "lines"
  readonly format: (value: number) => string
}

const HEIGHT = 220

/** The top of the axis if all values are smaller, so that its marks are different whole numbers. */
const LEAST_RANGE = 5

/** The sums of each series with those before it, so that the bars stand on one another. */
const stacked = (series: ReadonlyArray<Series>): Array<Array<number | null>> => {
  const sums: Array<number> = []
  return series.map(({ values }) =>
    values.map((value, at) => {
      sums[at] = (sums[at] ?? 0) + (value ?? 0)
      return sums[at]
    })
  )
}

const colour = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`)

const optionsOf = ({ series, kind, format }: ChartProps, width: number): uPlot.Options => {
  const axis = {
    stroke: colour("text-quiet"),
    grid: { stroke: colour("line"), width: 1 },
    ticks: { show: false }
  }
  const bars = uPlot.paths.bars!({ size: [0.75, 40] })
  // The bar of a later series covers the ones before it, so the tallest is drawn first.
  const drawn = kind === "stacked" ? series.toReversed() : series
  return {
    width,
    height: HEIGHT,
    legend: { live: true },
    cursor: { drag: { setScale: false } },
    scales: { y: { range: (_, __, max) => [0, Math.max(max ?? 0, LEAST_RANGE) * 1.05] } },
    axes: [axis, { ...axis, size: 64, values: (_, ticks) => ticks.map(format) }],
    series: [
      {},
      ...drawn.map((one) => ({
        label: one.label,
        stroke: colour(one.colour),
        width: kind === "stacked" ? 0 : 2,
        // A line of one value would not be seen.
        points: { show: kind === "lines", size: 5, fill: colour(one.colour) },
        ...(kind === "stacked" ? { fill: colour(one.colour), paths: bars } : {}),
        value: (_: uPlot, __: number, ___: number, index: number | null) => {
          const value = index === null ? null : one.values[index]
          return value === null || value === undefined ? "–" : format(value)
        }
      }))
    ]
  }
}

const dataOf = ({ times, series, kind }: ChartProps): uPlot.AlignedData => {
  const values = kind === "stacked" ? stacked(series).reverse() : series.map((one) => [...one.values])
  return [[...times], ...values] as uPlot.AlignedData
}

export const Chart = (props: ChartProps) => {
  const box = useRef<HTMLDivElement>(null)
  const scheme = useComputedColorScheme("light")
  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme's colours are read when the chart is made.
  useEffect(() => {
    const plot = new uPlot(optionsOf(props, box.current!.clientWidth), dataOf(props), box.current!)
    const observer = new ResizeObserver(([entry]) =>
      plot.setSize({ width: entry!.contentRect.width, height: HEIGHT })
    )
    observer.observe(box.current!)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
  }, [props.times, props.series, props.kind, props.format, scheme])
  return <div ref={box} className={classes["chart"]} role="img" aria-label={props.description} />
}
