/** The live ledger, as large as the page: what happens, who wants it, what they answer; and the events of one ledger. */
import { ActionIcon, Button, SegmentedControl } from "@mantine/core"
import { useFullscreenElement } from "@mantine/hooks"
import { IconMaximize, IconMinimize, IconPlayerPauseFilled, IconPlayerPlayFilled } from "@tabler/icons-react"
import { useState } from "react"
import { useMay } from "../../../api/account.ts"
import { useWebhookCounts } from "../../../api/webhooks.ts"
import { Page, Section } from "../../../ui/page/Page.tsx"
import { clockTime, plural } from "../../../words/format.ts"
import { type Ledger, rateOf } from "../picture/ledgers.ts"
import { PictureOrWhy } from "../picture/PictureOrWhy.tsx"
import type { Mode } from "../picture/stacks.ts"
import { type PictureState, usePicture } from "../picture/usePicture.ts"
import { LedgerEvents } from "./LedgerEvents.tsx"
import classes from "./Live.module.css"
import { Past } from "./Past.tsx"
import { troubleOf } from "./trouble.ts"

/** Below this rate a tenth of an event counts. */
const FEW = 10

const rateText = (rate: number): string =>
  rate < FEW ? `${rate.toFixed(1)} events a second` : `${plural(Math.round(rate), "event")} a second`

const titleOf = ({ behind, pausedAt, shown }: PictureState): string => {
  if (pausedAt !== undefined)
    return `Paused at ${clockTime(pausedAt)}${behind > 0 ? `, ${plural(behind, "ledger")} behind` : ""}`
  const rate = rateOf(shown)
  return rate === undefined ? "Live ledger" : rateText(rate)
}

const Note = ({ picture: { live, network, pausedAt, shown } }: { readonly picture: PictureState }) => {
  const states = useWebhookCounts().data?.states
  if (network === undefined) return null
  if (pausedAt !== undefined)
    return (
      <span className={classes["note"]}>
        <IconPlayerPauseFilled size={16} aria-hidden />
        {network}; deliveries go on, only this picture stands still.
      </span>
    )
  return (
    <span>
      <i className={classes["beat"]} data-live={live.lostAt === undefined} />
      {network}, live; the last {plural(shown.length, "ledger")}, a square is an event.{" "}
      {states && troubleOf(states)}
    </span>
  )
}

/** The events of the ledger that was chosen last; until one is chosen, of the newest when the page was opened. */
const useLastChosen = ({ chosen, newest, pausedAt }: PictureState): Ledger | undefined => {
  const [last, setLast] = useState<Ledger>()
  const next = chosen ?? (pausedAt === undefined ? (last ?? newest) : newest)
  if (next !== undefined && next.ledger_index !== last?.ledger_index) setLast(next)
  return next
}

const View = () => {
  const [mode, setMode] = useState<Mode>("family")
  const whole = useFullscreenElement()
  const picture = usePicture({ share: 0.854, highest: 508, mostRows: 12, mode })
  const { network, networks, pausedAt } = picture
  const ledger = useLastChosen(picture)
  const mayReadEvents = useMay("events:read")
  return (
    <div ref={whole.ref} className={classes["whole"]}>
      <Page
        title={titleOf(picture)}
        note={<Note picture={picture} />}
        actions={
          <>
            {networks.length > 1 && network !== undefined && (
              <SegmentedControl
                aria-label="Network"
                withItemsBorders={false}
                data={networks}
                value={network}
                onChange={picture.setNetwork}
              />
            )}
            <SegmentedControl
              aria-label="Dots"
              withItemsBorders={false}
              data={[
                { value: "family", label: "By family" },
                { value: "webhook", label: "By webhook" }
              ]}
              value={mode}
              onChange={(next) => setMode(next as Mode)}
            />
            {pausedAt === undefined ? (
              <Button
                variant="default"
                leftSection={<IconPlayerPauseFilled size={16} aria-hidden />}
                disabled={network === undefined}
                onClick={picture.pause}
              >
                Pause
              </Button>
            ) : (
              <Button leftSection={<IconPlayerPlayFilled size={16} aria-hidden />} onClick={picture.resume}>
                Resume
              </Button>
            )}
            <ActionIcon
              variant="default"
              size={32}
              aria-label={whole.fullscreen ? "Leave full screen" : "Full screen"}
              onClick={whole.toggle}
            >
              {whole.fullscreen ? <IconMinimize size={16} /> : <IconMaximize size={16} />}
            </ActionIcon>
          </>
        }
      >
        <section aria-label="Picture">
          <PictureOrWhy picture={picture} />
          {pausedAt !== undefined && <Past picture={picture} />}
        </section>
        {ledger && mayReadEvents && <LedgerEvents ledger={ledger} />}
      </Page>
    </div>
  )
}

export const Live = () =>
  useMay("deliveries:read") ? (
    <View />
  ) : (
    <Page title="Live ledger">
      <Section>This key may not see deliveries (scope deliveries:read).</Section>
    </Page>
  )
