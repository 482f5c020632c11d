/** `ledgerhook explain`: why webhooks got, or did not get, the events of a transaction. */
import { Clock, Effect, Layer } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { isTransactionHash } from "../../../spine/event/EventId.ts"
import { type Network, networks, networksOf } from "../../../spine/event/Network.ts"
import { logReaderLayer } from "../../../spine/LogAdapter.ts"
import { BackfillStore } from "../../../spine/ledger/backfill/BackfillStore.ts"
import { LogReader } from "../../../spine/log/Log.ts"
import { printable } from "../../../spine/words/Printable.ts"
import { failed } from "../../../terminal/Failure.ts"
import { optional } from "../../../terminal/Flags.ts"
import { about } from "../../../terminal/Help.ts"
import { Invocation, settings, stdoutColour } from "../../../terminal/Invocation.ts"
import { printableLines } from "../../../terminal/JsonText.ts"
import { ledgerIndex } from "../../../terminal/LedgerFlags.ts"
import { print } from "../../../terminal/Output.ts"
import { accountFlag, webhookFlag } from "../../../terminal/Stores.ts"
import type { ServiceApi } from "../../../terminal/service/Requests.ts"
import { localOnly, usesService } from "../../../terminal/service/ServiceTarget.ts"
import { defined, withService } from "../../../terminal/service/WithService.ts"
import { type Column, inJson, json, makeTable } from "../../../terminal/Table.ts"
import type { Account } from "../../accounts/AccountContract.ts"
import { findAccount, stores } from "../../accounts/command/AccountStores.ts"
import { statusColour } from "../../deliveries/DeliveriesCommand.ts"
import { EventQueries } from "../../events/EventQueries.ts"
import { webhookSummaries } from "../../webhooks/WebhookOverview.ts"
import type { Webhook, Webhooks } from "../../webhooks/WebhooksContract.ts"
import type { Explain, Explanation } from "../ExplainContract.ts"
import { explanationJson } from "../ExplanationJson.ts"
import { Explanations } from "../Explanations.ts"

/** Webhooks of an explanation; the newest ones are shown. */
const SHOWN_WEBHOOKS = 100

interface Line {
  readonly eventType: string
  readonly name: string
  readonly webhook: Explanation["events"][number]["webhooks"][number]
}

const columns: ReadonlyArray<Column<Line>> = [
  { head: "EVENT", cell: ({ eventType }) => eventType },
  { head: "WEBHOOK", cell: ({ webhook }) => webhook.webhook_id },
  { head: "NAME", cell: ({ name }) => name },
  { head: "WANTED", cell: ({ webhook }) => (webhook.wanted ? "yes" : "no") },
  { head: "REASON", cell: ({ webhook }) => webhook.reason },
  { head: "DELIVERY", cell: ({ webhook }) => webhook.delivery?.id ?? "-" },
  {
    head: "STATUS",
    cell: ({ webhook }) => webhook.delivery?.status ?? "-",
    colour: ({ webhook: { delivery } }) => statusColour(delivery?.status)
  }
]

/** The lines above and below the table. */
const notesOf = ({ events, events_count, ledger, webhooks_count }: Explanation) => {
  const shown = events[0]?.webhooks.length ?? 0
  return {
    ledger:
      ledger === null
        ? "No ledger is known for this transaction: it caused no event, or its ledger was not taken. Name the ledger with --ledger to learn which."
        : ledger.skipped !== undefined
          ? `ledger ${ledger.index} was skipped at ${ledger.taken_at}, so its events are missing: ${printable(ledger.skipped)}`
          : `ledger ${ledger.index}, taken at ${ledger.taken_at}; events of this transaction: ${events_count}`,
    more: [
      ...(events_count > events.length ? [`Only the first ${events.length} events are shown.`] : []),
      ...(webhooks_count > shown && events.length > 0
        ? [`Only the newest ${shown} of ${webhooks_count} webhooks are shown; name another with --webhook.`]
        : []),
      ...(events.some(({ webhooks }) =>
        webhooks.some(({ delivery, reason }) => reason === "queued" && delivery !== null)
      )
        ? ["What is queued waits because its webhook is paused."]
        : []),
      ...(webhooks_count === 0 && events.length > 0 ? ["There was no webhook then."] : [])
    ]
  }
}

const show = Effect.fnUntraced(function* <E, R>(
  explained: Explanation,
  network: Network,
  asJson: boolean,
  webhooks: Effect.Effect<ReadonlyArray<Pick<Webhook, "id" | "url" | "description">>, E, R>
) {
  const invocation = yield* Invocation
  if (inJson(invocation, asJson)) return yield* print(printableLines(JSON.stringify(explained, null, 2)))
  const { ledger, more } = notesOf(explained)
  const named = explained.events.length === 0 ? [] : yield* webhooks
  const names = new Map(named.map(({ description, id, url }) => [id, description || url]))
  const lines = explained.events.flatMap(({ event_type, webhooks }) =>
    webhooks.map(
      (webhook): Line => ({
        eventType: event_type,
        name: names.get(webhook.webhook_id) ?? "-",
        webhook
      })
    )
  )
  const table = makeTable(columns, stdoutColour(invocation))
  yield* print(
    [`${network}: ${ledger}`, ...(lines.length === 0 ? [] : ["", ...table.lines(lines, true)]), ...more].join(
      "\n"
    )
  )
})

const explainStores = (() => {
  const database = stores("explain")
  return Layer.merge(
    logReaderLayer(database),
    Explanations.layer.pipe(Layer.provide([EventQueries.layer, BackfillStore.layer]))
  ).pipe(Layer.provideMerge(database), Layer.provideMerge(settings))
})()

const hash = Argument.String("hash").pipe(
  Argument.withDescription("The transaction's hash"),
  Argument.filter(isTransactionHash, () => "a transaction hash: 64 hexadecimal digits")
)

const flags = {
  hash,
  network: Flag.Literals("network", networks).pipe(
    Flag.withDescription("The network (default: mainnet; at a service, each network of the key)"),
    optional
  ),
  ledger: ledgerIndex(
    "ledger",
    "The ledger that the transaction is in, where it is older than deliveries"
  ).pipe(optional),
  account: accountFlag.pipe(
    Flag.withDescription("Only this account's webhooks; for the local database"),
    optional
  ),
  webhook: webhookFlag.pipe(Flag.withDescription("Only this webhook, which may be deleted"), optional)
}

type Given = Command.Command.Config.Infer<typeof flags>

const explainLocally = Effect.fnUntraced(function* (given: Given, asJson: boolean) {
  const explanations = yield* Explanations
  const { account: accountId, network = "mainnet", webhook: webhookId } = given
  if (accountId !== undefined) yield* findAccount(accountId)
  const whose = { accountId, webhookId, networks }
  if (webhookId !== undefined && !(yield* explanations.hasWebhook(whose, webhookId)))
    return yield* failed(
      `there is no webhook ${webhookId}${accountId === undefined ? "" : ` of ${accountId}`}; \`ledgerhook webhook list\` shows them.`
    )
  const transaction = { hash: given.hash.toUpperCase(), network, ledgerIndex: given.ledger }
  const now = yield* Clock.currentTimeMillis
  const found = yield* explanations.explain(yield* LogReader, transaction, whose, now)
  const listed = { accountId, search: webhookId, health: undefined, beforeId: undefined }
  const webhooks = webhookSummaries(listed, SHOWN_WEBHOOKS)
  yield* show(explanationJson(transaction.hash, found), network, asJson, webhooks)
})

const contract = async () =>
  (await import("../../webhooks/WebhooksContract.ts")).webhooksApi.add(
    (await import("../../accounts/AccountContract.ts")).Account,
    (await import("../ExplainContract.ts")).Explain
  )
type Api = ServiceApi<typeof Explain | typeof Account | typeof Webhooks>

/** Asks about each network of the key, until one knows the transaction's ledger. */
const explainAt = Effect.fnUntraced(function* (api: Api, given: Given, asJson: boolean) {
  const ofKey = Effect.map(api.account.get(), ({ key }) => networksOf(key.environment))
  const asked = given.network === undefined ? yield* ofKey : [given.network]
  const query = defined({
    ledger_index: given.ledger === undefined ? undefined : String(given.ledger),
    webhook_id: given.webhook
  })
  const search = defined({ limit: String(SHOWN_WEBHOOKS), search: given.webhook })
  // A key that may not list webhooks sees ids only.
  const webhooks = api.webhooks.list({ query: search }).pipe(
    Effect.map(({ data }) => data),
    Effect.orElseSucceed(() => [])
  )
  for (const [i, network] of asked.entries()) {
    const explained = yield* api.explain.explain({ query: { ...query, transaction: given.hash, network } })
    if (explained.ledger !== null || i === asked.length - 1)
      return yield* show(explained, network, asJson, webhooks)
  }
})

export const explain = Command.make(
  "explain",
  { ...flags, json },
  Effect.fnUntraced(function* ({ json: asJson, ...given }) {
    if (!(yield* usesService)) return yield* Effect.provide(explainLocally(given, asJson), explainStores)
    yield* localOnly("--account", given.account)
    yield* withService(contract, (api) => explainAt(api, given, asJson))
  })
).pipe(
  about(
    "Explain why webhooks got a transaction's events, or did not",
    "Ask the service in LEDGERHOOK_URL (with a key with the scope deliveries:read; names of webhooks need webhooks:read) or, without it, the local database. Show whether the transaction's ledger was taken, which events the transaction caused, and for each webhook whether it wanted them, why it got them or did not, and the newest delivery. docs/receiving.md explains each REASON. What a webhook wants is judged by its settings of now.",
    {
      "ledgerhook explain 4692464C16F25429595B3441E48A5386FF3EE73F83B0CA778A6BA2ABDD6A878D":
        "For the newest webhooks of all accounts",
      "ledgerhook explain 4692464C16F25429595B3441E48A5386FF3EE73F83B0CA778A6BA2ABDD6A878D --webhook wh_01K…":
        "For one webhook"
    }
  )
)
