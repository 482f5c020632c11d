/** The sender of mails follows from the mail server's user, if MAIL_FROM is not set. */
import { assert, it } from "@effect/vitest"
import { mailServerOf } from "../../../../src/features/health/notify/Settings.ts"
import { testSettings } from "../../../support/program/settings.ts"

const senderOf = (url: string) => mailServerOf(testSettings({ SMTP_URL: url }))?.mailFrom

it("mails come from the mail server's user if it is an address", () => {
  assert.strictEqual(senderOf("smtp://a%40b.example:pw@mail.example"), "a@b.example")
  assert.strictEqual(senderOf("smtp://user:pw@mail.example"), "ledgerhook@localhost")
  assert.isUndefined(senderOf(""))
})
