/**
 * What the tests of generated clients share. Each client's program registers a webhook on a running service, lists the
 * webhooks, and prints what it reads from the payloads of two types of events.
 */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, assert } from "@effect/vitest"
import { Effect } from "effect"
import { EventIndex } from "../../src/features/events/EventIndex.ts"
import { eventCatalogue } from "../../src/spine/event/EventCatalogue.ts"
import { eventOf } from "../support/deliver/events.ts"
import { ApiUnderTest } from "../support/http/api.ts"

/** The published document, as a generator's argument. */
export const DOCUMENT = resolve("schemas/openapi.json")

export const clientFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "ledgerhook-generated-"))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export interface Run {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
}

/** Does not block this process, which serves the API. Fails unless the command succeeds; returns what it printed. */
export const succeeds = (command: string, args: ReadonlyArray<string>, { cwd, env = {} }: Run) =>
  Effect.promise(async () => {
    const child = spawn(command, args, { cwd, env: { ...process.env, NO_COLOR: "1", ...env } })
    let output = ""
    child.stdout.on("data", (text) => (output += text))
    child.stderr.on("data", (text) => (output += text))
    const status = await new Promise((ended) => child.on("close", ended).on("error", ended))
    assert.strictEqual(status, 0, `${command} ${args.join(" ")}: ${output}`)
    return output
  })

const types = ["payment.xrp", "nft.minted"] as const

const payloadOf = (type: string) => eventCatalogue().find(({ event_type }) => event_type === type)!.example

/** A customer of a running service that has events: the URL and the key as each program reads them. */
export const customer = Effect.gen(function* () {
  const api = yield* ApiUnderTest
  const { key } = yield* api.account()
  const events = types.map((type, position) => ({ ...eventOf({ type, position }), payload: payloadOf(type) }))
  yield* (yield* EventIndex).insert(events, Date.now())
  return { LEDGERHOOK_URL: api.url, LEDGERHOOK_API_KEY: key }
})

/** What each program prints. */
export const expected = [
  "webhook https://example.com/hook payment.*,nft.*",
  `nft.minted ${String(payloadOf("nft.minted")["nftoken_id"])}`,
  `payment.xrp ${String(payloadOf("payment.xrp")["sender"])} ${String(payloadOf("payment.xrp")["amount"])}`
].join("\n")
