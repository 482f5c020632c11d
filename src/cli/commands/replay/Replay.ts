/** `ledgerhook replay …`: past events again, as jobs of any account. Making one has its own file (replay/Create.ts). */
import { Clock, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { type ReplaySummary, replaySummaries } from "../../../storage/replays/ReplayOverview.ts"
import { ReplayStore } from "../../../storage/replays/ReplayStore.ts"
import { accountFlag, findAccount, jobArgument, stores, webhookFlag } from "../../Stores.ts"
import { failed } from "../../terminal/Failure.ts"
import { about } from "../../terminal/Help.ts"
import { json, printList, printOne } from "../../terminal/Table.ts"
import { create } from "./Create.ts"
import { columns, fields, findJob, jobStores, toJson } from "./Job.ts"
import { watchJob } from "./Watch.ts"

const watch = Command.make("watch", { job: jobArgument, json }, ({ job, json: asJson }) =>
  watchJob(job, asJson)
).pipe(
  Command.provide(stores("replay watch")),
  about(
    "Watch a replay job to its end",
    "Show how far a replay job is until it ends: a bar with rate and remaining time on a terminal; piped, a JSON object a line whenever something has changed. Exits 0 when everything was queued for delivery and 1 when the job failed or was cancelled. Ctrl-C ends watching, not the job.",
    {
      "ledgerhook replay watch rpl_job_01K…": "A progress bar",
      "ledgerhook replay watch rpl_job_01K… | jq -r .progress_percent": "The progress, for a program"
    }
  )
)

const cancel = Command.make(
  "cancel",
  { job: jobArgument, json },
  Effect.fnUntraced(function* ({ job: id, json: asJson }) {
    const { account_id: accountId, network } = yield* findJob(id)
    const jobs = yield* ReplayStore
    const { result } = yield* jobs.cancel({ accountId, networks: [network] }, id)
    const job = yield* findJob(id)
    if (result !== "cancelled") {
      return yield* failed(
        `replay job ${id} is ${job.status}; only queued and running jobs can be cancelled.`
      )
    }
    yield* printOne({
      json: asJson,
      fields: fields(job),
      value: toJson(job, yield* Clock.currentTimeMillis),
      note: "Nothing more is queued; what was queued may still be delivered."
    })
  })
).pipe(
  Command.provide(jobStores("replay cancel")),
  about(
    "Cancel a replay job",
    "Cancel a queued or running replay job: nothing more is queued, within a second. What was queued may still be delivered.",
    { "ledgerhook replay cancel rpl_job_01K…": "Cancel it" }
  )
)

const list = Command.make(
  "list",
  {
    account: accountFlag.pipe(Flag.withDescription("Only this account's"), Flag.optional),
    webhook: webhookFlag.pipe(Flag.withDescription("Only those to this webhook"), Flag.optional),
    json
  },
  Effect.fnUntraced(function* ({ account, webhook, json: asJson }) {
    const accountId = Option.getOrUndefined(account)
    if (accountId !== undefined) yield* findAccount(accountId)
    const of = { accountId, webhookId: Option.getOrUndefined(webhook) }
    const now = yield* Clock.currentTimeMillis
    yield* printList({
      json: asJson,
      page: (before: ReplaySummary | undefined, limit) => replaySummaries(of, before?.id, limit),
      columns,
      toJson: (job) => toJson(job, now),
      none: "There is no replay job; `ledgerhook replay create` or POST /v1/replay makes one."
    })
  })
).pipe(
  Command.provide(stores("replay list")),
  about(
    "Show replay jobs",
    "Show replay jobs, newest first, of all accounts or of one, to all webhooks or to one. QUEUED counts events queued for delivery, FAILED those that could not be.",
    {
      "ledgerhook replay list": "Of all accounts",
      "ledgerhook replay list --webhook wh_01K… | jq '.[] | select(.status == \"failed\")'":
        "Those to one webhook that failed, with the reason"
    }
  )
)

export const replay = Command.make("replay").pipe(
  Command.withDescription("Send past events to webhooks again, as jobs to watch and to cancel"),
  Command.withSubcommands([create, watch, cancel, list])
)
