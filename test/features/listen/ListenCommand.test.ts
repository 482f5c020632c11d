/** `ledgerhook listen` as a receiver: a real process, because it serves until a signal stops it. */
import { createHmac } from "node:crypto"
import { tmpdir } from "node:os"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { runCommand } from "../../support/program/command.ts"
import { startProgram } from "../../support/program/program.ts"

describe("listen", () => {
  const listening = (...flags: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const program = yield* startProgram(["listen", "--port", "0", ...flags], { cwd: tmpdir() })
      const line = yield* program.said(/^Listening on /)
      return { program, url: /http:\S+(?=;)/.exec(line)![0] }
    })
  const post = (url: string, body: string, headers: Record<string, string> = {}) =>
    Effect.promise(() => fetch(url, { method: "POST", body, headers }))

  it.live("refuses a secret that no webhook has, and does not show it", () =>
    Effect.gen(function* () {
      for (const secret of ["s3cret\n", " s3cret", "s3 cret", "", "s3cretü"]) {
        for (const more of [[], ["--forward", "http://127.0.0.1:1/"]]) {
          const { code, stderr } = yield* runCommand(["listen", "--secret", secret, ...more], {
            environment: { LEDGERHOOK_API_KEY: "svc_live_a" }
          })
          assert.strictEqual(code, 2)
          assert.strictEqual(
            stderr,
            "ledgerhook: --secret must be visible ASCII characters without blanks or newlines.\n"
          )
        }
      }
    })
  )

  it.live("verifies requests, prints a JSON line for each, answers 200 or 401, and exits 0 on SIGTERM", () =>
    Effect.gen(function* () {
      const { program, url } = yield* listening("--secret", "s3cret")
      const body = '{"event_type":"payment.xrp"}'
      const signature = `sha256=${createHmac("sha256", "s3cret").update(body).digest("hex")}`
      const good = yield* post(url, body, { "X-Service-Signature": signature })
      const bad = yield* post(url, body, { "X-Service-Signature": "sha256=00" })
      assert.deepStrictEqual([good.status, bad.status], [200, 401])
      yield* program.signal("SIGTERM")
      assert.strictEqual(yield* program.ended, 0)
      assert.deepStrictEqual(
        program
          .stdout()
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line))
          .map(({ signature, status }) => [signature, status]),
        [
          ["ok", 200],
          ["wrong", 401]
        ]
      )
    })
  )

  describe("with a status and a delay", () => {
    const scope = Scope.makeUnsafe()
    let url = ""
    beforeAll(async () => {
      const started = Scope.provide(listening("--status", "503", "--delay", "10ms"), scope)
      url = (await Effect.runPromise(started)).url
    })
    afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

    it.live("behaves like a failing receiver", () =>
      Effect.map(post(url, "{}"), ({ status }) => assert.strictEqual(status, 503))
    )

    it.live("answers any request", () =>
      Effect.gen(function* () {
        for (const body of [
          '{"ledger_index":{"toString":1}}',
          "[".repeat(300_000) + "]".repeat(300_000),
          "{",
          "null"
        ])
          assert.strictEqual((yield* post(url, body)).status, 503)
      })
    )

    it.live("has its port to itself: another one reports in one line that it is in use", () =>
      Effect.gen(function* () {
        const { code, stderr } = yield* runCommand(["listen", "--port", new URL(url).port], {
          environment: {}
        })
        assert.strictEqual(code, 1)
        assert.match(
          stderr,
          /^ledgerhook: port \d+ of 127\.0\.0\.1 is in use; choose another one with --port\.\n$/
        )
      })
    )
  })
})
