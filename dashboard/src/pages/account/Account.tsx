/** The account: its plan, its limits, and what it has used this month. */
import { Progress } from "@mantine/core"
import { useAccount } from "../../api/account.ts"
import type { Account as AccountData } from "../../api/session.tsx"
import { count, plural } from "../../parts/format.ts"
import { Page, Section } from "../../parts/Page.tsx"
import { PlainText } from "../../parts/PlainText.tsx"
import { UsageByDay } from "./UsageByDay.tsx"

const Usage = ({ usage }: Pick<AccountData, "usage">) => {
  const { month, deliveries, quota } = usage
  const percent = quota === null ? 0 : (100 * deliveries) / Math.max(quota, 1)
  return (
    <Section title={`Usage in ${month}`}>
      <p>
        {quota === null
          ? `${plural(deliveries, "delivery attempt")} on mainnet. This plan has no monthly limit.`
          : `${count(deliveries)} of ${count(quota)} delivery attempts on mainnet.`}{" "}
        <span className="quiet">
          Retries count. Test events and test networks do not. A month begins at 0:00 UTC.
        </span>
      </p>
      {quota !== null && (
        <Progress
          value={Math.min(percent, 100)}
          color={percent >= 100 ? "red" : "indigo"}
          aria-label="Quota used"
          size="lg"
          mt="sm"
        />
      )}
      {percent >= 100 && (
        <p>
          The quota is used up: nothing is sent on mainnet until the month ends or the plan changes. A replay
          sends it later.
        </p>
      )}
      <UsageByDay days={usage.days} />
    </Section>
  )
}

const Limits = ({ limits }: Pick<AccountData, "limits">) => (
  <Section title="Limits of the plan">
    <dl className="facts">
      <dt>Requests with each key</dt>
      <dd>
        {count(limits.requests_per_minute)} a minute, {count(limits.requests_per_day)} a day
      </dd>
      <dt>Requests with all keys together</dt>
      <dd>
        {count(limits.account_requests_per_minute)} a minute, {count(limits.account_requests_per_day)} a day
      </dd>
      <dt>Delivery attempts</dt>
      <dd>
        {limits.monthly_deliveries === null ? "no limit" : `${count(limits.monthly_deliveries)} a month`}
      </dd>
      <dt>Webhooks</dt>
      <dd>{count(limits.webhooks)}</dd>
      <dt>Account filters</dt>
      <dd>{count(limits.account_filters)} in all webhooks together</dd>
      <dt>Replay jobs at a time</dt>
      <dd>{count(limits.concurrent_replays)}</dd>
      <dt>API keys</dt>
      <dd>
        {count(limits.api_keys)}, {count(limits.new_api_keys_per_day)} new ones within 24 hours
      </dd>
    </dl>
  </Section>
)

export const Account = () => {
  const { name, email, plan, id, limits, usage, key } = useAccount()
  return (
    <Page title="Plan and usage">
      <Section>
        <dl className="facts">
          <dt>Name</dt>
          <dd>
            <PlainText>{name}</PlainText>
          </dd>
          <dt>Mails go to</dt>
          <dd>
            {email === null ? "nobody: the operator can set an address" : <PlainText>{email}</PlainText>}
          </dd>
          <dt>Plan</dt>
          <dd style={{ textTransform: "capitalize" }}>{plan}</dd>
          <dt>Account id</dt>
          <dd className="mono">{id}</dd>
          <dt>Signed in with</dt>
          <dd>
            a {key.environment} key <span className="mono">{key.id}</span>, which may: {key.scopes.join(", ")}
          </dd>
        </dl>
      </Section>
      <Usage usage={usage} />
      <Limits limits={limits} />
    </Page>
  )
}
