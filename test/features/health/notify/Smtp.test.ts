/** The connection options from SMTP_URL. A password is never sent unencrypted to another machine. */
import { assert, describe, it } from "@effect/vitest"
import { mailError, smtpHost, transportOptions } from "../../../../src/features/health/notify/Smtp.ts"

describe("smtp", () => {
  it("takes host, port and credentials from the address, percent-decoded", () => {
    const { host, port, secure, auth } = transportOptions("smtps://u%40b.example:p%3Aw@mail.example")
    assert.deepStrictEqual(
      { host, port, secure, auth },
      { host: "mail.example", port: 465, secure: true, auth: { user: "u@b.example", pass: "p:w" } }
    )
    assert.deepInclude(transportOptions("smtp://mail.example"), { port: 587, secure: false, auth: undefined })
    assert.deepInclude(transportOptions("smtp://[::1]:2525"), { host: "::1", port: 2525 })
  })

  it("requires STARTTLS if a password would be sent unencrypted, except on this machine", () => {
    const tls = (url: string) => {
      const { requireTLS, ignoreTLS } = transportOptions(url)
      return { requireTLS, ignoreTLS }
    }
    assert.deepStrictEqual(tls("smtp://u:p@mail.example"), { requireTLS: true, ignoreTLS: false })
    assert.deepStrictEqual(tls("smtp://mail.example"), { requireTLS: false, ignoreTLS: false })
    for (const local of ["localhost", "127.0.0.2", "[::1]"]) {
      assert.deepStrictEqual(tls(`smtp://u:p@${local}:25`), { requireTLS: false, ignoreTLS: true })
    }
    assert.deepStrictEqual(tls("smtps://u:p@mail.example"), { requireTLS: false, ignoreTLS: false })
  })

  it("shows a server's address without its credentials", () => {
    assert.strictEqual(smtpHost("smtp://u:hunter2@mail.example:2525"), "mail.example:2525")
  })

  it("shows a server's message on one line without control characters", () => {
    assert.strictEqual(mailError(new Error("550 \u001b[2Jno\r\n such\n")).message, "550 \\u001b[2Jno such")
    const openssl = "write EPROTO 40:error:0A00010B:SSL routines:f:wrong version number:../deps/a.c:77:\n"
    assert.strictEqual(mailError(new Error(openssl)).message, "TLS: wrong version number")
    assert.strictEqual(mailError(new Error("x".repeat(1_000))).message, `${"x".repeat(500)}…`)
  })

  it("distinguishes a permanently refused recipient from temporary failures", () => {
    const failure = (command: string, responseCode: number) =>
      mailError(Object.assign(new Error("said no"), { command, responseCode })).refused
    assert.isTrue(failure("RCPT TO", 550))
    assert.isFalse(failure("RCPT TO", 450))
    assert.isFalse(failure("AUTH PLAIN", 535))
    assert.isFalse(failure("MAIL FROM", 553))
    assert.isFalse(mailError("odd").refused)
  })
})
