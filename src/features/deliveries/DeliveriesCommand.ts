/** `ledgerhook deliveries list` and `retry`, for deliveries of a service. */
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { type DeliveryStatus, deliveryStatuses } from "../../spine/domain/Delivery.ts"
import { isId } from "../../spine/words/Ids.ts"
import { iso } from "../../spine/words/IsoTime.ts"
import { GREEN, RED } from "../../terminal/Colour.ts"
import { several, wholeNumber, withDefault } from "../../terminal/Flags.ts"
import { about } from "../../terminal/Help.ts"
import { defined, itemsOf, withService } from "../../terminal/service/WithService.ts"
import { type Column, json, pageOf, printList, printOne } from "../../terminal/Table.ts"
import { checkSpan, timeFlag } from "../../terminal/WantedEvents.ts"
import { webhookIdOf, webhookNameFlag } from "../webhooks/command/NamedWebhook.ts"
import type { Delivery } from "./DeliveriesContract.ts"

const deliveriesContract = async () => (await import("./DeliveriesContract.ts")).deliveriesApi

export const statusColour = (status: DeliveryStatus | undefined): number | undefined =>
  status === "delivered" ? GREEN : status === "failed" ? RED : undefined

const columns: ReadonlyArray<Column<Delivery>> = [
  { head: "ID", cell: ({ id }) => id },
  { head: "STATUS", cell: ({ status }) => status, colour: ({ status }) => statusColour(status) },
  { head: "EVENT TYPE", cell: ({ event_type }) => event_type },
  { head: "WEBHOOK", cell: ({ webhook_id }) => webhook_id },
  { head: "ATTEMPTS", cell: ({ attempts }) => String(attempts) },
  { head: "CREATED", cell: ({ created_at }) => created_at },
  { head: "LAST ERROR", cell: ({ last_error }) => last_error ?? "" }
]

const MOST = 100_000
const DEFAULT = 20

const list = Command.make(
  "list",
  {
    webhook: webhookNameFlag,
    statuses: Flag.Literals("status", deliveryStatuses).pipe(
      Flag.withDescription("Only deliveries in this status; repeat it for several"),
      several
    ),
    since: timeFlag("since", "Only deliveries made after this time"),
    until: timeFlag("until", "Only deliveries made before this time"),
    limit: wholeNumber("limit", 1, MOST, `a number from 1 to ${MOST}`).pipe(
      withDefault<number>(DEFAULT, "How many to show")
    ),
    json
  },
  Effect.fnUntraced(function* ({ webhook, statuses, since, until, limit, json: asJson }) {
    yield* checkSpan(since, until)
    yield* withService(
      async () =>
        (await deliveriesContract()).add((await import("../webhooks/WebhooksContract.ts")).Webhooks),
      Effect.fnUntraced(function* (api) {
        const query = defined({
          webhook_id: webhook === undefined ? undefined : yield* webhookIdOf(api, webhook),
          status: statuses.length === 0 ? undefined : statuses,
          since: since === undefined ? undefined : iso(since),
          until: until === undefined ? undefined : iso(until)
        })
        const items = yield* itemsOf((page) => api.deliveries.list({ query: { ...query, ...page } }), limit)
        yield* printList({
          json: asJson,
          page: pageOf(items),
          columns,
          toJson: (delivery) => delivery,
          none: "There is no such delivery."
        })
      })
    )
  })
).pipe(
  about(
    "List deliveries",
    "List the deliveries of the service in LEDGERHOOK_URL, newest first. It needs a key with the scope deliveries:read; to name a webhook otherwise than by its id, webhooks:read too.",
    {
      "ledgerhook deliveries list": `The newest ${DEFAULT}`,
      "ledgerhook deliveries list --webhook shop --status failed --status retrying --limit 100":
        "Those of one webhook that were not delivered",
      "ledgerhook deliveries list --status failed --limit 1000 | jq -r '.[].id' | xargs ledgerhook deliveries retry":
        "Retry the failed ones"
    }
  )
)

const deliveryArgument = Argument.String("delivery").pipe(
  Argument.withDescription("The delivery's id, such as dlv_01K…"),
  Argument.filter(
    (id) => isId("dlv_", id),
    () => "a delivery's id (dlv_ and 26 characters); `ledgerhook deliveries list` shows them"
  ),
  Argument.atLeast(1)
)

const retry = Command.make(
  "retry",
  { deliveries: deliveryArgument, json },
  ({ deliveries: ids, json: asJson }) =>
    Effect.flatMap(
      withService(deliveriesContract, (api) =>
        Effect.forEach(ids, (id) => api.deliveries.retry({ params: { id } }))
      ),
      (retried) =>
        printOne({
          json: asJson,
          fields: retried.map(({ delivery_id, status }) => [delivery_id, status] as const),
          value: retried,
          note: "The next attempts are queued."
        })
    )
).pipe(
  about(
    "Retry deliveries now",
    "Retry failed and retrying deliveries of the service in LEDGERHOOK_URL now. It needs a key with the scope deliveries:write. The first one that cannot be retried ends the command; those before it are retried. To retry all of a webhook, use POST /v1/deliveries/retry, or `ledgerhook retry` on the service's machine.",
    { "ledgerhook deliveries retry dlv_01K… dlv_01K…": "Retry two" }
  )
)

export const deliveries = Command.make("deliveries").pipe(
  Command.withDescription("List and retry deliveries of a service"),
  Command.withSubcommands([list, retry])
)
