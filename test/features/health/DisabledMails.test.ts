/** The mail about a webhook that the recorder has disabled: one for each time, and none if a customer disabled it. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { reportDisabled } from "../../../src/features/health/DisabledMails.ts"
import { WebhookStore } from "../../../src/features/webhooks/WebhookStore.ts"
import { DisableWebhooks } from "../../../src/spine/registry/DisableWebhooks.ts"
import { Outbox } from "../../../src/spine/store/outbox/Outbox.ts"
import { TestDatabase } from "../../support/store/postgres.ts"
import { insertAccount, insertWebhook } from "../../support/store/rows.ts"

const NOW = Date.parse("2026-11-21T09:30:00.000Z")
const LATER = NOW + 3_600_000
const owner = { accountId: "acct_1", networks: ["mainnet"] } as const

const Live = Layer.merge(DisableWebhooks.layer, WebhookStore.layer).pipe(
  Layer.provideMerge(Outbox.layer),
  Layer.provideMerge(TestDatabase)
)

it.effect("each time that a webhook is disabled has one mail, which says why", () =>
  Effect.gen(function* () {
    const disable = yield* DisableWebhooks
    const webhooks = yield* WebhookStore
    const sql = yield* SqlClient.SqlClient
    yield* insertAccount("acct_1")
    const [failing, byRequest] = [yield* insertWebhook("acct_1"), yield* insertWebhook("acct_1")]
    yield* webhooks.change(owner, byRequest, { status: "disabled" }, NOW)
    yield* disable([failing], "100 failures", NOW)
    yield* reportDisabled(NOW + 1)
    yield* reportDisabled(NOW + 2)
    const mails = sql`
      SELECT cause, account_id, recipient, sent_at, body LIKE '%100 failures%' AS says_why FROM mails ORDER BY cause`
    const mailAt = (time: string) => ({
      cause: `webhook-disabled/${failing}/${time}`,
      account_id: "acct_1",
      recipient: "test@example.com",
      sent_at: null,
      says_why: true
    })
    assert.deepStrictEqual(yield* mails, [mailAt("2026-11-21T09:30:00.000Z")])
    yield* webhooks.change(owner, failing, { status: "active" }, NOW + 3)
    yield* disable([failing], "100 failures", LATER)
    yield* reportDisabled(LATER)
    assert.deepStrictEqual(yield* mails, [
      mailAt("2026-11-21T09:30:00.000Z"),
      mailAt("2026-11-21T10:30:00.000Z")
    ])
  }).pipe(Effect.provide(Live))
)
