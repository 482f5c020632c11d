/** Mails to accounts: short plain text that says what happened and what to do. */
import { assert, describe, it } from "@effect/vitest"
import {
  quotaMail,
  trialMail,
  webhookDisabledMail,
  webhookFailingMail,
  webhookHalfWayMail,
  webhookRecoveredMail
} from "../../src/domain/Mails.ts"

const account = { accountId: "acct_1", name: "Acme Ltd" }
const quota = { ...account, plan: "developer", month: "2026-11", quota: 10_000 } as const

describe("mails", () => {
  it("at 80% say how much is used, and what happens when everything is used", () => {
    const { subject, body } = quotaMail({ ...quota, percent: 80, deliveries: 8_012 })
    assert.strictEqual(subject, "80% of the delivery quota of November 2026 is used")
    assert.include(body, 'account "Acme Ltd" (acct_1) has used 8,012 of the 10,000 deliveries')
    assert.include(body, "(developer)")
    assert.include(body, "When all of them are used")
    assert.include(body, "GET /v1/account")
  })

  it("at 100% say that deliveries wait, until when, and how to get missed events", () => {
    const { subject, body } = quotaMail({ ...quota, percent: 100, deliveries: 10_000 })
    assert.strictEqual(subject, "Delivery quota of November 2026 is used up: deliveries wait")
    assert.include(body, "Deliveries wait from now on")
    assert.include(body, "POST /v1/replay")
  })

  it("say which webhook was disabled and why, how to enable it and how to get missed events", () => {
    const { subject, body } = webhookDisabledMail({
      ...account,
      webhookId: "wh_1",
      url: "https://user-visible.example:8443/hooks/secret-path?token=hunter2",
      reason: "100 consecutive failed deliveries",
      disabledAt: Date.parse("2026-11-21T09:30:00.000Z"),
      queueWaitsDays: 7
    })
    assert.strictEqual(subject, "Webhook to user-visible.example:8443 was disabled")
    assert.include(body, "Webhook wh_1 of the account")
    assert.include(body, "at 2026-11-21 09:30 UTC: 100 consecutive failed deliveries.")
    assert.include(body, "wait for 7 days")
    assert.include(body, 'PATCH /v1/webhooks/wh_1 with {"status":"active"}')
    assert.include(body, '{"webhook_id":"wh_1","filters":{"since":"2026-11-21T09:29:00.000Z"}}')
    // A path or a query may hold a credential.
    assert.notMatch(body, /secret-path|hunter2/)
  })

  const failing = {
    ...account,
    webhookId: `wh_${"0".repeat(26)}`,
    url: "https://user-visible.example/hooks/secret-path?token=hunter2",
    failingSince: Date.parse("2026-11-21T09:30:00.000Z")
  }

  it("say since when a webhook fails, what follows, and that it works again", () => {
    const mails = [
      webhookFailingMail({ ...failing, failedAttempts: 1_200 }),
      webhookHalfWayMail({ ...failing, failures: 50, disableAfter: 100 }),
      webhookRecoveredMail(failing)
    ]
    for (const { body } of mails) {
      assert.include(body, failing.webhookId)
      assert.include(body, "2026-11-21 09:30 UTC")
      assert.notMatch(body, /secret-path|hunter2/)
    }
    assert.include(mails[0]!.body, "1,200 attempts have failed")
    assert.include(mails[1]!.body, "50 deliveries in a row")
    assert.include(mails[1]!.body, "After 100 of them the webhook is disabled")
    assert.strictEqual(mails[2]!.subject, "Webhook to user-visible.example works again")
  })

  it("are plain text in short lines", () => {
    const bodies = [
      quotaMail({ ...quota, percent: 80, deliveries: 8_000 }).body,
      quotaMail({ ...quota, percent: 100, deliveries: 10_000 }).body,
      webhookDisabledMail({
        ...account,
        webhookId: `wh_${"0".repeat(26)}`,
        url: "https://a.example/",
        reason: "100 consecutive failed deliveries",
        disabledAt: 0,
        queueWaitsDays: 7
      }).body,
      webhookFailingMail({ ...failing, failedAttempts: 10 }).body,
      webhookHalfWayMail({ ...failing, failures: 50, disableAfter: 100 }).body,
      webhookRecoveredMail(failing).body,
      trialMail(0).body
    ]
    for (const body of bodies) {
      for (const line of body.split("\n")) assert.isAtMost(line.length, 110, line)
      assert.isTrue(body.endsWith(".\n"))
    }
  })
})
