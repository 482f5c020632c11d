/** docs/threats.md names only tests and files that exist, and a test for each threat. */
import { existsSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"

const page = readFileSync("docs/threats.md", "utf8")
const rows = page.split("\n").filter((line) => /^\| (?!threat \|)[^-]/.test(line))
const named = Array.from(page.matchAll(/`(test\/[\w./-]+)`: "([^"]+)"/g), ([, file, title]) => ({
  file: file!,
  title: title!
}))

describe("docs/threats.md", () => {
  it("names only tests whose file has a test of that title", () => {
    assert.isAbove(named.length, 30)
    assert.deepStrictEqual(
      named.filter(({ file, title }) => !existsSync(file) || !readFileSync(file, "utf8").includes(title)),
      []
    )
  })

  it("shows a defence and a test for every threat", () => {
    assert.isAbove(rows.length, 30)
    assert.deepStrictEqual(
      rows.filter((row) => !/^\| [^|]+ \| [^|]+ \| `test\/[^|]+" \|$/.test(row)),
      []
    )
  })

  it("names only files of src that exist", () => {
    const files = Array.from(page.matchAll(/`(src\/[\w./-]+)`/g), ([, file]) => file!)
    assert.isNotEmpty(files)
    assert.deepStrictEqual(
      files.filter((file) => !existsSync(file)),
      []
    )
  })
})
