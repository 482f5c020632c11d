/** The receiver package needs nothing but Node: no dependency, no script at its installation, nothing of the service. */
import { globSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"

const files = globSync("packages/receiver-js/src/**/*.ts")
const { dependencies, exports, peerDependencies, scripts } = JSON.parse(
  readFileSync("packages/receiver-js/package.json", "utf8")
)

describe("packages/receiver-js", () => {
  it("imports only Node's modules and its own files", () => {
    assert.isNotEmpty(files)
    const wrong = files.flatMap((file) =>
      Array.from(
        readFileSync(file, "utf8").matchAll(/\b(?:from|import)\s*\(?\s*"([^"]+)"/g),
        ([, target]) => target!
      )
        .filter((target) => !/^(?:node:[a-z]+|\.\/[\w/-]+\.ts)$/.test(target))
        .map((target) => `${file} -> ${target}`)
    )
    assert.deepStrictEqual(wrong, [])
  })

  it("has no dependency and no script that runs at its installation", () => {
    assert.isUndefined(dependencies ?? peerDependencies)
    assert.deepStrictEqual(Object.keys(scripts), ["build"])
  })

  it("exports files that are there, for both kinds of module", () => {
    for (const [path, forms] of Object.entries<Record<string, string>>(exports)) {
      if (path === "./package.json") continue
      assert.sameMembers(Object.keys(forms), ["import", "require"])
      for (const file of Object.values(forms))
        assert.include(
          files,
          file.replace(/^\.\/dist\/(?:esm|cjs)\/(\w+)\.js$/, "packages/receiver-js/src/$1.ts")
        )
    }
  })
})
