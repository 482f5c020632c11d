/** A block of code as HTML, with the name of its language above it. Pure. */
import { highlighted } from "./Highlight.ts"
import { escaped } from "./HtmlPage.ts"

const names: Readonly<Record<string, string>> = {
  go: "Go",
  http: "HTTP",
  java: "Java",
  js: "JavaScript",
  json: "JSON",
  properties: "Properties",
  python: "Python",
  sh: "Shell",
  sql: "SQL",
  ts: "TypeScript",
  typescript: "TypeScript"
}

/** The languages of receivers: where blocks in these stand in a row, a reader wants one of them. */
const alternatives = ["Go", "Java", "JavaScript", "Python", "TypeScript"]

export const codeBlock = (
  program: string,
  language?: string,
  name = names[language ?? ""] ?? "Text"
): string =>
  `<figure class="code"><figcaption>${escaped(name)}</figcaption><pre tabindex="0">${highlighted(program, language)}</pre></figure>\n`

/** Groups the blocks that are the same in several languages. The page's script makes tabs of them. */
export const grouped = (html: string): string =>
  html.replace(
    new RegExp(
      String.raw`(?:<figure class="code"><figcaption>(?:${alternatives.join("|")})</figcaption>(?:(?!</figure>)[\s\S])*</figure>\n){2,}`,
      "g"
    ),
    (blocks) => `<div class="tabs">${blocks}</div>\n`
  )
