/** The version has one source, `package.json`, and every other place that shows it agrees: programs, packages, documents. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import packageJson from "../package.json" with { type: "json" }
import { RELEASE } from "../src/spine/log/Log.ts"
import { versionPlaces } from "../tools/versions.ts"
import { documents } from "./support/tree/markdown.ts"

const { version } = packageJson

describe("the version", () => {
  it("is that of package.json in every file that shows it", () => {
    for (const [file, pattern] of versionPlaces) {
      const shown = Array.from(readFileSync(file, "utf8").matchAll(pattern), (match) => match[0])
      assert.isNotEmpty(shown, file)
      for (const text of shown) assert.strictEqual(text, version, file)
    }
  })

  it("is not newer than the release that members of consumer groups say", () => {
    assert.isAtMost(Number(version.split(".")[1]), Number(RELEASE.split(".")[1]))
  })

  it("is that of package.json in the published schemas", () => {
    for (const file of ["schemas/openapi.json", "schemas/asyncapi.json"])
      assert.strictEqual(JSON.parse(readFileSync(file, "utf8")).info.version, version, file)
  })

  it("is shown by no document that a release would leave behind", () => {
    const known = new Set(versionPlaces.map(([file]) => file))
    const left = documents.filter(
      (file) => !known.has(file) && /ledgerhook[\w-]*[-/]\d+\.\d+\.\d+/i.test(readFileSync(file, "utf8"))
    )
    assert.deepStrictEqual(left, [])
  })
})
