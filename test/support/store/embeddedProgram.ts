/**
 * A separate program for the tests of the embedded server: `embeddedProgram.ts FOLDER` starts the server there as a
 * service, prints one line when it answers or the reason why it does not, and runs until it is killed.
 */
import { Effect } from "effect"
import { start } from "../../../src/spine/store/embedded/EmbeddedPostgres.ts"

const dataDir = process.argv[2] ?? ""

await start({ dataDir, command: "ledgerhook start", owner: true }).pipe(
  Effect.andThen(() => Effect.sync(() => process.stdout.write("ready\n"))),
  Effect.andThen(Effect.never),
  Effect.scoped,
  Effect.catch((error) => Effect.sync(() => process.stdout.write(`${error.message}\n`))),
  Effect.runPromise
)
