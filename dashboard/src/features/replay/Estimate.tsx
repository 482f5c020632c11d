/** What a replay would send, and the button that starts it. */
import { Button } from "@mantine/core"
import { IconHistory } from "@tabler/icons-react"
import { useAccount } from "../../api/account.ts"
import type { CountedReplay, Webhook } from "../../api/ledgerhook.ts"
import { EventTypeName } from "../../ui/value/EventTypeName.tsx"
import { count, duration, plural } from "../../words/format.ts"
import classes from "./NewReplay.module.css"

const Types = ({ types }: { readonly types: ReadonlyArray<readonly [type: string, events: number]> }) => {
  const most = types[0]?.[1] ?? 1
  return (
    <table className={classes["types"]}>
      <caption className={classes["caption"]}>Events by type</caption>
      <tbody>
        {types.map(([type, events]) => (
          <tr key={type}>
            <th scope="row">
              <EventTypeName>{type}</EventTypeName>
            </th>
            <td className={classes["bar"]} aria-hidden>
              <span style={{ width: `${(100 * events) / most}%` }} />
            </td>
            <td className={classes["number"]}>{count(events)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const Facts = ({ events, webhook }: { readonly events: number; readonly webhook: Webhook | undefined }) => {
  const { quota, deliveries } = useAccount().usage
  const perSecond = webhook?.max_per_second ?? null
  const left = quota === null ? null : Math.max(quota - deliveries, 0)
  const isCharged = webhook?.network === "mainnet" && left !== null
  if (perSecond === null && !isCharged) return null
  return (
    <dl className={`facts ${classes["facts"]}`}>
      {perSecond !== null && (
        <>
          <dt>Takes at least</dt>
          <dd>{duration(Math.max((events / perSecond) * 1_000, 1_000), true)}</dd>
        </>
      )}
      {isCharged && (
        <>
          <dt>Quota left</dt>
          <dd className={left < events ? "bad" : undefined}>{count(left)}</dd>
        </>
      )}
    </dl>
  )
}

/** "1 038 events", "at least 1 038 events" */
const eventsOf = ({ at_least, estimated_events }: CountedReplay) =>
  `${at_least ? "at least " : ""}${plural(estimated_events, "event")}`

interface CountedProps {
  readonly counted: CountedReplay
  readonly webhook: Webhook | undefined
  /** It is left out of the count. */
  readonly hasPayloadFilter: boolean
}

export const Counted = ({ counted, hasPayloadFilter, webhook }: CountedProps) => {
  const { by_type, estimated_events, first_ledger, last_ledger } = counted
  const types = Object.entries(by_type ?? {}).sort(([, a], [, b]) => b - a)
  const known = types.reduce((sum, [, events]) => sum + events, 0)
  return (
    <>
      <div role="status">
        <div className="figure-value">{eventsOf(counted)}</div>
        {first_ledger !== null && last_ledger !== null && (
          <div className="quiet">
            of ledgers {count(first_ledger)} to {count(last_ledger)}
            {hasPayloadFilter && "; the payload filter is not counted"}
          </div>
        )}
        {by_type === null && (
          <div className="quiet">These are too many events of these accounts to count them by type.</div>
        )}
        {by_type !== null && known < estimated_events && (
          <div className="quiet">
            {count(estimated_events - known)} of them are not known yet: ids that do not exist, or ledgers
            that are fetched first.
          </div>
        )}
      </div>
      {types.length > 0 && <Types types={types} />}
      <Facts events={estimated_events} webhook={webhook} />
    </>
  )
}

interface StartProps {
  /** Undefined until the events are counted. */
  readonly counted: CountedReplay | undefined
  readonly isPending: boolean
  readonly onClick: () => void
}

export const Start = ({ counted, isPending, onClick }: StartProps) => {
  const isEmpty = counted?.estimated_events === 0
  return (
    <div>
      <Button
        fullWidth
        leftSection={<IconHistory size={16} aria-hidden />}
        disabled={counted === undefined || isEmpty}
        loading={isPending}
        onClick={onClick}
      >
        {counted === undefined ? "Replay" : isEmpty ? "Nothing to replay" : `Replay ${eventsOf(counted)}`}
      </Button>
      <p className={`note ${classes["after"]}`}>
        New events go first. It can be stopped while it queues. Event ids stay the same.
      </p>
    </div>
  )
}
