/** Extracts code blocks, headings and links from the documents. */
import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"

/** The documents for people, including those beside the code. */
export const documents: ReadonlyArray<string> = globSync([
  "*.md",
  "docs/**/*.md",
  "topics/*.md",
  "schemas/*.md",
  "bench/**/*.md",
  "packages/*/README.md",
  "examples/*/README.md",
  "ops/*/*.md",
  "src/**/*.md",
  "test/**/*.md"
]).sort()

/** The file's code blocks in that language. */
export const codeBlocks = (file: string, language: string): ReadonlyArray<string> =>
  Array.from(readFileSync(file, "utf8").matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm))
    .filter(([, fence]) => fence === language)
    .map(([, , block]) => block!)

/** The comments of an example that says what it prints: as printed. */
export const commentsOf = (block: string, mark: string): string =>
  block
    .split(/(?<=\n)/)
    .filter((line) => line.startsWith(mark))
    .map((line) => line.slice(mark.length))
    .join("")

const prose = (file: string): string => readFileSync(file, "utf8").replace(/^```[\s\S]*?^```$/gm, "")

/** The anchors that GitHub makes from headings: the second heading with the same text gets the suffix -1. */
export const anchors = (file: string): ReadonlySet<string> => {
  const seen = new Map<string, number>()
  const slugs = Array.from(prose(file).matchAll(/^#{1,6} (.+)$/gm), ([, heading]) => {
    const text = heading!.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase()
    const slug = text.replace(/[^\p{L}\p{N}\s_-]/gu, "").replace(/\s/g, "-")
    const times = seen.get(slug) ?? 0
    seen.set(slug, times + 1)
    return times === 0 ? slug : `${slug}-${times}`
  })
  return new Set(slugs)
}

/** A file's broken links: their file or heading does not exist in this repository. */
export const brokenLinks = (file: string): ReadonlyArray<string> => {
  const links = prose(file)
    .replace(/`[^`\n]*`/g, "")
    .matchAll(/\]\((?!\w+:)([^)\s]+)\)/g)
  return Array.from(links, ([, link]) => link!).filter((link) => {
    const [path = "", anchor] = link.split("#", 2)
    const target = path === "" ? file : normalize(join(dirname(file), decodeURIComponent(path)))
    if (!existsSync(target)) return true
    return anchor !== undefined && target.endsWith(".md") && !anchors(target).has(anchor)
  })
}
