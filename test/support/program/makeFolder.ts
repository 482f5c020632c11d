/** A folder for the files of one test, removed when the scope closes. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"

export const makeFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-export-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)
