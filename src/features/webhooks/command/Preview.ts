/** `ledgerhook webhook preview`: counts what filters would have matched among the newest events. */
import { Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { expandPatterns } from "../../../spine/event/EventPatterns.ts"
import { logReaderLayer } from "../../../spine/LogAdapter.ts"
import { LogReader } from "../../../spine/log/Log.ts"
import { failed } from "../../../terminal/Failure.ts"
import { wholeNumber, withDefault } from "../../../terminal/Flags.ts"
import { about } from "../../../terminal/Help.ts"
import { settings } from "../../../terminal/Invocation.ts"
import { payloadFilterFlag, payloadFilterOf } from "../../../terminal/PayloadFilterFlag.ts"
import { webhookArgument } from "../../../terminal/Stores.ts"
import { json, printOne } from "../../../terminal/Table.ts"
import { wantedFlags } from "../../../terminal/WantedEvents.ts"
import { stores } from "../../accounts/command/AccountStores.ts"
import { previewFilters } from "../FilterPreview.ts"
import { webhookBounds } from "../Limits.ts"
import { findWebhookFilters } from "../WebhookOverview.ts"

const stored = stores("webhook preview")
const layer = logReaderLayer(stored).pipe(Layer.provideMerge(stored), Layer.provideMerge(settings))

export const preview = Command.make(
  "preview",
  {
    webhook: webhookArgument,
    types: wantedFlags.types.pipe(
      Flag.withDescription("This type, or family as 'nft.*', instead of the webhook's; repeat it for several")
    ),
    accounts: wantedFlags.accounts.pipe(
      Flag.withDescription(
        "This XRPL address instead of the webhook's account filters; repeat it for several"
      )
    ),
    payloadFilter: payloadFilterFlag("This filter instead of the webhook's"),
    events: wholeNumber(
      "events",
      1,
      webhookBounds.previewEvents,
      `a number from 1 to ${webhookBounds.previewEvents}`
    ).pipe(
      withDefault<number>(webhookBounds.defaultPreviewEvents, "How many of the newest events to examine")
    ),
    json
  },
  Effect.fnUntraced(function* ({ webhook: id, types, accounts, payloadFilter, events, json: asJson }) {
    const found = yield* findWebhookFilters(id)
    if (Option.isNone(found)) {
      return yield* failed(`there is no webhook ${id}; \`ledgerhook webhook list\` shows them.`)
    }
    const { network, ...own } = found.value
    const wantedTypes = types.length === 0 ? expandPatterns(own.event_types) : types.flat()
    const wantedAccounts = accounts.length === 0 ? own.account_filters : accounts
    const ownFilter = own.payload_filter == null ? undefined : JSON.stringify(own.payload_filter)
    const filter = yield* payloadFilterOf(payloadFilter ?? ownFilter, wantedTypes)
    const log = yield* LogReader
    const result = yield* previewFilters(
      log,
      network,
      {
        event_types: wantedTypes,
        ...(wantedAccounts.length === 0 ? {} : { accounts: wantedAccounts }),
        ...(filter === undefined ? {} : { payload_filter: filter })
      },
      events
    )
    const byType = Object.entries(result.by_type)
    yield* printOne({
      json: asJson,
      fields: [
        ["webhook", `${id} (${network})`],
        ["examined", `${result.examined} events, ${result.oldest_at ?? "-"} to ${result.newest_at ?? "-"}`],
        ["candidates", `${result.candidates} of the wanted types and accounts`],
        ["matched", String(result.matched)],
        ...byType.map(([type, count]) => [type, String(count)] as const),
        ...result.sample_event_ids.map((eventId) => ["matches", eventId] as const)
      ],
      value: { webhook_id: id, network, ...result },
      note: "Nothing was changed or sent."
    })
  })
).pipe(
  Command.provide(layer),
  about(
    "Count what filters would have matched",
    "Count what a webhook's filters would have matched among the newest events of its network. Flags replace the webhook's own filters. Nothing is changed or sent. docs/payload-filters.md describes payload filters.",
    {
      "ledgerhook webhook preview wh_01K…": "With the webhook's own filters",
      'ledgerhook webhook preview wh_01K… --type payment.xrp --payload-filter \'{"amount": {"$gte": "1000000000"}}\' --events 10000':
        "With other filters, among the newest 10,000 events"
    }
  )
)
