/** What else one does with a webhook: from its row in the list, and on its page. */
import { ActionIcon, Menu } from "@mantine/core"
import {
  IconBan,
  IconCircleCheck,
  IconCopy,
  IconDots,
  IconHistory,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconSend2,
  IconTrash
} from "@tabler/icons-react"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { useMay } from "../../../api/account.ts"
import type { Webhook } from "../../../api/ledgerhook.ts"
import { FailureNotice } from "../../../ui/page/Notices.tsx"
import { copyText } from "../../../ui/value/copying.ts"
import { visible } from "../../../words/visible.ts"
import { type ChangeName, useChange } from "./change.ts"
import { DeleteWebhook } from "./DeleteWebhook.tsx"

interface WebhookMenuProps {
  readonly webhook: Webhook
  /** In a list, where one cannot see what a destructive change would end. */
  readonly short?: boolean
}

const iconOf = (Icon: typeof IconCopy) => <Icon size={16} aria-hidden />

const icons = {
  Pause: IconPlayerPause,
  Resume: IconPlayerPlay,
  Disable: IconBan,
  Enable: IconCircleCheck
} as const satisfies Record<ChangeName, typeof IconCopy>

export const WebhookMenu = ({ webhook, short = false }: WebhookMenuProps) => {
  const { description, id, paused, status, url } = webhook
  const [mayWrite, mayRead, mayReplay] = [
    useMay("webhooks:write"),
    useMay("deliveries:read"),
    useMay("deliveries:write")
  ]
  const change = useChange(id)
  const [isDeleting, setDeleting] = useState(false)
  const changes: ReadonlyArray<ChangeName> =
    status === "disabled"
      ? ["Enable"]
      : [paused ? "Resume" : "Pause", ...(short ? [] : (["Disable"] as const))]
  return (
    <>
      <Menu position="bottom-end" portalProps={{ target: "#main" }}>
        <Menu.Target>
          <ActionIcon
            variant={short ? "subtle" : "default"}
            color="gray"
            aria-label={short ? `More about ${visible(description ?? url)}` : "More"}
            loading={change.isPending}
          >
            <IconDots size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {mayRead && (
            <Menu.Item component={Link} to={`/deliveries?webhook_id=${id}`} leftSection={iconOf(IconSend2)}>
              Its deliveries
            </Menu.Item>
          )}
          {mayReplay && (
            <Menu.Item component={Link} to={`/replay/new?webhook_id=${id}`} leftSection={iconOf(IconHistory)}>
              Replay past events
            </Menu.Item>
          )}
          {mayWrite && short && (
            <Menu.Item component={Link} to={`/webhooks/${id}/edit`} leftSection={iconOf(IconPencil)}>
              Edit
            </Menu.Item>
          )}
          <Menu.Item leftSection={iconOf(IconCopy)} onClick={() => copyText(id)}>
            Copy its id
          </Menu.Item>
          {mayWrite && <Menu.Divider />}
          {mayWrite &&
            changes.map((name) => (
              <Menu.Item key={name} leftSection={iconOf(icons[name])} onClick={() => change.mutate(name)}>
                {name}
              </Menu.Item>
            ))}
          {mayWrite && !short && (
            <Menu.Item className="bad" leftSection={iconOf(IconTrash)} onClick={() => setDeleting(true)}>
              Delete the webhook
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {change.isError && <FailureNotice failure={change.error} />}
      {!short && <DeleteWebhook webhook={webhook} opened={isDeleting} close={() => setDeleting(false)} />}
    </>
  )
}
