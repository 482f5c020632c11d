/** Asks before a page is left on which something was typed and not saved. */
import { Button, Modal } from "@mantine/core"
import { useBlocker } from "@tanstack/react-router"
import type { RefObject } from "react"

interface LeavingProps {
  readonly isDirty: boolean
  /** Set once it is being saved. */
  readonly saved: RefObject<boolean>
}

export const Leaving = ({ isDirty, saved }: LeavingProps) => {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => isDirty && !saved.current,
    enableBeforeUnload: () => isDirty && !saved.current,
    withResolver: true
  })
  return (
    <Modal opened={status === "blocked"} onClose={() => reset?.()} title="Leave without saving?">
      <p>What you typed here is lost then.</p>
      <div className="dialog-actions">
        <Button variant="default" data-destructive onClick={() => proceed?.()}>
          Leave
        </Button>
        <Button onClick={() => reset?.()}>Stay</Button>
      </div>
    </Modal>
  )
}
