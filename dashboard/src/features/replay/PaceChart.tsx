/** How many deliveries of a job ended each second, and until when it lasts at this pace: dotted, because it is a forecast. */
import { useElementSize } from "@mantine/hooks"
import classes from "../../charts/charts.module.css"
import { roundStep } from "../../charts/scale.ts"
import { clockTime, count } from "../../words/format.ts"

interface PaceChartProps {
  /** Deliveries that had ended at these times, in Unix milliseconds. */
  readonly samples: ReadonlyArray<{ readonly at: number; readonly done: number }>
  /** A second. */
  readonly pace: number | undefined
  readonly leftMs: number | undefined
}

const [HEIGHT, LEFT, FOOT, HEAD] = [148, 44, 22, 20]
/** The forecast takes at most this part of the width. */
const FORECAST = 0.5

export const PaceChart = ({ samples, pace = 0, leftMs = 0 }: PaceChartProps) => {
  const { ref, width } = useElementSize()
  const bars = samples.slice(1).map(({ at, done }, i) => {
    const before = samples[i]!
    return { from: before.at, to: at, rate: ((done - before.done) / Math.max(at - before.at, 1)) * 1_000 }
  })
  const [from, now] = [samples[0]!.at, samples.at(-1)!.at]
  const to = now + Math.min(leftMs, ((now - from) * FORECAST) / (1 - FORECAST))
  const most = Math.max(...bars.map(({ rate }) => rate), pace, 1)
  const step = roundStep(most, 3)
  const inner = Math.max(width - LEFT, 1)
  const x = (at: number) => LEFT + ((at - from) / Math.max(to - from, 1)) * inner
  const y = (rate: number) => HEIGHT - FOOT - (rate / most) * (HEIGHT - FOOT - HEAD)
  return (
    <div ref={ref}>
      <svg
        className={classes["plot"]}
        height={HEIGHT}
        role="img"
        aria-label={`Deliveries that ended each second: ${count(Math.round(pace))} in the last minute.`}
      >
        <g className={classes["axis"]}>
          {Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step).map((rate) => (
            <g key={rate}>
              <rect x={LEFT} y={y(rate)} width={inner} height={1} className={classes["grid"]} />
              <text x={LEFT - 8} y={y(rate) + 4} textAnchor="end">
                {count(rate)}
              </text>
            </g>
          ))}
          <text x={LEFT} y={HEIGHT - 4}>
            {clockTime(from)}
          </text>
          {leftMs > 0 && (
            <text x={width} y={y(pace) - 6} textAnchor="end">
              the end at this pace: {clockTime(now + leftMs)}
            </text>
          )}
        </g>
        {bars.map((bar) => (
          <rect
            key={bar.to}
            x={x(bar.from) + 0.5}
            y={y(Math.max(bar.rate, 0))}
            width={Math.max(x(bar.to) - x(bar.from) - 1, 1)}
            height={HEIGHT - FOOT - y(Math.max(bar.rate, 0))}
            className={classes["ok"]}
          />
        ))}
        {leftMs > 0 && (
          <path
            className={classes["forecast"]}
            d={`M${x(now)} ${y(pace)}H${width - 1}${to === now + leftMs ? `V${HEIGHT - FOOT}` : ""}`}
          />
        )}
        <rect x={LEFT} y={HEIGHT - FOOT} width={inner} height={1} className={classes["line"]} />
        <rect x={x(now)} y={4} width={1} height={HEIGHT - FOOT - 4} className={classes["now"]} />
        <g className={classes["axis"]}>
          <text x={x(now) - 6} y={12} textAnchor="end">
            now
          </text>
        </g>
      </svg>
    </div>
  )
}
