/** A Python client that openapi-python-client makes from the published document type-checks, and types each event. */
import { writeFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { apiLayer } from "../support/http/api.ts"
import { pythonEnvironment } from "../support/servers/python.ts"
import { clientFolder, customer, DOCUMENT, expected, succeeds } from "./generatedClients.ts"

const { missing, python } = pythonEnvironment("openapi-python-client==0.29.1", "mypy==2.4.1")

const program = `import os

from ledgerhook_client import AuthenticatedClient
from ledgerhook_client.api.events import list_events
from ledgerhook_client.api.webhooks import create_webhook, list_webhooks
from ledgerhook_client.models import (
    CreatedWebhook,
    EventPage,
    EventPattern,
    NewWebhook,
    NftMintedApiEvent,
    PaymentXrpApiEvent,
    WebhookPage,
)

client = AuthenticatedClient(base_url=os.environ["LEDGERHOOK_URL"], token=os.environ["LEDGERHOOK_API_KEY"])
patterns = [EventPattern.PAYMENT, EventPattern.NFT]
created = create_webhook.sync(
    client=client, body=NewWebhook(url="https://example.com/hook", event_types=patterns)
)
assert isinstance(created, CreatedWebhook), created
webhooks = list_webhooks.sync(client=client)
assert isinstance(webhooks, WebhookPage), webhooks
for webhook in webhooks.data:
    print("webhook", webhook.url, ",".join(webhook.event_types))
events = list_events.sync(client=client, event_type=patterns)
assert isinstance(events, EventPage), events
for event in events.data:
    if isinstance(event, PaymentXrpApiEvent):
        print(event.event_type, event.payload.sender, event.payload.amount)
    elif isinstance(event, NftMintedApiEvent):
        print(event.event_type, event.payload.nftoken_id)
`

describe.skipIf(missing !== undefined)(
  `a Python client by openapi-python-client${missing === undefined ? "" : ` (no ${missing} here)`}`,
  () => {
    const cwd = clientFolder()

    it.live(
      "is generated without a warning, type-checks, lists webhooks and reads events by their type",
      () =>
        Effect.gen(function* () {
          const programs = dirname(python)
          // The generator formats its output with ruff, which it looks for on the path.
          const env = { PATH: `${programs}${delimiter}${process.env["PATH"]}` }
          const generator = join(programs, "openapi-python-client")
          const output = ["--output-path", "client", "--fail-on-warning"]
          const said = yield* succeeds(generator, ["generate", "--path", DOCUMENT, ...output], { cwd, env })
          assert.strictEqual(said.trim(), "Generating client")
          writeFileSync(join(cwd, "client/program.py"), program)
          const inClient = { cwd: join(cwd, "client"), env: { ...env, ...(yield* customer) } }
          yield* succeeds(python, ["-m", "mypy", "--strict", "."], inClient)
          const printed = yield* succeeds(python, ["program.py"], inClient)
          assert.strictEqual(printed.trim(), expected)
        }).pipe(Effect.provide(apiLayer())),
      300_000
    )
  }
)
