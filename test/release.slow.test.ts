/** `tools/release.ts` in a small project of its own: what it refuses, and what a release changes. */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { versionPlaces } from "../tools/versions.ts"

let project: string

/** Git's settings of this machine, such as hooks and signing, do not matter here. */
const environment = {
  PATH: process.env["PATH"],
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
  ...Object.fromEntries(
    ["AUTHOR", "COMMITTER"].flatMap((who) => [
      [`GIT_${who}_NAME`, "Test"],
      [`GIT_${who}_EMAIL`, "test@example.com"]
    ])
  )
}

const run = (command: string, ...args: ReadonlyArray<string>) =>
  spawnSync(command, args, { cwd: project, encoding: "utf8", env: environment })
const git = (...args: ReadonlyArray<string>) => run("git", ...args).stdout.trim()
const release = (...args: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = run(process.execPath, "tools/release.ts", ...args)
  return { status, stderr, stdout }
}
const read = (file: string) => readFileSync(join(project, file), "utf8")
const write = (file: string, text: string) => {
  mkdirSync(dirname(join(project, file)), { recursive: true })
  writeFileSync(join(project, file), text)
}
const commit = () => {
  git("add", "--all")
  git("commit", "--message", "Change")
}

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), "ledgerhook-release-"))
  for (const file of [
    "tools/release.ts",
    "tools/releasedMigrations.ts",
    "tools/versions.ts",
    ...versionPlaces.map(([path]) => path)
  ]) {
    mkdirSync(dirname(join(project, file)), { recursive: true })
    cpSync(resolve(file), join(project, file))
  }
  // The steps of the real scripts are tested elsewhere, and take half an hour.
  const { name, version } = JSON.parse(read("package.json"))
  const scripts = {
    schemas: "true",
    "store-fixture": "mkdir -p test/fixtures/stores && touch test/fixtures/stores/made",
    packages: "true",
    "packages:python": "true",
    chart: "touch chart-made"
  }
  write("package.json", `${JSON.stringify({ name, version, type: "module", scripts }, null, 2)}\n`)
  write(".ci/run", "#!/bin/sh\ntest ! -e broken\n")
  run("chmod", "+x", ".ci/run")
  write("src/spine/store/migrations/0001_first.ts", "export default 1\n")
  write(".gitignore", "*.tgz\nchart-made\n")
  write("CHANGELOG.md", "# Changelog\n\n## [0.9.0] - not released yet\n\n- A change\n")
  git("init", "--initial-branch", "main")
  commit()
})
afterEach(() => rmSync(project, { recursive: true, force: true }))

describe("a release", () => {
  it("changes every version, dates the changelog, packs, commits and tags", () => {
    const { status, stderr } = release("3.4.5")
    assert.strictEqual(status, 0, stderr)
    for (const [file, pattern] of versionPlaces)
      for (const [shown] of read(file).matchAll(pattern)) assert.strictEqual(shown, "3.4.5", file)
    assert.match(read("CHANGELOG.md"), /^## \[3\.4\.5\] - \d{4}-\d\d-\d\d\n\n- A change$/m)
    assert.deepStrictEqual(JSON.parse(read("src/spine/store/migrations/released.json")), {
      "0001_first.ts": createHash("sha256").update("export default 1\n").digest("hex")
    })
    assert.strictEqual(git("status", "--porcelain"), "")
    assert.strictEqual(git("describe", "--exact-match"), "v3.4.5")
    assert.match(run("ls").stdout, /^ledgerhook-3\.4\.5\.tgz$/m)
    assert.match(run("ls").stdout, /^chart-made$/m)
  })

  it("changes nothing with --dry-run, and says what it would change", () => {
    const { status, stdout } = release("3.4.5", "--dry-run")
    assert.strictEqual(status, 0)
    assert.include(stdout, "dashboard/package.json")
    assert.strictEqual(git("status", "--porcelain"), "")
    assert.strictEqual(git("tag"), "")
  })

  it("commits and tags nothing if a check fails", () => {
    write("broken", "")
    commit()
    const { status, stderr } = release("3.4.5")
    assert.strictEqual(status, 1)
    assert.include(stderr, ".ci/run failed, nothing is committed")
    assert.strictEqual(git("tag"), "")
    assert.strictEqual(git("log", "--max-count", "1", "--format=%s"), "Change")
  })

  const refusals: Readonly<Record<string, readonly [prepare: () => void, message: string]>> = {
    "another branch": [() => git("switch", "--create", "other"), "the branch is not main"],
    "a tree with changes": [() => write("new.txt", ""), "the tree is not clean"],
    "a version that is tagged": [() => git("tag", "v3.4.5"), "the tag v3.4.5 exists already"],
    "a changelog without changes": [
      () => {
        write("CHANGELOG.md", "# Changelog\n")
        commit()
      },
      "CHANGELOG.md has no section"
    ],
    "documents that deny it": [
      () => {
        write("docs/data-teams.md", "Nothing is released yet.\n")
        commit()
      },
      "stands in docs/data-teams.md"
    ]
  }
  it.each(Object.entries(refusals))("is refused for %s", (_, [prepare, message]) => {
    prepare()
    const { status, stderr } = release("3.4.5")
    assert.strictEqual(status, 1)
    assert.include(stderr, message)
  })

  it("is refused for something that is no version", () => {
    for (const args of [[], ["v1.0.0"], ["1.0"], ["1.0.0", "--force"]])
      assert.include(release(...args).stderr, "usage: npm run release -- X.Y.Z [--dry-run]")
  })
})
