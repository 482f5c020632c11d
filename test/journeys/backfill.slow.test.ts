/** History on the program as it runs by default: one process on its own store, killed while it fetches. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { backfillRun, pastMainnet } from "../support/journeys/backfillRun.ts"
import { startService } from "../support/program/serviceProcess.ts"

describe("a replay from before the service's first ledger", () => {
  it.live(
    "brings each event of the time, once for each delivery, through kill -9 of everything",
    () =>
      Effect.gen(function* () {
        const folder = yield* Effect.acquireRelease(
          Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-history-"))),
          (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
        )
        const past = yield* pastMainnet
        const environment = { ...past.environment, DATA_DIR: folder }
        const service = yield* startService(environment)
        yield* backfillRun(service, past, Effect.andThen(service.kill, startService(environment)))
      }),
    300_000
  )
})
