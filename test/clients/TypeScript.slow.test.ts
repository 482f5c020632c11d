/**
 * TypeScript clients that openapi-typescript and @hey-api/openapi-ts make from the published document compile, and
 * narrow an event by its type, in lists and in the stream.
 */
import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { apiLayer } from "../support/http/api.ts"
import { clientFolder, customer, DOCUMENT, expected, succeeds } from "./generatedClients.ts"

const packages = ["openapi-typescript@7.13.0", "openapi-fetch@0.17.0", "@hey-api/openapi-ts@0.99.0"]

const cwd = clientFolder()
const installed =
  spawnSync("npm", ["install", "--prefix", cwd, "--no-audit", "--no-fund", ...packages]).status === 0
const missing = installed ? undefined : "these packages from npm"

const eventLines = `
  for (const event of events.data) {
    if (event.event_type === "payment.xrp")
      print(event.event_type, event.payload.sender, event.payload.amount)
    else if (event.event_type === "nft.minted") print(event.event_type, event.payload.nftoken_id)
  }
`

interface Generator {
  readonly name: string
  readonly command: ReadonlyArray<string>
  readonly program: string
}

const generators: ReadonlyArray<Generator> = [
  {
    name: "openapi-typescript",
    command: ["openapi-typescript", DOCUMENT, "-o", "fetch/ledgerhook.d.ts"],
    program: `import createClient from "openapi-fetch"
import type { components, paths } from "./ledgerhook.d.ts"

export const main = async (baseUrl: string, key: string, print: (...parts: Array<string>) => void) => {
  const client = createClient<paths>({ baseUrl, headers: { "X-Service-Key": key } })
  const patterns: Array<components["schemas"]["EventPattern"]> = ["payment.*", "nft.*"]
  const body = { url: "https://example.com/hook", event_types: patterns }
  const created = await client.POST("/v1/webhooks", { body })
  if (created.error !== undefined) throw new Error(created.error.error.message)
  const { data: webhooks } = await client.GET("/v1/webhooks")
  for (const { event_types, url } of webhooks?.data ?? []) print("webhook", url, event_types.join())
  const { data: events } = await client.GET("/v1/events", { params: { query: { event_type: patterns } } })
  if (events === undefined) throw new Error("no events")${eventLines}}
`
  },
  {
    name: "@hey-api/openapi-ts",
    command: ["openapi-ts", "-i", DOCUMENT, "-o", "hey/ledgerhook"],
    program: `import { createWebhook, type EventPattern, listEvents, listWebhooks, streamEvents } from "./ledgerhook/index.ts"
import { client } from "./ledgerhook/client.gen.ts"

export const main = async (baseUrl: string, key: string, print: (...parts: Array<string>) => void) => {
  client.setConfig({ baseUrl, headers: { "X-Service-Key": key } })
  const patterns: Array<EventPattern> = ["payment.*", "nft.*"]
  const body = { url: "https://example.com/hook", event_types: patterns }
  await createWebhook({ body, throwOnError: true })
  const { data: webhooks } = await listWebhooks({ throwOnError: true })
  for (const { event_types, url } of webhooks.data) print("webhook", url, event_types.join())
  const { data: events } = await listEvents({ query: { event_type: patterns }, throwOnError: true })${eventLines}}

export const follow = async (print: (...parts: Array<string>) => void) => {
  const { stream } = await streamEvents()
  for await (const event of stream)
    if (event.event_type === "payment.xrp") print(event.payload.sender, event.payload.amount)
}
`
  }
]

const compiler = [
  ...["--noEmit", "--strict", "--skipLibCheck", "--noUncheckedIndexedAccess"],
  ...[
    "--module",
    "preserve",
    "--moduleResolution",
    "bundler",
    "--target",
    "es2024",
    "--lib",
    "es2024,dom,dom.iterable"
  ],
  ...["--allowImportingTsExtensions", "--types", ""]
]

describe.skipIf(missing !== undefined)(
  `a TypeScript client${missing === undefined ? "" : ` (no ${missing} here)`}`,
  () => {
    for (const {
      command: [tool, ...args],
      name,
      program
    } of generators)
      it.live(
        `by ${name} is generated without a warning, compiles, lists webhooks and reads events by their type`,
        () =>
          Effect.gen(function* () {
            const said = yield* succeeds(join(cwd, "node_modules/.bin", tool!), args, { cwd })
            assert.notMatch(said, /warn/i)
            const file = join(cwd, args.at(-1)!.split("/")[0]!, "program.ts")
            writeFileSync(file, program)
            yield* succeeds(resolve("node_modules/.bin/tsc"), [...compiler, file], { cwd })
            const { LEDGERHOOK_API_KEY, LEDGERHOOK_URL } = yield* customer
            const { main } = yield* Effect.promise(() => import(file))
            const lines: Array<string> = []
            yield* Effect.promise(() =>
              main(LEDGERHOOK_URL, LEDGERHOOK_API_KEY, (...parts: ReadonlyArray<string>) =>
                lines.push(parts.join(" "))
              )
            )
            assert.strictEqual(lines.join("\n"), expected)
          }).pipe(Effect.provide(apiLayer())),
        120_000
      )
  }
)
