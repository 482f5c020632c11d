/** The request of a delivery: its headers and its body. */
import { Switch } from "@mantine/core"
import { useState } from "react"
import type { DeliveryDetail } from "../../api/ledgerhook.ts"
import { Code, readableJson } from "../../parts/Code.tsx"
import { Section } from "../../parts/Page.tsx"

export const Request = ({ request_headers, request_body, attempts }: DeliveryDetail) => {
  const [raw, setRaw] = useState(false)
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
    <Section title="Request">
      <div className="stack">
        <Code what="the request headers">
          {Object.entries(request_headers)
            .map(([name, value]) => `${name}: ${value}`)
            .join("\n")}
        </Code>
        <Switch
          label="Body exactly as it is sent"
          checked={raw}
          onChange={(event) => setRaw(event.currentTarget.checked)}
        />
        <Code what="the request body">{raw ? request_body : readableJson(request_body)}</Code>
        <div className="quiet">
          The headers are those of the last request, made again from the webhook as it is now. Signatures and
          the values of the webhook's own headers are shown as ***.
        </div>
      </div>
    </Section>
  )
}
