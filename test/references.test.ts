/** References in code and documents: each names a file or a section that is in this repository. */
import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { eventTypes } from "../src/spine/event/EventType.ts"

/** Files that are not prose, and a test that invents documents. */
const leftOut = ["package-lock.json", "test/documents.test.ts"]

/** Every text of the project that people read, with the file it is in. */
const texts = globSync([
  "{src,test,bench,reliability,docs,topics,schemas,.github}/**/*.{ts,js,md,json,yml}",
  "packages/*/{*,src/**/*}.{ts,md,json}",
  "examples/*/{*,*/*}.{md,py,sql,ts}",
  "{*.md,*.ts,*.json,*.yml,Dockerfile,.env.example}"
])
  .filter((file) => !leftOut.includes(file))
  .map((file) => ({ file, text: readFileSync(file, "utf8") }))

const matchesOf = (pattern: RegExp): ReadonlyArray<readonly [file: string, match: string]> =>
  texts.flatMap(({ file, text }) => Array.from(text.matchAll(pattern), ([match]) => [file, match] as const))

describe("references", () => {
  it("name only Markdown files of this repository", () => {
    // Only the target of a link is a reference, not its text.
    const named = matchesOf(/(?<![\w./:-])(?!https?:)[\w.][\w./-]*\.md\b(?!\]\()/g)
    assert.isNotEmpty(named)
    assert.deepStrictEqual(
      named.filter(([file, name]) => !existsSync(name) && !existsSync(join(dirname(file), name))),
      []
    )
  })

  it("name no document and no numbered decision from outside the repository", () => {
    assert.deepStrictEqual(matchesOf(/\bapi-decision[s]|\boperator-interfac[e]|\bD\d{1,3}\b/g), [])
    assert.deepStrictEqual(matchesOf(/\.\.\/shared\/(?!xrpl-corpus)\S*/g), [])
  })

  it("cite only sections of docs/detection-rules.md that are there", () => {
    const rules = readFileSync("docs/detection-rules.md", "utf8")
    const sections = Array.from(rules.matchAll(/^#+ (\d+(?:\.\d+)?)/gm), ([, section]) => section!)
    const cited = matchesOf(/docs\/detection-rules\.md \d+(?:\.\d+)?(?:, \d+(?:\.\d+)?)*/g)
    assert.isNotEmpty(cited)
    assert.deepStrictEqual(
      cited.filter(([, citation]) =>
        citation.match(/\d+(?:\.\d+)?/g)!.some((one) => !sections.includes(one))
      ),
      []
    )
  })
})

describe("docs/detection-rules.md", () => {
  it("describes every event type", () => {
    const rules = readFileSync("docs/detection-rules.md", "utf8")
    assert.include(rules, `${eventTypes.length} event types`)
    assert.deepStrictEqual(
      eventTypes.filter((type) => !rules.includes(type)),
      []
    )
  })
})
