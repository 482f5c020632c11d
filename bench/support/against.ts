/**
 * Compares this tree with another commit: both are measured alternately, because the speed of a machine varies by the
 * hour. A benchmark of the whole program measures both with this tree's code, so that a new case has a figure before.
 * Another one needs the modules that it measures: each commit runs its own. The other commit is checked out in a
 * temporary folder and uses the packages that are installed here.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import type { Figure } from "./Benchmark.ts"
import { median } from "./rounds.ts"

/** A figure of both trees, as medians over the pairs. */
export interface Comparison {
  readonly name: string
  readonly unit: string
  readonly before: number
  readonly now: number
  /** Percent. */
  readonly change: number
}

const ROOT = resolve(import.meta.dirname, "../..")

const git = (...args: ReadonlyArray<string>) =>
  execFileSync("git", args, { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"], encoding: "utf8" })

/** Measures the program of `tree` by the benchmark of `benchmarks`. */
const figuresOf = (tree: string, benchmarks: string, name: string): ReadonlyArray<Figure> =>
  execFileSync(
    process.execPath,
    [
      ...[join(benchmarks, "bench/run.ts"), name, "--json"],
      // A commit that runs its own benchmark may not know the option.
      ...(tree === benchmarks ? [] : ["--program", join(tree, "bin/ledgerhook.js")])
    ],
    {
      cwd: benchmarks,
      stdio: ["ignore", "pipe", "inherit"],
      encoding: "utf8"
    }
  )
    .split("\n")
    .filter((line) => line !== "")
    // Written by the other process's run.ts.
    .map((line) => JSON.parse(line) as Figure)

/** `whole` are the names of the benchmarks of the whole program. Throws if git does not know the commit, or one fails. */
export const compare = (
  commit: string,
  names: ReadonlyArray<string>,
  whole: ReadonlySet<string>,
  pairs: number
): ReadonlyArray<Comparison> => {
  const folder = join(mkdtempSync(join(tmpdir(), "ledgerhook-bench-")), "before")
  git("worktree", "add", "--quiet", "--detach", folder, commit)
  try {
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"))
    const before = new Map<string, Array<number>>()
    const now = new Map<string, { readonly unit: string; readonly values: Array<number> }>()
    for (let pair = 0; pair < pairs; pair++) {
      for (const { name, value } of names.flatMap((one) =>
        figuresOf(folder, whole.has(one) ? ROOT : folder, one)
      ))
        before.set(name, [...(before.get(name) ?? []), value])
      for (const { name, unit, value } of names.flatMap((one) => figuresOf(ROOT, ROOT, one)))
        now.set(name, { unit, values: [...(now.get(name)?.values ?? []), value] })
    }
    return [...now].flatMap(([name, { unit, values }]) => {
      const earlier = before.get(name)
      if (earlier === undefined) return []
      const [was, is] = [median(earlier), median(values)]
      return [{ name, unit, before: was, now: is, change: was === 0 ? 0 : (is / was - 1) * 100 }]
    })
  } finally {
    git("worktree", "remove", "--force", folder)
    rmSync(resolve(folder, ".."), { recursive: true, force: true })
  }
}
