/** What attempts say about a webhook is what a fold over its requests gives, however they were gathered into statements. */
import { assert, describe, it } from "@effect/vitest"
import { makeSeededRandom } from "../../../src/features/simulator/SeededRandom.ts"
import {
  afterAttempts,
  type FailureRun,
  type IncidentChange,
  type WebhookFailures
} from "../../../src/spine/deliveries/FailureRuns.ts"
import { NOW, newDelivery } from "../../support/deliver/deliveryRows.ts"
import {
  after,
  attemptsOf,
  nothing,
  type Recorded,
  type Request,
  randomRequest
} from "../../support/deliver/requests.ts"

const noRun: FailureRun = {
  failing_since: null,
  last_failed_at: null,
  failed_attempts: 0,
  failed_deliveries: 0,
  last_error: null,
  failing_from: null
}
const newWebhook: WebhookFailures = {
  ...noRun,
  id: "wh_1",
  is_active: true,
  attempted_at: null,
  consecutive_failures: 0,
  incident_id: null,
  incident_ended_at: null
}

const attempts = (...requests: ReadonlyArray<Request>) =>
  requests.flatMap(attemptsOf).map(({ attempt }) => attempt)
const request = (
  result: Request["deliveries"][number]["result"],
  seconds: number,
  more: Partial<Request> = {}
): Request => ({
  deliveries: [{ row: newDelivery("wh_1", NOW, "payment.xrp"), result }],
  endedAt: NOW + seconds * 1_000,
  ...more
})
const failures = (count: number, result: "retrying" | "failed" = "retrying") =>
  Array.from({ length: count }, (_, second) => request(result, second))

describe("what attempts say about their webhook", () => {
  it("is what a fold over its requests gives", () => {
    const chance = makeSeededRandom(42)
    let seen = 0
    for (let round = 0; round < 400; round++) {
      let webhook = newWebhook
      let expected: Recorded = nothing
      const incidents = new Map<string, IncidentChange>()
      let now = NOW
      const chanceToAnswer = chance.pick([0, 0.15, 0.3, 0.6, 0.95])
      for (let statement = 0; statement < 8; statement++) {
        now += chance.pick([100, 5_000, 70_000, 200_000, 400_000])
        const requests = Array.from({ length: chance.int(1, 12) }, () => {
          now += chance.int(0, 3_000)
          return randomRequest(chance, webhook.id, now, chanceToAnswer)
        })
        for (const one of requests) expected = after(expected, one)
        const changed = afterAttempts(webhook, attempts(...requests))
        webhook = changed.webhook
        const { incident } = changed
        const kept = incident && incidents.get(incident.id)
        if (incident !== undefined)
          incidents.set(incident.id, {
            ...incident,
            began_at: kept?.began_at ?? incident.began_at,
            attempts_failed: incident.attempts_failed + (kept?.attempts_failed ?? 0),
            failed_deliveries: incident.failed_deliveries + (kept?.failed_deliveries ?? 0)
          })
        for (const name of Object.keys(noRun) as ReadonlyArray<keyof FailureRun>)
          if (name !== "failing_from") assert.strictEqual(webhook[name], expected[name], `${round}, ${name}`)
        assert.strictEqual(webhook.attempted_at, expected.attempted_at)
        assert.strictEqual(webhook.incident_ended_at, expected.incidents.at(-1)?.ended_at ?? null)
        for (const [at, wanted] of expected.incidents.entries())
          assert.deepInclude([...incidents.values()][at], wanted, `${round}, incident ${at}`)
        assert.strictEqual(incidents.size, expected.incidents.length)
      }
      seen += incidents.size
    }
    assert.isAbove(seen, 100)
  })

  it("counts deliveries that failed finally since the newest that was delivered", () => {
    const count = (...requests: ReadonlyArray<Request>) =>
      afterAttempts({ ...newWebhook, consecutive_failures: 7 }, attempts(...requests)).webhook
        .consecutive_failures
    assert.strictEqual(count(...failures(3, "failed")), 10)
    assert.strictEqual(count(...failures(3, "retrying")), 7)
    assert.strictEqual(count(...failures(3, "failed"), request("delivered", 4), request("failed", 5)), 1)
    // The webhook answered, and its response lists the delivery as failed.
    assert.strictEqual(count(request("listed", 0)), 7)
  })

  it("begins no incident of a webhook that is disabled", () => {
    const { incident, webhook } = afterAttempts({ ...newWebhook, is_active: false }, attempts(...failures(9)))
    assert.isUndefined(incident)
    assert.strictEqual(webhook.failed_attempts, 9)
  })

  it("names the first delivery of a run only if the run began with its first attempt", () => {
    const [first, ...others] = failures(5)
    assert.strictEqual(
      afterAttempts(newWebhook, attempts(first!, ...others)).incident?.first_delivery,
      first!.deliveries[0]!.row.id
    )
    const late = { ...first!, deliveries: [{ ...first!.deliveries[0]!, attempt: 2 }] }
    const { incident, webhook } = afterAttempts(newWebhook, attempts(late, ...others))
    assert.isNull(webhook.failing_from)
    assert.match(incident!.first_delivery, /^dlv_\w{10}0{16}$/)
  })

  it("does not continue a run that has no beginning, whatever the other columns say", () => {
    const left = {
      ...newWebhook,
      last_failed_at: NOW,
      failed_deliveries: 4,
      last_error: "old",
      failing_from: "dlv_1"
    }
    const { webhook } = afterAttempts(left, attempts(request("retrying", 1)))
    assert.deepInclude(webhook, { failed_attempts: 1, failed_deliveries: 1, last_error: "HTTP 503" })
    assert.notStrictEqual(webhook.failing_from, "dlv_1")
  })

  it("has an error that PostgreSQL stores", () => {
    const { webhook } = afterAttempts(newWebhook, attempts(request("retrying", 1, { error: "a\0b \ud83d" })))
    assert.strictEqual(webhook.last_error, "a\ufffdb \ufffd")
  })
})
