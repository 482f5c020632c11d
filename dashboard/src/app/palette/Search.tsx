/** The way to the palette in the navigation, and its keys on every page. */
import { IconSearch } from "@tabler/icons-react"
import { useEffect, useState } from "react"
import { isDialogOpen, isTyping } from "../../parts/rowLinks.ts"
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

export const Search = () => {
  const [open, setOpen] = useState<Open>()
  const [dialogs, setDialogs] = useState<typeof import("./dialogs.ts")>()
  const close = () => setOpen(undefined)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const opened = openedBy(event)
      if (opened === undefined) return
      event.preventDefault()
      setOpen(opened)
    }
    document.addEventListener("keydown", onKey)
    // Before it is asked for, because who opens it types at once.
    const later = setTimeout(() => import("./dialogs.ts").then(setDialogs), AFTER_THE_PAGE_MS)
    return () => {
      clearTimeout(later)
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
      {dialogs && open === "search" && <dialogs.Palette close={close} showKeys={() => setOpen("keys")} />}
      {dialogs && open === "keys" && <dialogs.Keys close={close} />}
    </>
  )
}
