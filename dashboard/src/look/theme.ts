/** How Mantine's components behave. Their colours and sizes are in mantine.css. */
import { createTheme, Modal, Tooltip } from "@mantine/core"

export const theme = createTheme({
  primaryColor: "indigo",
  respectReducedMotion: true,
  cursorType: "pointer",
  components: {
    // Locking the page's scroll bar inserts a <style> element.
    Modal: Modal.extend({
      defaultProps: { lockScroll: false, centered: true, closeButtonProps: { "aria-label": "Close" } }
    }),
    // Within the page's landmark.
    Tooltip: Tooltip.extend({
      defaultProps: { openDelay: 200, multiline: true, portalProps: { target: "#main" } }
    })
  }
})
