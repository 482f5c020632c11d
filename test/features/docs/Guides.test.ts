/** The guides of docs/ are served as Markdown and as pages, found by their sections, and link to what is served. */
import { globSync, readFileSync } from "node:fs"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Section } from "../../../src/features/docs/DocsIndex.ts"
import { guideGroups } from "../../../src/features/docs/GuideGroups.ts"
import { ApiUnderTest, apiLayer } from "../../support/http/api.ts"
import { anchors } from "../../support/tree/markdown.ts"

const names = globSync("*.md", { cwd: "docs" }).map((file) => file.replace(/\.md$/, ""))
const idsIn = (page: string): ReadonlySet<string> =>
  new Set(Array.from(page.matchAll(/ id="([^"]+)"/g), ([, id]) => id!))
/** Without those of the frame, which lead to the dashboard too. */
const linksIn = (page: string): ReadonlyArray<string> =>
  Array.from(page.slice(page.indexOf("<main")).matchAll(/ href="([^"]+)"/g), ([, to]) => to!)

layer(apiLayer(), { excludeTestServices: true })("guides", (it) => {
  for (const name of names) {
    it.effect(`docs/${name}.md is served as it is, and as a page with GitHub's anchors`, () =>
      Effect.gen(function* () {
        const { call } = yield* ApiUnderTest
        const markdown = yield* call("GET", `/docs/${name}.md`)
        assert.strictEqual(markdown.headers.get("content-type"), "text/markdown; charset=utf-8")
        assert.strictEqual(markdown.text, readFileSync(`docs/${name}.md`, "utf8"))
        const page = yield* call("GET", `/docs/${name}`)
        assert.strictEqual(page.status, 200)
        assert.strictEqual(page.headers.get("content-type"), "text/html; charset=utf-8")
        assert.match(
          page.headers.get("content-security-policy") ?? "",
          /^default-src 'self'; script-src 'self';/
        )
        assert.notMatch(page.text, /<script>|<style| on\w+=| style=/)
        for (const id of anchors(`docs/${name}.md`)) assert.include([...idsIn(page.text)], id)
      })
    )
  }

  it.effect("link only to what is served, and to headings that exist", () =>
    Effect.gen(function* () {
      const { call } = yield* ApiUnderTest
      const pages = new Map<string, ReadonlySet<string>>()
      const idsAt = Effect.fnUntraced(function* (path: string) {
        const known = pages.get(path)
        if (known !== undefined) return known
        const { status, text } = yield* call("GET", path)
        assert.strictEqual(status, 200, path)
        pages.set(path, idsIn(text))
        return idsIn(text)
      })
      for (const at of [
        "/docs",
        "/docs/event-types",
        "/docs/guides",
        ...names.map((name) => `/docs/${name}`)
      ]) {
        for (const link of linksIn((yield* call("GET", at)).text)) {
          // The dashboard, which is not served here, has the catalogue.
          if (link.startsWith("https://") || link === "/catalogue") continue
          const [path = "", id] = link.split("#", 2)
          const ids = yield* idsAt(path === "" ? at : path)
          if (id !== undefined) assert.isTrue(ids.has(id), `${at}: ${link}`)
        }
      }
    })
  )

  it.effect("are all in one group, which every page shows", () =>
    Effect.gen(function* () {
      const { call } = yield* ApiUnderTest
      assert.sameMembers(
        guideGroups.flatMap(([, group]) => group),
        names
      )
      const { text } = yield* call("GET", "/docs/receiving")
      for (const [heading] of guideGroups) assert.include(text, `<p>${heading}</p>`)
      assert.include(text, '<a href="/docs/receiving" aria-current="page">')
    })
  )

  it.effect("show what is the same in several languages as one group", () =>
    Effect.gen(function* () {
      const { text } = yield* (yield* ApiUnderTest).call("GET", "/docs/receiving")
      const group = text.slice(text.indexOf('<div class="tabs">'), text.indexOf("</figure>\n</div>"))
      assert.deepStrictEqual(
        Array.from(group.matchAll(/<figcaption>(\w+)</g), ([, name]) => name),
        ["TypeScript", "Python", "Go", "Java"]
      )
    })
  )

  it.effect("have every section in the search, as text, at an address that is served", () =>
    Effect.gen(function* () {
      const { call } = yield* ApiUnderTest
      const { text } = yield* call("GET", "/docs/search.json")
      const sections: ReadonlyArray<Section> = JSON.parse(text)
      for (const name of names) {
        const ids = [...anchors(`docs/${name}.md`)].slice(1)
        assert.includeMembers(
          sections.map(({ to }) => to),
          [`/docs/${name}`, ...ids.map((id) => `/docs/${name}#${id}`)]
        )
      }
      for (const { title, text } of sections)
        assert.notMatch(`${title} ${text}`, /<\/?(?:a|code|p|pre|td|span)\b|&(?:amp|lt|quot);/)
      assert.includeMembers(
        sections.map(({ to }) => to),
        ["/docs#createWebhook", "/docs/event-types#payment.xrp"]
      )
    })
  )

  it.effect("are listed in /llms.txt and at /docs/guides, with a sentence each", () =>
    Effect.gen(function* () {
      const { call } = yield* ApiUnderTest
      const { headers, text } = yield* call("GET", "/llms.txt")
      assert.strictEqual(headers.get("content-type"), "text/plain; charset=utf-8")
      // The form of llmstxt.org: a title, a summary, sections with lists of links.
      assert.match(text, /^# Ledgerhook\n\n> .+\n\n(?:## \w+\n\n(?:- \[[^\]]+\]\(\/[^)]+\): .+\.\n)+\n?)+$/)
      const page = (yield* call("GET", "/docs/guides")).text
      for (const name of names) {
        assert.include(text, `](/docs/${name}.md): `)
        assert.include(page, `href="/docs/${name}"`)
      }
    })
  )

  it.effect("are the only files that are served", () =>
    Effect.gen(function* () {
      const { call } = yield* ApiUnderTest
      for (const path of [
        "/docs/nothing",
        "/docs/nothing.md",
        "/docs/decisions/README.md",
        "/docs/..%2Fpackage.json",
        "/docs/..%2f..%2fpackage.json",
        "/docs/%252e%252e/package.json",
        "/docs/api.md/",
        "/docs/api.html",
        "/docs/images/overview.png"
      ]) {
        const { body, status } = yield* call("GET", path)
        assert.deepStrictEqual([status, body?.error.code], [404, "NOT_FOUND"], path)
      }
    })
  )
})
