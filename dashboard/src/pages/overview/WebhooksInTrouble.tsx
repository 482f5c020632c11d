/** Webhooks that are disabled, fail, or have many deliveries waiting. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useMay } from "../../api/account.ts"
import { call } from "../../api/call.ts"
import { listWebhooks } from "../../api/ledgerhook.ts"
import { PAGE_ROWS } from "../../api/list.ts"
import { autoRefresh } from "../../api/refresh.ts"
import { FailureNotice, Loading } from "../../parts/Notices.tsx"
import { Panel } from "../../parts/Page.tsx"
import { PlainText } from "../../parts/PlainText.tsx"
import { Status } from "../../parts/Status.tsx"
import { troublesOf } from "./troubles.ts"

export const WebhooksInTrouble = () => {
  const withStats = useMay("deliveries:read")
  const webhooks = useQuery({
    queryKey: ["webhooks", "troubles"],
    queryFn: () => call(listWebhooks({ limit: PAGE_ROWS, ...(withStats ? { stats: "24h" } : {}) })),
    refetchInterval: autoRefresh
  })
  if (webhooks.isError) return <FailureNotice failure={webhooks.error} onRetry={() => webhooks.refetch()} />
  if (webhooks.data === undefined) return <Loading />
  const { data, has_more } = webhooks.data
  const troubled = data.flatMap((webhook) => {
    const troubles = troublesOf(webhook)
    return troubles.length === 0 ? [] : [{ ...webhook, troubles }]
  })
  return (
    <Panel title="Webhooks that need attention">
      {data.length === 0 ? (
        <p>
          You have no webhook yet. <Link to="/webhooks/new">Create the first one</Link>
        </p>
      ) : troubled.length === 0 ? (
        <p>
          None: no webhook {has_more && `of the newest ${PAGE_ROWS} `}is disabled, fails, or has many
          deliveries waiting.
        </p>
      ) : (
        <ul className="stack" style={{ listStyle: "none", padding: 0, margin: 0 }}>
          {troubled.map(({ id, description, url, health, troubles }) => (
            <li key={id}>
              <Link to="/webhooks/$id" params={{ id }}>
                <PlainText>{description ?? url}</PlainText>
              </Link>{" "}
              <Status>{health.state}</Status>
              <div className="quiet">
                <PlainText>{troubles.join("; ")}</PlainText>
              </div>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}
