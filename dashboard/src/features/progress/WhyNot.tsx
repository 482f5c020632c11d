/** Explains what became of a transaction's events at a webhook. */
import { Button, TextInput } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { type FormEvent, useState } from "react"
import { call } from "../../api/call.ts"
import { type ExplainedEvent, explainTransaction, type Webhook } from "../../api/ledgerhook.ts"
import { Loading } from "../../ui/page/Loading.tsx"
import { FailureNotice } from "../../ui/page/Notices.tsx"
import { Section } from "../../ui/page/Page.tsx"
import { Status } from "../../ui/value/Status.tsx"
import { Reason } from "./Reason.tsx"

const HASH = /^[0-9A-Fa-f]{64}$/

const Explained = ({
  event: { event_id, event_type, webhooks },
  network
}: {
  readonly event: ExplainedEvent
  readonly network: Webhook["network"]
}) => (
  <li>
    <div className="row">
      <Link to="/events/$id" params={{ id: event_id }} search={{ network }}>
        {event_type}
      </Link>
      {webhooks.map(({ delivery }) => delivery !== null && <Status key={delivery.id} of={delivery.status} />)}
    </div>
    {webhooks.map((webhook) => (
      <Reason key={webhook.webhook_id} webhook={webhook} />
    ))}
  </li>
)

const Answer = ({ webhook, hash }: { readonly webhook: Webhook; readonly hash: string }) => {
  const explanation = useQuery({
    queryKey: ["explain", webhook.network, hash, webhook.id],
    queryFn: () => call(explainTransaction(hash, { network: webhook.network, webhookId: webhook.id }))
  })
  if (explanation.isError) {
    return <FailureNotice failure={explanation.error} onRetry={() => explanation.refetch()} />
  }
  if (explanation.data === undefined) return <Loading />
  const { events } = explanation.data
  return events.length === 0 ? (
    <p role="status">
      No event of this transaction is known on {webhook.network}. It failed, it is of a kind that causes no
      event, or its ledger has not been taken (see <Link to="/coverage">ledger coverage</Link>).
    </p>
  ) : (
    <ul className="stack-small">
      {events.map((event) => (
        <Explained key={event.event_id} event={event} network={webhook.network} />
      ))}
    </ul>
  )
}

export const WhyNot = ({ webhook }: { readonly webhook: Webhook }) => {
  const [text, setText] = useState("")
  const [asked, setAsked] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const hash = text.trim().toUpperCase()
    const right = HASH.test(hash)
    setProblem(right ? undefined : "A transaction's hash has 64 characters: 0 to 9 and A to F.")
    setAsked(right ? hash : undefined)
  }
  return (
    <Section title="Why did a transaction not arrive?">
      <form className="stack-small" onSubmit={submit}>
        <TextInput
          label="Transaction hash"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          error={problem}
          spellCheck={false}
          autoComplete="off"
        />
        <div>
          <Button type="submit" variant="default" disabled={text.trim() === ""}>
            Explain
          </Button>
        </div>
        {asked !== undefined && <Answer webhook={webhook} hash={asked} />}
      </form>
    </Section>
  )
}
