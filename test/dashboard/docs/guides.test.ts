/** The search of the documentation, and where the dashboard has its pages. */
import { assert, describe, it } from "@effect/vitest"
import { inDashboard } from "../../../dashboard/src/features/docs/paths.ts"
import { makeSearch, sentenceWith } from "../../../dashboard/src/features/docs/search.ts"
import { codeBlock, grouped } from "../../../src/features/docs/CodeBlock.ts"
import { sectionsOf } from "../../../src/features/docs/DocsIndex.ts"
import { guidePage, guides } from "../../../src/features/docs/Guides.ts"
import { highlighted } from "../../../src/features/docs/Highlight.ts"

const pages = await Promise.all(
  guides.map(async (name) => sectionsOf(`/docs/${name}`, await guidePage(name)))
)
const find = makeSearch(pages.flat())
const addressesOf = (words: string) => find(words).map(({ to }) => to)

describe("the search of the guides", () => {
  it("finds a section by its heading first, in any form of the words and with a spelling mistake", () => {
    for (const words of ["rotate secret", "Rotating the secret", "secrets rotated", "rotating the secert"])
      assert.strictEqual(addressesOf(words)[0], "/docs/receiving#rotating-the-secret", words)
    assert.strictEqual(addressesOf("standard webh")[0], "/docs/receiving#standard-webhooks")
    assert.include(addressesOf("timingSafeEqual"), "/docs/receiving#verifying-a-signature")
  })

  it("finds only sections that have all the words", () => {
    assert.isNotEmpty(find("kafka"))
    assert.deepStrictEqual(find("kafka zyxwvut"), [])
    assert.deepStrictEqual(find("  "), [])
  })

  it("shows the sentence that has the most of the words, with the matches apart", () => {
    assert.deepStrictEqual(
      sentenceWith("A secret is long. To rotate the secret, ask. The end.", new Set(["rotat", "secret"])),
      ["To ", "rotate", " the ", "secret", ", ask."]
    )
    assert.deepStrictEqual(sentenceWith("Nothing here.", new Set(["secret"])), ["Nothing here."])
    const long = sentenceWith(`${"far ".repeat(100)}secret${" away".repeat(100)}`, new Set(["secret"])).join(
      ""
    )
    assert.include(long, "secret")
    assert.isBelow(long.length, 250)
  })
})

describe("pages of the documentation", () => {
  it("have an address in the dashboard, but not what is for machines", () => {
    assert.strictEqual(inDashboard("/docs/replay#limits"), "/guides/replay#limits")
    assert.strictEqual(inDashboard("/docs/guides"), "/guides")
    assert.strictEqual(inDashboard("/docs#createWebhook"), "/reference#createWebhook")
    assert.strictEqual(inDashboard("/docs/event-types"), "/catalogue")
    assert.strictEqual(inDashboard("/docs/event-types#nft.minted"), "/catalogue/nft.minted")
    assert.strictEqual(inDashboard("/docs/event-types#types"), "/catalogue")
    for (const href of ["/docs/api.md", "/openapi.json", "#here", "https://example.com/docs"])
      assert.isUndefined(inDashboard(href), href)
  })
})

describe("code on pages", () => {
  it("is marked by kind, and never markup", () => {
    assert.strictEqual(
      highlighted(`const a = "<b>" // 1`, "ts"),
      '<span class="c-keyword">const</span> a = <span class="c-string">&quot;&lt;b&gt;&quot;</span> <span class="c-comment">// 1</span>'
    )
    assert.strictEqual(highlighted("if <b> 1", "http"), "if &lt;b&gt; 1")
  })

  it("is grouped where the same stands in several languages in a row", () => {
    const [go, python, shell] = [codeBlock("a", "go"), codeBlock("b", "python"), codeBlock("c", "sh")]
    assert.strictEqual(grouped(go + python + shell), `<div class="tabs">${go}${python}</div>\n${shell}`)
    assert.strictEqual(grouped(`${go}<p>or</p>\n${python}`), `${go}<p>or</p>\n${python}`)
  })
})
