/** What the list of processes shows of a command to other users of the machine. */
import { tmpdir } from "node:os"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { commandLines } from "../support/program/processes.ts"
import { startProgram } from "../support/program/program.ts"

const SECRET = "hidden-from-other-users"

it.live("the arguments of a command, which may hold a password or a secret, are not in it", () =>
  Effect.gen(function* () {
    const program = yield* startProgram(["listen", "--port", "0", "--secret", SECRET], { cwd: tmpdir() })
    yield* Effect.raceFirst(program.printed(/http/), program.said(/http/))
    const lines = commandLines()
    assert.isTrue(lines.some((line) => line.startsWith("ledgerhook listen")))
    assert.deepStrictEqual(
      lines.filter((line) => line.includes(SECRET)),
      []
    )
  }).pipe(Effect.scoped)
)
