/** Sends an event again, to a webhook that the viewer chooses. Its filters do not matter. */
import { Button, Modal } from "@mantine/core"
import { IconHistory } from "@tabler/icons-react"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { call } from "../../../api/call.ts"
import { createReplayJob, type QueuedReplayJob } from "../../../api/ledgerhook.ts"
import { WebhookSelect } from "../../../ui/filter/WebhookSelect.tsx"
import { FailureNotice } from "../../../ui/page/Notices.tsx"

const Choice = ({ eventId }: { readonly eventId: string }) => {
  const [webhook, setWebhook] = useState<string>()
  const queries = useQueryClient()
  const replay = useMutation({
    mutationFn: (id: string) =>
      call(
        createReplayJob({ webhook_id: id, event_ids: [eventId] }, { idempotencyKey: crypto.randomUUID() })
      ) as Promise<QueuedReplayJob>,
    onSuccess: () => {
      queries.invalidateQueries({ queryKey: ["replay"] })
      queries.invalidateQueries({ queryKey: ["explain"] })
    }
  })
  return (
    <div className="stack-small">
      <p>The webhook gets the event whatever its filters say, as a new delivery with the same event id.</p>
      <WebhookSelect
        placeholder="Choose one"
        value={webhook}
        onChange={(id) => {
          setWebhook(id)
          replay.reset()
        }}
      />
      {replay.isError && <FailureNotice failure={replay.error} />}
      <p role="status">
        {replay.data && (
          <>
            The replay is queued.{" "}
            <Link to="/replay/$id" params={{ id: replay.data.job_id }}>
              Watch it
            </Link>
          </>
        )}
      </p>
      <div className="dialog-actions">
        <Button
          disabled={webhook === undefined || replay.isSuccess}
          loading={replay.isPending}
          onClick={() => webhook !== undefined && replay.mutate(webhook)}
        >
          Replay the event
        </Button>
      </div>
    </div>
  )
}

export const ReplayTo = ({ eventId }: { readonly eventId: string }) => {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconHistory size={16} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        Replay to…
      </Button>
      <Modal opened={open} onClose={() => setOpen(false)} title="Replay the event">
        <Choice eventId={eventId} />
      </Modal>
    </>
  )
}
