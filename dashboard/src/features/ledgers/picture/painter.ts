/**
 * Draws the dots: columns on one canvas, those that flow to the webhooks on another. A column is drawn once and kept as an
 * image until its numbers or the size of dots change. Frames are asked for only while dots flow; the columns are moved by
 * the browser's own animation.
 */
import { families } from "./families.ts"
import { columnX, type FlowingDot, flowPoint, type Grid } from "./layout.ts"
import type { Stack } from "./stacks.ts"

export interface Column {
  readonly ledger_index: number
  readonly strength: number
  readonly stacks: ReadonlyArray<Stack>
}

const [MOVE_MS, FLOW_MS] = [240, 900]
/** Between two frames of the flow: half as many as screens show look the same and cost half. */
const FRAME_MS = 25
/** Of the flow's time, until the last dot starts. */
const STARTS = 0.35
/** From here on, a dot on its way to a failing webhook is red. */
const RED_FROM = 0.7
const EASE = "cubic-bezier(.2, 0, 0, 1)"

const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches

const resize = (canvas: HTMLCanvasElement, width: number, height: number, ratio: number) => {
  const [across, down] = [Math.max(Math.round(width * ratio), 1), Math.max(Math.round(height * ratio), 1)]
  if (canvas.width !== across || canvas.height !== down)
    Object.assign(canvas, { width: across, height: down })
  canvas.style.width = `${width}px`
  canvas.style.height = `${height}px`
}

export const makePainter = (columns: HTMLCanvasElement, flow: HTMLCanvasElement) => {
  const images = new Map<number, { readonly drawn: string; readonly image: OffscreenCanvas }>()
  let look = ""
  let newest: number | undefined
  let frame = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  const stopFlow = () => {
    clearTimeout(timer)
    cancelAnimationFrame(frame)
  }

  const colours = () => {
    const style = getComputedStyle(columns)
    return (name: string) => style.getPropertyValue(name)
  }

  const drawn = ({ ledger_index, stacks }: Column, { dots, height, ratio, step }: Grid) => {
    const what = JSON.stringify(stacks)
    const kept = images.get(ledger_index)
    if (kept?.drawn === what) return kept.image
    const image = new OffscreenCanvas(Math.ceil(step * ratio), Math.round(height * ratio))
    const context = image.getContext("2d")!
    context.scale(ratio, ratio)
    const colour = colours()
    for (const { base, runs } of stacks) {
      let place = 0
      for (const run of runs) {
        context.fillStyle = colour(run.colour)
        for (const end = place + run.dots; place < end; place += 1)
          context.fillRect(
            (place % dots.across) * dots.pitch,
            base - (Math.floor(place / dots.across) + 1) * dots.pitch,
            dots.dot,
            dots.dot
          )
      }
    }
    images.set(ledger_index, { drawn: what, image })
    return image
  }

  return {
    /**
     * `shown`: newest first, with the one that has just left the picture, so that it is seen to leave. `scheme`: light or
     * dark. `moves`: a newer ledger moves the columns to the left.
     */
    paint: (shown: ReadonlyArray<Column>, grid: Grid, scheme: string, moves: boolean) => {
      const { dots, height, left, ratio, step } = grid
      const nextLook = JSON.stringify([dots, height, ratio, scheme, step])
      if (nextLook !== look) images.clear()
      look = nextLook
      for (const index of images.keys())
        if (!shown.some((one) => one.ledger_index === index)) images.delete(index)
      // One column wider than what is seen of it.
      resize(columns, grid.from - left + step, height, ratio)
      const context = columns.getContext("2d")!
      context.clearRect(0, 0, columns.width, columns.height)
      for (const [place, column] of shown.entries()) {
        context.globalAlpha = column.strength
        const x = columnX(grid, place) - left + step
        context.drawImage(drawn(column, grid), Math.round(x * ratio), 0)
      }
      const places = newest === undefined ? 0 : shown.findIndex(({ ledger_index }) => ledger_index === newest)
      newest = shown[0]?.ledger_index
      if (moves && places > 0 && !isStill())
        columns.animate([{ transform: `translateX(${places * step}px)` }, { transform: "none" }], {
          duration: MOVE_MS,
          easing: EASE
        })
    },

    /** Lets dots flow once, after the columns have moved. */
    flow: (dots: ReadonlyArray<FlowingDot>, grid: Grid) => {
      stopFlow()
      if (isStill()) return
      const { dots: size, from, height, ratio, to } = grid
      resize(flow, to - from, height, ratio)
      const context = flow.getContext("2d")!
      const colour = colours()
      const red = colour("--chart-bad")
      const own = families.map(({ id }) => colour(`--f-${id}`))
      const side = Math.max(size.dot, 3)
      const began = performance.now() + MOVE_MS
      const step = (now: number) => {
        const passed = (now - began) / FLOW_MS
        context.setTransform(ratio, 0, 0, ratio, -from * ratio, 0)
        context.clearRect(from, 0, to - from, height)
        if (passed >= 1) return
        for (const dot of dots) {
          const part = (passed - dot.start * STARTS) / (1 - STARTS)
          if (part <= 0 || part >= 1) continue
          const { x, y } = flowPoint(dot, part, grid)
          context.fillStyle =
            part > RED_FROM && dot.ribbon.row.state === "failing" ? red : own[dot.ribbon.family]!
          context.fillRect(x - side / 2, y - side / 2, side, side)
        }
        next(FRAME_MS)
      }
      const next = (ms: number) => {
        timer = setTimeout(() => {
          frame = requestAnimationFrame(step)
        }, ms)
      }
      next(MOVE_MS)
    },

    /** Ends what moves. */
    stop: () => {
      stopFlow()
      flow.getContext("2d")!.clearRect(0, 0, flow.width, flow.height)
      for (const animation of columns.getAnimations()) animation.cancel()
    }
  }
}

export type Painter = ReturnType<typeof makePainter>
