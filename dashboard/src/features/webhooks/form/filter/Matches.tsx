/** How many events of the last day the filters would have sent, the day as bars, and the newest of them. */

import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { useMay } from "../../../../api/account.ts"
import { call } from "../../../../api/call.ts"
import {
  type DayPreview,
  type DayPreviewRequest,
  type Event,
  previewFilters
} from "../../../../api/ledgerhook.ts"
import { Loading } from "../../../../ui/page/Loading.tsx"
import { EventTypeName } from "../../../../ui/value/EventTypeName.tsx"
import { Time } from "../../../../ui/value/Time.tsx"
import { count, plural } from "../../../../words/format.ts"
import { amountOf, decimal } from "../../../events/amounts.ts"
import { accountsIn, amountIn } from "../../../events/summary.ts"
import type { Field } from "./fields.ts"
import { textOf } from "./fields.ts"
import classes from "./filter.module.css"
import { type Mark, marksIn } from "./marks.ts"
import type { Group } from "./tree.ts"

/** How long the viewer has not typed before the service is asked. */
const QUIET_MS = 400

const STALE_MS = 60_000

/** The last day with these filters; undefined asks nothing. A newer question ends the older one. */
export const useDayPreview = (request: DayPreviewRequest | undefined) => {
  const key = request === undefined ? undefined : JSON.stringify(request)
  const [asked, setAsked] = useState(key)
  useEffect(() => {
    const timer = setTimeout(() => setAsked(key), QUIET_MS)
    return () => clearTimeout(timer)
  }, [key])
  const day = useQuery({
    queryKey: ["day preview", asked],
    queryFn: ({ signal }) => call(previewFilters(JSON.parse(asked!) as DayPreviewRequest, {}, { signal })),
    enabled: useMay("events:read") && asked !== undefined,
    staleTime: STALE_MS,
    retry: false,
    placeholderData: keepPreviousData
  })
  return { day, isOld: asked !== key || day.isPlaceholderData || day.isFetching }
}

const Bars = ({ parts }: { readonly parts: ReadonlyArray<number> }) => {
  const most = Math.max(...parts, 1)
  return (
    <svg
      className={classes["bars"]}
      viewBox={`0 0 ${parts.length * 6} 28`}
      width={parts.length * 6}
      height={28}
      role="img"
      aria-label={`Matches over the time: at most ${count(most)} in one of ${parts.length} parts.`}
    >
      {parts.map((value, at) => {
        const height = value === 0 ? 1 : Math.max(2, (26 * value) / most)
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place in time.
            key={at}
            x={at * 6}
            y={28 - height}
            width={4}
            height={height}
            data-empty={value === 0 || undefined}
          />
        )
      })}
    </svg>
  )
}

const valueText = ({ field, value }: Mark, fields: ReadonlyMap<string, Field>): string => {
  const kind = fields.get(field)?.kind
  if (kind === "drops") return amountOf("amount", value)?.text ?? String(value)
  if (kind === "number") return decimal(String(value))
  return kind === undefined || kind === "time" ? String(value) : textOf(kind, value)
}

interface SampleProps {
  readonly event: Event
  readonly root: Group | undefined
  readonly fields: ReadonlyMap<string, Field>
}

const Sample = ({ event, root, fields }: SampleProps) => {
  const marks = root === undefined ? [] : marksIn(root, event.payload)
  const isAmount = marks.some(({ field }) => field === "amount")
  return (
    <li className={classes["sample"]}>
      <Link
        to="/events/$id"
        params={{ id: event.event_id }}
        search={{ network: event.network }}
        target="_blank"
      >
        <EventTypeName>{event.event_type}</EventTypeName>
      </Link>
      <span className={classes["marks"]}>
        {marks.map((mark) => (
          <mark key={mark.field}>
            {mark.field} {valueText(mark, fields)}
          </mark>
        ))}
        {!isAmount && <span>{amountIn(event.payload)}</span>}
        <span className="note">{accountsIn(event.payload)}</span>
      </span>
      <span className={classes["when"]}>
        <Time at={event.timestamp} />
      </span>
    </li>
  )
}

const headlineOf = ({ at_least, candidates, examined, matched }: DayPreview): string =>
  candidates === 0
    ? "No event of the last 24 h has these types and accounts"
    : matched === 0 && examined === candidates
      ? "No event of the last 24 h matches"
      : examined < candidates
        ? `${count(matched)} of the newest ${count(examined)} events match`
        : `${count(matched)} of ${at_least ? "at least " : ""}${plural(candidates, "event")} of the last 24 h match`

const Counted = ({ day, hasFilter }: { readonly day: DayPreview; readonly hasFilter: boolean }) => (
  <div>
    <b className={day.matched === 0 ? classes["none"] : undefined}>
      {hasFilter || day.candidates === 0
        ? headlineOf(day)
        : `${day.at_least ? "At least " : ""}${plural(day.candidates, "event")} of the last 24 h`}
    </b>
    <p className="note">
      {day.examined < day.candidates ? (
        <>
          {day.at_least ? "At least " : ""}
          {count(day.candidates)} of the last 24 h are of the chosen types and accounts; the newest are drawn,
          since <Time at={day.examined_since} />
        </>
      ) : day.candidates === 0 ? (
        ""
      ) : hasFilter ? (
        `${count(day.candidates)} are of the chosen types and accounts`
      ) : (
        "all of the chosen types and accounts"
      )}
    </p>
  </div>
)

interface MatchesProps {
  readonly preview: ReturnType<typeof useDayPreview>
  /** Events of the chosen types and accounts, while the filter has a fault. */
  readonly candidates: number | undefined
  readonly hasTypes: boolean
  readonly hasFault: boolean
  readonly hasFilter: boolean
  readonly root: Group | undefined
  readonly fields: ReadonlyMap<string, Field>
}

export const Matches = ({
  preview,
  candidates,
  hasTypes,
  hasFault,
  hasFilter,
  root,
  fields
}: MatchesProps) => {
  const { day, isOld } = preview
  const mayRead = useMay("events:read")
  if (!mayRead)
    return <p className="quiet">This key may not read events (scope events:read), so none are counted.</p>
  if (!hasTypes)
    return <p className="quiet">Choose event types, and the events of the last 24 h are counted here.</p>
  if (hasFault)
    return (
      <div>
        <b className={classes["waits"]}>No count while the filter has a fault</b>
        {candidates !== undefined && (
          <p className="note">
            {plural(candidates, "event")} of the last 24 h {candidates === 1 ? "is" : "are"} of the chosen
            types and accounts
          </p>
        )}
      </div>
    )
  if (day.isError && !isOld)
    return (
      <p className="bad" role="alert">
        The events could not be counted: {day.error.message}
      </p>
    )
  if (day.data === undefined) return <Loading lines={2} height={16} />
  return (
    <div className={classes["matches"]} aria-busy={isOld} data-old={isOld || undefined}>
      <div className={classes["counted"]} role="status">
        <Counted day={day.data} hasFilter={hasFilter} />
        {day.data.matched > 0 && <Bars parts={day.data.parts} />}
      </div>
      {day.data.samples.length > 0 && (
        <ul aria-label="The newest that match">
          {day.data.samples.map((event) => (
            <Sample key={event.event_id} event={event} root={root} fields={fields} />
          ))}
        </ul>
      )}
    </div>
  )
}
