/**
 * Receivers with webhooks on mainnet, for tests of the dashboard's pages of deliveries and events: one that accepts,
 * one that fails with a hostile response until it is repaired, and one that asks for no event that happens.
 */
import { Context, Effect, Layer } from "effect"
import { makeReceiver, type Receiver } from "../deliver/receiver.ts"
import { apiClient, type CreatedWebhook, createWebhook } from "../http/apiClient.ts"
import { DashboardService } from "./dashboardService.ts"

/** What a viewer must see as text: a script, a mark that reorders text, a space without width, and a long word. */
export const HOSTILE = `<script>window.hacked = true</script><img src=x onerror="window.hacked = true">\u202eabc\u200b`
export const HOSTILE_SHOWN = `<script>window.hacked = true</script><img src=x onerror="window.hacked = true">⟨U+202E⟩abc⟨U+200B⟩`
export const LONG = "W".repeat(10_000)

export class Receivers extends Context.Service<
  Receivers,
  {
    readonly accepting: Receiver & { readonly webhook: CreatedWebhook }
    readonly failing: Receiver & { readonly webhook: CreatedWebhook }
    /** From now on, the failing receiver accepts. */
    readonly repair: Effect.Effect<void>
    /** From now on, it fails again. A test that repairs it begins with this, so that it can be run twice. */
    readonly breakAgain: Effect.Effect<void>
    /** Closes a ledger, and waits until both receivers have got an event of it. Returns its index. */
    readonly happen: Effect.Effect<number>
  }
>()("ledgerhook/test/DashboardReceivers") {}

export const receivers = Layer.effect(
  Receivers,
  Effect.gen(function* () {
    const { url, liveKey, closeLedger } = yield* DashboardService
    const client = apiClient(url, liveKey)
    let repaired = false
    const accepting = yield* makeReceiver()
    const failing = yield* makeReceiver((_, response) => {
      if (repaired) return 200
      response.writeHead(503, { "x-hostile": "<script>window.hacked = true</script>" }).end(HOSTILE + LONG)
      return "handled"
    })
    const register = (receiver: Receiver, description: string, eventTypes: ReadonlyArray<string>) =>
      createWebhook(client, {
        url: receiver.url,
        description,
        event_types: eventTypes,
        network: "mainnet"
      }).pipe(Effect.orDie)
    const first = yield* register(accepting, "Accepting", ["*"])
    const second = yield* register(failing, `Failing ${HOSTILE}`, ["*"])
    yield* register(yield* makeReceiver(), "Not concerned", ["account.deleted"])
    const happen = Effect.gen(function* () {
      const { header } = yield* closeLedger
      for (const receiver of [accepting, failing]) {
        yield* receiver.until((received) =>
          received.some(({ event }) => event["ledger_index"] === header.ledger_index)
        )
      }
      return header.ledger_index
    })
    return {
      accepting: { ...accepting, webhook: first },
      failing: { ...failing, webhook: second },
      repair: Effect.sync(() => {
        repaired = true
      }),
      breakAgain: Effect.sync(() => {
        repaired = false
      }),
      happen
    }
  })
)
