/** Replays on the program as it runs by default: one process on its own store, killed in the middle. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { replayEndings } from "../support/journeys/replayEndings.ts"
import { replayRun, simulatedMainnet } from "../support/journeys/replayRun.ts"
import { startService } from "../support/program/serviceProcess.ts"

describe("a replay", () => {
  it.live(
    "brings each event again as it came the first time, through kill -9 of everything",
    () =>
      Effect.gen(function* () {
        const folder = yield* Effect.acquireRelease(
          Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-replay-"))),
          (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
        )
        const { environment: network, ledger } = yield* simulatedMainnet
        const environment = { ...network, DATA_DIR: folder }
        const service = yield* startService(environment)
        const strike = Effect.andThen(service.kill, startService(environment))
        const { client, expected } = yield* replayRun(service, ledger, strike)
        yield* replayEndings(client, expected, environment)
      }),
    300_000
  )
})
