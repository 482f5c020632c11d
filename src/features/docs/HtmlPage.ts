/**
 * A page of the documentation: the frame of `dashboard/docs.html`, which the build of the dashboard gives its style and
 * its script, around a page's content. Without a built dashboard the page is plain HTML. Every page can be read without
 * the script, and loads files of this service only.
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { FRAME } from "../dashboard/Files.ts"

export const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

export const POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

const PLAIN = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title></title>
</head>
<body>
<p><a href="/">Ledgerhook</a>
<main id="main"></main>
</body>
</html>
`

/** `folder`: the built dashboard. */
export const readFrame = (folder: string): string => {
  const path = join(folder, FRAME)
  return existsSync(path) ? readFileSync(path, "utf8") : PLAIN
}

export interface Content {
  /** Plain text. */
  readonly title: string
  readonly contents: string
  readonly article: string
  /** Beside the article. Without it, the article takes its place. */
  readonly aside?: string
}

/** The text of the page as HTML. */
export const framed = (frame: string, { title, contents, article, aside }: Content): string => {
  const page = `<div class="docs"${aside === undefined ? " data-wide" : ""}>
<div class="docs-left"><nav class="docs-nav" aria-label="Contents">
${contents}
</nav></div>
<article class="doc">
${article}
</article>
${aside === undefined ? "" : `<aside class="docs-side">\n${aside}\n</aside>\n`}</div>`
  return frame
    .replace(/<title>.*?<\/title>/, () => `<title>${escaped(title)} · Ledgerhook</title>`)
    .replace("</main>", () => `\n${page}\n</main>`)
}

/** A heading of the contents, and links below it. */
export const contentsGroup = (heading: string, links: ReadonlyArray<string>): string =>
  `<p>${escaped(heading)}</p>\n<ul>${links.map((link) => `<li>${link}</li>`).join("\n")}</ul>`
