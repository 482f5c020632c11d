/**
 * README.md, "Your first webhook", as a reader does it: its settings, its receiver and its commands bring a verified
 * webhook from the simulated ledger. Only ports and folder are the test's own.
 */
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseEnv, promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { startProcess, startService } from "../../support/program/serviceProcess.ts"
import { codeBlocks } from "../../support/tree/markdown.ts"

const blocks = codeBlocks("README.md", "sh")

/** Returns the match of the pattern's group in the one block that contains it. */
const shown = (pattern: RegExp): string => {
  const found = blocks.flatMap((block) => pattern.exec(block)?.[1] ?? [])
  assert.lengthOf(found, 1, String(pattern))
  return found[0]!
}

describe("the README's first webhook", () => {
  it.live(
    "arrives, with a signature that fits, and is on record",
    () =>
      Effect.gen(function* () {
        const dataDir = yield* Effect.acquireRelease(
          Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-first-"))),
          (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
        )
        const settings = parseEnv(shown(/^cat > \.env <<'END'\n([\s\S]*?)^END$/m)) as Record<string, string>
        const { apiUrl, signInPath } = yield* startService({ ...settings, DATA_DIR: dataDir })
        const listen = shown(/^npx ledgerhook (listen .*)$/m)
          .replace("--port 4000", "--port 0")
          .split(" ")
        const listening = /Listening on (\S+);/
        const receiver = yield* startProcess({}, listening, undefined, listen)
        const receiverUrl = receiver.match[1]!

        const run = (script: string) =>
          Effect.promise(() =>
            promisify(execFile)("bash", [
              "-euc",
              script
                .replaceAll("http://127.0.0.1:8080", apiUrl)
                .replaceAll("http://127.0.0.1:4000", receiverUrl)
            ])
          )
        const create = shown(/^(KEY=[\s\S]*)/)
        const record = shown(/^(curl [\s\S]*\/v1\/deliveries\?[\s\S]*)/)
        const made = yield* run(create)
        // Its reader signs in to the dashboard with it.
        const key = /^(svc_test_\w+)$/m.exec(made.stdout)?.[1] ?? assert.fail(made.stdout)

        yield* Effect.suspend(() =>
          receiver.output().includes('"signature":"ok"') ? Effect.void : Effect.fail("nothing has arrived")
        ).pipe(Effect.retry(Schedule.spaced(200)), Effect.timeout("60 seconds"))
        assert.notInclude(receiver.output(), '"signature":"wrong"')

        // A delivery is on record some milliseconds after its receiver has answered.
        const { stdout } = yield* run(`KEY=${key}\n${record}`).pipe(
          Effect.filterOrFail(
            ({ stdout }) => stdout.includes('"event_type":'),
            ({ stdout }) => stdout
          ),
          Effect.retry(Schedule.spaced(200)),
          Effect.timeout("5 seconds")
        )
        assert.include(stdout, '"success_rate":')
        // What the dashboard asks for when its reader signs in with that key.
        const session = yield* run(
          `curl -si ${apiUrl}/v1/session -H 'Content-Type: application/json' -d '{"link": "${signInPath?.split("=")[1]}"}'`
        )
        // The link of the first start sees the test networks, because mainnet is not watched.
        assert.match(session.stdout, /^HTTP\/1\.1 204[\s\S]*^set-cookie: ledgerhook-test=/im)
        const events = yield* run(`curl -s '${apiUrl}/v1/events?limit=5' -H 'X-Service-Key: ${key}'`)
        assert.include(events.stdout, '"network":"testnet"')
      }).pipe(Effect.scoped),
    180_000
  )
})
