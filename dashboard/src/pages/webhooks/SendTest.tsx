/** Sends an invented event of a chosen type, and links to its delivery. */
import { Button, Modal, Select } from "@mantine/core"
import { IconSend2 } from "@tabler/icons-react"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { call } from "../../api/call.ts"
import { testWebhook, type Webhook } from "../../api/ledgerhook.ts"
import { type EventType, eventTypes } from "../../parts/eventTypes.ts"
import { FailureNotice } from "../../parts/Notices.tsx"
import { choices } from "../../parts/selecting.ts"
import { asksFor } from "./form/patterns.ts"

export const SendTest = ({ webhook }: { readonly webhook: Pick<Webhook, "id" | "event_types"> }) => {
  const [open, setOpen] = useState(false)
  const first = eventTypes.find((type) => asksFor(webhook.event_types, type)) ?? "payment.xrp"
  const [type, setType] = useState<EventType>(first)
  const queries = useQueryClient()
  const send = useMutation({
    mutationFn: () => call(testWebhook(webhook.id, { event_type: type }, { wait: "10s" })),
    onSuccess: () => {
      queries.invalidateQueries({ queryKey: ["deliveries"] })
      queries.invalidateQueries({ queryKey: ["stats"] })
    }
  })
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconSend2 size={16} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        Test event
      </Button>
      <Modal
        opened={open}
        onClose={() => {
          setOpen(false)
          send.reset()
        }}
        title="Send a test event"
      >
        <div className="stack-small">
          <p style={{ margin: 0 }}>
            The event is invented, and signed and retried like a real one. It costs nothing, and the webhook's
            filters do not matter.
          </p>
          <Select
            {...choices}
            clearable={false}
            label="Event type"
            data={[...eventTypes]}
            allowDeselect={false}
            value={type}
            onChange={(value) => setType(value as EventType)}
          />
          {send.isError && <FailureNotice failure={send.error} />}
          {send.data && (
            <p role="status" style={{ margin: 0 }}>
              {send.data.attempt
                ? `First attempt: ${send.data.attempt.error ?? `HTTP ${send.data.attempt.response_status}`}. `
                : "It is on its way. "}
              <Link to="/deliveries/$id" params={{ id: send.data.delivery_id }}>
                See the delivery
              </Link>
            </p>
          )}
          <Button loading={send.isPending} onClick={() => send.mutate()}>
            {send.data ? "Send another one" : "Send it"}
          </Button>
        </div>
      </Modal>
    </>
  )
}
