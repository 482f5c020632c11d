/** A validation error lists everything at once: what the schema finds, and what rules beside it find. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { refused } from "../http/refused.ts"
import { apiLayer } from "../support/http/api.ts"

type Json = Readonly<Record<string, unknown>>

const FIRST = "2026-01-01T00:00:00Z"
const SECOND = "2026-01-02T00:00:00Z"
const GOOD = "rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX"
const ADDRESS = "rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxY"
const TRANSFER = { tx_hash: "A".repeat(64), sender: GOOD, receiver: GOOD }
const id = "wh_01J8ZQ4T7M3VXN5K2D9RFBHCAE"
const event_ids = [`xrpl:1:${"A".repeat(64)}:payment.xrp`]

layer(apiLayer(), { excludeTestServices: true })("a validation error", (it) => {
  /** A request with faults of its form, and others that only a rule beside the schema finds. */
  const mixed: ReadonlyArray<
    readonly [request: string, body: Json | undefined, params: ReadonlyArray<string>]
  > = [
    [
      "POST /v1/webhooks",
      { url: "ftp://example.com", event_types: ["payment.xpr"], max_in_flight: 0 },
      ["/url", "/event_types/0", "/max_in_flight"]
    ],
    [
      "POST /v1/webhooks",
      { format: "x", network: "testnet", url: "http://example.com", event_types: ["*"] },
      ["/format", "/network", "/url"]
    ],
    [
      "POST /v1/webhooks",
      {
        url: "https://example.com",
        payload_filter: { taxon: 7 },
        event_types: ["payment.xrp"],
        signing: ["standard"],
        secret: "0123456789abcdef",
        colour: 1
      },
      ["/payload_filter/taxon", "/secret", "/colour"]
    ],
    // No rule is asked about a field that is wrong in its form.
    ["POST /v1/webhooks", { url: 5, event_types: ["*"], network: "x" }, ["/url", "/network"]],
    [`PATCH /v1/webhooks/${id}`, { url: "https://10.0.0.1", paused: 1 }, ["/url", "/paused"]],
    [
      "PUT /v1/account/notices",
      { url: "http://example.com", format: "slack", secret: `whsec_${"A".repeat(44)}`, types: ["x"] },
      ["/url", "/secret", "/types/0"]
    ],
    ["POST /v1/api-keys", { name: "a", scopes: ["admn"], expires_at: FIRST }, ["/scopes/0", "/expires_at"]],
    [
      "POST /v1/replay",
      {
        filters: {
          since: SECOND,
          until: FIRST,
          event_types: ["payment.xrp"],
          accounts: [ADDRESS],
          payload_filter: { taxon: 7 }
        },
        dry_run: "yes"
      },
      ["/filters/accounts/0", "/filters/since", "/filters/payload_filter/taxon", "/dry_run", "/webhook_id"]
    ],
    ["POST /v1/replay", { webhook_id: "x", event_ids, filters: {} }, ["/webhook_id", "/filters"]],
    // Something is given, so what is missing is not said.
    ["POST /v1/replay", { webhook_id: id, event_ids: ["x"] }, ["/event_ids/0"]],
    [
      "POST /v1/deliveries/retry",
      { webhook_id: id, statuses: ["sent"], since: SECOND, until: FIRST },
      ["/statuses/0", "/since"]
    ],
    [
      `POST /v1/webhooks/${id}/account-filters`,
      { add: [GOOD], remove: [GOOD], colour: 1 },
      ["/add/0", "/colour"]
    ],
    [`POST /v1/webhooks/${id}/account-filters`, { add: [ADDRESS] }, ["/add/0"]],
    [
      `POST /v1/webhooks/${id}/preview`,
      { event_types: ["payment.xrp"], payload_filter: { taxon: 7 }, events: 0 },
      ["/payload_filter/taxon", "/events"]
    ],
    [
      `POST /v1/webhooks/${id}/test?wait=1h`,
      { event_type: "payment.xrp", payload: { ...TRANSFER, amount: 5 }, colour: 1 },
      ["wait", "/payload/amount", "/colour"]
    ],
    [
      "POST /v1/events/preview",
      {
        network: "testnet",
        event_types: ["payment.xrp"],
        payload_filter: { taxon: 7 },
        account_filters: [ADDRESS]
      },
      ["/network", "/payload_filter/taxon", "/account_filters/0"]
    ],
    [
      `GET /v1/events?until=${FIRST}&since=${SECOND}&network=testnet&limit=0&ledger_index_min=2&ledger_index_max=1`,
      undefined,
      ["since", "network", "limit", "ledger_index_min"]
    ],
    // Both at once when the schema finds nothing, too.
    [`GET /v1/events?since=${SECOND}&until=${FIRST}&network=testnet`, undefined, ["network", "since"]],
    ["GET /v1/events/stream?network=testnet&account=x", undefined, ["network", "account"]],
    ["GET /v1/activity/stream?network=testnet&colour=1", undefined, ["network", "colour"]],
    ["GET /v1/ledgers/coverage?days=3&network=testnet", undefined, ["days", "network"]],
    ["GET /v1/ledgers/coverage?by=hours&days=3&network=testnet", undefined, ["by", "network"]],
    [
      "GET /v1/deliveries/stats?answer_times=true&interval=15m&period=1d",
      undefined,
      ["answer_times", "interval", "period"]
    ],
    ["GET /v1/deliveries/stats?answer_times=true&interval=15m", undefined, ["answer_times", "interval"]],
    ["GET /v1/deliveries/stats?answer_times=true&series=yes", undefined, ["series"]],
    [`GET /v1/deliveries?status=sent&since=${SECOND}&until=${FIRST}`, undefined, ["status", "since"]],
    [`GET /v1/incidents?limit=0&since=${SECOND}&until=${FIRST}`, undefined, ["limit", "since"]],
    ["GET /v1/explain?network=testnet", undefined, ["network", "transaction"]]
  ]
  for (const [request, body, params] of mixed)
    it.effect(`all faults come at once: ${request} ${JSON.stringify(body) ?? ""}`, () => {
      const [method, path] = request.split(" ") as [string, string]
      return Effect.map(refused(method, path, body), ({ errors, message }) => {
        assert.deepStrictEqual(
          errors.map(({ param }: Json) => param),
          params
        )
        assert.strictEqual(errors[0].message, message)
      })
    })
})
