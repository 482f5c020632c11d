/** Under a paused picture: which of the kept ledgers it ends with. */
import { ActionIcon, Button } from "@mantine/core"
import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react"
import { clockTime, count, duration, hourMinute } from "../../../words/format.ts"
import { leastEnd, SEEN_LEDGERS } from "../picture/ledgers.ts"
import type { PictureState } from "../picture/usePicture.ts"
import classes from "./Live.module.css"

export const Past = ({ picture: { kept, moveTo, newest, resume } }: { readonly picture: PictureState }) => {
  const [first, last] = [kept[0], kept.at(-1)]
  if (first === undefined || last === undefined || newest === undefined) return null
  const least = leastEnd(kept, SEEN_LEDGERS)
  const end = Math.max(
    kept.findLastIndex(({ ledger_index }) => ledger_index <= newest.ledger_index),
    least
  )
  const to = (place: number) => moveTo(kept[place]!.ledger_index)
  const [from, until] = [Date.parse(first.closed_at), Date.parse(last.closed_at)]
  const part = kept.length - 1 > least ? (end - least) / (kept.length - 1 - least) : 1
  return (
    <div className={classes["past"]}>
      <span className={classes["steps"]}>
        <ActionIcon
          variant="default"
          size={28}
          aria-label="One ledger back"
          disabled={end <= least}
          onClick={() => to(end - 1)}
        >
          <IconChevronLeft size={16} />
        </ActionIcon>
        <ActionIcon
          variant="default"
          size={28}
          aria-label="One ledger on"
          disabled={end >= kept.length - 1}
          onClick={() => to(end + 1)}
        >
          <IconChevronRight size={16} />
        </ActionIcon>
      </span>
      <input
        type="range"
        className={classes["slider"]}
        style={{ "--part": `${part * 100}%` } as React.CSSProperties}
        aria-label="Last ledger of the picture"
        aria-valuetext={`Ledger ${newest.ledger_index}, closed at ${clockTime(Date.parse(newest.closed_at))}`}
        min={least}
        max={kept.length - 1}
        value={end}
        onChange={(event) => to(event.currentTarget.valueAsNumber)}
      />
      <span>
        {hourMinute(from)} to {hourMinute(until)}; this page keeps {duration(600_000)}
      </span>
      <Button size="xs" variant="default" onClick={resume}>
        To ledger {count(last.ledger_index)}
      </Button>
    </div>
  )
}
