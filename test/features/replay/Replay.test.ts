/**
 * `/v1/replay` as a customer uses it: accepted requests, every refusal in its order, and no access to other accounts'
 * jobs.
 */

import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Plan, planLimits, plans } from "../../../src/spine/domain/Plans.ts"
import { monthOf } from "../../../src/spine/domain/Quota.ts"
import { replayBounds } from "../../../src/spine/domain/Replay.ts"
import type { KeyEnvironment } from "../../../src/spine/event/Network.ts"
import { randomId } from "../../../src/spine/words/Ids.ts"
import { addresses } from "../../support/deliver/events.ts"
import { ApiUnderTest, apiLayer } from "../../support/http/api.ts"
import { setUsage } from "../../support/store/rows.ts"
import { eventsOf, pastLedgers, writeLedgers } from "./replaying.ts"

const ledgers = pastLedgers(7, 400)
const events = eventsOf(ledgers)
const [first, second, third] = events.map(({ event_id }) => event_id)
const UNKNOWN = `xrpl:1:${"0".repeat(64)}:payment.xrp`

/** A customer with a webhook. */
const customer = Effect.fnUntraced(function* (
  plan: Plan = "enterprise",
  environment: KeyEnvironment = "live"
) {
  const api = yield* ApiUnderTest
  const { accountId, key } = yield* api.account(environment, plan)
  const as = (method: string, path: string, body?: unknown) =>
    api.call(method, path, { key, ...(body === undefined ? {} : { body }) })
  const { body } = yield* as("POST", "/v1/webhooks", {
    url: "https://receiver.example.com",
    event_types: ["*"]
  })
  const webhook = String(body.id)
  return {
    accountId,
    key,
    webhook,
    as,
    replay: (fields: object) => as("POST", "/v1/replay", { webhook_id: webhook, ...fields })
  }
})

const refused = (answer: { readonly status: number; readonly body: { error: { code: string } } }) => [
  answer.status,
  answer.body.error.code
]

const time = (text: string) => ({ filters: { since: text } })

/** Wrong fields, and the message that refuses each. */
const malformed: ReadonlyArray<readonly [fields: object, says: string]> = [
  [{}, "Give either event_ids or filters, not both."],
  [{ event_ids: [first], filters: {} }, "Give either event_ids or filters, not both."],
  [{ event_ids: [] }, "event_ids must contain 1 to 10000 items."],
  [{ event_ids: first }, "event_ids must be an array."],
  [{ event_ids: new Array(10_001).fill("wrong") }, "event_ids must contain 1 to 10000 items."],
  [{ event_ids: [first, "xrpl:1"] }, "event_ids[1] must be an event id"],
  [{ event_ids: [7] }, "event_ids[0] must be a string."],
  [{ filters: [] }, "filters must be an object."],
  [{ filters: { event_types: ["payment"] } }, "filters.event_types[0] must be"],
  [{ filters: { event_types: [] } }, "filters.event_types must contain at least one type"],
  [{ filters: { accounts: [] } }, "filters.accounts must contain 1 to 10000 items."],
  [
    { filters: { accounts: new Array(10_001).fill("wrong") } },
    "filters.accounts must contain 1 to 10000 items."
  ],
  [{ filters: { accounts: ["rWrong"] } }, "filters.accounts[0] must be a valid classic XRPL address"],
  [{ filters: { account: addresses[0] } }, "filters.account is unknown"],
  [{ filters: { payload_filter: {} } }, "filters.payload_filter must contain at least one condition"],
  [{ filters: { payload_filter: { amout: 1 } } }, "filters.payload_filter.amout is not a field"],
  [
    { filters: { event_types: ["check.*"], payload_filter: { $or: [{ taxon: 1 }] } } },
    "filters.payload_filter.$or[0].taxon is not a field of the event types asked for; these have it: nft.minted, nft.burned"
  ],
  [{ more: 1 }, "more is unknown"],
  [time("yesterday"), "filters.since must be an ISO 8601 date-time"],
  [time("2026-10-01T00:00:00"), "filters.since must be an ISO 8601 date-time"],
  [
    { filters: { since: "2026-10-01T00:00:00Z", until: "2026-10-01T00:00:00Z" } },
    "filters.since must be before filters.until."
  ],
  [{ webhook_id: "wh_1", event_ids: [first] }, "webhook_id must be an id"]
]

layer(apiLayer(), { excludeTestServices: true, timeout: "60 seconds" })("/v1/replay", (it) => {
  it.effect("has past events", () => writeLedgers(ledgers))

  it.effect("queues a job for event ids, and counts each id once, even an unknown one", () =>
    Effect.gen(function* () {
      const { as, replay, webhook } = yield* customer("developer")
      const { status, body } = yield* replay({ event_ids: [first, second, first, UNKNOWN] })
      assert.strictEqual(status, 202)
      assert.match(body.job_id, /^rpl_job_[0-9A-Z]{26}$/)
      const { job_id, created_at, ...rest } = body
      assert.deepStrictEqual(rest, { status: "queued", webhook_id: webhook, estimated_events: 3 })
      const shown = yield* as("GET", `/v1/replay/${job_id}`)
      assert.deepStrictEqual(shown.body, {
        job_id,
        mode: "replay",
        status: "queued",
        webhook_id: webhook,
        total_events: 3,
        processed_events: 0,
        failed_events: 0,
        delivered: 0,
        waiting: 0,
        failed: 0,
        error: null,
        requested: null,
        created_at,
        completed_at: null,
        finished_at: null,
        progress_percent: 0,
        eta_seconds: null
      })
    })
  )

  for (const [fields, says] of malformed) {
    it.effect(`refuses ${JSON.stringify(fields).slice(0, 90)}`, () =>
      Effect.gen(function* () {
        const { replay } = yield* customer()
        const answer = yield* replay(fields)
        assert.deepStrictEqual(refused(answer), [400, "VALIDATION_ERROR"])
        assert.include(answer.body.error.message, says)
      })
    )
  }

  it.effect("accepts at most 10,000 event ids and a body of at most 2 MiB", () =>
    Effect.gen(function* () {
      const { as, replay } = yield* customer()
      const ids = Array.from({ length: replayBounds.replayEventIds + 1 }, (_, i) => `${first}_filled_up:${i}`)
      const large = yield* replay({ event_ids: ids.slice(1) })
      assert.strictEqual(large.status, 202, large.text)
      assert.strictEqual(large.body.estimated_events, replayBounds.replayEventIds)
      assert.deepStrictEqual(refused(yield* replay({ event_ids: ids })), [400, "VALIDATION_ERROR"])
      const padding = " ".repeat(replayBounds.replayBodyBytes)
      const tooLarge = yield* as("POST", "/v1/replay", padding)
      assert.deepStrictEqual(refused(tooLarge), [400, "VALIDATION_ERROR"])
      const over = yield* as("POST", "/v1/replay", `${padding}{`)
      assert.deepStrictEqual(refused(over), [413, "PAYLOAD_TOO_LARGE"])
      assert.include(over.body.error.message, String(replayBounds.replayBodyBytes))
      const elsewhere = yield* as("POST", "/v1/webhooks", padding)
      assert.deepStrictEqual(refused(elsewhere), [413, "PAYLOAD_TOO_LARGE"])
    })
  )

  it.effect("does not find webhooks or jobs of another account or of the other environment", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const one = yield* customer()
      const other = yield* customer()
      const { body } = yield* one.replay({ event_ids: [first] })
      const testKey = yield* api.keyFor(one.accountId, "test")
      for (const key of [other.key, testKey]) {
        const request = { key, body: { webhook_id: one.webhook, event_ids: [first] } }
        assert.deepStrictEqual(refused(yield* api.call("POST", "/v1/replay", request)), [404, "NOT_FOUND"])
        for (const method of ["GET", "DELETE"]) {
          const answer = yield* api.call(method, `/v1/replay/${body.job_id}`, { key })
          assert.deepStrictEqual(refused(answer), [404, "NOT_FOUND"])
        }
        assert.deepStrictEqual((yield* api.call("GET", "/v1/replay", { key })).body.data, [])
      }
      const nobody = randomId("wh_", 1)
      const answer = yield* one.as("POST", "/v1/replay", { webhook_id: nobody, event_ids: [first] })
      assert.deepStrictEqual(refused(answer), [404, "NOT_FOUND"])
      assert.include(answer.body.error.message, nobody)
    })
  )

  for (const plan of plans) {
    const { concurrentReplays } = planLimits[plan]
    it.effect(`lets exactly ${concurrentReplays} jobs be under way on ${plan}, also when requests race`, () =>
      Effect.gen(function* () {
        const { as, replay } = yield* customer(plan)
        const answers = yield* Effect.forEach(
          Array.from({ length: concurrentReplays + 3 }),
          () => replay({ event_ids: [first] }),
          { concurrency: "unbounded" }
        )
        const made = answers.filter(({ status }) => status === 202)
        assert.lengthOf(made, concurrentReplays)
        for (const answer of answers.filter(({ status }) => status !== 202)) {
          assert.deepStrictEqual(refused(answer), [409, "REPLAY_LIMIT_REACHED"])
          assert.include(answer.body.error.message, ` ${concurrentReplays} `)
        }
        const cancelled = yield* as("DELETE", `/v1/replay/${made[0]!.body.job_id}`)
        assert.strictEqual(cancelled.status, 200)
        assert.strictEqual((yield* replay({ event_ids: [first] })).status, 202)
      })
    )

    const allowed = !["developer", "builder"].includes(plan)
    it.effect(`${allowed ? "takes" : "refuses"} filters on ${plan}`, () =>
      Effect.gen(function* () {
        const { replay } = yield* customer(plan)
        const answer = yield* replay({ filters: {} })
        if (allowed) assert.strictEqual(answer.status, 202, answer.text)
        else {
          assert.deepStrictEqual(refused(answer), [403, "PLAN_REQUIRED"])
          assert.include(answer.body.error.message, "Professional, Compliance, Enterprise")
        }
      })
    )
  }

  it.effect("lets an Enterprise account have its own number of jobs", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { accountId, replay } = yield* customer()
      yield* sql`UPDATE accounts SET concurrent_replays = 1 WHERE id = ${accountId}`
      assert.strictEqual((yield* replay({ event_ids: [first] })).status, 202)
      assert.deepStrictEqual(refused(yield* replay({ event_ids: [first] })), [409, "REPLAY_LIMIT_REACHED"])
    })
  )

  it.effect("checks the plan, then the webhook's status, then the jobs under way, then the quota", () =>
    Effect.gen(function* () {
      const { accountId, as, replay, webhook } = yield* customer("developer")
      yield* setUsage(accountId, monthOf(Date.now()), planLimits.developer.monthlyDeliveries!)
      assert.deepStrictEqual(refused(yield* replay({ event_ids: [first] })), [402, "QUOTA_EXCEEDED"])
      yield* setUsage(accountId, monthOf(Date.now()), 0)
      const { body } = yield* replay({ event_ids: [first] })
      yield* setUsage(accountId, monthOf(Date.now()), planLimits.developer.monthlyDeliveries!)
      assert.deepStrictEqual(refused(yield* replay({ event_ids: [first] })), [409, "REPLAY_LIMIT_REACHED"])
      yield* as("PATCH", `/v1/webhooks/${webhook}`, { status: "disabled" })
      yield* as("DELETE", `/v1/replay/${body.job_id}`)
      assert.deepStrictEqual(refused(yield* replay({ event_ids: [first] })), [409, "WEBHOOK_DISABLED"])
      assert.deepStrictEqual(refused(yield* replay({ filters: {} })), [403, "PLAN_REQUIRED"])
      yield* as("DELETE", `/v1/webhooks/${webhook}`)
      assert.deepStrictEqual(refused(yield* replay({ filters: {} })), [404, "NOT_FOUND"])
      assert.deepStrictEqual(refused(yield* replay({})), [400, "VALIDATION_ERROR"])
    })
  )

  it.effect("ignores the quota for test networks, which are free", () =>
    Effect.gen(function* () {
      const { accountId, replay } = yield* customer("developer", "test")
      yield* setUsage(accountId, monthOf(Date.now()), planLimits.developer.monthlyDeliveries!)
      assert.strictEqual((yield* replay({ event_ids: [first] })).status, 202)
    })
  )

  it.effect("cancels a queued job once", () =>
    Effect.gen(function* () {
      const { as, replay } = yield* customer()
      const { body } = yield* replay({ event_ids: [first] })
      const path = `/v1/replay/${body.job_id}`
      const cancelled = yield* as("DELETE", path)
      assert.deepStrictEqual(Object.keys(cancelled.body), [
        "job_id",
        "status",
        "processed_events",
        "cancelled_at"
      ])
      assert.deepInclude(cancelled.body, { job_id: body.job_id, status: "cancelled", processed_events: 0 })
      const again = yield* as("DELETE", path)
      assert.deepStrictEqual(refused(again), [409, "JOB_NOT_CANCELLABLE"])
      assert.include(again.body.error.message, "is cancelled")
      assert.deepInclude((yield* as("GET", path)).body, {
        status: "cancelled",
        completed_at: null,
        error: null
      })
    })
  )

  for (const status of ["completed", "failed"]) {
    it.effect(`does not cancel a job that is ${status}`, () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { as, replay } = yield* customer()
        const { body } = yield* replay({ event_ids: [first] })
        yield* sql`UPDATE replay_jobs SET status = ${status} WHERE id = ${body.job_id}`
        const answer = yield* as("DELETE", `/v1/replay/${body.job_id}`)
        assert.deepStrictEqual(refused(answer), [409, "JOB_NOT_CANCELLABLE"])
        assert.include(answer.body.error.message, `is ${status}`)
      })
    )
  }

  it.effect("lists jobs, newest first, page by page", () =>
    Effect.gen(function* () {
      const { as, replay } = yield* customer()
      const ids: Array<string> = []
      for (const id of [first, second, third]) ids.unshift((yield* replay({ event_ids: [id] })).body.job_id)
      const page = (yield* as("GET", "/v1/replay?limit=2")).body
      const rest = (yield* as("GET", `/v1/replay?limit=2&cursor=${page.next_cursor}`)).body
      assert.deepStrictEqual(
        [...page.data, ...rest.data].map((job) => job.job_id),
        ids.toSorted().toReversed()
      )
      assert.deepStrictEqual([page.has_more, rest.has_more], [true, false])
    })
  )

  it.effect("counts by type and creates no job, if asked for a dry run", () =>
    Effect.gen(function* () {
      const { as, replay, webhook } = yield* customer()
      const indexOf = (event: (typeof events)[number]) => event.ledger_index
      const expected = (wanted: typeof events) => ({
        estimated_events: wanted.length,
        by_type: Object.fromEntries(
          Object.entries(Object.groupBy(wanted, (event) => event.event_type)).map(([type, of]) => [
            type,
            of!.length
          ])
        ),
        first_ledger: wanted.length === 0 ? null : Math.min(...wanted.map(indexOf)),
        last_ledger: wanted.length === 0 ? null : Math.max(...wanted.map(indexOf))
      })
      const dry = (fields: object) => replay({ ...fields, dry_run: true })
      const ofAccount = events.filter((event) => event.accounts.includes(addresses[0]))
      for (const [fields, wanted] of [
        [{ filters: {} }, events],
        [{ filters: { accounts: [addresses[0]] } }, ofAccount],
        [{ filters: { until: "2020-01-01T00:00:00Z" } }, []],
        [{ event_ids: [first, second] }, events.slice(0, 2)]
      ] as const) {
        const { status, body } = yield* dry(fields)
        assert.strictEqual(status, 200)
        assert.deepStrictEqual(body, expected([...wanted]))
      }
      const withUnknown = (yield* dry({ event_ids: [first, UNKNOWN] })).body
      assert.strictEqual(withUnknown.estimated_events, 2)
      assert.deepStrictEqual(withUnknown.by_type, { [events[0]!.event_type]: 1 })
      yield* as("PATCH", `/v1/webhooks/${webhook}`, { status: "disabled" })
      assert.strictEqual((yield* dry({ event_ids: [first] })).status, 200)
      assert.deepStrictEqual((yield* as("GET", "/v1/replay")).body.data, [])
    })
  )

  const filters: ReadonlyArray<readonly [filters: object, count: number]> = [
    [{}, events.length],
    [{ since: ledgers[100]!.closeTime }, eventsOf(ledgers.slice(101)).length],
    [{ until: ledgers[300]!.closeTime }, eventsOf(ledgers.slice(0, 300)).length],
    [
      { since: ledgers[50]!.closeTime, until: ledgers[60]!.closeTime },
      eventsOf(ledgers.slice(51, 60)).length
    ],
    [
      { event_types: ["nft.minted", "nft.minted"] },
      events.filter((e) => e.event_type === "nft.minted").length
    ],
    [
      { event_types: ["nft.*", "payment.xrp", "nft.minted"] },
      events.filter((e) => e.event_type.startsWith("nft.") || e.event_type === "payment.xrp").length
    ],
    [{ event_types: ["*"] }, events.length],
    [
      { accounts: addresses.slice(0, 2) },
      events.filter((e) => e.accounts.some((one) => one === addresses[0] || one === addresses[1])).length
    ],
    [
      { accounts: [addresses[3]], event_types: ["payment.xrp"], since: ledgers[10]!.closeTime },
      eventsOf(ledgers.slice(11)).filter(
        (e) => e.accounts.includes(addresses[3]) && e.event_type === "payment.xrp"
      ).length
    ],
    [{ until: "2020-01-01T00:00:00Z" }, 0]
  ]
  for (const [given, count] of filters) {
    it.effect(`estimates ${JSON.stringify(given)}`, () =>
      Effect.gen(function* () {
        const { replay } = yield* customer()
        const { body } = yield* replay({ filters: given })
        assert.strictEqual(body.estimated_events, count)
      })
    )
  }
})
