/**
 * Each ledger as a column of dots, one for each event, and ribbons from the newest ledger to the webhooks that want its
 * events. For the keyboard and for screen readers it is a slider, which chooses a ledger; Enter opens its events.
 */
import { useComputedColorScheme } from "@mantine/core"
import { useNavigate } from "@tanstack/react-router"
import {
  type KeyboardEvent,
  type PointerEvent,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef
} from "react"
import { count, plural } from "../../../words/format.ts"
import { networkIn } from "../../events/list/filters.ts"
import { Answers } from "./Answers.tsx"
import { Axis } from "./Axis.tsx"
import { Card } from "./Card.tsx"
import { byFamily, families } from "./families.ts"
import classes from "./Live.module.css"
import { columnX, flowOf, type Grid, placeAt, ribbonPath, ribbonsOf, strengthOf } from "./layout.ts"
import { eventsIn, type Ledger, totalsOf } from "./ledgers.ts"
import { makePainter, type Painter } from "./painter.ts"
import { Ribbons } from "./Ribbons.tsx"
import { stacksOf } from "./stacks.ts"
import type { PictureState } from "./usePicture.ts"

/** "1 093 events: 370 payments, 485 DEX offers" */
const countsText = (counts: ReadonlyArray<number>): string => {
  const total = counts.reduce((sum, some) => sum + some, 0)
  const parts = counts.flatMap((some, family) =>
    some === 0 ? [] : [`${families[family]!.label} ${count(some)}`]
  )
  return `${plural(total, "event")}${total === 0 ? "" : `: ${parts.join(", ")}`}`
}

/** Opens the list of a ledger's events. */
export const useOpenLedger = () => {
  const navigate = useNavigate()
  return ({ ledger_index, network }: Ledger) =>
    navigate({
      to: "/events",
      search: { ledger_index_min: ledger_index, ledger_index_max: ledger_index, network: networkIn(network) }
    })
}

interface PartProps {
  readonly picture: PictureState
  readonly grid: Grid
}

/** The canvases, which are painted when what they show has changed. */
const Dots = ({ picture, grid }: PartProps) => {
  const { chosen, mode, pausedAt, rows, seen, newest } = picture
  const columns = useRef<HTMLCanvasElement>(null)
  const flow = useRef<HTMLCanvasElement>(null)
  const painter = useRef<Painter>(undefined)
  const flowed = useRef<number>(undefined)
  const scheme = useComputedColorScheme("light")
  const still = pausedAt !== undefined

  // The colours of the other scheme hold from the next frame on.
  useLayoutEffect(() => {
    painter.current ??= makePainter(columns.current!, flow.current!)
    const newestFirst = seen.toReversed().slice(0, grid.columns + 1)
    const place = chosen && newestFirst.findIndex(({ ledger_index }) => ledger_index === chosen.ledger_index)
    const painted = newestFirst.map((ledger, at) => ({
      ledger_index: ledger.ledger_index,
      strength: strengthOf(at, grid.columns, place),
      stacks: stacksOf(ledger, rows, grid, mode)
    }))
    const frame = requestAnimationFrame(() => painter.current!.paint(painted, grid, scheme, !still))
    return () => cancelAnimationFrame(frame)
  }, [seen, rows, grid, chosen, mode, scheme, still])

  useEffect(() => {
    if (newest === undefined || grid.narrow || mode !== "family" || still) return
    const ribbons = ribbonsOf(newest, rows, grid)
    const isNews = flowed.current !== undefined && newest.ledger_index > flowed.current
    if (flowed.current === undefined) flowed.current = newest.ledger_index
    if (!isNews || ribbons.length === 0) return
    flowed.current = newest.ledger_index
    painter.current!.flow(flowOf(ribbons), grid)
  }, [newest, rows, grid, mode, still])

  useEffect(() => {
    if (still) painter.current?.stop()
  }, [still])
  useEffect(() => () => painter.current?.stop(), [])

  const { from, left, step, to } = grid
  return (
    <>
      <div className={classes["clip"]} style={{ left, width: from - left }}>
        <canvas ref={columns} style={{ left: -step }} aria-hidden />
      </div>
      <canvas ref={flow} className={classes["flow"]} style={{ left: from, width: to - from }} aria-hidden />
    </>
  )
}

/** Chooses a ledger by pointer or keys. */
const Chooser = ({ picture, grid, alternative }: PartProps & { readonly alternative: string }) => {
  const { chosen, choose, network, newest, shown } = picture
  const open = useOpenLedger()
  const at = (event: PointerEvent<HTMLElement>) => {
    const { left } = event.currentTarget.getBoundingClientRect()
    const place = placeAt(grid, event.clientX - left, shown.length)
    return place === undefined ? undefined : shown.at(-1 - place)
  }
  const press = (event: KeyboardEvent) => {
    const place = chosen === undefined ? shown.length - 1 : shown.indexOf(chosen)
    const next = {
      // The first arrow chooses the newest ledger.
      ArrowLeft: chosen === undefined ? place : place - 1,
      ArrowDown: place - 1,
      ArrowRight: place + 1,
      ArrowUp: place + 1,
      Home: 0,
      End: shown.length - 1
    }[event.key]
    if (next !== undefined) {
      event.preventDefault()
      choose(shown[Math.min(Math.max(next, 0), shown.length - 1)]?.ledger_index)
    } else if (event.key === "Escape") choose(undefined)
    else if (event.key === "Enter" && chosen !== undefined) open(chosen)
  }
  const first = shown[0]
  if (newest === undefined || first === undefined) return null
  const value = chosen ?? newest
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={`Ledgers of ${network}`}
      aria-describedby={alternative}
      aria-valuemin={first.ledger_index}
      aria-valuemax={newest.ledger_index}
      aria-valuenow={value.ledger_index}
      aria-valuetext={
        chosen === undefined
          ? "None chosen; the arrow keys choose a ledger"
          : `Ledger ${chosen.ledger_index}, ${countsText(byFamily(chosen.events))}. Enter opens them`
      }
      className={classes["chooser"]}
      style={{ width: grid.from, height: grid.base }}
      onPointerMove={(event) => choose(at(event)?.ledger_index)}
      onPointerLeave={(event) => {
        if (event.pointerType === "mouse") choose(undefined)
      }}
      onPointerUp={(event) => {
        const ledger = at(event)
        if (ledger === undefined || event.button !== 0) return
        // A finger has no other way to choose.
        if (event.pointerType === "mouse") open(ledger)
        else choose(ledger.ledger_index)
      }}
      onKeyDown={press}
      onBlur={() => choose(undefined)}
    />
  )
}

const Content = ({ picture, grid }: PartProps) => {
  const { chosen, mode, network, newest, pausedAt, rows, shown } = picture
  const alternative = useId()
  const ribbons = useMemo(
    () => (newest === undefined || grid.narrow || mode !== "family" ? [] : ribbonsOf(newest, rows, grid)),
    [newest, rows, grid, mode]
  )
  return (
    <>
      <p id={alternative} className={classes["hidden"]}>
        The last {shown.length} ledgers of {network} have {countsText(totalsOf(shown))}.
      </p>
      <div className={classes["columns"]} style={{ height: grid.height }}>
        <Axis shown={shown} grid={grid} chosen={chosen} still={pausedAt !== undefined} />
        <Ribbons
          ribbons={ribbons}
          grid={grid}
          quiet={chosen !== undefined && chosen !== newest}
          pathOf={(ribbon) => ribbonPath(ribbon, grid)}
        />
        <Dots picture={picture} grid={grid} />
        <Chooser picture={picture} grid={grid} alternative={alternative} />
        {chosen && (
          <Card
            ledger={chosen}
            events={eventsIn(chosen)}
            grid={grid}
            x={columnX(grid, shown.length - 1 - shown.indexOf(chosen))}
          />
        )}
      </div>
      <Answers picture={picture} grid={grid} />
    </>
  )
}

export const Picture = ({ picture }: { readonly picture: PictureState }) => (
  <div ref={picture.ref} className={classes["picture"]} style={{ minHeight: picture.height }}>
    {picture.grid && <Content picture={picture} grid={picture.grid} />}
  </div>
)
