/**
 * What a script adds to a page of the documentation, in the dashboard and outside: copying, tabs where code stands in
 * several languages, a mark at the section in sight, and search. The page can be read without it. It imports nothing of the
 * app, so that the app is not cut into more files for it.
 */
import { COPY, iconOf } from "./icons.ts"
import { addSearch } from "./searchField.ts"

const COPIED_MS = 2_000
/** A section is in sight when its heading is above this line. */
const LINE_PX = 120

/** Here a key is a letter. */
const TYPED_IN = "input, textarea, select, [contenteditable], [role=dialog]"

const button = (label: string, onClick: () => void): HTMLButtonElement => {
  const made = document.createElement("button")
  made.type = "button"
  made.textContent = label
  made.addEventListener("click", onClick)
  return made
}

const addCopy = (figure: Element): void => {
  const label = document.createTextNode("Copy")
  const copy = button("", () => {
    // Pages without TLS have no clipboard, but on the machine itself.
    navigator.clipboard?.writeText(figure.querySelector("pre")!.textContent).catch(() => {})
    label.data = "Copied"
    setTimeout(() => {
      label.data = "Copy"
    }, COPIED_MS)
  })
  copy.className = "docs-copy"
  copy.append(iconOf(COPY), label)
  figure.querySelector("figcaption")!.append(copy)
}

/** Shows one of the blocks. Each has all the tabs, so that each can be shown alone. */
const addTabs = (group: Element): void => {
  const figures = [...group.querySelectorAll("figure")]
  const names = figures.map((figure) => figure.querySelector("figcaption")!.textContent)
  const show = (chosen: number, focus: boolean) => {
    for (const [at, figure] of figures.entries()) figure.hidden = at !== chosen
    if (focus) figures[chosen]!.querySelectorAll<HTMLElement>(".docs-tabs button")[chosen]!.focus()
  }
  for (const [shown, figure] of figures.entries()) {
    const tabs = document.createElement("span")
    tabs.className = "docs-tabs"
    tabs.setAttribute("role", "group")
    tabs.setAttribute("aria-label", "Language")
    for (const [at, name] of names.entries()) {
      const tab = button(name, () => show(at, true))
      tab.setAttribute("aria-pressed", String(at === shown))
      tabs.append(tab)
    }
    figure.querySelector("figcaption")!.replaceChildren(tabs)
  }
  show(0, false)
}

/** Marks the link of the contents whose section is in sight. */
const markSections = (page: HTMLElement, signal: AbortSignal): void => {
  const links = [...page.querySelectorAll<HTMLAnchorElement>('nav a[href^="#"]')]
  const headings = links.map(({ hash }) => document.getElementById(decodeURIComponent(hash.slice(1))))
  let marked: HTMLAnchorElement | undefined
  const mark = () => {
    const last = headings.findLastIndex(
      (heading) => heading !== null && heading.getBoundingClientRect().top < LINE_PX
    )
    const link = links[Math.max(0, last)]
    if (link === undefined || link === marked) return
    marked?.removeAttribute("aria-current")
    link.setAttribute("aria-current", "true")
    marked = link
    const list = link.closest<HTMLElement>("nav")!
    list.scrollTop = link.offsetTop - list.clientHeight / 2
  }
  addEventListener("scroll", mark, { passive: true, signal })
  mark()
}

/**
 * `page` must be in the document. `hrefOf` says where the links of search results lead. Returns what ends it.
 */
export const enliven = (page: HTMLElement, hrefOf = (to: string) => to): (() => void) => {
  const ended = new AbortController()
  for (const group of page.querySelectorAll(".tabs")) addTabs(group)
  for (const figure of page.querySelectorAll("figure.code")) addCopy(figure)
  markSections(page, ended.signal)
  const field = addSearch(page, hrefOf)
  document.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return
      if (event.target instanceof Element && event.target.closest(TYPED_IN) !== null) return
      event.preventDefault()
      // Elsewhere in the dashboard this key opens the search of everything.
      event.stopImmediatePropagation()
      field.focus()
    },
    { capture: true, signal: ended.signal }
  )
  return () => ended.abort()
}
