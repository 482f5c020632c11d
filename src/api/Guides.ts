/**
 * The guides in `docs/`, as Markdown and as pages for people, and `/llms.txt` (llmstxt.org), which lists them with their
 * first sentences. The names are those of the files when the process started: a request's path is compared with them and
 * never becomes a path of the file system.
 */
import { globSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import packageJson from "../../package.json" with { type: "json" }
import { escaped, htmlPage } from "./HtmlPage.ts"

const folder = resolve(import.meta.dirname, "../../docs")

export const guides: ReadonlyArray<string> = globSync("*.md", { cwd: folder })
  .map((file) => file.slice(0, -".md".length))
  .sort()

export const guideMarkdown = (name: string): string => readFileSync(join(folder, `${name}.md`), "utf8")

/** A guide begins with its title and a paragraph that says what it is for. */
const BEGINNING = /^# (.+)\n\n(.+?\.)(?=\s)/

const listed = (name: string): string => {
  const [, title = name, sentence = ""] = BEGINNING.exec(guideMarkdown(name)) ?? []
  return `- [${title}](/docs/${name}.md): ${sentence.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")}`
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
  if (name !== undefined && guides.includes(name)) return `/docs/${name}${anchor ?? ""}`
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

const pageOf = async (markdown: string, links: string): Promise<string> => {
  const { Marked } = await import("marked")
  const idOf = makeIds()
  const marked = new Marked({
    renderer: {
      heading({ depth, tokens }) {
        const id = idOf(this.parser.parseInline(tokens, this.parser.textRenderer))
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }) {
        const [text, target] = [this.parser.parseInline(tokens), targetOf(href)]
        return target === undefined ? text : `<a href="${escaped(target)}">${text}</a>`
      },
      // The policy of pages allows no images, so the text says what one shows.
      image: ({ text }) => `<em>${escaped(text)}</em>`
    }
  })
  const title = /^# (.+)/.exec(markdown)?.[1] ?? ""
  return htmlPage(`${title} - Ledgerhook`, `<p>${links}</p>\n${await marked.parse(markdown)}`)
}

const API_LINK = `<a href="/docs">API</a>`

export const guidePage = (name: string): Promise<string> =>
  pageOf(
    guideMarkdown(name),
    `<a href="/docs/guides">All guides</a>, ${API_LINK}, <a href="/docs/${name}.md">this guide as Markdown</a>`
  )

/** The list of guides. */
export const guidesPage = (): Promise<string> => pageOf(llmsText(), API_LINK)
