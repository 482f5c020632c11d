/**
 * The program of the newest release, out of the git history: `npm run release` gives its commit the subject
 * `Release X.Y.Z`. A clone without history (shallow) has no such commit, and an unpacked archive no history at all.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Effect } from "effect"

const PROJECT = resolve(import.meta.dirname, "../../..")
const SUBJECT = /^(\w+) Release (\d+\.\d+\.\d+)$/

interface Release {
  readonly commit: string
  readonly version: string
}

const findNewest = (): Release | undefined => {
  const { stdout } = spawnSync("git", ["log", "--format=%H %s", "--grep=^Release "], {
    cwd: PROJECT,
    encoding: "utf8"
  })
  for (const line of (stdout ?? "").split("\n")) {
    const [, commit, version] = SUBJECT.exec(line) ?? []
    if (commit !== undefined && version !== undefined) return { commit, version }
  }
  return undefined
}

/** Undefined if the history does not have it. */
export const newestRelease = findNewest()

/** For the title of a suite that is left out without it. */
export const releaseTitle =
  newestRelease === undefined
    ? "the program of the newest release (needs a clone with its history: `git fetch --unshallow`)"
    : `the program of the release ${newestRelease.version}`

const dependenciesIn = (folder: string): Readonly<Record<string, string>> =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).dependencies

/** The same packages as the present program has, which needs no network; else its own. */
const addPackages = (folder: string): void => {
  const present = dependenciesIn(PROJECT)
  const same = Object.entries(dependenciesIn(folder)).every(([name, version]) => present[name] === version)
  if (same) symlinkSync(join(PROJECT, "node_modules"), join(folder, "node_modules"))
  else
    execFileSync("npm", ["ci", "--ignore-scripts", "--omit=dev", "--include=optional"], {
      cwd: folder,
      stdio: ["ignore", "ignore", "inherit"]
    })
}

/** Unpacks the program; returns the path of its command. The folder is removed when the scope closes. */
export const releasedProgram = Effect.gen(function* () {
  if (newestRelease === undefined) return yield* Effect.die(new Error("the history has no release"))
  const { commit } = newestRelease
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-release-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const archive = join(folder, "program.tar")
  execFileSync("git", ["archive", `--output=${archive}`, commit], { cwd: PROJECT })
  execFileSync("tar", ["-xf", archive, "-C", folder])
  rmSync(archive)
  addPackages(folder)
  return join(folder, "bin/ledgerhook.js")
})
