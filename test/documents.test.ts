/** The documents say what the program does: tables made from it are compared, figures and links are checked. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseEnv } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { type Environment, loadSettings } from "../src/config/Config.ts"
import { envExample, made, settingsMarkdown, topicsMarkdown } from "./support/documents.ts"
import { operations } from "./support/openApi.ts"

const loads = (environment: Environment) => "port" in loadSettings(environment)

describe("README.md", () => {
  it("has the settings table of the program", () => {
    const { is, shouldBe } = made("README.md", settingsMarkdown(), "settings")
    assert.strictEqual(is, shouldBe)
  })

  it("has every operation of the API in its table, and no other", () => {
    const rows = readFileSync("README.md", "utf8").matchAll(/^\| (`[A-Z]+ \/v1.*?) \|/gm)
    const told = Array.from(rows, ([, cell]) => cell!.match(/(?<=`)[^`, ]+ [^`]+(?=`)/g)!).flat()
    const served = operations.map(({ method, path }) => `${method} ${path.replace(/\{(\w+)\}/g, ":$1")}`)
    const promised = served.filter((operation) => operation.includes(" /v1/"))
    assert.deepStrictEqual(told.sort(), promised.sort())
  })

  for (const file of ["README.md", "CONTRIBUTING.md"]) {
    it(`links only to what is there (${file})`, () => {
      const links = Array.from(
        readFileSync(file, "utf8").matchAll(/\]\((?!https?:|#)([^)#]+)\)/g),
        (m) => m[1]!
      )
      assert.deepStrictEqual(
        links.filter((link) => !existsSync(link)),
        []
      )
    })

    it(`names only npm scripts that exist (${file})`, () => {
      const { scripts } = JSON.parse(readFileSync("package.json", "utf8"))
      const named = Array.from(readFileSync(file, "utf8").matchAll(/npm run ([a-z:-]+)/g), (m) => m[1]!)
      assert.deepStrictEqual(
        named.filter((name) => scripts[name] === undefined),
        []
      )
    })
  }
})

describe("CONTRIBUTING.md", () => {
  it("names only files and folders that exist", () => {
    const named = readFileSync("CONTRIBUTING.md", "utf8").matchAll(/`((?:src|test|bench)\/[^`\s]*)`/g)
    assert.deepStrictEqual(
      Array.from(named, (m) => m[1]!).filter((path) => !existsSync(path)),
      []
    )
  })
})

describe("topics/README.md", () => {
  it("has the topics of the program, whose schemas are there", () => {
    const { is, shouldBe } = made("topics/README.md", topicsMarkdown(), "topics")
    assert.strictEqual(is, shouldBe)
    const links = Array.from(
      readFileSync("topics/README.md", "utf8").matchAll(/\]\(([^)#:]+)\)/g),
      (m) => m[1]!
    )
    assert.isNotEmpty(links)
    assert.deepStrictEqual(
      links.filter((link) => !existsSync(join("topics", link))),
      []
    )
  })
})

describe(".env.example", () => {
  it("is made from the settings", () => {
    const { is, shouldBe } = made(".env.example", envExample())
    assert.strictEqual(is, shouldBe)
  })

  it("is acceptable as it stands, and with every line taken in", () => {
    const text = readFileSync(".env.example", "utf8")
    assert.isTrue(loads(parseEnv(text)))
    assert.isTrue(loads(parseEnv(text.replace(/^#(?=[A-Z])/gm, ""))))
  })
})
