/** `/v1/account/notices`: one URL for an account, whose secret is shown once. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { EventIndex } from "../../../src/features/events/EventIndex.ts"
import { noticeTypes } from "../../../src/features/health/notify/Notices.ts"
import { finishJobs } from "../../../src/features/replay/JobEnds.ts"
import { SecretBox } from "../../../src/spine/store/secrets/SecretBox.ts"
import { eventOf } from "../../support/deliver/events.ts"
import { ApiUnderTest, apiLayer } from "../../support/http/api.ts"

const PATH = "/v1/account/notices"
const OWN_SECRET = `whsec_${Buffer.alloc(24, 1).toString("base64")}`
const URL = "https://ops.example.com/ledgerhook"

const begin = Effect.gen(function* () {
  const api = yield* ApiUnderTest
  const { accountId, key } = yield* api.account()
  const call = (method: string, body?: unknown, path = PATH) => api.call(method, path, { key, body })
  const sql = yield* SqlClient.SqlClient
  const secret = Effect.gen(function* () {
    const [row] = yield* sql<{ readonly sealed: string | null }>`
      SELECT sealed_secret AS sealed FROM notice_urls WHERE account_id = ${accountId}`
    const { open } = yield* SecretBox
    return row?.sealed == null ? null : yield* Effect.orDie(Effect.fromResult(open(row.sealed)))
  })
  return { accountId, call, secret, sql }
})

layer(apiLayer(), { excludeTestServices: true })("/v1/account/notices", (it) => {
  it.effect("sets the URL, generates its secret, shows it once and keeps it encrypted", () =>
    Effect.gen(function* () {
      const { call, secret } = yield* begin
      const { body, status } = yield* call("PUT", { url: "HTTPS://Ops.Example.com/a/../ledgerhook" })
      assert.strictEqual(status, 200)
      assert.deepInclude(body, { url: URL, format: "standard", last_notice: null })
      assert.deepStrictEqual(body.types, [...noticeTypes])
      assert.match(body.secret, /^whsec_/)
      assert.strictEqual(yield* secret, body.secret)
      const shown = yield* call("GET")
      assert.deepStrictEqual(Object.keys(shown.body).toSorted(), [
        "created_at",
        "format",
        "last_notice",
        "types",
        "updated_at",
        "url"
      ])
    })
  )

  it.effect("keeps the secret when only the URL changes, and takes a new one", () =>
    Effect.gen(function* () {
      const { call, secret } = yield* begin
      const { body: first } = yield* call("PUT", { url: URL })
      const { body: moved } = yield* call("PUT", {
        url: `${URL}/2`,
        types: ["quota.warning", "quota.warning"]
      })
      assert.deepStrictEqual([moved.url, moved.types], [`${URL}/2`, ["quota.warning"]])
      assert.notProperty(moved, "secret")
      assert.strictEqual(yield* secret, first.secret)
      assert.strictEqual((yield* call("PUT", { url: URL, secret: OWN_SECRET })).body.secret, OWN_SECRET)
      assert.strictEqual(yield* secret, OWN_SECRET)
      assert.notProperty((yield* call("PUT", { url: URL, format: "slack" })).body, "secret")
      assert.isNull(yield* secret)
      assert.match((yield* call("PUT", { url: URL })).body.secret, /^whsec_/)
    })
  )

  const faults: ReadonlyArray<readonly [body: unknown, sentence: string]> = [
    [{}, "url is required."],
    [
      { url: "http://ops.example.com/" },
      "url must be an https URL; this service does not allow http (its operator can: DELIVERY_ALLOW_HTTP=true)."
    ],
    [
      { url: "https://10.0.0.1/" },
      "url must point to a public address; this service does not allow loopback, private and other special addresses (its operator can: DELIVERY_ALLOW_PRIVATE_ADDRESSES=true)."
    ],
    [{ url: URL, secret: "short" }, "secret must be whsec_ followed by the base64 of 24 to 64 bytes."],
    [
      { url: URL, format: "slack", secret: OWN_SECRET },
      "secret must not be set if format is slack, which has no signature."
    ],
    [{ url: URL, types: [] }, "types must contain at least one type."]
  ]
  for (const [body, sentence] of faults)
    it.effect(`refuses ${JSON.stringify(body)} with one sentence`, () =>
      Effect.gen(function* () {
        const { call } = yield* begin
        const answer = yield* call("PUT", body)
        assert.deepStrictEqual(
          [answer.status, answer.body.error.code, answer.body.error.message],
          [400, "VALIDATION_ERROR", sentence]
        )
        assert.strictEqual((yield* call("GET")).status, 404)
      })
    )

  it.effect("sends a test notice, and shows what became of it", () =>
    Effect.gen(function* () {
      const { call, sql, accountId } = yield* begin
      assert.strictEqual((yield* call("POST", undefined, `${PATH}/test`)).status, 404)
      yield* call("PUT", { url: URL, types: ["quota.warning"] })
      const { body, status } = yield* call("POST", undefined, `${PATH}/test`)
      assert.strictEqual(status, 202)
      assert.match(body.notice_id, /^ntc_[0-9a-f]{26}$/)
      const second = yield* call("POST", undefined, `${PATH}/test`)
      assert.deepStrictEqual([second.status, second.body.error.code], [409, "NOTICE_TEST_WAITING"])
      yield* sql`
        UPDATE notices SET attempts = 1, next_attempt_at = NULL, last_error = 'HTTP 404' WHERE account_id = ${accountId}`
      const { created_at, ...last } = (yield* call("GET")).body.last_notice
      assert.match(created_at, /Z$/)
      assert.deepStrictEqual<unknown>(last, {
        type: "notice.test",
        sent_at: null,
        attempts: 1,
        error: "HTTP 404"
      })
    })
  )

  it.effect("is of one account, and removed by DELETE", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* begin, yield* begin]
      yield* one.call("PUT", { url: URL })
      assert.strictEqual((yield* other.call("GET")).status, 404)
      assert.strictEqual((yield* other.call("DELETE")).status, 404)
      assert.strictEqual((yield* one.call("DELETE")).status, 204)
      const gone = yield* one.call("GET")
      assert.deepStrictEqual(
        [gone.status, gone.body.error.message],
        [404, "The account has no URL for notices; set one with PUT /v1/account/notices."]
      )
    })
  )

  it.effect("gets a notice when a replay ends", () =>
    Effect.gen(function* () {
      const { call, sql, accountId } = yield* begin
      yield* call("PUT", { url: URL })
      const { body: webhook } = yield* call("POST", { url: URL, event_types: ["*"] }, "/v1/webhooks")
      const event = eventOf({ network: "mainnet", ledgerIndex: 91_000_000 })
      yield* (yield* EventIndex).insert([event], Date.now())
      const { body: job } = yield* call(
        "POST",
        { webhook_id: webhook.id, event_ids: [event.event_id] },
        "/v1/replay"
      )
      yield* call("DELETE", undefined, `/v1/replay/${job.job_id}`)
      yield* finishJobs(Date.now())
      yield* call("DELETE", undefined, `/v1/replay/${job.job_id}`)
      yield* finishJobs(Date.now())
      const notices = yield* sql<{ readonly type: string; readonly text: string; readonly data: object }>`
        SELECT type, text, data FROM notices WHERE account_id = ${accountId}`
      assert.deepStrictEqual(notices, [
        {
          type: "replay.finished",
          text: `Replay ${job.job_id} was cancelled.\n• 0 of 1 events were queued for ${webhook.id}.\n• 0 deliveries were delivered, 0 failed.`,
          data: {
            account_id: accountId,
            webhook_id: webhook.id,
            network: "mainnet",
            total_events: 1,
            processed_events: 0,
            failed_events: 0,
            delivered: 0,
            waiting: 0,
            failed: 0,
            job_id: job.job_id,
            status: "cancelled",
            error: null
          }
        }
      ])
    })
  )
})
