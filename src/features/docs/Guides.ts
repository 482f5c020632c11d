/**
 * The guides in `docs/`, as Markdown and as pages for people, and `/llms.txt` (llmstxt.org), which lists them with their
 * first sentences. The names are those of the files when the process started: a request's path is compared with them and
 * never becomes a path of the file system.
 */
import { globSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import type { RendererObject } from "marked"
import packageJson from "../../../package.json" with { type: "json" }
import { codeBlock, grouped } from "./CodeBlock.ts"
import { guideGroups } from "./GuideGroups.ts"
import { type Content, contentsGroup, escaped } from "./HtmlPage.ts"
import { prose } from "./SchemaTables.ts"

const folder = resolve(import.meta.dirname, "../../../docs")

const files = new Set(globSync("*.md", { cwd: folder }).map((file) => file.slice(0, -".md".length)))

/** In the order in which they are read. Test: every file of the folder is in a group. */
export const guides: ReadonlyArray<string> = guideGroups
  .flatMap(([, names]) => names)
  .filter((name) => files.has(name))

export const guideMarkdown = (name: string): string => readFileSync(join(folder, `${name}.md`), "utf8")

/** A guide begins with its title and a paragraph that says what it is for. */
const BEGINNING = /^# (.+)\n\n(.+?\.)(?=\s)/

const beginningOf = (name: string) => {
  const [, title = name, sentence = ""] = BEGINNING.exec(guideMarkdown(name)) ?? []
  return { title, sentence: sentence.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1") }
}

const listed = (name: string): string => {
  const { title, sentence } = beginningOf(name)
  return `- [${title}](/docs/${name}.md): ${sentence}`
}

export const llmsText = (): string => `# Ledgerhook

> ${packageJson.description}

## API

- [OpenAPI document](/openapi.json): Every path with its parameters, bodies, errors and examples.
- [AsyncAPI document](/asyncapi.json): The requests to webhooks and the records of the public Kafka topics.
- [Event types](/docs/event-types): When each event occurs, and the fields of its payload.

## Guides

${guides.map(listed).join("\n")}
`

/** Where a page's link leads. Undefined: to a file of the repository, which is not served. */
const targetOf = (href: string): string | undefined => {
  const [, name, anchor] = /^(?:\/docs\/)?([\w-]+)\.md(#.*)?$/.exec(href) ?? []
  if (name !== undefined && files.has(name)) return `/docs/${name}${anchor ?? ""}`
  return /^(?:https:|#|\/)/.test(href) ? href : undefined
}

/** Adds a number to the ids of headings with the same text, as GitHub does. */
const makeIds = () => {
  const seen = new Map<string, number>()
  return (heading: string): string => {
    const id = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/g, "-")
    const times = seen.get(id) ?? 0
    seen.set(id, times + 1)
    return times === 0 ? id : `${id}-${times}`
  }
}

interface Heading {
  readonly depth: number
  readonly id: string
  readonly html: string
}

const rendererTo = (headings: Array<Heading>): RendererObject => {
  const idOf = makeIds()
  return {
    heading({ depth, tokens }) {
      const id = idOf(this.parser.parseInline(tokens, this.parser.textRenderer))
      // A link cannot stand in a link of the contents.
      headings.push({ depth, id, html: this.parser.parseInline(tokens).replace(/<\/?a\b[^>]*>/g, "") })
      return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`
    },
    link({ href, tokens }) {
      const [text, target] = [this.parser.parseInline(tokens), targetOf(href)]
      return target === undefined ? text : `<a href="${escaped(target)}">${text}</a>`
    },
    code: ({ lang, text }) => codeBlock(text, lang),
    // The pages show no images, so the text says what one shows.
    image: ({ text }) => `<em>${escaped(text)}</em>`
  }
}

const rendered = async (markdown: string) => {
  const { Marked } = await import("marked")
  const headings: Array<Heading> = []
  const html = await new Marked({ renderer: rendererTo(headings) }).parse(markdown)
  const tables = html
    .replaceAll("<table>", '<div class="table" tabindex="0" role="group" aria-label="Table"><table>')
    .replaceAll("</table>", "</table></div>")
  return { html: grouped(tables), headings }
}

/** Every guide, by group. `current` is the page's own. */
const allGuides = (current?: string): string =>
  guideGroups
    .map(([heading, names]) =>
      contentsGroup(
        heading,
        names.map((name) => {
          const { title } = beginningOf(name)
          return `<a href="/docs/${name}"${name === current ? ' aria-current="page"' : ""}>${escaped(title)}</a>`
        })
      )
    )
    .join("\n")

/** The guides before and after one, in the order in which they are read. */
const neighbours = (name: string): string => {
  const at = guides.indexOf(name)
  const linkTo = (label: string, neighbour: string | undefined) =>
    neighbour === undefined
      ? "<span></span>"
      : `<p>${label}<br><a href="/docs/${neighbour}">${escaped(beginningOf(neighbour).title)}</a></p>`
  return `<footer class="doc-next">${linkTo("Before", guides[at - 1])}${linkTo("Next", guides[at + 1])}</footer>`
}

const VERSION = `<p>Version ${packageJson.version}</p>`
/** Deeper headings would make the contents longer than the screen. */
const CONTENTS_DEPTH = 3

export const guidePage = async (name: string): Promise<Content> => {
  const { headings, html } = await rendered(guideMarkdown(name))
  const links = headings
    .filter(({ depth }) => depth > 1 && depth <= CONTENTS_DEPTH)
    .map(({ depth, id, html }) => `<li data-depth="${depth}"><a href="#${id}">${html}</a></li>`)
  return {
    title: beginningOf(name).title,
    contents: allGuides(name),
    article: html + neighbours(name),
    aside: `<nav aria-label="On this page" data-sections><p>On this page</p>\n<ul>${links.join("\n")}</ul></nav>
<p><a href="/docs/${name}.md">As Markdown</a></p>
${VERSION}`
  }
}

/** The list of guides. */
export const guidesPage = (): Content => ({
  title: "Guides",
  contents: allGuides(),
  article: `<h1>Guides</h1>
<p>${escaped(packageJson.description)} Every path of the API is in the <a href="/docs">API reference</a>, every event in <a href="/docs/event-types">event types</a>.</p>
${guideGroups
  .map(([heading, names]) => {
    const items = names.map((name) => {
      const { title, sentence } = beginningOf(name)
      return `<dt><a href="/docs/${name}">${escaped(title)}</a></dt><dd>${prose(sentence)}</dd>`
    })
    return `<h2>${heading}</h2>\n<dl>${items.join("\n")}</dl>`
  })
  .join("\n")}`,
  aside: `<p><a href="/llms.txt">For machines: llms.txt</a></p>\n${VERSION}`
})
