/**
 * Where files and limits of the program stand: no flat folder of many files, no name twice, data of one room in that
 * room, limits of one room in its `Limits.ts`. Tests of the spine know no feature. Prints how large the spine is.
 */
import { globSync } from "node:fs"
import { basename, dirname } from "node:path"
import { pathToFileURL } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import type { Edge } from "./support/tree/circles.ts"
import { FOLDER_FILES_MAX } from "./support/tree/dashboardLayout.ts"
import { dataRooms, familyFolders, partNames, partOf } from "./support/tree/layout.ts"
import { edgesIn, read } from "./support/tree/sources.ts"

/** All limits of the program. A new one may be an old one: the same meaning, or one that follows from another. */
const LIMITS_MAX = 205

/** The spine has what every event passes. What needs more lines there may be a feature. */
const SPINE_LINES_MAX = 31_850

const src = read("src/**/*.ts")
/** The files of limits: of the rooms, and of several rooms. */
const ofSeveral = ["src/spine/config/Limits.ts", "src/spine/config/StageLimits.ts"]
const limitFiles = src.filter(({ file }) => file.endsWith("/Limits.ts") || ofSeveral.includes(file))

/** The tables of limits in a file, and the names in each. */
const tablesOf = (text: string) =>
  Array.from(text.matchAll(/^export const (\w+) = \{\n([\s\S]*?)^\}/gm), ([, table, body]) => ({
    table: table!,
    body: body!,
    names: Array.from(body!.matchAll(/^ {2}(\w+):/gm), ([, name]) => name!)
  }))

const tables = limitFiles.flatMap(({ file, text }) => tablesOf(text).map((one) => ({ file, ...one })))

/** The table that tests make smaller, which code reads from its context, by the name of its reference. */
const references = new Map(
  limitFiles.flatMap(({ text }) =>
    Array.from(
      text.matchAll(/export const (\w+) = Context\.Reference<Readonly<typeof (\w+)>>/g),
      ([, reference, table]) => [table!, reference!] as const
    )
  )
)

const edges = edgesIn("src/", src)

/** The files that import the limits of `file` and have the name of this one. */
const usersOf = (name: string, file: string) => {
  const importers = new Set(edges.filter(({ to }) => to === file).map(({ from }) => from))
  return src
    .filter((one) => importers.has(one.file) && new RegExp(`\\b${name}\\b`).test(one.code))
    .map((one) => one.file)
}

const roomsOf = (files: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(files.map(partOf))]

/**
 * What stands on the spine, in src and in test. Tests of the spine may use the simulator: its ledgers and its seeded
 * random are their instrument.
 */
const aboveSpine = /^(?:src|test)\/(?:features\/(?!simulator\/)|(?:app|http|terminal|journeys)\/|main\.ts$)/

/** The ways by which files below test/spine import what stands on the spine, directly or through other files of test. */
const waysUp = (edgesOfTests: ReadonlyArray<Edge>): ReadonlyArray<string> => {
  const targets = Map.groupBy(edgesOfTests, ({ from }) => from)
  const seen = new Set<string>()
  const from = (file: string, way: string): ReadonlyArray<string> => {
    if (seen.has(file)) return []
    seen.add(file)
    return (targets.get(file) ?? []).flatMap(({ to }) =>
      aboveSpine.test(to) ? [`${way} > ${to}`] : from(to, `${way} > ${to}`)
    )
  }
  return [...targets.keys()]
    .filter((file) => file.startsWith("test/spine/"))
    .flatMap((file) => from(file, file))
}

describe("tests of the spine", () => {
  const edgesOfTests = edgesIn("", read("test/**/*.ts"))

  it("import nothing that stands on it, also not through what they share", () => {
    assert.deepStrictEqual(waysUp(edgesOfTests), [])
  })

  it("are seen to import it, however far away", () => {
    const planted = { from: "test/support/store/databases.ts", to: "src/features/webhooks/WebhookStore.ts" }
    const [way = "", ...others] = waysUp([...edgesOfTests, planted])
    assert.match(
      way,
      /^test\/spine\/.* > test\/support\/store\/databases\.ts > src\/features\/webhooks\/WebhookStore\.ts$/
    )
    assert.deepStrictEqual(others, [], "each way once, from the first file that takes it")
    const direct = { from: "test/spine/delay/Delay.test.ts", to: "src/main.ts" }
    assert.deepStrictEqual(waysUp([...edgesOfTests, direct]), [`${direct.from} > ${direct.to}`])
  })
})

describe("files", () => {
  it("stand in rooms: no folder has many", () => {
    const files = globSync("{src,test}/**/*.ts")
    const counts = Object.entries(Object.groupBy(files, dirname)).map(
      ([folder, its]) => [folder, its!.length] as const
    )
    assert.deepStrictEqual(
      counts.filter(
        // Migrations are one list, in their order.
        ([folder, count]) => count > FOLDER_FILES_MAX && folder !== "src/spine/store/migrations"
      ),
      []
    )
  })

  it("have a name of their own", () => {
    const named = src
      .map(({ file }) => file)
      .filter((file) => !partNames.includes(basename(file)) && !familyFolders.includes(dirname(file)))
    const twice = Object.entries(Object.groupBy(named, (file) => basename(file))).filter(
      ([, files]) => files!.length > 1
    )
    assert.deepStrictEqual(twice, [])
  })

  it("of the rooms of data are used by several rooms, or by their own", () => {
    const wrong = src
      .filter(({ file }) => [...dataRooms, "spine/config"].includes(partOf(file)))
      .map(({ file }) => ({
        file,
        users: roomsOf(edges.filter(({ to }) => to === file).map(({ from }) => from))
      }))
      .filter(({ file, users }) => users.length === 1 && users[0] !== partOf(file))
    assert.deepStrictEqual(wrong, [])
  })

  it("of the spine are few enough to read", () => {
    const spine = src.filter(({ file }) => file.startsWith("src/spine/"))
    const lines = spine.reduce((sum, { text }) => sum + text.split("\n").length - 1, 0)
    const rooms = roomsOf(spine.map(({ file }) => file)).filter((room) => room !== "spine/LogAdapter")
    console.log(
      `spine: ${lines.toLocaleString("en")} lines in ${rooms.length} rooms; src: ${src
        .reduce((sum, { text }) => sum + text.split("\n").length - 1, 0)
        .toLocaleString("en")} lines`
    )
    assert.isAtMost(lines, SPINE_LINES_MAX)
  })
})

describe("limits", () => {
  it("have a unit and a reason: a comment stands before each, or before the two or three that it is for", () => {
    const wrong = tables.flatMap(({ body, file }) => {
      let without = 3
      return body.split("\n").flatMap((line) => {
        if (/^ {2}\/\*\*/.test(line)) without = 0
        const name = /^ {2}(\w+):/.exec(line)?.[1]
        return name !== undefined && ++without > 3 ? [`${file}: ${name}`] : []
      })
    })
    assert.deepStrictEqual(wrong, [])
  })

  it("are finite numbers", async () => {
    const boundsOf = (value: unknown): ReadonlyArray<unknown> =>
      typeof value === "object" && value !== null ? Object.values(value).flatMap(boundsOf) : [value]
    for (const { file, names, table } of tables) {
      const module: Readonly<Record<string, Readonly<Record<string, unknown>>>> = await import(
        pathToFileURL(file).href
      )
      assert.deepStrictEqual(Object.keys(module[table]!), names, file)
      for (const bound of boundsOf(module[table]))
        assert.isTrue(Number.isFinite(bound) && Number(bound) > 0, file)
    }
  })

  it("are few, so that a reader finds the one that counts", () => {
    assert.isAtMost(tables.flatMap(({ names }) => names).length, LIMITS_MAX)
  })

  it("of spine/config are used by several rooms, and those of a room by that room", () => {
    const wrong = tables.flatMap(({ file, names }) =>
      names
        .map((name) => ({ name, users: roomsOf(usersOf(name, file)) }))
        .filter(({ users }) =>
          ofSeveral.includes(file) ? users.length < 2 : users.length === 0 || !users.includes(partOf(file))
        )
        .map(({ name, users }) => `${file}: ${name}: ${users.join(", ")}`)
    )
    assert.deepStrictEqual(wrong, [])
  })

  it("that tests make smaller are read from the context", () => {
    assert.isAbove(references.size, 3)
    const constant = new RegExp(`\\b(?:${[...references.keys()].join("|")})\\b`)
    // A limit may be computed from another.
    assert.deepStrictEqual(
      src
        .filter(({ code, file }) => !limitFiles.some((one) => one.file === file) && constant.test(code))
        .map(({ file }) => file),
      []
    )
  })
})
