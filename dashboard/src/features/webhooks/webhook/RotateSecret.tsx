/** Makes a new secret and shows it once. The old one can stay valid for a while. */
import { Button, Select } from "@mantine/core"
import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import { call } from "../../../api/call.ts"
import { rotateWebhookSecret, type Webhook } from "../../../api/ledgerhook.ts"
import { NotMade, SecretModal } from "../../../ui/page/SecretModal.tsx"
import { duration } from "../../../words/format.ts"

const graces = [
  { value: "0", label: "None: only the new secret signs, at once" },
  { value: "3600", label: "1 hour" },
  { value: "21600", label: "6 hours" },
  { value: "86400", label: "1 day" }
]

const ACTION = "Make a new secret"

export const RotateSecret = ({ webhook }: { readonly webhook: Webhook }) => {
  const [open, setOpen] = useState(false)
  const [grace, setGrace] = useState("3600")
  const [attempt, setAttempt] = useState("")
  const rotate = useMutation({
    mutationFn: () =>
      call(
        rotateWebhookSecret(
          webhook.id,
          { grace_seconds: Number(grace) },
          { idempotencyKey: `${attempt}-${grace}` }
        )
      )
  })
  const close = () => {
    setOpen(false)
    rotate.reset()
  }
  return (
    <>
      <Button
        variant="default"
        onClick={() => {
          setAttempt(crypto.randomUUID())
          setOpen(true)
        }}
      >
        Rotate the secret
      </Button>
      <SecretModal
        opened={open}
        onClose={close}
        title="Rotate the secret"
        madeTitle="The new secret"
        what="the secret"
        purpose={
          <>
            Your server verifies signatures with it.{" "}
            {grace === "0"
              ? "The old one no longer signs: install it now."
              : `The old one also signs for ${duration(Number(grace) * 1_000)}: install it until then.`}
          </>
        }
        secret={rotate.data?.secret}
        busy={rotate.isPending}
      >
        <div className="stack-small">
          <p>
            The service makes a new secret and signs every later request with it, retries included. During the
            time below the old secret signs too, so that you can install the new one without a failed
            delivery.
          </p>
          <Select
            label="The old secret also signs for"
            data={graces}
            allowDeselect={false}
            withScrollArea={false}
            disabled={rotate.isPending}
            value={grace}
            onChange={(value) => setGrace(value!)}
          />
          {rotate.isError && <NotMade failure={rotate.error} action={ACTION} />}
          <div className="dialog-actions">
            <Button variant="default" disabled={rotate.isPending} onClick={close}>
              Keep the present one
            </Button>
            <Button loading={rotate.isPending} onClick={() => rotate.mutate()}>
              {ACTION}
            </Button>
          </div>
        </div>
      </SecretModal>
    </>
  )
}
