/** What the search of the documentation knows: every section of its pages, as plain text. Pure. */
import type { Content } from "./HtmlPage.ts"

export interface Section {
  /** The address of the section, such as `/docs/replay#limits`. */
  readonly to: string
  readonly page: string
  readonly title: string
  /** A block a line. */
  readonly text: string
}

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'"
}

const textOf = (html: string): string =>
  html
    // What stands in every section, and examples.
    .replace(/<(figcaption|footer|thead|details)\b[\s\S]*?<\/\1>|<p class="doc-label">.*?<\/p>/g, "")
    .replace(/<\/(?:p|li|tr|dd|dt|pre|h\d)>/g, "\n")
    .replace(/<\/td>|<br>/g, " ")
    .replace(/<[^>]+>/g, "")
    .replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity]!)
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n[ \n]*/g, "\n")
    .trim()

const HEADING = /^<h\d(?: id="([^"]+)")?>(.*?)<\/h\d>/

/** The sections of a page at `path`. Text before the first heading with an id is of the page. */
export const sectionsOf = (path: string, { article, title: page }: Content): ReadonlyArray<Section> =>
  article
    .split(/(?=<h[1-6][ >])/)
    .filter((part) => HEADING.test(part))
    .map((part) => {
      const [heading = "", id, title = ""] = HEADING.exec(part) ?? []
      return {
        to: id === undefined || heading.startsWith("<h1") ? path : `${path}#${id}`,
        page,
        title: textOf(title),
        text: textOf(part.slice(heading.length))
      }
    })
