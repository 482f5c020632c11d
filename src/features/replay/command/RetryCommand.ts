/**
 * `ledgerhook retry`: a retry job as the API makes it, by the same rules and for any account's webhook; or, with
 * --dry-run, how many deliveries it would take. The commands on replay jobs show, watch and cancel it.
 */
import { Clock, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { type RetryFilters, retryStatuses } from "../../../spine/domain/Replay.ts"
import { eventTypes } from "../../../spine/event/EventType.ts"
import { randomId } from "../../../spine/words/Ids.ts"
import { wrongUsage } from "../../../terminal/Failure.ts"
import { switchFlag } from "../../../terminal/Flags.ts"
import { about } from "../../../terminal/Help.ts"
import { webhookFlag } from "../../../terminal/Stores.ts"
import { json, printOne } from "../../../terminal/Table.ts"
import { checkSpan, timeFlag, typeFlag } from "../../../terminal/WantedEvents.ts"
import { findWebhookSummary } from "../../webhooks/WebhookOverview.ts"
import { ReplayStore } from "../ReplayStore.ts"
import { jobStores } from "./JobView.ts"
import { noWebhook, refusedJob } from "./Refusals.ts"
import { showMade } from "./Watch.ts"

export const retry = Command.make(
  "retry",
  {
    webhook: webhookFlag,
    statuses: Flag.Literals("status", retryStatuses).pipe(
      Flag.withDescription("Only deliveries in this status; both statuses by default"),
      Flag.atLeast(0)
    ),
    types: typeFlag(
      "Only deliveries of events of this type, as nft.minted, or family, as 'nft.*'; repeat it for several"
    ),
    since: timeFlag("since", "Only deliveries made after this time"),
    until: timeFlag("until", "Only deliveries made before this time"),
    dryRun: switchFlag("dry-run", "Count the deliveries by type, and queue nothing"),
    watch: switchFlag("watch", "Watch the job to its end, as `replay watch` does"),
    json
  },
  Effect.fnUntraced(function* ({ webhook: webhookId, dryRun: isDry, watch, json: asJson, ...given }) {
    if (isDry && watch) return yield* wrongUsage("--dry-run queues nothing, so there is nothing to --watch.")
    const { since, statuses, until } = given
    yield* checkSpan(since, until)
    const types = new Set(given.types.flat())
    const filters: RetryFilters = {
      statuses: retryStatuses.filter((status) => statuses.length === 0 || statuses.includes(status)),
      ...(types.size === 0 || types.size === eventTypes.length ? {} : { event_types: [...types] }),
      ...(since === undefined ? {} : { since }),
      ...(until === undefined ? {} : { until })
    }
    yield* Effect.gen(function* () {
      const jobs = yield* ReplayStore
      const webhook = yield* findWebhookSummary(webhookId)
      if (Option.isNone(webhook)) return yield* noWebhook(webhookId)
      const { account_id: accountId, network } = webhook.value
      const { atLeast, byType, matched } = yield* jobs.countRetries(
        { webhookId, accountId, network },
        filters
      )
      if (isDry)
        return yield* printOne({
          json: asJson,
          fields: [
            ["webhook", `${webhookId} (${network})`],
            ["deliveries", `${atLeast ? "at least " : ""}${matched}`],
            ...[...byType].map(([type, count]) => [type, String(count)] as const)
          ],
          value: {
            webhook_id: webhookId,
            network,
            matched,
            ...(atLeast ? { at_least: true } : {}),
            by_type: Object.fromEntries(byType)
          },
          note: "Nothing was queued; without --dry-run these deliveries are retried."
        })
      const now = yield* Clock.currentTimeMillis
      const id = randomId("rpl_job_", now)
      const job = { id, webhookId, retry: filters, estimatedEvents: matched, endOffset: 0 }
      const made = yield* jobs.create({ accountId, networks: [network] }, job, now)
      if (made !== "queued") return yield* refusedJob(made, webhook.value)
      const note = watch
        ? "Ctrl-C ends watching; the job continues."
        : `The job is made; \`ledgerhook replay watch ${id}\` shows how far it is.`
      yield* showMade(id, watch, asJson, note)
    }).pipe(Effect.provide(jobStores("retry")))
  })
).pipe(
  about(
    "Retry the deliveries of a webhook that are not delivered",
    "Retry the failed and retrying deliveries of a webhook now, oldest first, once its receiver works again. The deliveries keep their ids and come after live ones. A failed one starts the retry schedule anew; a retrying one is attempted now instead of at its due time. The rules are the API's (jobs at once, quota). The work is a job, as a replay is: `ledgerhook replay list`, `watch` and `cancel` take it, and a process with the role replay does it. --dry-run only counts.",
    {
      "ledgerhook retry --webhook wh_01K… --dry-run": "How many there are, by type",
      "ledgerhook retry --webhook wh_01K… --watch": "Retry them all, and watch it to the end",
      "ledgerhook retry --webhook wh_01K… --status failed --since 2026-11-20T00:00:00Z":
        "Only those that failed, of the time since then"
    }
  )
)
