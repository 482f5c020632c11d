/**
 * A page of the documentation: static HTML that has no script, loads nothing, and follows the browser's light or dark
 * mode. Its policy lets a browser apply only its own style. Pure.
 */
import { createHash } from "node:crypto"

export const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

const STYLE = `:root { color-scheme: light dark }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; width: 100%; display: block; overflow-x: auto }
th, td { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid #8886 }
code, pre { font-family: ui-monospace, monospace; font-size: .875rem; overflow-wrap: anywhere }
td:first-child code { white-space: nowrap }
pre { overflow-x: auto; padding: .8rem; border: 1px solid #8886; white-space: pre-wrap }
a { color: light-dark(#0550ae, #79b8ff) }
nav { columns: 16rem }
nav a { display: block }`

/** The browser applies only this style, and neither runs nor loads anything. */
export const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

export const htmlPage = (title: string, body: string): string => `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
${body}
</body>
</html>
`
