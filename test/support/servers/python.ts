/** A Python environment of its own with packages from PyPI, for tests with the tools of data teams. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "@effect/vitest"
import { pythonRuns } from "../../receiver-python/support.ts"

export interface PythonEnvironment {
  /** What the machine lacks; undefined if the environment is ready. */
  readonly missing: string | undefined
  /** The interpreter. */
  readonly python: string
  /** Runs a program, with its arguments; returns what it printed. Throws if it fails. */
  readonly run: (program: string, ...args: ReadonlyArray<string>) => string
}

/** Call it at the top of a test file: the environment is removed after the file's tests. `packages` are pinned. */
export const pythonEnvironment = (...packages: ReadonlyArray<string>): PythonEnvironment => {
  const folder = mkdtempSync(join(tmpdir(), "ledgerhook-python-"))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const python = join(folder, "bin", "python")
  const succeeds = (command: string, args: ReadonlyArray<string>) => spawnSync(command, args).status === 0
  const missing = !pythonRuns("import ensurepip, venv")
    ? "Python 3.9 with venv"
    : !succeeds("python3", ["-m", "venv", folder]) ||
        !succeeds(python, ["-m", "pip", "install", "-q", "--disable-pip-version-check", ...packages])
      ? `${packages.join(" and ")} from PyPI`
      : undefined
  const run = (program: string, ...args: ReadonlyArray<string>) => {
    const { status, stderr, stdout } = spawnSync(python, ["-c", program, ...args], {
      encoding: "utf8",
      maxBuffer: 256 * 1024 * 1024
    })
    if (status !== 0) throw new Error(`python ended with ${status}: ${stderr}`)
    return stdout
  }
  return { missing, python, run }
}
