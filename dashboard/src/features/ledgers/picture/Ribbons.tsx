/** From the newest ledger to the webhooks that want its events. They turn red towards a failing webhook. */
import { useId } from "react"
import { colourOf, families } from "./families.ts"
import classes from "./Live.module.css"
import type { Grid, Ribbon } from "./layout.ts"

/** How a ribbon ends, where it does not keep its family's colour. */
const endings = { failing: "var(--chart-bad)", paused: "var(--idle)", disabled: "var(--idle)" }
type Ending = keyof typeof endings

const endingOf = ({ row: { state } }: Ribbon): Ending | undefined =>
  state in endings ? (state as Ending) : undefined

interface RibbonsProps {
  readonly ribbons: ReadonlyArray<Ribbon>
  readonly grid: Grid
  readonly quiet: boolean
  readonly pathOf: (ribbon: Ribbon) => string
}

export const Ribbons = ({ ribbons, grid: { height, width }, quiet, pathOf }: RibbonsProps) => {
  const id = useId()
  const blends = new Map(
    ribbons.flatMap((ribbon) => {
      const ending = endingOf(ribbon)
      return ending === undefined
        ? []
        : [[`${id}${ribbon.family}${ending}`, { ending, family: ribbon.family }]]
    })
  )
  return (
    <svg className={classes["ribbons"]} width={width} height={height} data-quiet={quiet} aria-hidden>
      <defs>
        {[...blends].map(([name, { ending, family }]) => (
          <linearGradient key={name} id={name}>
            <stop offset="0.35" stopColor={colourOf(family)} />
            <stop offset="0.9" stopColor={endings[ending]} />
          </linearGradient>
        ))}
      </defs>
      {ribbons.map((ribbon) => {
        const ending = endingOf(ribbon)
        return (
          <path
            key={`${families[ribbon.family]!.id} ${ribbon.row.id}`}
            d={pathOf(ribbon)}
            fill={ending === undefined ? colourOf(ribbon.family) : `url(#${id}${ribbon.family}${ending})`}
          />
        )
      })}
    </svg>
  )
}
