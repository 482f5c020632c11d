/**
 * `ledgerhook replay create`: creates a replay job for a webhook of any account, under the same rules as the API. With
 * --dry-run it only counts the events. A process with the role `replay` works on the job.
 */
import { Clock, Effect, Option } from "effect"
import { Command } from "effect/cli"
import { hasHistory, Settings } from "../../../spine/config/Config.ts"
import { filterReplayPlans } from "../../../spine/domain/Replay.ts"
import { eventsTopic } from "../../../spine/event/LedgerEvent.ts"
import { BackfillStore } from "../../../spine/ledger/backfill/BackfillStore.ts"
import { LogReader } from "../../../spine/log/Log.ts"
import { randomId } from "../../../spine/words/Ids.ts"
import { failed, wrongUsage } from "../../../terminal/Failure.ts"
import { switchFlag } from "../../../terminal/Flags.ts"
import { about } from "../../../terminal/Help.ts"
import { webhookFlag } from "../../../terminal/Stores.ts"
import { json, printOne } from "../../../terminal/Table.ts"
import { type Wanted, wantedFlags, wantedOf } from "../../../terminal/WantedEvents.ts"
import { findAccount } from "../../accounts/command/AccountStores.ts"
import { secondsBetween } from "../../events/CloseTimes.ts"
import { EventCounts } from "../../events/EventCounts.ts"
import type { ListedWebhook } from "../../webhooks/WebhookChange.ts"
import { findWebhookSummary } from "../../webhooks/WebhookOverview.ts"
import { estimateReplay, wantedEvents } from "../ReplayEstimate.ts"
import { ReplayStore } from "../ReplayStore.ts"
import { tallyReplay } from "../ReplayTally.ts"
import { replayStores } from "./JobView.ts"
import { noWebhook, refusedJob } from "./Refusals.ts"
import { showMade } from "./Watch.ts"

/** Counts the events that are in the log, exactly, and creates no job. */
const dryRun = Effect.fnUntraced(function* ({ id, network }: ListedWebhook, wanted: Wanted, asJson: boolean) {
  const counts = yield* EventCounts
  const log = yield* LogReader
  const { eventIds, filters } = wanted
  const found = filters === undefined ? undefined : yield* wantedEvents(log, network, filters)
  const reachesBack =
    filters?.since !== undefined &&
    hasHistory(yield* Settings, network) &&
    (found === undefined || found.kept.from > secondsBetween(filters.since, undefined).from)
  const { events, byType, firstLedger, lastLedger } = yield* tallyReplay(
    { counts, log },
    network,
    eventIds,
    filters ?? {}
  )
  const unknown = eventIds === undefined ? 0 : eventIds.length - events
  yield* printOne({
    json: asJson,
    fields: [
      ["webhook", `${id} (${network})`],
      ["events", String(events)],
      ...(eventIds === undefined ? [] : [["unknown", String(unknown)] as const]),
      ["first ledger", firstLedger === null ? "-" : String(firstLedger)],
      ["last ledger", lastLedger === null ? "-" : String(lastLedger)],
      ...Object.entries(byType).map(([type, count]) => [type, String(count)] as const)
    ],
    value: {
      webhook_id: id,
      network,
      events,
      unknown_events: unknown,
      first_ledger: firstLedger,
      last_ledger: lastLedger,
      event_types: byType
    },
    note: reachesBack
      ? "No job was created. Without --dry-run, earlier events are fetched first; then all events are sent to the webhook again."
      : "No job was created. Without --dry-run, these events are sent to the webhook again."
  })
})

/** Creates the job and returns its id. */
const make = Effect.fnUntraced(function* (
  { id: webhookId, account_id: accountId, network }: ListedWebhook,
  wanted: Wanted
) {
  const log = yield* LogReader
  const counts = yield* EventCounts
  const history = yield* BackfillStore
  const jobs = yield* ReplayStore
  const { plan } = yield* findAccount(accountId)
  if (wanted.filters !== undefined && !filterReplayPlans.includes(plan)) {
    return yield* failed(
      `${accountId} is on the plan ${plan}, but replay by filters needs one of the plans ${filterReplayPlans.join(", ")}; give event ids, or change the plan with \`ledgerhook account set-plan\`.`
    )
  }
  // Read before the estimate, so that the estimate includes every event that the job reads.
  const { end } = yield* log.offsets({ topic: eventsTopic(network), partition: 0 })
  const estimatedEvents =
    wanted.filters === undefined
      ? wanted.eventIds.length
      : (yield* estimateReplay(
          { log, counts, history },
          network,
          wanted.filters,
          hasHistory(yield* Settings, network)
        )).events
  const now = yield* Clock.currentTimeMillis
  const id = randomId("rpl_job_", now)
  const made = yield* jobs.create(
    { accountId, networks: [network] },
    { id, webhookId, ...wanted, estimatedEvents, endOffset: end },
    now
  )
  return made === "queued" ? id : yield* refusedJob(made, { id: webhookId, account_id: accountId })
})

export const create = Command.make(
  "create",
  {
    webhook: webhookFlag,
    ...wantedFlags,
    dryRun: switchFlag("dry-run", "Only count the events by type; create no job"),
    watch: switchFlag("watch", "Show the job's progress until it ends, like `replay watch`"),
    json
  },
  Effect.fnUntraced(function* ({ webhook: webhookId, dryRun: isDry, watch, json: asJson, ...given }) {
    if (isDry && watch)
      return yield* wrongUsage("--dry-run and --watch cannot be used together: --dry-run creates no job.")
    if (isDry && given.payloadFilter !== undefined) {
      return yield* wrongUsage(
        "--dry-run and --payload-filter cannot be used together: --dry-run does not read payloads."
      )
    }
    const wanted = yield* wantedOf(given)
    yield* Effect.gen(function* () {
      const webhook = yield* findWebhookSummary(webhookId)
      if (Option.isNone(webhook)) return yield* noWebhook(webhookId)
      if (isDry) return yield* dryRun(webhook.value, wanted, asJson)
      const id = yield* make(webhook.value, wanted)
      const note = watch
        ? "Ctrl-C stops watching, not the job."
        : `The job is created. To see its progress: \`ledgerhook replay watch ${id}\`.`
      yield* showMade(id, watch, asJson, note)
    }).pipe(Effect.provide(replayStores("replay create")))
  })
).pipe(
  about(
    "Send past events to a webhook again",
    "Send past events to a webhook again: events by their ids, or every retained event of the webhook's network that matches the filters. The webhook's own filters are ignored. The events become new deliveries and count towards the account's quota. The limits of the account's plan apply, as in the API. A process with the role replay works on the job. With --dry-run, events are only counted.",
    {
      "ledgerhook replay create --webhook wh_01K… --type 'nft.*' --since 2026-11-20T00:00:00Z --until 2026-11-21T00:00:00Z --dry-run":
        "Count the NFT events of a day, by type",
      "ledgerhook replay create --webhook wh_01K… --account rPPx… --watch":
        "Send all events of an address, and show the progress",
      "jq -r .event_id lost.jsonl | ledgerhook replay create --webhook wh_01K… --event-ids-file -":
        "Send events by their ids",
      "ledgerhook replay create --webhook wh_01K… --type '*'": "Send all retained events"
    }
  )
)
