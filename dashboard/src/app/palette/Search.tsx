/** The way to the palette in the navigation, and its keys on every page. */
import { IconSearch } from "@tabler/icons-react"
import { lazy, Suspense, useEffect, useState } from "react"
import classes from "../Shell.module.css"

const loadPalette = () => import("./Palette.tsx")
const Palette = lazy(() => loadPalette().then((module) => ({ default: module.Palette })))
const Keys = lazy(() => import("./Keys.tsx").then((module) => ({ default: module.Keys })))

/** The page itself is loaded first. */
const AFTER_THE_PAGE_MS = 1_000

type Open = "search" | "keys" | undefined

/** Whether keys belong to what has the focus or to what is open. */
const isTaken = (target: EventTarget | null): boolean =>
  (target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable]") !== null) ||
  document.querySelector("[role=dialog], [role=menu]") !== null

/** What a key opens; undefined if it is not one of these. */
const openedBy = (event: KeyboardEvent): Open => {
  if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k") return "search"
  if (event.ctrlKey || event.metaKey || event.altKey || isTaken(event.target)) return undefined
  return event.key === "/" ? "search" : event.key === "?" ? "keys" : undefined
}

export const Search = () => {
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const opened = openedBy(event)
      if (opened === undefined) return
      event.preventDefault()
      setOpen(opened)
    }
    document.addEventListener("keydown", onKey)
    // Who opens it types at once.
    const idle = setTimeout(loadPalette, AFTER_THE_PAGE_MS)
    return () => {
      clearTimeout(idle)
      document.removeEventListener("keydown", onKey)
    }
  }, [])
  return (
    <>
      <button type="button" className={classes["search"]} onClick={() => setOpen("search")}>
        <IconSearch size={18} stroke={1.6} aria-hidden />
        Search
        <span className={classes["keys"]} aria-hidden>
          <kbd>Ctrl</kbd>
          <kbd>K</kbd>
        </span>
      </button>
      <Suspense fallback={null}>
        {open === "search" && <Palette opened close={close} showKeys={() => setOpen("keys")} />}
        {open === "keys" && <Keys opened close={close} />}
      </Suspense>
    </>
  )
}
