/** Notices: their bodies, and that docs/notices.md shows the fields of each type. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { failingMessage, recoveredMessage } from "../../../../src/features/health/IncidentMessages.ts"
import { gapNotices } from "../../../../src/features/health/notify/GapNotices.ts"
import { quotaMail, webhookDisabledMail } from "../../../../src/features/health/notify/Mails.ts"
import {
  type Notice,
  noticeBody,
  noticeTypes,
  replayNotice
} from "../../../../src/features/health/notify/Notices.ts"

const account = { accountId: "acct_1", name: "Acme Ltd" }
const incident = {
  id: "inc_1",
  webhookId: "wh_1",
  network: "mainnet",
  beganAt: 0,
  endedAt: 1,
  endedBy: "attempt",
  cause: "HTTP 503",
  attemptsFailed: 7,
  outcome: { waited: 3, delivered: 1, failed: 1 }
} as const
const atHost = { ...account, host: "a.example", incidents: [incident] }
const quota = { ...account, plan: "builder", month: "2026-11", deliveries: 80, quota: 100 } as const

const notices: ReadonlyArray<Notice> = [
  failingMessage({ ...atHost, othersFail: false }).notice,
  recoveredMessage(atHost).notice,
  webhookDisabledMail({
    ...account,
    webhookId: "wh_1",
    network: "mainnet",
    url: "https://a.example/secret",
    reason: "100 consecutive failed deliveries",
    disabledAt: 0,
    queueWaitsDays: 7
  }).notice,
  quotaMail({ ...quota, percent: 80 }).notice,
  quotaMail({ ...quota, percent: 100 }).notice,
  replayNotice({
    account_id: "acct_1",
    webhook_id: "wh_1",
    network: "mainnet",
    total_events: 2,
    processed_events: 1,
    failed_events: 1,
    delivered: 1,
    waiting: 0,
    failed: 0,
    job_id: "rpl_job_1",
    status: "failed",
    error: "webhook disabled"
  }),
  ...gapNotices([{ accountId: "acct_1", webhookId: "wh_1", network: "mainnet", from: 1, to: 2 }], 0)
]

/** The names of all fields, with those of the first item of a list. */
const fieldsOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, 1).map(fieldsOf)
  if (typeof value !== "object" || value === null) return null
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fieldsOf(one)]))
}

describe("notices", () => {
  it("have each type, and a text without a link or a path of the webhook", () => {
    assert.deepStrictEqual(
      notices.map(({ type }) => type),
      [...noticeTypes]
    )
    for (const { data, text } of notices) assert.notMatch(text + JSON.stringify(data), /https?:|secret/)
  })

  it("are in docs/notices.md with all their fields", () => {
    const page = readFileSync("docs/notices.md", "utf8")
    const shown = Array.from(page.matchAll(/```json\n(.*?)```/gs), ([, text]) => JSON.parse(text!))
    const bodies = notices.map((notice) => JSON.parse(noticeBody("standard", notice, 0)))
    assert.deepStrictEqual(
      shown.map(fieldsOf),
      bodies.filter(({ type }) => type !== "quota.reached").map(fieldsOf)
    )
    for (const type of noticeTypes) assert.include(page, `\`${type}\``)
  })
})
