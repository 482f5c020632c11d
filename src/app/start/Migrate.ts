/** `ledgerhook migrate`: applies the missing migrations and prints which ones. It waits while the server is a standby. */
import { Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { migrate as applyMigrations } from "../../spine/store/Migrations.ts"
import { isStandby } from "../../spine/store/Sessions.ts"
import * as Sql from "../../spine/store/Sql.ts"
import { restartSchedule } from "../../spine/store/Supervised.ts"
import { about } from "../../terminal/Help.ts"
import { settings } from "../../terminal/Invocation.ts"
import { print } from "../../terminal/Output.ts"

const database = Sql.unmigratedLayer({ command: "ledgerhook migrate", owner: false })

export const migrate = Command.make(
  "migrate",
  {},
  Effect.fnUntraced(
    function* () {
      const applied = yield* applyMigrations
      yield* print(
        applied.length === 0
          ? "The database is up to date."
          : applied.map((name) => `Applied ${name}.`).join("\n")
      )
    },
    (migrating) =>
      Effect.scoped(
        Effect.flatMap(Layer.build(database), (context) => Effect.provideContext(migrating, context))
      ),
    Effect.tapError((error) =>
      isStandby(error) ? Effect.logWarning(`${error.message} Waiting.`) : Effect.void
    ),
    Effect.retry({ while: isStandby, schedule: restartSchedule }),
    Effect.provide(settings)
  )
).pipe(
  about(
    "Migrate the database",
    "Apply the missing migrations to the embedded PostgreSQL or to DATABASE_URL, and print which ones were applied. `ledgerhook start` does the same. Make a backup first. Processes of the version before may keep running, during the migration and afterwards, but they cannot start again.",
    { "ledgerhook migrate": "Apply missing migrations" }
  )
)
