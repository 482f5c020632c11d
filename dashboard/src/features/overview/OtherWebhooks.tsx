/** Webhooks that do not fail and still need a look: disabled, waiting or paused ones, and what the service says of them. */
import { Link } from "@tanstack/react-router"
import type { ListedWebhook } from "../../api/ledgerhook.ts"
import { Section } from "../../ui/page/Page.tsx"
import { PlainText } from "../../ui/value/PlainText.tsx"
import { Status } from "../../ui/value/Status.tsx"
import { AfterTry } from "../health/failing/TryNow.tsx"
import classes from "./Overview.module.css"

export const OtherWebhooks = ({ webhooks }: { readonly webhooks: ReadonlyArray<ListedWebhook> }) => {
  const others = webhooks.filter(({ health: { state } }) => !["failing", "healthy", "new"].includes(state))
  if (others.length === 0) return null
  return (
    <Section title="Worth a look">
      <ul className={classes["others"]}>
        {others.map(({ description, health, id, url }) => (
          <li key={id}>
            <Status of={health.state} />
            <Link to="/webhooks/$id" params={{ id }}>
              <PlainText>{description ?? url}</PlainText>
            </Link>
            <span className="quiet">
              <PlainText>{health.sentence}</PlainText>
            </span>
            <div className="row">
              <AfterTry webhookId={id} />
            </div>
          </li>
        ))}
      </ul>
    </Section>
  )
}
