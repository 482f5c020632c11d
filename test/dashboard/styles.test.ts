/** The built dashboard has the styles of the components that it uses, and not those of the whole library. */
import { readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { assert, describe, it } from "@effect/vitest"

const ASSETS = "dashboard/dist/assets"
/** All styles of the library, found as the dashboard finds them. */
const LIBRARY = "@mantine/core/styles.css"

/** Mantine names each class by a hash. */
const classesIn = (text: string): ReadonlySet<string> => new Set(text.match(/\bm_[0-9a-f]{6,8}\b/g))

const built = (ending: string): string =>
  readdirSync(ASSETS)
    .filter((name) => name.endsWith(ending))
    .map((name) => readFileSync(`${ASSETS}/${name}`, "utf8"))
    .join("\n")

describe("the styles of the dashboard", () => {
  it("are those of the components that it uses", () => {
    const require = createRequire(new URL("../../dashboard/package.json", import.meta.url))
    const library = classesIn(readFileSync(require.resolve(LIBRARY), "utf8"))
    const used = [...classesIn(built(".js"))].filter((name) => library.has(name))
    const there = classesIn(built(".css"))
    assert.isAbove(used.length, 50)
    assert.deepStrictEqual(
      used.filter((name) => !there.has(name)),
      []
    )
    assert.isBelow(there.size, library.size / 2)
  })
})
