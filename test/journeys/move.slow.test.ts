/** `ledgerhook move` between embedded stores and a PostgreSQL with the embedded log; move.kafka.slow.test.ts has Kafka. */
import { join } from "node:path"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { moveRun } from "../support/journeys/moveRun.ts"
import { ownDatabase } from "../support/store/ownDatabase.ts"

it.live(
  "a store with unfinished work moves to PostgreSQL and back, and the service continues at each place",
  () =>
    Effect.gen(function* () {
      const { url } = yield* ownDatabase
      yield* moveRun({
        places: (folder) => [
          { environment: { DATA_DIR: join(folder, "first") }, flags: [] },
          {
            environment: { DATA_DIR: join(folder, "first"), DATABASE_URL: url },
            flags: ["--database-url", url]
          },
          { environment: { DATA_DIR: join(folder, "last") }, flags: ["--data-dir", join(folder, "last")] }
        ]
      })
    }).pipe(Effect.scoped),
  300_000
)
