/** Sends an invented event, whose payload can be edited, and shows how the webhook's receiver answers it. */
import { Button, Modal, Select, Textarea } from "@mantine/core"
import { IconSend2 } from "@tabler/icons-react"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { type FormEvent, useState } from "react"
import { ApiFailure, call } from "../../../api/call.ts"
import { testWebhook, type Webhook } from "../../../api/ledgerhook.ts"
import { choices } from "../../../ui/filter/selecting.ts"
import { FailureNotice } from "../../../ui/page/Notices.tsx"
import { type EventType, eventTypes } from "../../../words/eventTypes.ts"
import { objectIn } from "../../../words/json.ts"
import { asksFor } from "../../../words/patterns.ts"
import { visible } from "../../../words/visible.ts"
import { useExample } from "../../events/useEventTypes.ts"
import { AttemptAnswer } from "./AttemptAnswer.tsx"
import classes from "./SendTest.module.css"

/** The longest that the service waits for the answer. */
const WAIT = "10s"

type Tested = Pick<Webhook, "id" | "event_types" | "url" | "paused">

const Form = ({ webhook, onClose }: { readonly webhook: Tested; readonly onClose: () => void }) => {
  const first = eventTypes.find((type) => asksFor(webhook.event_types, type)) ?? "payment.xrp"
  const [type, setType] = useState<EventType>(first)
  const [edited, setEdited] = useState<string>()
  const { example, isPending } = useExample(type)
  const queries = useQueryClient()
  const text = edited ?? example ?? ""
  const payload = objectIn(text)
  const send = useMutation({
    mutationFn: () =>
      call(
        testWebhook(
          webhook.id,
          { event_type: type, ...(payload == null ? {} : { payload: { ...payload } }) },
          { wait: WAIT }
        )
      ),
    onSuccess: () => {
      queries.invalidateQueries({ queryKey: ["deliveries"] })
      queries.invalidateQueries({ queryKey: ["stats"] })
    }
  })
  const change = (next: string | undefined) => {
    setEdited(next)
    if (send.isError) send.reset()
  }
  const faults = send.error instanceof ApiFailure ? send.error.faults : []
  const ofPayload = faults.filter(({ param }) => param.startsWith("/payload"))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (payload !== undefined) send.mutate()
  }
  return (
    <form className="stack-small" onSubmit={submit}>
      <p>
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
        onChange={(value) => {
          setType(value as EventType)
          setEdited(undefined)
          send.reset()
        }}
      />
      <Textarea
        className={classes["payload"]}
        label="Payload"
        description={
          <>
            A sample that you can edit. Its tx_hash is replaced by a new one.{" "}
            {edited !== undefined && (
              <button type="button" className={classes["link"]} onClick={() => change(undefined)}>
                Show the sample again
              </button>
            )}
          </>
        }
        autosize
        minRows={6}
        maxRows={16}
        spellCheck={false}
        // The sample would come in between what is typed.
        readOnly={isPending}
        value={text}
        onChange={(event) => change(event.currentTarget.value)}
        error={
          payload === undefined
            ? "This is not a JSON object."
            : ofPayload.length > 0 && visible(ofPayload.map(({ message }) => message).join(" "))
        }
      />
      {send.isError && ofPayload.length === 0 && <FailureNotice failure={send.error} />}
      <div role="status">
        {send.isPending && <p className="quiet">Sending it, and waiting up to 10 seconds for the answer…</p>}
        {send.data?.attempt && !send.isPending && (
          <AttemptAnswer attempt={send.data.attempt} url={webhook.url} />
        )}
        {send.data && !send.data.attempt && !send.isPending && (
          <p>
            {webhook.paused
              ? "The webhook is paused: the event is sent when you resume it."
              : "No answer yet. The delivery shows what becomes of it."}
          </p>
        )}
      </div>
      <div className={classes["actions"]}>
        {send.data && (
          <Link to="/deliveries/$id" params={{ id: send.data.delivery_id }}>
            See the delivery
          </Link>
        )}
        <Button variant="subtle" color="gray" onClick={onClose}>
          Close
        </Button>
        <Button type="submit" loading={send.isPending} disabled={payload === undefined}>
          {send.data ? "Send again" : "Send it"}
        </Button>
      </div>
    </form>
  )
}

interface SendTestProps {
  readonly webhook: Tested
  readonly label?: string
}

export const SendTest = ({ webhook, label = "Test event" }: SendTestProps) => {
  const [open, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconSend2 size={16} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        {label}
      </Button>
      <Modal opened={open} onClose={close} title="Send a test event" size="40rem" withCloseButton={false}>
        <Form webhook={webhook} onClose={close} />
      </Modal>
    </>
  )
}
