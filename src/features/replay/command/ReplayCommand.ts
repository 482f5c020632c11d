/** `ledgerhook replay …`: watch, cancel and list replay jobs of any account. CreateReplay.ts creates them. */
import { Clock, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { failed } from "../../../terminal/Failure.ts"
import { optional } from "../../../terminal/Flags.ts"
import { about } from "../../../terminal/Help.ts"
import { accountFlag, jobArgument, webhookFlag } from "../../../terminal/Stores.ts"
import { json, printList, printOne } from "../../../terminal/Table.ts"
import { findAccount, stores } from "../../accounts/command/AccountStores.ts"
import { type ReplaySummary, replaySummaries } from "../ReplayOverview.ts"
import { ReplayStore } from "../ReplayStore.ts"
import { create } from "./CreateReplay.ts"
import { columns, fields, findJob, jobStores, toJson } from "./JobView.ts"
import { watchJob } from "./Watch.ts"

const watch = Command.make("watch", { job: jobArgument, json }, ({ job, json: asJson }) =>
  watchJob(job, asJson)
).pipe(
  Command.provide(stores("replay watch")),
  about(
    "Show a replay job's progress until it ends",
    "Show a replay job's progress until it ends: on a terminal a bar with rate and remaining time, when piped one JSON object per line for each change. Exits 0 if all events were queued for delivery, and 1 if the job failed or was cancelled. Ctrl-C stops watching, not the job.",
    {
      "ledgerhook replay watch rpl_job_01K…": "Show a progress bar",
      "ledgerhook replay watch rpl_job_01K… | jq -r .progress_percent": "Print the percentage, for a program"
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
      note: "No more events are queued. Events that were queued already may still be delivered."
    })
  })
).pipe(
  Command.provide(jobStores("replay cancel")),
  about(
    "Cancel a replay job",
    "Cancel a queued or running replay job. It stops queueing events within a second. Events that were queued already may still be delivered.",
    { "ledgerhook replay cancel rpl_job_01K…": "Cancel one job" }
  )
)

const list = Command.make(
  "list",
  {
    account: accountFlag.pipe(Flag.withDescription("Only the jobs of this account"), optional),
    webhook: webhookFlag.pipe(Flag.withDescription("Only the jobs for this webhook"), optional),
    json
  },
  Effect.fnUntraced(function* ({ account: accountId, webhook: webhookId, json: asJson }) {
    if (accountId !== undefined) yield* findAccount(accountId)
    const of = { accountId, webhookId }
    const now = yield* Clock.currentTimeMillis
    yield* printList({
      json: asJson,
      page: (before: ReplaySummary | undefined, limit) => replaySummaries(of, before?.id, limit),
      columns,
      toJson: (job) => toJson(job, now),
      none: "There is no replay job. Create one with `ledgerhook replay create` or POST /v1/replay."
    })
  })
).pipe(
  Command.provide(stores("replay list")),
  about(
    "List replay jobs",
    "List replay jobs, newest first, of all accounts or of one, for all webhooks or for one. QUEUED is the number of events queued for delivery, FAILED the number of events that could not be queued.",
    {
      "ledgerhook replay list": "The jobs of all accounts",
      "ledgerhook replay list --webhook wh_01K… | jq '.[] | select(.status == \"failed\")'":
        "The failed jobs of one webhook, with the reason"
    }
  )
)

export const replay = Command.make("replay").pipe(
  Command.withDescription("Send past events to webhooks again"),
  Command.withSubcommands([create, watch, cancel, list])
)
