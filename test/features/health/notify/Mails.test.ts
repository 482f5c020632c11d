/** Mails to accounts: short plain text that says what happened and what to do. */
import { assert, describe, it } from "@effect/vitest"
import { failingMessage, recoveredMessage } from "../../../../src/features/health/IncidentMessages.ts"
import {
  quotaMail,
  trialMail,
  webhookDisabledMail,
  webhookHalfWayMail
} from "../../../../src/features/health/notify/Mails.ts"

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
      network: "mainnet",
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
  const atHost = { ...account, host: "a.example" }
  const incident = {
    id: "inc_1",
    webhookId: failing.webhookId,
    network: "mainnet",
    beganAt: failing.failingSince,
    endedAt: null,
    endedBy: null,
    cause: "HTTP 503",
    attemptsFailed: 1_200
  }
  const recovered = {
    ...incident,
    endedAt: Date.parse("2026-11-21T10:38:00.000Z"),
    endedBy: "retry",
    outcome: { waited: 850, delivered: 840, failed: 2 }
  } as const

  it("say that a webhook will be disabled soon", () => {
    const { body, subject } = webhookHalfWayMail({ ...failing, failures: 50, disableAfter: 100 })
    assert.strictEqual(subject, "Webhook to user-visible.example will be disabled soon")
    for (const part of [
      failing.webhookId,
      "2026-11-21 09:30 UTC",
      "50 deliveries in a row",
      "After 100 of them"
    ])
      assert.include(body, part)
    assert.notMatch(body, /secret-path|hunter2/)
  })

  it("say which webhooks of a host fail since when, or how they failed, and name 50 of them at most", () => {
    const one = failingMessage({ ...atHost, incidents: [incident], othersFail: false })
    assert.strictEqual(one.subject, "Webhook to a.example is failing")
    assert.include(
      one.body,
      `${incident.webhookId} since 2026-11-21 09:30 UTC, 1,200 attempts failed\n    newest error: HTTP 503\n`
    )
    assert.notInclude(one.body, "other endpoints")
    const many = failingMessage({ ...atHost, incidents: Array(60).fill(incident), othersFail: true })
    assert.strictEqual(many.subject, "60 webhooks to a.example are failing")
    assert.include(many.body, "and 10 more")
    for (const text of [many.body, many.notice.text])
      assert.include(text, "Many other endpoints fail at the same time, so the cause may be at this service.")
    assert.deepInclude(many.notice.data, { webhooks: 60, many_others_fail: true })

    const { body, notice, subject } = recoveredMessage({ ...atHost, incidents: [recovered] })
    assert.strictEqual(subject, "Webhook to a.example works again")
    assert.include(
      body,
      "failed from 2026-11-21 09:30 UTC to 2026-11-21 10:38 UTC\n    1,200 attempts failed; of 850"
    )
    assert.include(body, "of 850 deliveries 840 arrived, 2 failed for good, 8 wait")
    assert.strictEqual(notice.type, "webhook.recovered")
    assert.deepInclude(JSON.parse(JSON.stringify(notice.data)).incidents[0], {
      began_at: "2026-11-21T09:30:00.000Z",
      ended_at: "2026-11-21T10:38:00.000Z",
      waited: 850,
      outcome: { delivered: 840, failed: 2, waiting: 8 }
    })
  })

  it("are plain text in short lines", () => {
    const bodies = [
      quotaMail({ ...quota, percent: 80, deliveries: 8_000 }).body,
      quotaMail({ ...quota, percent: 100, deliveries: 10_000 }).body,
      webhookDisabledMail({
        ...account,
        webhookId: `wh_${"0".repeat(26)}`,
        network: "mainnet",
        url: "https://a.example/",
        reason: "100 consecutive failed deliveries",
        disabledAt: 0,
        queueWaitsDays: 7
      }).body,
      failingMessage({ ...atHost, incidents: [incident, recovered], othersFail: true }).body,
      webhookHalfWayMail({ ...failing, failures: 50, disableAfter: 100 }).body,
      recoveredMessage({ ...atHost, incidents: [recovered] }).body,
      trialMail(0).body
    ]
    for (const body of bodies) {
      for (const line of body.split("\n")) assert.isAtMost(line.length, 110, line)
      assert.isTrue(body.endsWith(".\n"))
    }
  })
})
