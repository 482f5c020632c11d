/** The account: how far its quota reaches at the present pace, what each day used, and the limits of its plan. */
import { Link } from "@tanstack/react-router"
import { useAccount } from "../../../api/account.ts"
import { useRequestsLeft } from "../../../api/refresh.ts"
import type { Account as AccountData } from "../../../api/session.tsx"
import { useWebhookCounts } from "../../../api/webhooks.ts"
import { Page, Section } from "../../../ui/page/Page.tsx"
import { Copy } from "../../../ui/value/Copy.tsx"
import { useNow } from "../../../ui/value/now.ts"
import { PlainText } from "../../../ui/value/PlainText.tsx"
import { count, cut, duration, hourMinute, localDay, totalOf, utcDay } from "../../../words/format.ts"
import { mayDo, networksOf } from "../keys/rights.ts"
import { activeKeys } from "../keys/state.ts"
import { useKeys } from "../keys/useKeys.ts"
import classes from "./Account.module.css"
import { daysOf, type Forecast, forecastOf, monthEnd } from "./forecast.ts"
import { UsageByDay } from "./UsageByDay.tsx"

/** At this part of the quota the account gets a mail. */
const NOTICE_PERCENT = 80

type Usage = AccountData["usage"]

const isUsedUp = ({ deliveries, quota }: Usage) => quota !== null && deliveries >= quota

const headlineOf = (usage: Usage, usedUpAt: number | undefined): string => {
  if (isUsedUp(usage)) return "The month's quota is used up"
  return usedUpAt === undefined
    ? "Plan and usage"
    : `The quota lasts until ${localDay(usedUpAt)}, about ${hourMinute(usedUpAt)}`
}

const noteOf = (usage: Usage, forecast: Forecast | undefined): string => {
  const next = utcDay(monthEnd(usage))
  const then = `deliveries on mainnet wait, and resume automatically on ${next}`
  if (isUsedUp(usage)) return `Now ${then}, or when the plan changes.`
  if (forecast === undefined) return "A month begins at 00:00 UTC."
  return forecast.usedUpAt === undefined
    ? `At the pace of the last 7 days, the month ends at about ${count(forecast.total)} attempts.`
    : `At the pace of the last 7 days. Then ${then}.`
}

const Quota = ({ usage }: Pick<AccountData, "usage">) => {
  const now = useNow()
  const { deliveries, quota } = usage
  const left = duration(Math.max(monthEnd(usage) - now, 0), true)
  return (
    <section aria-label="Quota">
      <div className={classes["sums"]}>
        <span>
          <b className={classes["figure"]}>{count(deliveries)}</b>{" "}
          {quota === null
            ? "attempts on mainnet; this plan has no monthly limit"
            : `of ${count(quota)} attempts`}
        </span>
        <span>
          {quota !== null && `${count(Math.max(quota - deliveries, 0))} left, `}
          {left} to go
        </span>
      </div>
      {quota !== null && (
        <div className={classes["quota"]}>
          <Bar part={deliveries / Math.max(quota, 1)} large />
          <i className={classes["notice"]} style={{ left: `${NOTICE_PERCENT}%` }} />
          <small style={{ left: `${NOTICE_PERCENT}%` }}>{NOTICE_PERCENT}%: a mail says so</small>
        </div>
      )}
    </section>
  )
}

const Bar = ({ part, large = false }: { readonly part: number; readonly large?: boolean }) => (
  <div className={classes["bar"]} data-large={large || undefined} data-full={part >= 1 || undefined}>
    <i style={{ width: `${Math.min(part, 1) * 100}%` }} />
  </div>
)

interface LimitProps {
  readonly name: string
  /** What the number is of. */
  readonly of?: string
  /** Undefined: not known here. */
  readonly used: number | undefined
  readonly limit: number
}

const Limit = ({ name, of, used, limit }: LimitProps) => (
  <tr>
    <th scope="row">
      {name} {of && <span className="note">{of}</span>}
    </th>
    <td>{used !== undefined && <Bar part={used / Math.max(limit, 1)} />}</td>
    <td>{used !== undefined && count(used)}</td>
    <td>of {count(limit)}</td>
  </tr>
)

const Limits = () => {
  const { limits, key } = useAccount()
  const counts = useWebhookCounts().data
  const keys = useKeys().data
  const now = useNow()
  const left = useRequestsLeft()
  const usedOf = (limit: number) => (left?.limit === limit ? left.limit - left.remaining : undefined)
  return (
    <Section title="Limits of the plan">
      <table className={classes["limits"]} aria-label="Limits of the plan">
        <tbody>
          <Limit
            name="Webhooks"
            of={`on ${networksOf(key.environment)}`}
            used={counts && totalOf(counts.states)}
            limit={limits.webhooks}
          />
          <Limit
            name="Account filters"
            of="in all webhooks together"
            used={undefined}
            limit={limits.account_filters}
          />
          <Limit
            name="API keys"
            of={`${count(limits.new_api_keys_per_day)} new ones a day`}
            used={keys && activeKeys(keys, now).length}
            limit={limits.api_keys}
          />
          <Limit name="Replays at once" used={undefined} limit={limits.concurrent_replays} />
          <Limit
            name="Requests a minute"
            of={`with each key; ${count(limits.account_requests_per_minute)} with all`}
            used={usedOf(limits.requests_per_minute)}
            limit={limits.requests_per_minute}
          />
          <Limit
            name="Requests a day"
            of={`with each key; ${count(limits.account_requests_per_day)} with all`}
            used={usedOf(limits.requests_per_day)}
            limit={limits.requests_per_day}
          />
        </tbody>
      </table>
    </Section>
  )
}

/** Characters of an id before its middle: "acct_01M8B…R2B7". */
const ID_HEAD = 10

const Facts = () => {
  const { name, email, plan, id, key } = useAccount()
  return (
    <Section title="Account">
      <dl className="facts">
        <dt>Name</dt>
        <dd>
          <PlainText>{name}</PlainText>
        </dd>
        <dt>Plan</dt>
        <dd className={classes["plan"]}>{plan}</dd>
        <dt>Mails go to</dt>
        <dd>{email === null ? "nobody" : <PlainText>{email}</PlainText>}</dd>
        <dt>Id</dt>
        <dd className="row">
          <span className="mono">{cut(id, ID_HEAD)}</span>
          <Copy value={id} what="the id" />
        </dd>
        <dt>Signed in with</dt>
        <dd>
          a {key.environment} key, which may {mayDo(key.scopes, key.environment)}
        </dd>
      </dl>
      <p className={`note ${classes["operator"]}`}>
        The operator of this service changes the plan and the address of mails.{" "}
        <Link to="/guides/$name" params={{ name: "notices" }}>
          Notices
        </Link>{" "}
        can be sent to a URL of yours too.
      </p>
    </Section>
  )
}

export const Account = () => {
  const { usage } = useAccount()
  const now = useNow()
  const forecast = forecastOf(usage, now)
  return (
    <Page title={headlineOf(usage, forecast?.usedUpAt)} note={noteOf(usage, forecast)}>
      <Quota usage={usage} />
      {usage.deliveries > 0 && (
        <UsageByDay days={daysOf(usage, now)} nowMs={now} usedUpAt={forecast?.usedUpAt} quota={usage.quota} />
      )}
      <div className={classes["columns"]}>
        <Limits />
        <Facts />
      </div>
    </Page>
  )
}
