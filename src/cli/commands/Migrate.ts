/** `ledgerhook migrate`: brings the database's tables to this program's version and says what it did. */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { migrate as applyMigrations } from "../../storage/Migrations.ts"
import * as Sql from "../../storage/Sql.ts"
import { about } from "../terminal/Help.ts"
import { settings } from "../terminal/Invocation.ts"
import { print } from "../terminal/Output.ts"

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
    Effect.provide(Sql.unmigratedLayer({ command: "ledgerhook migrate", owner: false })),
    Effect.provide(settings)
  )
).pipe(
  about(
    "Bring the database's tables up to date",
    "Bring the tables of the embedded store or of DATABASE_URL up to date, and say which migrations were applied. `ledgerhook start` does the same before it starts; use this one to migrate ahead of a rollout.",
    { "ledgerhook migrate": "Apply what is missing" }
  )
)
