/** `ledgerhook mail test` against a real mail server: the mail it accepted, or one sentence about the failure. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runCommand } from "../../../support/program/command.ts"
import { makeMailServer } from "../../../support/servers/mailServer.ts"

const run = (to: string, environment: Readonly<Record<string, string>>) =>
  runCommand(["mail", "test", "--to", to], { environment: { XRPL_MAINNET_URLS: "", ...environment } })

describe("mail test", () => {
  it.live("sends one mail and names the server that accepted it", () =>
    Effect.gen(function* () {
      const server = yield* makeMailServer()
      const { code, stdout } = yield* run("ops@example.com", {
        SMTP_URL: server.url,
        MAIL_FROM: "hooks@service.example"
      })
      assert.strictEqual(code, 0)
      assert.strictEqual(
        stdout,
        `127.0.0.1:${server.port} took a mail from hooks@service.example to ops@example.com. Check that it arrives.\n`
      )
      assert.deepStrictEqual(
        server.taken.map(({ to, headers }) => [to, headers.get("subject")]),
        [[["ops@example.com"], "Ledgerhook can send mails"]]
      )
    }).pipe(Effect.scoped)
  )

  it.live("reports in one sentence an unset server, an unavailable server, or an invalid address", () =>
    Effect.gen(function* () {
      const unset = yield* run("ops@example.com", { SMTP_URL: "" })
      assert.strictEqual(unset.code, 2)
      assert.include(unset.stderr, "SMTP_URL is not set")
      const away = yield* run("ops@example.com", { SMTP_URL: "smtp://127.0.0.1:1" })
      assert.strictEqual(away.code, 1)
      assert.match(away.stderr, /^ledgerhook: SMTP_URL: 127\.0\.0\.1:1 did not take the mail: [^\n]+\n$/)
      const address = yield* run("nobody", {})
      assert.strictEqual(address.code, 2)
      assert.include(address.stderr, "an email address")
    })
  )
})
