/** The program that reads the service's log may end (`2>&1 | tee`, a log shipper): the service goes on. */
import { spawn } from "node:child_process"
import { resolve } from "node:path"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { freePort } from "../kafka/javaServer.ts"
import { waitUntil } from "../support/http/apiClient.ts"
import { makeFolder } from "../support/program/makeFolder.ts"

const main = resolve(import.meta.dirname, "../../bin/ledgerhook.js")

it.live("a service whose log nobody reads any more answers", () =>
  Effect.gen(function* () {
    const cwd = yield* makeFolder
    const port = yield* Effect.promise(freePort)
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        // It waits for this database, writes so to its log, and answers meanwhile.
        const env = {
          PATH: process.env["PATH"],
          PORT: String(port),
          DATABASE_URL: "postgres://u@127.0.0.1:1/none"
        }
        const child = spawn(main, ["start"], { cwd, env, stdio: ["ignore", "ignore", "pipe"] })
        child.stderr.destroy()
        return child
      }),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
    const answers = Effect.promise(() =>
      fetch(`http://127.0.0.1:${port}/healthz`).then(
        ({ status }) => status === 200,
        () => false
      )
    )
    yield* waitUntil(answers, "30 seconds")
  }).pipe(Effect.scoped)
)
