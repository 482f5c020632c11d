/**
 * `npm run store-fixture`: makes the store fixture of the version in package.json (test/support/upgrade/fixture.ts). The
 * store is a backup and not a dump or a data folder: `ledgerhook restore` reads it with every version of PostgreSQL,
 * and only the program is needed to make and to open it.
 */
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import packageJson from "../../../package.json" with { type: "json" }
import { runProgram } from "../program/program.ts"
import { backupFile, listFile } from "./fixture.ts"
import { makeStore } from "./makeStore.ts"

const MOST_BYTES = 500_000

const main = Effect.gen(function* () {
  const { version } = packageJson
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-fixture-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const { dataDir, list } = yield* makeStore(folder, version)
  const file = backupFile(version)
  mkdirSync(dirname(file), { recursive: true })
  rmSync(file, { force: true })
  const { code, stderr } = runProgram(["backup", file], { cwd: folder, environment: { DATA_DIR: dataDir } })
  if (code !== 0) throw new Error(stderr)
  const empty = Object.entries(list.rows).flatMap(([table, rows]) => (rows === 0 ? [table] : []))
  writeFileSync(listFile(version), `${JSON.stringify(list, null, 1)}\n`)
  const { size } = statSync(file)
  process.stdout.write(`${file}: ${size} bytes; tables without rows: ${empty.join(", ") || "none"}\n`)
  if (size > MOST_BYTES) throw new Error(`more than ${MOST_BYTES} bytes`)
}).pipe(Effect.scoped)

await Effect.runPromise(main)
