/** Copies a text. Says so when it has. */
import { Button, CopyButton } from "@mantine/core"

interface CopyProps {
  readonly value: string
  /** What is copied, such as "the key". */
  readonly what: string
  readonly label?: string
}

export const Copy = ({ value, what, label = "Copy" }: CopyProps) => (
  <CopyButton value={value} timeout={2_000}>
    {({ copied, copy }) => (
      <Button size="xs" variant="default" onClick={copy} aria-label={`${label} ${what}`}>
        {copied ? "Copied" : label}
      </Button>
    )}
  </CopyButton>
)
