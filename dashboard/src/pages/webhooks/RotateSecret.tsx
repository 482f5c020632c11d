/** Makes a new secret and shows it once. The old one can stay valid for a while. */
import { Button, Modal, Select } from "@mantine/core"
import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import { call } from "../../api/call.ts"
import { rotateWebhookSecret, type Webhook } from "../../api/ledgerhook.ts"
import { FailureNotice } from "../../parts/Notices.tsx"
import { SecretOnce } from "./SecretOnce.tsx"

const graces = [
  { value: "0", label: "None: only the new secret signs, at once" },
  { value: "3600", label: "1 hour" },
  { value: "21600", label: "6 hours" },
  { value: "86400", label: "1 day" }
]

export const RotateSecret = ({ webhook }: { readonly webhook: Webhook }) => {
  const [open, setOpen] = useState(false)
  const [grace, setGrace] = useState("3600")
  const rotate = useMutation({
    mutationFn: () =>
      call(
        rotateWebhookSecret(
          webhook.id,
          { grace_seconds: Number(grace) },
          { idempotencyKey: crypto.randomUUID() }
        )
      )
  })
  const close = () => {
    setOpen(false)
    rotate.reset()
  }
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Rotate the secret
      </Button>
      <Modal
        opened={open}
        onClose={close}
        title={rotate.data ? "The new secret" : "Rotate the secret"}
        closeOnClickOutside={!rotate.data}
        size="lg"
      >
        {rotate.data ? (
          <div className="stack-small">
            <SecretOnce secret={rotate.data.secret} />
            <Button onClick={close}>I have stored it</Button>
          </div>
        ) : (
          <div className="stack-small">
            <p style={{ margin: 0 }}>
              The service makes a new secret and signs every later request with it, retries included. During
              the time below the old secret signs too, so that you can install the new one without a failed
              delivery.
            </p>
            <Select
              label="The old secret also signs for"
              data={graces}
              allowDeselect={false}
              withScrollArea={false}
              value={grace}
              onChange={(value) => setGrace(value!)}
            />
            {rotate.isError && <FailureNotice failure={rotate.error} />}
            <div className="row">
              <Button loading={rotate.isPending} onClick={() => rotate.mutate()}>
                Make a new secret
              </Button>
              <Button variant="default" onClick={close}>
                Keep the present one
              </Button>
            </div>
          </div>
        )}
      </Modal>
    </>
  )
}
