/**
 * `npm run release -- X.Y.Z [--dry-run]`: from a clean tree on main to a commit and a tag with everything checked and
 * packed. It pushes and publishes nothing. Until the checks pass it changes files only, so git undoes it.
 * With --dry-run it only says whether a release could begin.
 */
import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { migrationHashes, RELEASED_MIGRATIONS } from "./releasedMigrations.ts"
import { versionPlaces } from "./versions.ts"

const CHANGELOG = "CHANGELOG.md"
/** Where the script `store-fixture` writes. */
const FIXTURES = "test/fixtures/stores"
const UNDO = `git restore . && git clean --force ${FIXTURES}`
/** The heading of the section that collects changes. */
const unreleased = /^## \[[^\]]+\] - not released yet$/m
/** Documents say this until the first release. Only a person can write what is true afterwards. */
const NOTHING_RELEASED = "Nothing is released yet"

const fail = (message: string): never => {
  process.stderr.write(`release: ${message}\n`)
  process.exit(1)
}

const run = (command: string, ...args: ReadonlyArray<string>): void => {
  process.stderr.write(`release: ${[command, ...args].join(" ")}\n`)
  const { status } = spawnSync(command, args, { stdio: ["ignore", "inherit", "inherit"] })
  if (status !== 0) fail(`${command} failed, nothing is committed. \`${UNDO}\` undoes what was changed.`)
}

const git = (...args: ReadonlyArray<string>): string => {
  const { status, stderr, stdout } = spawnSync("git", args, { encoding: "utf8" })
  return status === 0 ? stdout.trim() : fail(stderr.trim())
}

const [version = "", ...flags] = process.argv.slice(2)
const dryRun = flags.includes("--dry-run")
if (!/^\d+\.\d+\.\d+$/.test(version) || flags.some((flag) => flag !== "--dry-run"))
  fail("usage: npm run release -- X.Y.Z [--dry-run]")

const tag = `v${version}`
const changelog = readFileSync(CHANGELOG, "utf8")
if (git("branch", "--show-current") !== "main") fail("the branch is not main.")
if (git("status", "--porcelain") !== "") fail("the tree is not clean. Commit the changes, or remove them.")
if (git("tag", "--list", tag) !== "") fail(`the tag ${tag} exists already.`)
if (!unreleased.test(changelog)) fail(`${CHANGELOG} has no section "## [X.Y.Z] - not released yet".`)
const { stdout: outdated } = spawnSync("git", ["grep", "-l", NOTHING_RELEASED, "--", "*.md"], {
  encoding: "utf8"
})
if (outdated !== "")
  fail(`"${NOTHING_RELEASED}" stands in ${outdated.trim().split("\n").join(", ")}. Change that first.`)

if (dryRun) {
  process.stdout.write(`A release of ${version} can begin. It would change the version in these files:\n`)
  for (const file of [...versionPlaces.map(([place]) => place), RELEASED_MIGRATIONS])
    process.stdout.write(`  ${file}\n`)
  process.exit(0)
}

for (const [file, pattern] of versionPlaces)
  writeFileSync(file, readFileSync(file, "utf8").replace(pattern, version))
writeFileSync(RELEASED_MIGRATIONS, `${JSON.stringify(migrationHashes(), null, 2)}\n`)
const today = new Date().toISOString().slice(0, 10)
writeFileSync(CHANGELOG, changelog.replace(unreleased, `## [${version}] - ${today}`))
run("npm", "run", "schemas")
// Later versions must open what this one stores.
run("npm", "run", "store-fixture")
run(".ci/run")
run("npm", "pack")
run("npm", "run", "packages")
run("npm", "run", "packages:python")
run("npm", "run", "chart")
run("git", "add", FIXTURES, RELEASED_MIGRATIONS)
// test/support/upgrade/releasedProgram.ts finds the commit by this subject.
run("git", "commit", "--all", "--message", `Release ${version}`)
run("git", "tag", "--annotate", tag, "--message", `Ledgerhook ${version}`)
process.stdout.write(
  `Released ${version}: ledgerhook-${version}.tgz. Publish it with: git push origin main ${tag}\n`
)
