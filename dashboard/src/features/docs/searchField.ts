/** The search field of the documentation. While it has a text, the sections found stand in the place of the page. */
import { iconOf, SEARCH } from "./icons.ts"
import { loadSearch } from "./load.ts"
import type { FindSections, Found } from "./search.ts"

const element = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className: string,
  ...children: ReadonlyArray<string | Node>
): HTMLElementTagNameMap[Name] => {
  const made = document.createElement(name)
  if (className !== "") made.className = className
  made.append(...children)
  return made
}

const sentence = (parts: ReadonlyArray<string>): HTMLElement =>
  element("p", "", ...parts.map((part, at) => (at % 2 === 0 ? part : element("mark", "", part))))

const hit = ({ page, sentence: parts, title, to }: Found, hrefOf: (to: string) => string): HTMLElement => {
  const link = element(
    "a",
    "docs-hit",
    element("span", "", `${page} › `, element("b", "", title)),
    sentence(parts)
  )
  link.href = hrefOf(to)
  return link
}

const many = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`

/** The headline and what it is about. */
const headline = (found: ReadonlyArray<Found>, words: string): ReadonlyArray<Node> => [
  element(
    "h1",
    "",
    found.length === 0
      ? "No section has all these words"
      : `${many(found.length, "section")} of ${many(new Set(found.map(({ page }) => page)).size, "page")}`
  ),
  element("p", "docs-words", "with ", element("b", "", words.trim().split(/\s+/).join(" and ")))
]

interface Results {
  readonly shown: HTMLElement
  readonly show: (words: string) => void
  readonly move: (by: number) => void
  readonly open: () => void
}

const makeResults = (page: HTMLElement, hrefOf: (to: string) => string, clear: () => void): Results => {
  const shown = element("section", "docs-results")
  shown.setAttribute("aria-label", "Sections found")
  shown.hidden = true
  page.append(shown)
  let hits: ReadonlyArray<HTMLElement> = []
  let marked = 0
  let asked = ""
  const mark = (at: number) => {
    hits[marked]?.removeAttribute("data-marked")
    marked = Math.max(0, Math.min(at, hits.length - 1))
    hits[marked]?.setAttribute("data-marked", "")
    hits[marked]?.scrollIntoView({ block: "nearest" })
  }
  const draw = (find: FindSections, words: string) => {
    const found = find(words)
    hits = found.map((one) => hit(one, hrefOf))
    // The page must be there again before the browser looks for the section.
    for (const one of hits) one.addEventListener("click", clear)
    shown.replaceChildren(...headline(found, words), ...hits)
    marked = 0
    mark(0)
  }
  const show = (words: string) => {
    asked = words
    const searching = words.trim() !== ""
    for (const part of page.querySelectorAll<HTMLElement>(".doc, .docs-side")) part.hidden = searching
    shown.hidden = !searching
    if (!searching) return
    loadSearch().then(
      (find) => asked === words && draw(find, words),
      () => shown.replaceChildren(element("h1", "", "The search could not be loaded"))
    )
  }
  return { shown, show, move: (by) => mark(marked + by), open: () => hits[marked]?.click() }
}

const moves: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }

/** Adds the field above the contents, and returns it. */
export const addSearch = (page: HTMLElement, hrefOf: (to: string) => string): HTMLInputElement => {
  const field = element("input", "")
  field.type = "search"
  field.placeholder = "Search the guides"
  field.setAttribute("aria-label", "Search the guides")
  field.autocomplete = "off"
  field.spellcheck = false
  const box = element("div", "docs-search", iconOf(SEARCH), field, element("kbd", "", "/"))
  box.setAttribute("role", "search")
  page.querySelector(".docs-left")!.prepend(box)
  const set = (words: string) => {
    field.value = words
    results.show(words)
  }
  const results = makeResults(page, hrefOf, () => set(""))
  field.addEventListener("input", () => results.show(field.value))
  field.addEventListener("keydown", (event) => {
    const by = moves[event.key]
    if (by !== undefined) results.move(by)
    else if (event.key === "Enter") results.open()
    else if (event.key === "Escape") set("")
    else return
    event.preventDefault()
  })
  return field
}
