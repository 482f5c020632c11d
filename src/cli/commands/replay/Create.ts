/**
 * `ledgerhook replay create`: a job as the API makes it, by the same rules and for any account's webhook; or, with
 * --dry-run, what it would send. The work is done by a process with the role replay.
 */
import { Clock, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { hasHistory, Settings } from "../../../config/Config.ts"
import { estimateReplay, wantedEvents } from "../../../coverage/ReplayEstimate.ts"
import { eventTypes } from "../../../domain/EventType.ts"
import { randomId } from "../../../domain/Ids.ts"
import { eventsTopic } from "../../../domain/LedgerEvent.ts"
import { limitsOf } from "../../../domain/Plans.ts"
import { filterReplayPlans } from "../../../domain/Replay.ts"
import { EventLogReader } from "../../../log/EventLog.ts"
import { secondsBetween } from "../../../storage/events/CloseTimes.ts"
import { EventCounts } from "../../../storage/events/EventCounts.ts"
import { HistoryStore } from "../../../storage/events/HistoryStore.ts"
import { ReplayStore } from "../../../storage/replays/ReplayStore.ts"
import { findWebhookSummary } from "../../../storage/webhooks/WebhookOverview.ts"
import type { ListedWebhook } from "../../../storage/webhooks/WebhookRow.ts"
import { findAccount, webhookFlag } from "../../Stores.ts"
import { failed, wrongUsage } from "../../terminal/Failure.ts"
import { about } from "../../terminal/Help.ts"
import { Invocation } from "../../terminal/Invocation.ts"
import { inJson, json, printOne } from "../../terminal/Table.ts"
import { fields, findJob, replayStores, toJson } from "./Job.ts"
import { type Wanted, wantedFlags, wantedOf } from "./Wanted.ts"
import { watchJob } from "./Watch.ts"

const noWebhook = (id: string) => failed(`there is no webhook ${id}; \`ledgerhook webhook list\` shows them.`)

/** Exact of what the log holds, and nothing is queued. */
const dryRun = Effect.fnUntraced(function* ({ id, network }: ListedWebhook, wanted: Wanted, asJson: boolean) {
  const counts = yield* EventCounts
  const { eventIds, filters } = wanted
  const found =
    filters === undefined ? undefined : yield* wantedEvents(yield* EventLogReader, network, filters)
  const reachesBack =
    filters?.since !== undefined &&
    hasHistory(yield* Settings, network) &&
    (found === undefined || found.kept.from > secondsBetween(filters.since, undefined).from)
  const tallies =
    eventIds !== undefined
      ? yield* counts.tallyIds(network, eventIds)
      : found === undefined
        ? []
        : yield* counts.tally(found.wanted)
  const byType = eventTypes.flatMap((type) => tallies.filter((tally) => tally.type === type))
  const events = byType.reduce((sum, tally) => sum + tally.events, 0)
  const firstLedger = events === 0 ? null : Math.min(...byType.map(({ first_ledger }) => first_ledger))
  const lastLedger = events === 0 ? null : Math.max(...byType.map(({ last_ledger }) => last_ledger))
  const unknown = eventIds === undefined ? 0 : eventIds.length - events
  yield* printOne({
    json: asJson,
    fields: [
      ["webhook", `${id} (${network})`],
      ["events", String(events)],
      ...(eventIds === undefined ? [] : [["unknown", String(unknown)] as const]),
      ["first ledger", firstLedger === null ? "-" : String(firstLedger)],
      ["last ledger", lastLedger === null ? "-" : String(lastLedger)],
      ...byType.map(({ type, events: count }) => [type, String(count)] as const)
    ],
    value: {
      webhook_id: id,
      network,
      events,
      unknown_events: unknown,
      first_ledger: firstLedger,
      last_ledger: lastLedger,
      event_types: Object.fromEntries(byType.map(({ type, events: count }) => [type, count]))
    },
    note: reachesBack
      ? "Nothing was queued; without --dry-run these events are sent to the webhook again, after what is fetched of before the first of them."
      : "Nothing was queued; without --dry-run these events are sent to the webhook again."
  })
})

/** The job's id. */
const make = Effect.fnUntraced(function* (
  { id: webhookId, account_id: accountId, network }: ListedWebhook,
  wanted: Wanted
) {
  const log = yield* EventLogReader
  const counts = yield* EventCounts
  const history = yield* HistoryStore
  const jobs = yield* ReplayStore
  const { plan, own } = yield* findAccount(accountId)
  if (wanted.filters !== undefined && !filterReplayPlans.includes(plan)) {
    return yield* failed(
      `${accountId} is on the plan ${plan}, and replays by filters need one of ${filterReplayPlans.join(", ")}; give event ids, or change the plan with \`ledgerhook account set-plan\`.`
    )
  }
  // Before the estimate, so that it holds all that the job will read.
  const { end } = yield* log.offsets({ topic: eventsTopic(network), partition: 0 })
  const estimatedEvents =
    wanted.filters === undefined
      ? wanted.eventIds.length
      : yield* estimateReplay(
          { log, counts, history },
          network,
          wanted.filters,
          hasHistory(yield* Settings, network)
        )
  const now = yield* Clock.currentTimeMillis
  const id = randomId("rpl_job_", now)
  const made = yield* jobs.create(
    { accountId, networks: [network] },
    { id, webhookId, ...wanted, estimatedEvents, endOffset: end },
    now
  )
  switch (made) {
    case "queued":
      return id
    case "not found":
      return yield* noWebhook(webhookId)
    case "webhook disabled":
      return yield* failed(
        `webhook ${webhookId} is disabled; its customer enables it by PATCH /v1/webhooks/${webhookId} with the status active.`
      )
    case "limit reached":
      return yield* failed(
        `${accountId} may have ${limitsOf(plan, own).concurrentReplays} replay jobs at once, and as many are queued or running; cancel one or wait for its end.`
      )
    case "quota used up":
      return yield* failed(
        `the month's delivery quota of ${accountId} is used up; a replay is possible when the month turns or the plan grows.`
      )
  }
})

export const create = Command.make(
  "create",
  {
    webhook: webhookFlag,
    ...wantedFlags,
    dryRun: Flag.Boolean("dry-run").pipe(
      Flag.withDescription("Count the events by type, and queue nothing"),
      Flag.withDefault(false)
    ),
    watch: Flag.Boolean("watch").pipe(
      Flag.withDescription("Watch the job to its end, as `replay watch` does"),
      Flag.withDefault(false)
    ),
    json
  },
  Effect.fnUntraced(function* ({ webhook: webhookId, dryRun: isDry, watch, json: asJson, ...given }) {
    if (isDry && watch) return yield* wrongUsage("--dry-run queues nothing, so there is nothing to --watch.")
    const wanted = yield* wantedOf(given)
    yield* Effect.gen(function* () {
      const webhook = yield* findWebhookSummary(webhookId)
      if (Option.isNone(webhook)) return yield* noWebhook(webhookId)
      if (isDry) return yield* dryRun(webhook.value, wanted, asJson)
      const id = yield* make(webhook.value, wanted)
      // Lines only, for who reads lines: the job's state is the first of them.
      if (watch && inJson(yield* Invocation, asJson)) return yield* watchJob(id, asJson)
      const job = yield* findJob(id)
      yield* printOne({
        json: asJson,
        fields: fields(job),
        value: toJson(job, yield* Clock.currentTimeMillis),
        note: watch
          ? "Ctrl-C ends watching; the job goes on."
          : `The job is made; \`ledgerhook replay watch ${id}\` shows how far it is.`
      })
      if (watch) yield* watchJob(id, asJson)
    }).pipe(Effect.provide(replayStores("replay create")))
  })
).pipe(
  about(
    "Send past events to a webhook again",
    "Send past events to a webhook again, as new deliveries that count towards its account's quota: events by their ids, or all that filters mean of what the log keeps of the webhook's network. The webhook's own filters are not asked. The rules are the API's (plan, jobs at once, quota); a process with the role replay does the work. --dry-run only counts.",
    {
      "ledgerhook replay create --webhook wh_01K… --type 'nft.*' --since 2026-11-20T00:00:00Z --until 2026-11-21T00:00:00Z --dry-run":
        "How many NFT events of a day there are, by type",
      "ledgerhook replay create --webhook wh_01K… --account rPPx… --watch":
        "All events of an account, and watch it to the end",
      "jq -r .event_id lost.jsonl | ledgerhook replay create --webhook wh_01K… --event-ids-file -":
        "Events by their ids",
      "ledgerhook replay create --webhook wh_01K… --type '*'": "All that is kept"
    }
  )
)
