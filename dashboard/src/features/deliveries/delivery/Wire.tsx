/** The request of a delivery and the response of one attempt, as in a terminal. */
import { Switch } from "@mantine/core"
import { useState } from "react"
import type { Attempt, DeliveryDetail, Webhook } from "../../../api/ledgerhook.ts"
import { Section } from "../../../ui/page/Page.tsx"
import { PlainText } from "../../../ui/value/PlainText.tsx"
import { hostOf, statusLine } from "../../../words/causes.ts"
import { duration } from "../../../words/format.ts"
import classes from "./Delivery.module.css"
import { Terminal } from "./Terminal.tsx"

const pathOf = (url: string) => {
  const { pathname, search } = new URL(url)
  return `${pathname}${search}`
}

interface RequestProps {
  readonly delivery: DeliveryDetail
  readonly webhook: Webhook | undefined
}

const Request = ({ delivery, webhook }: RequestProps) => {
  const [raw, setRaw] = useState(false)
  const { attempts, request_body, request_headers } = delivery
  if (request_headers === null || request_body === null) {
    return (
      <Section title="Request">
        {attempts === 0
          ? "Nothing was sent yet. The request is shown here after the first attempt."
          : "The event is no longer kept, so the request cannot be shown."}
      </Section>
    )
  }
  return (
    <div className="stack-small">
      <Terminal
        what="the request"
        title="Request"
        start={webhook && `POST ${pathOf(webhook.url)} HTTP/1.1`}
        headers={{ ...(webhook ? { Host: hostOf(webhook.url) } : {}), ...request_headers }}
        body={request_body}
        raw={raw}
        actions={
          <Switch
            size="xs"
            label="Body exactly as it is sent"
            checked={raw}
            onChange={(event) => setRaw(event.currentTarget.checked)}
          />
        }
      />
      <p className="note">
        The headers are those of the last request, made again from the webhook as it is now. Signatures and
        the values of the webhook's own headers are shown as ***.
      </p>
    </div>
  )
}

interface ResponseProps {
  readonly attempt: Attempt
  /** The newest attempt has a longer body. */
  readonly body: string | null
}

const Response = ({ attempt, body }: ResponseProps) => {
  const { attempt: number, batch_id, error, response_headers, response_status, response_time_ms } = attempt
  const what = `the response of attempt ${number}`
  const isBad = attempt.status === "failed"
  if (response_status === null)
    return (
      <Terminal
        what={what}
        title={`Attempt ${number}, no response`}
        start={error}
        isBad
        headers={null}
        body={null}
      />
    )
  return (
    <div className="stack-small">
      <Terminal
        what={what}
        title={
          <>
            Response of attempt {number}, <span className={isBad ? "bad" : "good"}>{response_status}</span>
            {response_time_ms !== null && ` in ${duration(response_time_ms)}`}
          </>
        }
        start={statusLine(response_status)}
        isBad={isBad}
        headers={response_headers}
        body={body}
      />
      {batch_id !== null && (
        <p className="note">
          The request carried several events, as the batch <code>{batch_id}</code>.
        </p>
      )}
      {isBad && error !== undefined && error !== `HTTP ${response_status}` && (
        <p className="note">
          <PlainText>{error}</PlainText>
        </p>
      )}
    </div>
  )
}

/** `shown` is the number of the attempt whose response is shown. */
export const Wire = ({ delivery, shown, webhook }: RequestProps & { readonly shown: number | undefined }) => {
  const last = delivery.attempt_history.at(-1)
  const attempt = delivery.attempt_history.find((one) => one.attempt === shown) ?? last
  return (
    <div className={classes["wire"]}>
      <Request delivery={delivery} webhook={webhook} />
      {attempt && (
        <Response
          key={attempt.attempt}
          attempt={attempt}
          body={attempt === last ? (delivery.response_body ?? attempt.response_body) : attempt.response_body}
        />
      )}
    </div>
  )
}
