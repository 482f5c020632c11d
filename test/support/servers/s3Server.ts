/**
 * An S3 server: versitygw, which keeps objects as files of a folder and checks signatures as S3 does. CONTRIBUTING.md
 * says where it comes from.
 */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { freePort } from "../../kafka/javaServer.ts"
import { waitUntil } from "../http/apiClient.ts"
import { makeFolder } from "../program/makeFolder.ts"

export const hasS3Server = spawnSync("versitygw", ["--version"]).status === 0
if (!hasS3Server && process.env["REQUIRE_S3"] === "1") {
  throw new Error("REQUIRE_S3: versitygw is not installed; `.ci/versitygw` builds it.")
}

const KEY = "export"
const SECRET = "secret-of-the-tests"

const answers = (endpoint: string) =>
  Effect.promise(() =>
    fetch(endpoint).then(
      () => true,
      () => false
    )
  )

/** A server with the bucket `warehouse`, until the scope closes. */
export const makeS3Server = Effect.gen(function* () {
  const [objects, metadata] = [yield* makeFolder, yield* makeFolder]
  const bucket = join(objects, "warehouse")
  mkdirSync(bucket)
  const port = yield* Effect.promise(freePort)
  const endpoint = `http://127.0.0.1:${port}`
  const args = [
    ...["--port", `127.0.0.1:${port}`, "--access", KEY, "--secret", SECRET, "--quiet"],
    ...["posix", "--sidecar", metadata, objects]
  ]
  /** Runs until the scope closes. */
  const start = Effect.gen(function* () {
    yield* Effect.acquireRelease(
      Effect.sync(() => spawn("versitygw", args, { stdio: "ignore" })),
      (server) =>
        Effect.promise(async () => {
          const exited = once(server, "exit")
          if (server.kill("SIGKILL")) await exited
        })
    )
    yield* waitUntil(answers(endpoint), "30 seconds")
  })
  return {
    start,
    /** The objects as files. */
    folder: bucket,
    environment: {
      AWS_ACCESS_KEY_ID: KEY,
      AWS_SECRET_ACCESS_KEY: SECRET,
      AWS_REGION: "us-east-1",
      AWS_ENDPOINT_URL_S3: endpoint
    }
  }
})
