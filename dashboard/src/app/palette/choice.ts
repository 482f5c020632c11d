/** What the palette offers. */
import type { IconWebhook } from "@tabler/icons-react"
import type { StatusName } from "../../ui/value/Status.tsx"

export interface Choice {
  /** Unlike any other on the list. */
  readonly id: string
  /** An icon, or the state whose icon it has. */
  readonly icon: typeof IconWebhook | StatusName
  readonly title: string
  readonly detail?: string
  /** What it is, at the right edge. */
  readonly what?: string
  /** An address of this app or of the service, or what happens. */
  readonly go: string | (() => void)
}

export interface Choices {
  readonly label: string
  readonly choices: ReadonlyArray<Choice>
}
