/** The way to the palette in the navigation, and its keys on every page. */
import { IconSearch } from "@tabler/icons-react"
import { type ReactNode, useEffect, useState } from "react"
import { isDialogOpen, isTyping } from "../../ui/list/rowLinks.ts"
import classes from "../Shell.module.css"

/** The page itself is loaded first. */
const AFTER_THE_PAGE_MS = 1_000

type Open = "search" | "keys" | undefined

/** What a key opens; undefined if it is not one of these. */
const openedBy = (event: KeyboardEvent): Open => {
  if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k") return "search"
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || isDialogOpen())
    return undefined
  return event.key === "/" ? "search" : event.key === "?" ? "keys" : undefined
}

interface SearchParts {
  readonly open: () => void
  /** What is open. It belongs anywhere on the page. */
  readonly dialog: ReactNode
}

/** The search of the app, once on a page. */
export const useSearch = (): SearchParts => {
  const [open, setOpen] = useState<Open>()
  const [dialogs, setDialogs] = useState<typeof import("./dialogs.ts")>()
  const close = () => setOpen(undefined)
  const isMissing = open !== undefined && dialogs === undefined
  useEffect(() => {
    // Before it is asked for, because who opens it types at once. If that failed, when it is asked for.
    const load = () => import("./dialogs.ts").then(setDialogs, () => {})
    const later = setTimeout(load, isMissing ? 0 : AFTER_THE_PAGE_MS)
    return () => clearTimeout(later)
  }, [isMissing])
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const opened = openedBy(event)
      if (opened === undefined) return
      event.preventDefault()
      setOpen(opened)
    }
    document.addEventListener("keydown", onKey)
    return () => document.removeEventListener("keydown", onKey)
  }, [])
  return {
    open: () => setOpen("search"),
    dialog: dialogs && (
      <>
        {open === "search" && <dialogs.Palette close={close} showKeys={() => setOpen("keys")} />}
        {open === "keys" && <dialogs.Keys close={close} />}
      </>
    )
  }
}

export const SearchButton = ({ open }: Pick<SearchParts, "open">) => (
  <button type="button" className={classes["search"]} onClick={open}>
    <IconSearch size={18} stroke={1.6} aria-hidden />
    Search
    <span className={classes["keys"]} aria-hidden>
      <kbd>Ctrl</kbd>
      <kbd>K</kbd>
    </span>
  </button>
)

/** In the bar of a narrow screen. */
export const SearchIcon = ({ open }: Pick<SearchParts, "open">) => (
  <button type="button" className={classes["searchIcon"]} aria-label="Find a page or an id" onClick={open}>
    <IconSearch size={20} stroke={1.6} aria-hidden />
  </button>
)
