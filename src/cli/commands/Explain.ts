/** `ledgerhook explain`: why webhooks got, or did not get, the events of a transaction. */
import { Clock, Effect, Layer } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { explanationJson } from "../../coverage/ExplanationJson.ts"
import { Explanations } from "../../coverage/Explanations.ts"
import { isTransactionHash } from "../../domain/EventId.ts"
import { networks } from "../../domain/Network.ts"
import { printable } from "../../domain/Printable.ts"
import { logReaderLayer } from "../../LogAdapter.ts"
import { LogReader } from "../../log/Log.ts"
import { BackfillStore } from "../../storage/events/BackfillStore.ts"
import { EventQueries } from "../../storage/events/EventQueries.ts"
import { accountFlag, findAccount, stores, webhookFlag } from "../Stores.ts"
import { GREEN, RED } from "../terminal/Colour.ts"
import { failed } from "../terminal/Failure.ts"
import { optional } from "../terminal/Flags.ts"
import { about } from "../terminal/Help.ts"
import { Invocation, settings, stdoutColour } from "../terminal/Invocation.ts"
import { printableLines } from "../terminal/JsonText.ts"
import { print } from "../terminal/Output.ts"
import { type Column, inJson, json, makeTable } from "../terminal/Table.ts"
import { ledgerIndex, network } from "./ledger/Flags.ts"

type Explained = ReturnType<typeof explanationJson>

interface Line {
  readonly eventType: string
  readonly webhook: Explained["events"][number]["webhooks"][number]
}

const columns: ReadonlyArray<Column<Line>> = [
  { head: "EVENT", cell: ({ eventType }) => eventType },
  { head: "WEBHOOK", cell: ({ webhook }) => webhook.webhook_id },
  { head: "WANTED", cell: ({ webhook }) => (webhook.wanted ? "yes" : "no") },
  { head: "REASON", cell: ({ webhook }) => webhook.reason },
  { head: "DELIVERY", cell: ({ webhook }) => webhook.delivery?.id ?? "-" },
  {
    head: "STATUS",
    cell: ({ webhook }) => webhook.delivery?.status ?? "-",
    colour: ({ webhook: { delivery } }) =>
      delivery?.status === "delivered" ? GREEN : delivery?.status === "failed" ? RED : undefined
  }
]

/** The lines above and below the table. */
const notesOf = ({ events, events_count, ledger, webhooks_count }: Explained) => {
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

const printTable = Effect.fnUntraced(function* (explained: Explained) {
  const { ledger, more } = notesOf(explained)
  const lines = explained.events.flatMap(({ event_type, webhooks }) =>
    webhooks.map((webhook): Line => ({ eventType: event_type, webhook }))
  )
  const table = makeTable(columns, stdoutColour(yield* Invocation))
  yield* print([ledger, ...(lines.length === 0 ? [] : ["", ...table.lines(lines, true)]), ...more].join("\n"))
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

export const explain = Command.make(
  "explain",
  {
    hash,
    network,
    ledger: ledgerIndex(
      "ledger",
      "The ledger that the transaction is in, where it is older than deliveries"
    ).pipe(optional),
    account: accountFlag.pipe(Flag.withDescription("Only this account's webhooks"), optional),
    webhook: webhookFlag.pipe(Flag.withDescription("Only this webhook, which may be deleted"), optional),
    json
  },
  Effect.fnUntraced(function* ({ json: asJson, ...given }) {
    const explanations = yield* Explanations
    const { account: accountId, webhook: webhookId } = given
    if (accountId !== undefined) yield* findAccount(accountId)
    const whose = { accountId, webhookId, networks }
    if (webhookId !== undefined && !(yield* explanations.hasWebhook(whose, webhookId)))
      return yield* failed(
        `there is no webhook ${webhookId}${accountId === undefined ? "" : ` of ${accountId}`}; \`ledgerhook webhook list\` shows them.`
      )
    const transaction = {
      hash: given.hash.toUpperCase(),
      network: given.network,
      ledgerIndex: given.ledger
    }
    const now = yield* Clock.currentTimeMillis
    const found = yield* explanations.explain(yield* LogReader, transaction, whose, now)
    const explained = explanationJson(transaction.hash, found)
    if (!inJson(yield* Invocation, asJson)) return yield* printTable(explained)
    yield* print(printableLines(JSON.stringify(explained, null, 2)))
  })
).pipe(
  Command.provide(explainStores),
  about(
    "Explain why webhooks got a transaction's events, or did not",
    "Show whether the transaction's ledger was taken, which events the transaction caused, and for each webhook whether it wanted them, why it got them or did not, and the newest delivery. docs/receiving.md explains each REASON. What a webhook wants is judged by its settings of now.",
    {
      "ledgerhook explain 4692464C16F25429595B3441E48A5386FF3EE73F83B0CA778A6BA2ABDD6A878D":
        "For the newest webhooks of all accounts",
      "ledgerhook explain 4692464C16F25429595B3441E48A5386FF3EE73F83B0CA778A6BA2ABDD6A878D --webhook wh_01K…":
        "For one webhook"
    }
  )
)
