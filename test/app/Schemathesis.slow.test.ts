/**
 * schemathesis sends requests made from the published document, valid and invalid ones, to every operation of a running
 * service, and compares each answer with the document. There is no finding.
 */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve as resolvePath } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { EventIndex } from "../../src/features/events/EventIndex.ts"
import { eventOf } from "../support/deliver/events.ts"
import { ApiUnderTest, apiLayer } from "../support/http/api.ts"
import { pythonEnvironment } from "../support/servers/python.ts"

const VERSION = "4.32.5"
/** Requests of each operation in each phase that makes random ones. */
const EXAMPLES = 10
const SEED = "7"

const { missing, python } = pythonEnvironment(`schemathesis==${VERSION}`)

const folder = mkdtempSync(join(tmpdir(), "ledgerhook-schemathesis-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A body that is too large is refused before its fields are read: 413, which schemathesis does not expect otherwise. */
const REFUSALS = [400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 428, 429]
const checks = `[checks.negative_data_rejection]
expected-statuses = [${[...REFUSALS, "5xx"].map((status) => `"${status}"`).join(", ")}]
`

/** Ids that exist. A random one never does, and the answer would always be 404. */
const settings = (ids: Readonly<Record<string, readonly [parameter: string, id: string]>>) =>
  [
    checks,
    ...Object.entries(ids).map(
      ([operation, [parameter, id]]) => `[[operations]]
include-operation-id = "${operation}"
parameters = { ${parameter} = "${id}" }
`
    )
  ].join("\n")

/** Runs it on the service at the URL; returns what it printed, and how it ended. */
const schemathesis = (url: string, key: string, config: string) =>
  new Promise<{ readonly status: number | null; readonly output: string }>((resolve) => {
    const file = join(folder, "schemathesis.toml")
    writeFileSync(file, config)
    const options = {
      header: `X-Service-Key: ${key}`,
      checks: "all",
      mode: "all",
      "max-examples": String(EXAMPLES),
      seed: SEED,
      "request-timeout": "5",
      "exclude-checks": "positive_data_acceptance"
    }
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])
    const child = spawn(
      python,
      ["-m", "schemathesis.cli", "--config-file", file, "run", `${url}/openapi.json`, ...args],
      {
        cwd: folder,
        env: {
          ...process.env,
          NO_COLOR: "1",
          PYTHONPATH: resolvePath("test/app"),
          SCHEMATHESIS_HOOKS: "schemathesis_rules"
        }
      }
    )
    let output = ""
    child.stdout.on("data", (text) => (output += text))
    child.stderr.on("data", (text) => (output += text))
    child.on("close", (status) => resolve({ status, output }))
  })

describe.skipIf(missing !== undefined)(
  `schemathesis ${VERSION} on the whole document${missing === undefined ? "" : ` (no ${missing} here)`}`,
  () => {
    it.live(
      "finds no answer that differs from the document",
      () =>
        Effect.gen(function* () {
          const api = yield* ApiUnderTest
          const { key } = yield* api.account()
          const events = [1, 2, 3].map((position) => eventOf({ position }))
          yield* (yield* EventIndex).insert(events, Date.now())
          const make = (path: string, body: unknown) =>
            Effect.map(api.call("POST", path, { key, body }), (answer) => answer.body)
          const webhook = yield* make("/v1/webhooks", { url: "https://example.com", event_types: ["*"] })
          const sent = yield* make(`/v1/webhooks/${webhook.id}/test`, { event_type: "nft.burned" })
          const job = yield* make("/v1/replay", { webhook_id: webhook.id, event_ids: [events[0]!.event_id] })
          const other = yield* make("/v1/api-keys", { name: "other", scopes: ["events:read"] })
          const config = settings({
            // Another one than the caller's own, which the other requests need.
            revokeApiKey: ["id", other.id],
            getEvent: ["event_id", events[0]!.event_id],
            getDelivery: ["id", sent.delivery_id],
            retryDelivery: ["id", sent.delivery_id],
            getReplayJob: ["job_id", job.job_id],
            cancelReplayJob: ["job_id", job.job_id],
            changeAccountFilters: ["id", webhook.id],
            previewWebhook: ["id", webhook.id],
            testWebhook: ["id", webhook.id],
            rotateWebhookSecret: ["id", webhook.id]
          })
          const { output, status } = yield* Effect.promise(() => schemathesis(api.url, key, config))
          assert.strictEqual(status, 0, output)
          assert.notInclude(output, "Authentication failed", "the run lost its key")
        }).pipe(Effect.provide(apiLayer())),
      600_000
    )
  }
)
