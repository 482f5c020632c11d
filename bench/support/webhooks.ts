/** Makes webhooks and events for benchmarks as the API and ingest do: rows, log records, and entries of the view. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Batch } from "../../src/spine/event/Batch.ts"
import { envelopeJson, eventsTopic, type LedgerEvent } from "../../src/spine/event/LedgerEvent.ts"
import { Log } from "../../src/spine/log/Log.ts"
import { configRecord, type WebhookRow } from "../../src/spine/registry/WebhookRow.ts"
import { column } from "../../src/spine/store/Columns.ts"
import { SecretBox } from "../../src/spine/store/secrets/SecretBox.ts"
import { randomId } from "../../src/spine/words/Ids.ts"

export const NETWORK = "mainnet"
export const SECRET = "whsec_of_the_benchmark"
const ACCOUNT_ID = "acct_benchmark"
const CREATED_MS = Date.parse("2026-11-01T00:00:00.000Z")
const DETECTED_MS = Date.parse("2026-11-21T09:30:00.000Z")
const FIRST_LEDGER = 90_000_000
const EVENTS_PER_LEDGER = 100

interface WebhookOptions {
  readonly maxInFlight?: number
  /** Accounts, in the order of the addresses. */
  readonly filters?: ReadonlyArray<ReadonlyArray<string>>
  readonly accountId?: string
  readonly batch?: Batch | undefined
}

/** A webhook for every event per address, of every account unless `filters` has some; returns their ids, in that order. */
export const makeWebhooks = Effect.fnUntraced(function* (
  urls: ReadonlyArray<string>,
  { maxInFlight = 16, filters = [], accountId = ACCOUNT_ID, batch }: WebhookOptions = {}
) {
  const sql = yield* SqlClient.SqlClient
  const log = yield* Log
  const secrets = yield* SecretBox
  yield* sql`
    INSERT INTO accounts (id, name, email, plan, created_at)
    VALUES (${accountId}, 'Benchmark', NULL, 'enterprise', now()) ON CONFLICT DO NOTHING`
  const ids = urls.map(() => randomId("wh_", CREATED_MS))
  const rows = yield* sql<WebhookRow>`
    INSERT INTO webhooks (id, account_id, network, url, event_types, account_filters, status, max_in_flight, headers,
                          batch, sealed_secret, created_at, updated_at)
    SELECT id, ${accountId}, ${NETWORK}, url, ARRAY['*'], ARRAY(SELECT jsonb_array_elements_text(filters::jsonb)),
           'active', ${maxInFlight}::int, '{}'::jsonb,
           ${batch === undefined ? null : JSON.stringify(batch)}::text::json, ${secrets.seal(SECRET)}, now(), now()
    FROM unnest(${column(ids)}::text[], ${column(urls)}::text[],
                ${column(urls.map((_, i) => JSON.stringify(filters[i] ?? [])))}::text[]) AS new (id, url, filters)
    RETURNING *`
  yield* log.transaction({ append: rows.map(configRecord) })
  return { accountId, ids }
})

/** `count` events whose envelopes have `bodyBytes` bytes; those of another `series` are of other ledgers. */
export const makeEvents = (count: number, bodyBytes: number, series: number): ReadonlyArray<LedgerEvent> =>
  Array.from({ length: count }, (_, i) => {
    const ledger = series * Math.ceil(count / EVENTS_PER_LEDGER) + Math.floor(i / EVENTS_PER_LEDGER)
    const position = i % EVENTS_PER_LEDGER
    const hash = `${ledger.toString(16)}A${position.toString(16)}`.toUpperCase().padStart(64, "0")
    const event = (memo: string): LedgerEvent => ({
      event_id: `xrpl:${FIRST_LEDGER + ledger}:${hash}:payment.xrp`,
      event_type: "payment.xrp",
      ledger_index: FIRST_LEDGER + ledger,
      timestamp: "2026-11-21T09:30:00Z",
      network: NETWORK,
      payload: {
        tx_hash: hash,
        sender: "rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX",
        receiver: "rLXrxX6X9Ep8mvWwDaw3ooRehYfqDjnzdJ",
        amount: String(1_000_000 + i),
        memo
      },
      accounts: ["rLXrxX6X9Ep8mvWwDaw3ooRehYfqDjnzdJ", "rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX"],
      position,
      detected_at: DETECTED_MS + ledger
    })
    // Digits of a running number: zeros alone would compress too well.
    const missing = bodyBytes - envelopeJson(event(""), `wh_${"0".repeat(26)}`).length
    const filler = Array.from({ length: Math.ceil(missing / 8) }, (_, n) =>
      ((i + 1) * 7_919 * (n + 1)).toString(36).slice(-8).padStart(8, "0")
    )
    return event(filler.join("").slice(0, Math.max(0, missing)))
  })

/** Appends events as ingest does; returns their offsets. */
export const appendEvents = Effect.fnUntraced(function* (events: ReadonlyArray<LedgerEvent>) {
  const log = yield* Log
  const positions = yield* log.transaction({
    append: events.map((event) => ({
      topic: eventsTopic(NETWORK),
      key: NETWORK,
      value: JSON.stringify(event)
    }))
  })
  return positions.map(({ offset }) => offset)
})
