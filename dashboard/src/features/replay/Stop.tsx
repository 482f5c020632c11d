/** Stops a job, after a question. */
import { Button, Modal } from "@mantine/core"
import { IconPlayerStopFilled } from "@tabler/icons-react"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { call } from "../../api/call.ts"
import { cancelReplayJob, type ReplayJob } from "../../api/ledgerhook.ts"
import { FailureNotice } from "../../ui/page/Notices.tsx"

export const Stop = ({ job, icon = false }: { readonly job: ReplayJob; readonly icon?: boolean }) => {
  const [open, setOpen] = useState(false)
  const queries = useQueryClient()
  const cancel = useMutation({
    mutationFn: () => call(cancelReplayJob(job.job_id)),
    onSuccess: () => setOpen(false),
    // Also after a refusal: the job may have ended meanwhile.
    onSettled: () => queries.invalidateQueries({ queryKey: ["replay"] })
  })
  return (
    <>
      <Button
        variant="default"
        data-destructive
        leftSection={icon && <IconPlayerStopFilled size={16} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        Stop
      </Button>
      <Modal opened={open} onClose={() => setOpen(false)} title={`Stop this ${job.mode}?`}>
        <div className="stack-small">
          <p>
            It stops within a second. What it has queued may still be sent. It cannot be resumed, but a new
            one can be started.
          </p>
          {cancel.isError && <FailureNotice failure={cancel.error} />}
          <div className="row">
            <Button color="red" loading={cancel.isPending} onClick={() => cancel.mutate()}>
              Stop it
            </Button>
            <Button variant="default" onClick={() => setOpen(false)}>
              Keep it running
            </Button>
          </div>
        </div>
      </Modal>
    </>
  )
}
