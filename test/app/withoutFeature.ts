/**
 * A copy of the project without one feature: its folders and its line of the list are deleted, and nothing else is
 * changed. Packages and the built dashboard are shared with the project.
 */
import { execFileSync, spawnSync } from "node:child_process"
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, normalize, resolve } from "node:path"

const root = resolve(import.meta.dirname, "../..")

/** Folders of tests whose code may know every feature, beside the files at the top of `test` and the benchmarks. */
const KNOW_ALL = ["app", "journeys", "simulation", "dashboard", "kafka", "examples", "clients"]

const mayKnowAll = (file: string): boolean =>
  file.startsWith("bench/") ||
  file.startsWith("test/support/") ||
  KNOW_ALL.some((folder) => file.startsWith(`test/${folder}/`)) ||
  /^test\/[^/]+$/.test(file)

/** With files that git does not know yet. */
const files = (): ReadonlyArray<string> =>
  execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 28
  })
    .trim()
    .split("\n")
    .filter((file) => existsSync(join(root, file)))

const GENERATED = ["dashboard/src/api/ledgerhook.ts"]

/** Takes the feature from the list. Returns the list's new text. */
const withoutLine = (list: string, feature: string): string => {
  const found = new RegExp(
    `^import \\{ feature as (\\w+) \\} from "[^"]*/features/${feature}/feature.ts"\\n`,
    "m"
  ).exec(list)
  if (found === null) throw new Error(`src/app/features.ts does not list ${feature}`)
  return list
    .replace(found[0], "")
    .replace(new RegExp(`^  ${found[1]},?\\n`, "m"), "")
    .replace(/,(\s*\]\s*)$/, "$1")
}

/** What is made of the project to check it without its tests of the whole product. */
const tsconfig = {
  extends: "./tsconfig.json",
  include: [
    "bin",
    "tools",
    "src",
    "test/spine",
    "test/http",
    "test/terminal",
    "test/features",
    "test/support/setup/*etup.ts"
  ]
}

export interface Without {
  readonly folder: string
  /** Imports that still name the feature: `file imports path`. */
  readonly left: ReadonlyArray<string>
}

export const copyWithout = (feature: string): Without => {
  const folder = mkdtempSync(join(tmpdir(), `ledgerhook-without-${feature}-`))
  const isOfIt = (path: string) => /^(?:src|test)\/features\/(\w+)\//.exec(path)?.[1] === feature
  const kept = [...files(), ...GENERATED].filter((file) => !isOfIt(file))
  for (const file of kept) {
    mkdirSync(join(folder, dirname(file)), { recursive: true })
    copyFileSync(join(root, file), join(folder, file))
  }
  for (const shared of ["node_modules", "dashboard/dist"])
    if (existsSync(join(root, shared))) symlinkSync(join(root, shared), join(folder, shared))
  const list = join(folder, "src/app/features.ts")
  writeFileSync(list, withoutLine(readFileSync(list, "utf8"), feature))
  writeFileSync(join(folder, "tsconfig.without.json"), JSON.stringify(tsconfig))
  const left = kept
    .filter((file) => /\.(?:ts|js)$/.test(file) && !mayKnowAll(file))
    .flatMap((file) =>
      Array.from(readFileSync(join(folder, file), "utf8").matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g))
        .map(([, target]) => normalize(join(dirname(file), target!)))
        .filter(isOfIt)
        .map((target) => `${file} imports ${target}`)
    )
  return { folder, left }
}

export const removeCopy = ({ folder }: Without) => rmSync(folder, { recursive: true, force: true })

/** Runs a program of the packages in the copy. Returns its lines that tell faults. */
export const runIn = (
  { folder }: Without,
  ...[program, ...args]: readonly [string, ...ReadonlyArray<string>]
) => {
  const { status, stdout, stderr } = spawnSync(join(folder, "node_modules/.bin", program), args, {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
    maxBuffer: 2 ** 28
  })
  return { status, output: `${stdout}${stderr}` }
}
