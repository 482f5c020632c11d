/** Webhooks that are disabled, or whose latest deliveries failed. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { call } from "../../api/call.ts"
import { listWebhooks } from "../../api/ledgerhook.ts"
import { PAGE_ROWS } from "../../api/list.ts"
import { autoRefresh } from "../../api/refresh.ts"
import { plural } from "../../parts/format.ts"
import { FailureNotice, Loading } from "../../parts/Notices.tsx"
import { Panel } from "../../parts/Page.tsx"
import { PlainText } from "../../parts/PlainText.tsx"
import { Status } from "../../parts/Status.tsx"

export const WebhooksInTrouble = () => {
  const webhooks = useQuery({
    queryKey: ["webhooks", "newest"],
    queryFn: () => call(listWebhooks({ limit: PAGE_ROWS })),
    refetchInterval: autoRefresh
  })
  if (webhooks.isError) return <FailureNotice failure={webhooks.error} onRetry={() => webhooks.refetch()} />
  if (webhooks.data === undefined) return <Loading />
  const { data, has_more } = webhooks.data
  const troubled = data.filter(
    ({ status, consecutive_failures }) => status === "disabled" || consecutive_failures > 0
  )
  return (
    <Panel title="Webhooks that need attention">
      {data.length === 0 ? (
        <p>
          You have no webhook yet. <Link to="/webhooks/new">Create the first one</Link>
        </p>
      ) : troubled.length === 0 ? (
        <p>
          None. {has_more ? `The newest ${PAGE_ROWS} webhooks` : plural(data.length, "webhook")} deliver
          without failures.
        </p>
      ) : (
        <ul className="stack" style={{ listStyle: "none", padding: 0, margin: 0 }}>
          {troubled.map((webhook) => (
            <li key={webhook.id}>
              <Link to="/webhooks/$id" params={{ id: webhook.id }}>
                <PlainText>{webhook.description ?? webhook.url}</PlainText>
              </Link>{" "}
              <Status>{webhook.status}</Status>
              <div className="quiet">
                {webhook.disabled_reason !== null ? (
                  <PlainText>{webhook.disabled_reason}</PlainText>
                ) : (
                  `${plural(webhook.consecutive_failures, "delivery", "deliveries")} failed in a row`
                )}
              </div>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}
