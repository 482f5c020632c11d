/**
 * A row of a table is a link: its first link opens by a click anywhere on the row, in a tab of its own with the middle
 * button, Ctrl or Cmd. Selecting text or using another control of the row opens nothing.
 */
import { type MouseEvent, type RefObject, useEffect } from "react"

const LEFT = 0
const MIDDLE = 1

const linkIn = (row: Element | null | undefined) => row?.querySelector<HTMLAnchorElement>("a[href]")

/** For `onClick` and `onAuxClick` of a row. */
export const openRow = (event: MouseEvent<HTMLTableRowElement>): void => {
  const link = linkIn(event.currentTarget)
  const target = event.target as Element
  if (link == null || target.closest("a, button, input, label, [data-no-open]") !== null) return
  if (event.button === MIDDLE || (event.button === LEFT && (event.ctrlKey || event.metaKey))) {
    window.open(link.href, "_blank", "noopener")
  } else if (event.button === LEFT && !event.shiftKey && document.getSelection()?.isCollapsed !== false) {
    link.click()
  }
}

/** Whether keys belong to what has the focus. */
export const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.closest(
      'textarea, select, input:not([type="checkbox"]), [role="menu"], [role="listbox"], [role="combobox"]'
    ) !== null)

export const isDialogOpen = () => document.querySelector('[role="dialog"], dialog[open]') !== null

/**
 * `j` and `k` move the focus to the link of the next or the previous row, so Enter opens it. They begin with the first row
 * on the screen. If a page has several tables, the first one has the keys.
 */
export const useRowKeys = (frame: RefObject<HTMLElement | null>): void =>
  useEffect(() => {
    const move = (event: KeyboardEvent) => {
      const down = event.key === "j"
      if ((!down && event.key !== "k") || event.ctrlKey || event.metaKey || event.altKey) return
      if (event.defaultPrevented || isTyping(event.target) || isDialogOpen()) return
      if (frame.current === null || document.querySelector("[data-row-keys]") !== frame.current) return
      const rows = [...frame.current.querySelectorAll<HTMLElement>("tr[aria-rowindex]")].filter(linkIn)
      const current = rows.findIndex((row) => row.contains(document.activeElement))
      const row =
        current === -1
          ? rows.find((one) => one.getBoundingClientRect().bottom > 0)
          : rows[current + (down ? 1 : -1)]
      linkIn(row)?.focus({ preventScroll: true })
      row?.scrollIntoView({ block: "nearest" })
    }
    window.addEventListener("keydown", move)
    return () => window.removeEventListener("keydown", move)
  }, [frame])
