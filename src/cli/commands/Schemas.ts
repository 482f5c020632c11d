/**
 * `npm run schemas`: brings the folder `schemas/` to what the code says; with `--check` it changes nothing and fails
 * where they differ. For maintainers: not a command of the `ledgerhook` program.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Effect, FileSystem, Path } from "effect"
import { CliError, Command, Flag } from "effect/cli"
import packageJson from "../../../package.json" with { type: "json" }
import { errorText } from "../../observability/Logging.ts"
import { FailureReported } from "../terminal/Failure.ts"
import { print, printError } from "../terminal/Output.ts"
import { type Difference, differences, type Files, schemaFiles } from "./schemas/SchemaFiles.ts"

const FOLDER = "schemas"

const filesThere = Effect.gen(function* () {
  const fileSystem = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const there = yield* fileSystem.exists(FOLDER)
  const names = there ? yield* fileSystem.readDirectory(FOLDER, { recursive: true }) : []
  const files = new Map<string, string>()
  for (const name of names) {
    const file = path.join(FOLDER, name)
    if ((yield* fileSystem.stat(file)).type === "File")
      files.set(name, yield* fileSystem.readFileString(file))
  }
  return files
})

const mend = Effect.fnUntraced(function* ({ path: name }: Difference, files: Files) {
  const fileSystem = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = path.join(FOLDER, name)
  const text = files.get(name)
  if (text === undefined) return yield* fileSystem.remove(file)
  yield* fileSystem.makeDirectory(path.dirname(file), { recursive: true })
  yield* fileSystem.writeFileString(file, text)
})

const schemas = Command.make(
  "schemas",
  {
    check: Flag.Boolean("check").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Change nothing; fail where the files differ")
    )
  },
  Effect.fnUntraced(function* ({ check }) {
    const files = schemaFiles()
    const found = differences(files, yield* filesThere)
    for (const { path, what } of found) {
      yield* (check ? printError : print)(`${FOLDER}/${path}: ${what}`)
    }
    if (!check) return yield* Effect.forEach(found, (difference) => mend(difference, files))
    if (found.length > 0) {
      yield* printError("schemas/ is not what the code says; write it anew: npm run schemas")
      return yield* new FailureReported()
    }
  })
)

const isReported = (error: unknown): boolean => error instanceof FailureReported || CliError.isCliError(error)

Command.run(schemas, { version: packageJson.version }).pipe(
  Effect.provide(NodeServices.layer),
  Effect.tapCause((cause) => {
    const error = Cause.squash(cause)
    return isReported(error) ? Effect.void : printError(`schemas: ${errorText(error)}`)
  }),
  NodeRuntime.runMain({ disableErrorReporting: true })
)
