/** Webhooks that fail, are disabled, or have deliveries that wait: what the service says of them, worst first. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { call } from "../../api/call.ts"
import { listWebhooks } from "../../api/ledgerhook.ts"
import { PAGE_ROWS } from "../../api/list.ts"
import { autoRefresh } from "../../api/refresh.ts"
import { Loading } from "../../parts/Loading.tsx"
import { FailureNotice } from "../../parts/Notices.tsx"
import { Section } from "../../parts/Page.tsx"
import { PlainText } from "../../parts/PlainText.tsx"
import { Status } from "../../parts/Status.tsx"

export const WebhooksInTrouble = () => {
  const webhooks = useQuery({
    queryKey: ["webhooks", "troubles"],
    queryFn: () => call(listWebhooks({ limit: PAGE_ROWS, sort: "health" })),
    refetchInterval: autoRefresh
  })
  if (webhooks.isError) return <FailureNotice failure={webhooks.error} onRetry={() => webhooks.refetch()} />
  if (webhooks.data === undefined) return <Loading />
  const { data } = webhooks.data
  const troubled = data.filter(({ health }) => health.state !== "healthy" && health.state !== "new")
  return (
    <Section title="Webhooks that need attention">
      {data.length === 0 ? (
        <p>
          You have no webhook yet. <Link to="/webhooks/new">Create the first one</Link>
        </p>
      ) : troubled.length === 0 ? (
        <p>None: no webhook fails, is disabled, or has deliveries that wait.</p>
      ) : (
        <ul className="stack" style={{ listStyle: "none", padding: 0, margin: 0 }}>
          {troubled.map(({ id, description, url, health }) => (
            <li key={id}>
              <Link to="/webhooks/$id" params={{ id }}>
                <PlainText>{description ?? url}</PlainText>
              </Link>{" "}
              <Status>{health.state}</Status>
              <div className="quiet">
                <PlainText>{health.sentence}</PlainText>
              </div>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}
