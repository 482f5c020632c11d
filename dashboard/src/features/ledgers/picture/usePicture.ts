/** What the picture shows: the stream, whether the viewer has paused it, and which ledger is chosen. */
import { useElementSize } from "@mantine/hooks"
import { useCallback, useMemo, useState } from "react"
import { PAGE_ROWS } from "../../../api/list.ts"
import { nameOf, useNewestWebhooks, useTroubledWebhooks } from "../../../api/webhooks.ts"
import { gridOf, heightFor, mostIn, NARROW_PIXELS } from "./layout.ts"
import { type Ledger, newestNetwork, SEEN_LEDGERS, SHOWN_LEDGERS, windowOf } from "./ledgers.ts"
import { mostOfRow, rowsOf } from "./rows.ts"
import { laneHeight, type Mode } from "./stacks.ts"
import { useLiveLedgers } from "./stream.ts"

/** The ledgers as they were when the viewer paused the picture or moved the slider, so that nothing changes in it. */
interface Paused {
  readonly at: number
  readonly ledgers: ReadonlyArray<Ledger>
}

interface PictureOptions {
  /** The columns' part of the width that the answers leave. */
  readonly share: number
  readonly highest: number
  readonly mostRows: number
  readonly mode?: Mode
}

/** The webhooks of the network, with the health that is read most often, and whether they are all. */
const useKnown = (network: string | undefined) => {
  const newest = useNewestWebhooks()
  const troubled = useTroubledWebhooks().data?.data
  return useMemo(() => {
    const all = new Map([...newest, ...(troubled ?? [])].map((webhook) => [webhook.id, webhook]))
    const known = [...all.values()]
      .filter((webhook) => webhook.network === network)
      .map((webhook) => ({ id: webhook.id, name: nameOf(webhook, webhook.id), state: webhook.health.state }))
    return { known, isWhole: newest.length > 0 && newest.length < PAGE_ROWS }
  }, [newest, troubled, network])
}

const NARROW_HEIGHT = 240

const none: ReadonlyArray<Ledger> = []

export const usePicture = ({ highest, mode = "family", mostRows, share }: PictureOptions) => {
  const live = useLiveLedgers()
  const { ref, width } = useElementSize<HTMLDivElement>()
  const [network, setNetwork] = useState<string>()
  const [paused, setPaused] = useState<Paused>()
  const [chosen, choose] = useState<number>()
  if (network === undefined && Object.keys(live.kept).length > 0) setNetwork(newestNetwork(live.kept))
  const { isWhole, known } = useKnown(network)

  const kept = (network !== undefined && live.kept[network]) || none
  const seen = useMemo(() => paused?.ledgers ?? windowOf(kept, SEEN_LEDGERS), [paused, kept])
  const rows = useMemo(() => rowsOf(seen, known, mostRows, isWhole), [seen, known, mostRows, isWhole])
  const isNarrow = width < NARROW_PIXELS
  const height = heightFor(
    Math.max(mostIn(kept), mostIn(seen)),
    // The answers stand below a narrow picture.
    isNarrow ? 0 : rows.length,
    isNarrow ? NARROW_HEIGHT : highest
  )
  const [most, lane] =
    mode === "family" ? [mostIn(seen), undefined] : [mostOfRow(seen), laneHeight(height, rows.length)]
  const grid = useMemo(
    () =>
      width === 0 ? undefined : gridOf({ width, height, ratio: window.devicePixelRatio, most, share, lane }),
    [width, height, most, share, lane]
  )
  const shown = useMemo(() => seen.slice(-(grid?.columns ?? SHOWN_LEDGERS)), [seen, grid])
  const newest = shown.at(-1)
  const isChosen = shown.some(({ ledger_index }) => ledger_index === chosen)

  const moveTo = (last: number) =>
    setPaused((before) => ({
      at: before?.at ?? Date.now(),
      ledgers: windowOf(kept, SEEN_LEDGERS, last)
    }))
  return {
    live,
    ref,
    grid,
    height,
    network,
    networks: Object.keys(live.kept),
    setNetwork: (next: string) => {
      setPaused(undefined)
      choose(undefined)
      setNetwork(next)
    },
    kept,
    seen,
    shown,
    rows,
    mode,
    newest,
    /** The ledger that the viewer has chosen, if the picture still has it. */
    chosen: isChosen ? shown.find(({ ledger_index }) => ledger_index === chosen) : undefined,
    choose: useCallback((next: number | undefined) => choose(next), []),
    pausedAt: paused?.at,
    /** How many newer ledgers are kept than the picture shows. */
    behind:
      newest === undefined ? 0 : kept.filter(({ ledger_index }) => ledger_index > newest.ledger_index).length,
    pause: () => setPaused({ at: Date.now(), ledgers: seen }),
    resume: () => setPaused(undefined),
    moveTo
  }
}

export type PictureState = ReturnType<typeof usePicture>
