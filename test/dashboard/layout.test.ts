/** Checks the rule of the dashboard's folders (dashboardLayout.ts): who may import whom, and how large a folder is. */
import { globSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { circles } from "../support/tree/circles.ts"
import {
  dashboardFeatures,
  dashboardRooms,
  FOLDER_FILES_MAX,
  ofNoFeatureOfSrc,
  ROUTER
} from "../support/tree/dashboardLayout.ts"
import { features } from "../support/tree/layout.ts"
import { edgesIn, read } from "../support/tree/sources.ts"

const sources = read("dashboard/src/**/*.{ts,tsx,css}")
const edges = edgesIn("dashboard/src/", sources)

/** `api`, `features/replay`, `main`. */
const roomOf = (file: string): string => {
  const [, , first = "", second = ""] = file.split("/")
  return first === "features" ? `features/${second}` : first.replace(/\.tsx?$/, "")
}

describe("the dashboard", () => {
  it("has a rule for every room, and the names of the features of src", () => {
    const rooms = new Set(globSync("dashboard/src/**/*.*").map(roomOf))
    assert.deepStrictEqual([...rooms].toSorted(), dashboardRooms.toSorted())
    assert.deepStrictEqual(
      dashboardFeatures.filter((name) => !features.includes(name)),
      ofNoFeatureOfSrc
    )
  })

  it("imports only from rooms before its own, and has no cycle between files", () => {
    const place = (file: string) => dashboardRooms.indexOf(roomOf(file))
    const wrong = edges.filter(({ from, to }) => place(to) > place(from))
    assert.deepStrictEqual(wrong, [])
    assert.deepStrictEqual(circles(edges), [])
  })

  it("loads a page only by its address, never from another page", () => {
    const router = sources.find(({ file }) => file === ROUTER)!
    const pages = Array.from(router.code.matchAll(/\bimport\("([^"]+)"\)/g), ([, path]) =>
      normalize(join(dirname(ROUTER), path!))
    )
    assert.isAbove(pages.length, 20)
    const wrong = edges.filter(({ from, to }) => pages.includes(to) && from !== ROUTER)
    assert.deepStrictEqual(wrong, [])
  })

  it("has no large flat folder, and neither have its tests", () => {
    const files = globSync(["dashboard/src/**/*.*", "test/dashboard/**/*.ts"])
    const large = [...Map.groupBy(files, dirname)].filter(([, inside]) => inside.length > FOLDER_FILES_MAX)
    assert.deepStrictEqual(
      large.map(([folder]) => folder),
      []
    )
  })
})
