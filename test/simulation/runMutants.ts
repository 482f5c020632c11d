/** Makes the wrong variants of the program (mutants.ts) one at a time in a copy, and runs the simulation with each. */
import { spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { changes, mutants } from "./mutants.ts"
import type { Mutant } from "./treeEdit.ts"

const COPIED = ["src", "test/simulation", "test/support", "topics", "schemas", "package.json"]

/** Runs the simulation with the mutant until a check fails. Returns what caught it; undefined: nothing did. */
const caughtBy = (mutant: Mutant, seeds: number): string | undefined => {
  const [change, ...others] = changes(mutant)
  if (change === undefined || others.length > 0)
    throw new Error(`src/${mutant.part} has ${others.length} more than one place with: ${mutant.find}`)
  const folder = mkdtempSync(join(tmpdir(), "ledgerhook-mutant-"))
  try {
    for (const path of COPIED) cpSync(path, join(folder, path), { recursive: true })
    symlinkSync(join(process.cwd(), "node_modules"), join(folder, "node_modules"))
    writeFileSync(join(folder, change.file), change.text)
    const world = mutant.failsOver === true ? ["--failover"] : []
    const run = ["test/simulation/main.ts", ...world, "--seeds", String(seeds), "--stop"]
    const { stdout } = spawnSync(process.execPath, run, { cwd: folder, encoding: "utf8" })
    // Several seeds run at once.
    return [...stdout.matchAll(/^seed (\d+) \w+/gm)].sort((a, b) => Number(a[1]) - Number(b[1]))[0]?.[0]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Prints a line for each mutant. Returns how many survived, or were noticed first by another check than expected. */
export const runMutants = (seeds: number, print: (line: string) => void): number => {
  let wrong = 0
  for (const mutant of mutants) {
    const [, seed, check] = caughtBy(mutant, seeds)?.split(" ") ?? []
    const caught = check === undefined ? `not caught in ${seeds} seeds` : `${check}, seed ${seed}`
    const asExpected = check === mutant.caughtBy
    if (!asExpected) wrong++
    print(`| ${mutant.name} | ${caught}${asExpected ? "" : `; expected: ${mutant.caughtBy}`} |`)
  }
  return wrong
}
