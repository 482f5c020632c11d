/** The webhooks that fail, longest first: the one loud thing of the overview. */
import { Link } from "@tanstack/react-router"
import type { ListedWebhook } from "../../../api/ledgerhook.ts"
import { AttemptBars } from "../../../charts/AttemptBars.tsx"
import { PlainText } from "../../../ui/value/PlainText.tsx"
import { StatusIcon } from "../../../ui/value/Status.tsx"
import { withoutScheme } from "../../../words/causes.ts"
import { Cause, NextAttempt, Waiting } from "./Facts.tsx"
import classes from "./Failing.module.css"
import { TryNow } from "./TryNow.tsx"

/** Webhooks that are shown. The others are a number. */
const SHOWN = 5

const Failing = ({ webhook }: { readonly webhook: ListedWebhook }) => {
  const { description, id, stats, url } = webhook
  return (
    <li className={classes["failing"]}>
      <div className={classes["words"]}>
        <StatusIcon of="failing" size={18} />
        <div>
          <Link to="/webhooks/$id" params={{ id }} className={classes["name"]}>
            <PlainText>{description ?? withoutScheme(url)}</PlainText>
          </Link>
          {description !== null && (
            <span className={classes["url"]}>
              <PlainText>{withoutScheme(url)}</PlainText>
            </span>
          )}
          <Cause {...webhook} withSince />
        </div>
      </div>
      {stats && (
        <div className={classes["bars"]}>
          <AttemptBars bars={stats.attempts} />
          <div className={classes["what"]}>attempts, last 24 h</div>
        </div>
      )}
      {stats && <Waiting waiting={stats.waiting} />}
      <NextAttempt {...webhook} />
      <TryNow webhookId={id} />
    </li>
  )
}

interface FailingWebhooksProps {
  readonly webhooks: ReadonlyArray<ListedWebhook>
  /** How many fail in all. */
  readonly failing: number
}

export const FailingWebhooks = ({ webhooks, failing }: FailingWebhooksProps) => (
  <ul className={classes["panel"]} aria-label="Failing webhooks">
    {webhooks.slice(0, SHOWN).map((webhook) => (
      <Failing key={webhook.id} webhook={webhook} />
    ))}
    {failing > SHOWN && (
      <li className={classes["more"]}>
        <Link to="/webhooks" search={{ health: "failing" }}>
          and {failing - SHOWN} more
        </Link>
      </li>
    )}
  </ul>
)
