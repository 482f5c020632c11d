/** Changes a webhook by one click: resumes a paused one, enables a disabled one. The page's main button then. */
import { Button } from "@mantine/core"
import type { Webhook } from "../../../api/ledgerhook.ts"
import { FailureNotice } from "../../../ui/page/Notices.tsx"
import { type ChangeName, useChange } from "./change.ts"

interface ChangeButtonProps {
  readonly webhook: Webhook
  readonly to: ChangeName
}

export const ChangeButton = ({ webhook, to }: ChangeButtonProps) => {
  const change = useChange(webhook.id)
  return (
    <>
      <Button loading={change.isPending} onClick={() => change.mutate(to)}>
        {to}
      </Button>
      {change.isError && <FailureNotice failure={change.error} />}
    </>
  )
}
