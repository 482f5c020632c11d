/** Copies a text. Says so when it has. */
import { ActionIcon, Button, CopyButton } from "@mantine/core"
import { IconCheck, IconCopy } from "@tabler/icons-react"

interface CopyProps {
  readonly value: string
  /** What is copied, such as "the key". */
  readonly what: string
  readonly label?: string
  /** `quiet`: without a frame. `icon`: nothing but the icon, beside a text. */
  readonly look?: "button" | "quiet" | "icon"
}

export const Copy = ({ value, what, label = "Copy", look = "button" }: CopyProps) => (
  <CopyButton value={value} timeout={2_000}>
    {({ copied, copy }) => {
      const Icon = copied ? IconCheck : IconCopy
      return look === "icon" ? (
        <ActionIcon
          size={20}
          variant="subtle"
          color="gray"
          onClick={copy}
          aria-label={copied ? `Copied ${what}` : `${label} ${what}`}
        >
          <Icon size={14} stroke={1.9} aria-hidden />
        </ActionIcon>
      ) : (
        <Button
          size="xs"
          variant={look === "quiet" ? "subtle" : "default"}
          {...(look === "quiet" ? { color: "gray", leftSection: <Icon size={16} aria-hidden /> } : {})}
          onClick={copy}
          aria-label={`${label} ${what}`}
        >
          {copied ? "Copied" : label}
        </Button>
      )
    }}
  </CopyButton>
)
