/**
 * The programs that the event catalogue offers, in each language: those of all types compile, and one of them takes a
 * signed request of the service, prints its fields, and refuses a forged one. A language without its tools here is
 * named in the last lines of the run.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { commonFields } from "../../dashboard/src/features/events/catalogue/describe.ts"
import { shownFields, typedFields } from "../../dashboard/src/features/events/catalogue/snippetFields.ts"
import {
  type Language,
  languages,
  snippetOf
} from "../../dashboard/src/features/events/catalogue/snippets.ts"
import { eventCatalogue } from "../../src/spine/event/EventCatalogue.ts"
import { freePort } from "../kafka/javaServer.ts"
import { SECRET, signed } from "../receiver-js/support.ts"
import { missingFor, toolchains } from "./snippetPrograms.ts"

const types = eventCatalogue()
const common = commonFields(types)

const programOf = (language: Language, type: (typeof types)[number]): string =>
  snippetOf(language, type.event_type, typedFields(type, common))

/** An amount that may be a token, lists, booleans, optional numbers: `escrow.finished` has most kinds of fields. */
const SERVED = "escrow.finished"

const children: Array<ChildProcess> = []
const folders: Array<string> = []
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "ledgerhook-snippets-"))
  folders.push(folder)
  return folder
}
afterAll(() => {
  for (const child of children) child.kill("SIGKILL")
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

const environment = (language: Language) => ({
  ...process.env,
  NO_COLOR: "1",
  LEDGERHOOK_SECRET: SECRET,
  ...toolchains[language].env
})

const succeeds = (language: Language, [command, ...args]: ReadonlyArray<string>, cwd: string) => {
  const { error, status, stderr, stdout } = spawnSync(command!, args, {
    cwd,
    encoding: "utf8",
    env: environment(language)
  })
  assert.strictEqual(status, 0, `${command}: ${error ?? ""}${stdout}${stderr}`)
}

/** A program that takes a while to start is asked again. */
const post = (port: number, request: { readonly headers: object; readonly body: Buffer }): Promise<number> =>
  Effect.tryPromise(() =>
    fetch(`http://127.0.0.1:${port}/`, {
      method: "POST",
      headers: { ...request.headers, connection: "close" },
      body: new Uint8Array(request.body)
    })
  ).pipe(
    Effect.retry(Schedule.spaced("200 millis")),
    Effect.timeout("60 seconds"),
    Effect.map(({ status }) => status),
    Effect.runPromise
  )

for (const language of languages) {
  const missing = missingFor(language)
  const title = missing === undefined ? "" : ` (no ${missing} here)`
  describe.skipIf(missing !== undefined)(`the programs of the event catalogue in ${language}${title}`, () => {
    it("compile for every event type", { timeout: 300_000 }, () => {
      const folder = newFolder()
      const programs = types.map((type) => [type.event_type, programOf(language, type)] as const)
      for (const command of toolchains[language].check(folder, programs)) succeeds(language, command, folder)
    })

    it("take a signed event, print its fields, and refuse a forged one", { timeout: 120_000 }, async () => {
      const type = types.find(({ event_type }) => event_type === SERVED)!
      const folder = newFolder()
      const port = await freePort()
      const commands = toolchains[language].serve(folder, programOf(language, type), port)
      for (const command of commands.slice(0, -1)) succeeds(language, command, folder)
      const [command, ...args] = commands.at(-1)!
      const child = spawn(command!, args, { cwd: folder, env: environment(language) })
      children.push(child)
      let printed = ""
      child.stdout.on("data", (text) => (printed += text))
      child.stderr.on("data", (text) => (printed += text))

      const request = signed(JSON.stringify(type.exampleBody))
      const status = await post(port, request)
      assert.isTrue(status >= 200 && status < 300, `${status}: ${printed}`)
      const forged = signed(JSON.stringify(type.exampleBody), `${SECRET}x`)
      assert.strictEqual(await post(port, forged), 401, printed)
      const other = types.find(({ event_type }) => event_type === "payment.xrp")!
      const ignored = await post(port, signed(JSON.stringify(other.exampleBody)))
      assert.isTrue(ignored >= 200 && ignored < 300, `${ignored}: ${printed}`)

      const payload = type.example as Readonly<Record<string, unknown>>
      const fields = shownFields(typedFields(type, common)).map((name) => String(payload[name]))
      assert.lengthOf(fields, 3)
      assert.include(printed, [String(type.exampleBody["event_id"]), ...fields].join(" "))
      assert.notInclude(printed, String(other.exampleBody["event_id"]))
    })
  })
}
