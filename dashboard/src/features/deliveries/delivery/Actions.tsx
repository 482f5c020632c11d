/** What can be done with a delivery: send it to the viewer's machine, copy it as curl, retry it. */
import { Button, CopyButton, Modal } from "@mantine/core"
import { IconCopy, IconRefresh, IconTerminal2 } from "@tabler/icons-react"
import { useState } from "react"
import type { DeliveryDetail, Webhook } from "../../../api/ledgerhook.ts"
import { Code } from "../../../ui/value/Code.tsx"
import { curlOf, forwardLine, LOCAL_URL } from "./sending.ts"

interface SendingProps {
  readonly delivery: DeliveryDetail
  readonly webhook: Webhook | undefined
  readonly network: string | undefined
}

const ToLocalhost = ({ delivery, network }: Omit<SendingProps, "webhook">) => {
  const [open, setOpen] = useState(false)
  const curl = curlOf(delivery, LOCAL_URL)
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconTerminal2 size={16} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        Send to localhost
      </Button>
      <Modal opened={open} onClose={() => setOpen(false)} title="Send to localhost" size="lg">
        <div className="stack-small">
          <p>
            New events of this type, as they happen, signed with a secret of their own. The key needs the
            scope <code>events:read</code>.
          </p>
          <Code what="the command that forwards">
            {forwardLine(window.location.origin, delivery.event_type, network)}
          </Code>
          {curl !== undefined && (
            <>
              <p>This very request, once. Its signature and the webhook's own headers are not known here.</p>
              <Code what="the command that sends it once">{curl}</Code>
            </>
          )}
        </div>
      </Modal>
    </>
  )
}

interface ActionsProps extends SendingProps {
  /** Undefined: the delivery cannot be retried, or the key may not. */
  readonly onRetry: (() => void) | undefined
  readonly isRetrying: boolean
}

export const Actions = ({ delivery, isRetrying, network, onRetry, webhook }: ActionsProps) => {
  const curl = webhook && curlOf(delivery, webhook.url)
  return (
    <>
      <ToLocalhost delivery={delivery} network={network} />
      {curl !== undefined && (
        <CopyButton value={curl} timeout={2_000}>
          {({ copied, copy }) => (
            <Button variant="default" leftSection={<IconCopy size={16} aria-hidden />} onClick={copy}>
              {copied ? "Copied" : "Copy as curl"}
            </Button>
          )}
        </CopyButton>
      )}
      {onRetry && (
        <Button leftSection={<IconRefresh size={16} aria-hidden />} loading={isRetrying} onClick={onRetry}>
          Retry now
        </Button>
      )}
    </>
  )
}
