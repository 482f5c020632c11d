/** A ledger that no server can list, on the embedded store, with processes that are killed. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { skipRun } from "../support/journeys/skipRun.ts"

describe("a ledger that no server can list", () => {
  it.live(
    "is skipped by an operator's order",
    () =>
      Effect.gen(function* () {
        const cwd = yield* Effect.acquireRelease(
          Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-skip-"))),
          (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
        )
        yield* skipRun(cwd, { DATA_DIR: join(cwd, "data") })
      }).pipe(Effect.scoped),
    240_000
  )
})
