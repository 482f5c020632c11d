/** Sends the example to one of the viewer's webhooks, as a signed test event, and shows the answer in place. */
import { Button } from "@mantine/core"
import { IconSend2 } from "@tabler/icons-react"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { call } from "../../../api/call.ts"
import { type Attempt, type DescribedEventType, testWebhook } from "../../../api/ledgerhook.ts"
import { useWebhook } from "../../../api/webhooks.ts"
import { WebhookSelect } from "../../../ui/filter/WebhookSelect.tsx"
import { FailureNotice } from "../../../ui/page/Notices.tsx"
import { Section } from "../../../ui/page/Page.tsx"
import { PlainText } from "../../../ui/value/PlainText.tsx"
import { StatusIcon } from "../../../ui/value/Status.tsx"
import { adviceFor, causeInFull, hostOf } from "../../../words/causes.ts"
import { clockTime, duration } from "../../../words/format.ts"
import classes from "./TypePage.module.css"

/** The longest that the service waits for the answer. */
const WAIT = "10s"

const Outcome = ({ attempt, url }: { readonly attempt: Attempt; readonly url: string | undefined }) => {
  const { attempted_at, error, response_status, status, total_ms } = attempt
  const advice = error === undefined || url === undefined ? undefined : adviceFor(error, hostOf(url))
  return (
    <>
      <StatusIcon of={status} />
      <span>
        <b>
          <PlainText>{causeInFull(error ?? `HTTP ${response_status}`)}</PlainText>
        </b>
        {total_ms !== null && ` in ${duration(total_ms)}`}, at {clockTime(Date.parse(attempted_at))}
        {advice && `. ${advice}`}
      </span>
    </>
  )
}

interface SendThisProps {
  readonly type: DescribedEventType["event_type"]
  readonly payload: Readonly<Record<string, unknown>>
}

export const SendThis = ({ type, payload }: SendThisProps) => {
  const [chosen, setChosen] = useState<string>()
  const webhook = useWebhook(chosen)
  const queries = useQueryClient()
  const send = useMutation({
    mutationFn: (id: string) =>
      call(testWebhook(id, { event_type: type, payload: { ...payload } }, { wait: WAIT })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["deliveries"] })
  })
  return (
    <Section title="Send me this one">
      <p className="quiet">
        As a test event, signed like a real one. Only its tx_hash is new. Nothing counts towards the quota.
      </p>
      <div className={classes["send"]}>
        <WebhookSelect
          placeholder="Choose one"
          value={chosen}
          onChange={(id) => {
            setChosen(id)
            send.reset()
          }}
        />
        <Button
          leftSection={<IconSend2 size={16} aria-hidden />}
          disabled={chosen === undefined}
          loading={send.isPending}
          onClick={() => chosen !== undefined && send.mutate(chosen)}
        >
          Send
        </Button>
      </div>
      {send.isError && <FailureNotice failure={send.error} />}
      <div role="status" className={send.isIdle ? undefined : classes["answer"]}>
        {send.isPending && <span>Sending it, and waiting up to 10 seconds for the answer…</span>}
        {send.data && !send.isPending && (
          <>
            {send.data.attempt ? (
              <Outcome attempt={send.data.attempt} url={webhook?.url} />
            ) : (
              <span>
                {webhook?.paused
                  ? "The webhook is paused: the event waits until you resume it."
                  : "No answer yet."}
              </span>
            )}
            <Link to="/deliveries/$id" params={{ id: send.data.delivery_id }}>
              Delivery
            </Link>
          </>
        )}
      </div>
    </Section>
  )
}
