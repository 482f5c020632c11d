// @ts-nocheck
/**
 * Ledgerhook
 * 0.1.0
 * DO NOT MODIFY - This file has been generated using oazapfts.
 * See https://www.npmjs.com/package/oazapfts
 */
import * as Oazapfts from "@oazapfts/runtime";
import * as QS from "@oazapfts/runtime/query";
export const defaults: Oazapfts.Defaults<Oazapfts.CustomHeaders> = {
    headers: {},
    baseUrl: "/"
};
const oazapfts = Oazapfts.runtime(defaults);
export const servers = {
    thisService: "/"
};
export type NewWebhook = {
    /** https, no user info, at most 2048 characters, a public address */
    url: string;
    /** event types as payment.xrp, families as nft.*, or * for every type */
    event_types: string[];
    /** mainnet with live keys; testnet (the default) or devnet with test keys */
    network?: "mainnet" | "testnet" | "devnet";
    /** a signing secret of your own; by default one is made */
    secret?: string;
    /** what it is for, in your words; null: nothing */
    description?: string | null;
    /** classic addresses, one of which an event must involve; empty, the default: every account */
    account_filters?: string[];
    /** sent with every delivery; up to 20, none of the service's own. Their values are not shown again */
    headers?: {
        [key: string]: string;
    };
    /** attempts at once at most, by default 16; 1 keeps ledger order strict */
    max_in_flight?: number;
    /** attempts a second at most; null, the default: no limit */
    max_per_second?: number | null;
};
export type CreatedWebhook = {
    /** the webhook's id */
    id: string;
    /** where deliveries go */
    url: string;
    /** in the customer's words */
    description: string | null;
    /** as they were given */
    event_types: string[];
    /** classic addresses; empty: every account. A list shows the first 100 of each webhook */
    account_filters: string[];
    /** how many there are in all */
    account_filters_count: number;
    /** mainnet with live keys; testnet (the default) or devnet with test keys */
    network: "mainnet" | "testnet" | "devnet";
    /** a disabled webhook gets nothing new; active enables it again */
    status: "active" | "disabled";
    /** failed deliveries since the last one that was delivered */
    consecutive_failures: number;
    /** attempts at once at most */
    max_in_flight: number;
    /** attempts a second at most; null: no limit */
    max_per_second: number | null;
    /** the names of the headers sent with every delivery; their values are not shown again, but as *** */
    headers: {
        [key: string]: string;
    };
    /** ISO 8601, UTC, milliseconds */
    created_at: string;
    /** ISO 8601, UTC, milliseconds */
    updated_at: string;
    /** null while it is active */
    disabled_at: string | null;
    /** null while it is active */
    disabled_reason: string | null;
    /** signs deliveries; shown here and at rotation only */
    secret: string;
};
export type ValidationError = {
    /** what is wrong */
    error: {
        /** for programs: stable */
        code: "VALIDATION_ERROR";
        /** for people: one sentence, whose wording may change */
        message: string;
    };
};
export type Unauthorized = {
    /** what is wrong */
    error: {
        /** for programs: stable */
        code: "UNAUTHORIZED";
        /** for people: one sentence, whose wording may change */
        message: string;
    };
};
export type Forbidden = {
    /** what is wrong */
    error: {
        /** for programs: stable */
        code: "FORBIDDEN";
        /** for people: one sentence, whose wording may change */
        message: string;
    };
};
export type MethodNotAllowed = {
    /** what is wrong */
    error: {
        /** for programs: stable */
        code: "METHOD_NOT_ALLOWED";
        /** for people: one sentence, whose wording may change */
        message: string;
    };
};
export type WebhookLimitReached = {
    /** what is wrong */
    error: {
        /** for programs: stable */
        code: "WEBHOOK_LIMIT_REACHED";
        /** for people: one sentence, whose wording may change */
        message: string;
    };
};
export type IdempotencyInProgress = {
    /** what is wrong */
    error: {
        /** for programs: stable */
        code: "IDEMPOTENCY_IN_PROGRESS";
        /** for people: one sentence, whose wording may change */
        message: string;
    };
};
export type PayloadTooLarge = {
    /** what is wrong */
    error: {
        /** for programs: stable */
        code: "PAYLOAD_TOO_LARGE";
        /** for people: one sentence, whose wording may change */
        message: string;
    };
};
export type UnsupportedMediaType = {
    /** what is wrong */
    error: {
        /** for programs: stable */
        code: "UNSUPPORTED_MEDIA_TYPE";
        /** for people: one sentence, whose wording may change */
        message: string;
    };
};
export type IdempotencyKeyReused = {
    /** what is wrong */
    error: {
        /** for programs: stable */
        code: "IDEMPOTENCY_KEY_REUSED";
        /** for people: one sentence, whose wording may change */
        message: string;
    };
};
export type RateLimited = {
    /** what is wrong */
    error: {
        /** for programs: stable */
        code: "RATE_LIMITED";
        /** for people: one sentence, whose wording may change */
        message: string;
    };
};
export type InternalError = {
    /** what is wrong */
    error: {
        /** for programs: stable */
        code: "INTERNAL_ERROR";
        /** for people: one sentence, whose wording may change */
        message: string;
    };
};
export type Unavailable = {
    /** what is wrong */
    error: {
        /** for programs: stable */
        code: "UNAVAILABLE";
        /** for people: one sentence, whose wording may change */
        message: string;
    };
};
export type Webhook = {
    /** the webhook's id */
    id: string;
    /** where deliveries go */
    url: string;
    /** in the customer's words */
    description: string | null;
    /** as they were given */
    event_types: string[];
    /** classic addresses; empty: every account. A list shows the first 100 of each webhook */
    account_filters: string[];
    /** how many there are in all */
    account_filters_count: number;
    /** mainnet with live keys; testnet (the default) or devnet with test keys */
    network: "mainnet" | "testnet" | "devnet";
    /** a disabled webhook gets nothing new; active enables it again */
    status: "active" | "disabled";
    /** failed deliveries since the last one that was delivered */
    consecutive_failures: number;
    /** attempts at once at most */
    max_in_flight: number;
    /** attempts a second at most; null: no limit */
    max_per_second: number | null;
    /** the names of the headers sent with every delivery; their values are not shown again, but as *** */
    headers: {
        [key: string]: string;
    };
    /** ISO 8601, UTC, milliseconds */
    created_at: string;
    /** ISO 8601, UTC, milliseconds */
    updated_at: string;
    /** null while it is active */
    disabled_at: string | null;
    /** null while it is active */
    disabled_reason: string | null;
};
export type WebhookPage = {
    /** the items, newest first */
    data: Webhook[];
    /** whether older items follow */
    has_more: boolean;
    /** the cursor of the next page; null on the last */
    next_cursor: string | null;
};
export type NotFound = {
    /** what is wrong */
    error: {
        /** for programs: stable */
        code: "NOT_FOUND";
        /** for people: one sentence, whose wording may change */
        message: string;
    };
};
export type WebhookChange = {
    /** https, no user info, at most 2048 characters, a public address */
    url?: string;
    /** event types as payment.xrp, families as nft.*, or * for every type */
    event_types?: string[];
    /** a disabled webhook gets nothing new; active enables it again */
    status?: "active" | "disabled";
    /** what it is for, in your words; null: nothing */
    description?: string | null;
    /** classic addresses, one of which an event must involve; empty, the default: every account */
    account_filters?: string[];
    /** sent with every delivery; up to 20, none of the service's own. Their values are not shown again */
    headers?: {
        [key: string]: string;
    };
    /** attempts at once at most, by default 16; 1 keeps ledger order strict */
    max_in_flight?: number;
    /** attempts a second at most; null, the default: no limit */
    max_per_second?: number | null;
};
export type SecretRotation = {
    /** for how long the secret until now signs too, as the second signature of X-Service-Signature; by default 0 */
    grace_seconds?: number;
};
export type RotatedSecret = {
    /** the webhook's id */
    id: string;
    /** the new secret, shown this once */
    secret: string;
    /** ISO 8601, UTC, milliseconds */
    rotated_at: string;
};
export type TestEvent = {
    /** of the event to make up */
    event_type: "account.created" | "account.settings_changed" | "trustline.created" | "trustline.modified" | "trustline.deleted" | "nft.minted" | "nft.burned" | "nft.offer_created" | "nft.offer_accepted" | "nft.offer_cancelled" | "escrow.created" | "escrow.finished" | "escrow.cancelled" | "check.created" | "check.cashed" | "check.cancelled" | "dex.offer_partial" | "dex.offer_filled" | "dex.offer_cancelled" | "dex.offer_created" | "payment.xrp" | "payment.issued" | "account.deleted";
};
export type QueuedTest = {
    /** under which it is in the deliveries */
    delivery_id: string;
};
export type WebhookDisabled = {
    /** what is wrong */
    error: {
        /** for programs: stable */
        code: "WEBHOOK_DISABLED";
        /** for people: one sentence, whose wording may change */
        message: string;
    };
};
export type Delivery = {
    /** X-Service-Delivery-Id of its attempts */
    id: string;
    /** the webhook it goes to */
    webhook_id: string;
    /** the event it brings */
    event_id: string;
    /** of that event */
    event_type: string;
    /** pending: before its first attempt; retrying: before another; delivered; failed: only by hand again */
    status: "pending" | "retrying" | "delivered" | "failed";
    /** attempts that came to an end */
    attempts: number;
    /** short and stable, as HTTP 503; null after a success */
    last_error: string | null;
    /** ISO 8601, UTC, milliseconds */
    created_at: string;
    /** ISO 8601, UTC, milliseconds */
    updated_at: string;
};
export type DeliveryPage = {
    /** the items, newest first */
    data: Delivery[];
    /** whether older items follow */
    has_more: boolean;
    /** the cursor of the next page; null on the last */
    next_cursor: string | null;
};
export type DeliveryStatsPoint = {
    /** where the point begins; the first counts only what is in the period */
    at: string;
    /** of those created in it */
    delivered: number;
    /** of those created in it */
    failed: number;
    /** of those created in it, the retrying ones included */
    pending: number;
    /** response time that 50% of delivered ones stayed within, off by an eighth at most; null where there is none */
    p50_ms: number | null;
    /** response time that 99% of delivered ones stayed within, off by an eighth at most; null where there is none */
    p99_ms: number | null;
};
export type DeliveryStats = {
    /** the period that was asked for */
    period: "1h" | "24h" | "7d" | "30d";
    /** delivered, failed and pending */
    total: number;
    /** deliveries that arrived */
    delivered: number;
    /** deliveries that did not, and are not tried again by themselves */
    failed: number;
    /** those still to be sent, the retrying ones included */
    pending: number;
    /** percent of delivered and failed that were delivered, two decimals; 0 where none is finished */
    success_rate: number;
    /** mean response time of the last attempt of delivered ones, two decimals; 0 where there is none */
    avg_latency_ms: number;
    /** with series=true, oldest first, without gaps: a point a minute (1h), an hour (24h), 6 hours (7d) or a day (30d) */
    series?: DeliveryStatsPoint[];
};
export type Attempt = {
    /** from 1, on through manual retries */
    attempt: number;
    /** how it ended */
    status: "failed" | "delivered";
    /** HTTP status of the endpoint's answer; null where there was none */
    response_status: number | null;
    /** until that answer; null where there was none */
    response_time_ms: number | null;
    /** absent on success */
    error?: string;
    /** when it began */
    attempted_at: string;
};
export type DeliveryDetail = {
    /** X-Service-Delivery-Id of its attempts */
    id: string;
    /** the webhook it goes to */
    webhook_id: string;
    /** the event it brings */
    event_id: string;
    /** of that event */
    event_type: string;
    /** pending: before its first attempt; retrying: before another; delivered; failed: only by hand again */
    status: "pending" | "retrying" | "delivered" | "failed";
    /** attempts that came to an end */
    attempts: number;
    /** short and stable, as HTTP 503; null after a success */
    last_error: string | null;
    /** ISO 8601, UTC, milliseconds */
    created_at: string;
    /** ISO 8601, UTC, milliseconds */
    updated_at: string;
    /** HTTP status of the endpoint's answer; null where there was none */
    response_status: number | null;
    /** until that answer; null where there was none */
    response_time_ms: number | null;
    /** the body that is sent, byte by byte; null before the first attempt */
    request_body: string | null;
    /** of the last answer, cut at 16 KiB; null where there was none */
    response_body: string | null;
    /** every attempt, oldest first */
    attempt_history: Attempt[];
};
export type RetriedDelivery = {
    /** the same id as before */
    delivery_id: string;
    /** queued again */
    status: "pending";
};
export type QuotaExceeded = {
    /** what is wrong */
    error: {
        /** for programs: stable */
        code: "QUOTA_EXCEEDED";
        /** for people: one sentence, whose wording may change */
        message: string;
    };
};
export type DeliveryNotFailed = {
    /** what is wrong */
    error: {
        /** for programs: stable */
        code: "DELIVERY_NOT_FAILED";
        /** for people: one sentence, whose wording may change */
        message: string;
    };
};
export type NewReplayJob = {
    /** wh_ and 26 characters */
    webhook_id: string;
    /** the events; duplicates count once, and one that is not there counts as failed */
    event_ids?: string[];
    /** Compared with the events themselves, not with the webhook's own filters; none of them means all that is kept. */
    filters?: {
        /** event types as payment.xrp, families as nft.*, or *; all types by default */
        event_types?: string[];
        /** classic addresses that an event must involve one of; all events by default */
        accounts?: string[];
        /** ISO 8601 date-time with an offset; exclusive */
        since?: string;
        /** ISO 8601 date-time with an offset; exclusive */
        until?: string;
    };
};
export type QueuedReplayJob = {
    /** the job */
    job_id: string;
    /** waits for its turn */
    status: "queued";
    /** where the events go */
    webhook_id: string;
    /** how many events will be queued: exact for event_ids; for filters an estimate, which is exact up to 3000 events and within about 10 % above, and may lack events of the last seconds */
    estimated_events: number;
    /** ISO 8601, UTC, milliseconds */
    created_at: string;
};
export type PlanRequired = {
    /** what is wrong */
    error: {
        /** for programs: stable */
        code: "PLAN_REQUIRED";
        /** for people: one sentence, whose wording may change */
        message: string;
    };
};
export type ReplayLimitReached = {
    /** what is wrong */
    error: {
        /** for programs: stable */
        code: "REPLAY_LIMIT_REACHED";
        /** for people: one sentence, whose wording may change */
        message: string;
    };
};
export type ReplayJob = {
    /** the job */
    job_id: string;
    /** queued; running; completed: everything is queued for delivery; cancelled; failed */
    status: "queued" | "running" | "completed" | "cancelled" | "failed";
    /** where the events go */
    webhook_id: string;
    /** an estimate until the job has completed, then exact */
    total_events: number;
    /** queued for delivery */
    processed_events: number;
    /** that could not be queued, counted when the job ends: unknown ids, or what a job that failed had left */
    failed_events: number;
    /** why it failed; null otherwise */
    error: string | null;
    /** ISO 8601, UTC, milliseconds */
    created_at: string;
    /** when everything was queued; null until then */
    completed_at: string | null;
};
export type ReplayJobPage = {
    /** the items, newest first */
    data: ReplayJob[];
    /** whether older items follow */
    has_more: boolean;
    /** the cursor of the next page; null on the last */
    next_cursor: string | null;
};
export type ReplayJobDetail = {
    /** the job */
    job_id: string;
    /** queued; running; completed: everything is queued for delivery; cancelled; failed */
    status: "queued" | "running" | "completed" | "cancelled" | "failed";
    /** where the events go */
    webhook_id: string;
    /** an estimate until the job has completed, then exact */
    total_events: number;
    /** queued for delivery */
    processed_events: number;
    /** that could not be queued, counted when the job ends: unknown ids, or what a job that failed had left */
    failed_events: number;
    /** why it failed; null otherwise */
    error: string | null;
    /** ISO 8601, UTC, milliseconds */
    created_at: string;
    /** when everything was queued; null until then */
    completed_at: string | null;
    /** of what there is to read, two decimals; 100 when completed */
    progress_percent: number;
    /** what it will still take at its pace so far; null unless it runs */
    eta_seconds: number | null;
    /** ledgers that closed before the service's first one: there only where filters.since asks for them and the service has servers for them */
    history?: {
        /** how many had to be fetched first; null while that is being found out */
        ledgers: number | null;
        /** how many of them have been */
        fetched_ledgers: number;
    };
};
export type CancelledReplayJob = {
    /** the job */
    job_id: string;
    /** nothing more is queued */
    status: "cancelled";
    /** what was queued by then, and may still be delivered */
    processed_events: number;
    /** ISO 8601, UTC, milliseconds */
    cancelled_at: string;
};
export type JobNotCancellable = {
    /** what is wrong */
    error: {
        /** for programs: stable */
        code: "JOB_NOT_CANCELLABLE";
        /** for people: one sentence, whose wording may change */
        message: string;
    };
};
export type Event = {
    /** the same wherever and whenever it is seen */
    event_id: string;
    /** what happened */
    event_type: "account.created" | "account.settings_changed" | "trustline.created" | "trustline.modified" | "trustline.deleted" | "nft.minted" | "nft.burned" | "nft.offer_created" | "nft.offer_accepted" | "nft.offer_cancelled" | "escrow.created" | "escrow.finished" | "escrow.cancelled" | "check.created" | "check.cashed" | "check.cancelled" | "dex.offer_partial" | "dex.offer_filled" | "dex.offer_cancelled" | "dex.offer_created" | "payment.xrp" | "payment.issued" | "account.deleted";
    /** of the ledger it happened in */
    ledger_index: number;
    /** when its ledger closed: ISO 8601, UTC, whole seconds */
    timestamp: string;
    /** where it happened */
    network: "mainnet" | "testnet" | "devnet";
    /** the event's own fields, by its type */
    payload: object;
};
export type EventPage = {
    /** the items, newest first */
    data: Event[];
    /** whether older items follow */
    has_more: boolean;
    /** the cursor of the next page; null on the last */
    next_cursor: string | null;
};
export type LedgerRef = {
    /** its number */
    ledger_index: number;
    /** 64 upper-case hex digits */
    ledger_hash: string;
    /** ISO 8601, UTC, whole seconds */
    close_time: string;
};
export type LedgerRange = {
    /** the oldest of them */
    first: LedgerRef;
    /** the newest of them */
    last: LedgerRef;
    /** how many: both ends and every ledger between them */
    ledgers: number;
    /** whether the simulated ledger made them, which plays a test network that has no servers */
    simulated: boolean;
};
export type LedgerHead = {
    /** its number */
    ledger_index: number;
    /** when a server announced it */
    announced_at: string;
    /** since then */
    age_ms: number;
};
export type LedgerCatchUp = {
    /** the first ledger still to be taken */
    "from": number;
    /** the last one */
    to: number;
    /** how many */
    ledgers: number;
    /** over the last half minute; null while there is too little to tell */
    ledgers_per_second: number | null;
    /** at that rate */
    seconds_left: number | null;
};
export type NetworkCoverage = {
    /** the network */
    network: "mainnet" | "testnet" | "devnet";
    /** whether the service follows this network */
    watched: boolean;
    /** the ledgers taken whose events are still kept; oldest first. Normally one range */
    ranges: LedgerRange[];
    /** the newest validated ledger that a server has announced; null while none has */
    head: LedgerHead | null;
    /** ledgers still to be taken; null when the newest is taken or on its way */
    catching_up: LedgerCatchUp | null;
};
export type LedgerCoverage = {
    /** the networks of the key's environment */
    data: NetworkCoverage[];
};
export type NewApiKey = {
    /** to tell it from others by */
    name: string;
    /** what it may do: no more than the calling key */
    scopes: ("webhooks:read" | "webhooks:write" | "deliveries:read" | "deliveries:write" | "events:read" | "api_keys:read" | "api_keys:write" | "admin")[];
    /** by default that of the calling key; a test key makes test keys only */
    environment?: "live" | "test";
    /** ISO 8601 date-time with an offset, in the future; absent or null: never */
    expires_at?: string | null;
};
export type CreatedApiKey = {
    /** the key's id, not its value */
    id: string;
    /** as it was given */
    name: string;
    /** what it may do */
    scopes: ("webhooks:read" | "webhooks:write" | "deliveries:read" | "deliveries:write" | "events:read" | "api_keys:read" | "api_keys:write" | "admin")[];
    /** live: mainnet; test: testnet and devnet */
    environment: "live" | "test";
    /** ISO 8601, UTC, milliseconds */
    created_at: string;
    /** null: never */
    expires_at: string | null;
    /** exact to a minute; null: never */
    last_used_at: string | null;
    /** null while it is not revoked */
    revoked_at: string | null;
    /** the value of X-Service-Key; shown here only */
    key: string;
};
export type KeyLimitReached = {
    /** what is wrong */
    error: {
        /** for programs: stable */
        code: "KEY_LIMIT_REACHED";
        /** for people: one sentence, whose wording may change */
        message: string;
    };
};
export type ApiKey = {
    /** the key's id, not its value */
    id: string;
    /** as it was given */
    name: string;
    /** what it may do */
    scopes: ("webhooks:read" | "webhooks:write" | "deliveries:read" | "deliveries:write" | "events:read" | "api_keys:read" | "api_keys:write" | "admin")[];
    /** live: mainnet; test: testnet and devnet */
    environment: "live" | "test";
    /** ISO 8601, UTC, milliseconds */
    created_at: string;
    /** null: never */
    expires_at: string | null;
    /** exact to a minute; null: never */
    last_used_at: string | null;
    /** null while it is not revoked */
    revoked_at: string | null;
    /** to recognise it by: its beginning and its last four characters */
    key_hint: string;
};
export type ApiKeyPage = {
    /** the items, newest first */
    data: ApiKey[];
    /** whether older items follow */
    has_more: boolean;
    /** the cursor of the next page; null on the last */
    next_cursor: string | null;
};
export type Account = {
    /** the account's id */
    id: string;
    /** the account's name */
    name: string;
    /** where mails go; null: nowhere */
    email: string | null;
    /** decides the limits */
    plan: "developer" | "builder" | "professional" | "compliance" | "enterprise";
    /** the plan's, with what the account has of its own */
    limits: {
        /** of each key */
        requests_per_minute: number;
        /** of each key */
        requests_per_day: number;
        /** delivery attempts a UTC calendar month; null: no quota */
        monthly_deliveries: number | null;
        /** replays at once */
        concurrent_replays: number;
        /** webhooks, active or disabled */
        webhooks: number;
        /** addresses in the filters of all webhooks */
        account_filters: number;
        /** API keys that are neither revoked nor expired */
        api_keys: number;
    };
    /** what is used of the month's quota */
    usage: {
        /** this UTC calendar month */
        month: string;
        /** delivery attempts of this month that count */
        deliveries: number;
        /** delivery attempts a UTC calendar month; null: no quota */
        quota: number | null;
    };
};
export type Alive = {
    /** always ok */
    status: "ok";
};
export type PartHealth = {
    /** degraded: it works, with less than it should have */
    status: "ok" | "starting" | "degraded" | "failed";
    /** in a few words */
    detail: string;
    /** what programs may look at */
    facts?: {
        [key: string]: string | number | null;
    };
};
export type Ready = {
    /** every part is ok or degraded */
    status: "ok";
    /** by name */
    parts: {
        [key: string]: PartHealth;
    };
};
export type NotReady = {
    /** some part is neither ok nor degraded */
    status: "unavailable";
    /** by name */
    parts: {
        [key: string]: PartHealth;
    };
};
/**
 * Register a webhook
 */
export function createWebhook(newWebhook: NewWebhook, { xRequestId, idempotencyKey }: {
    xRequestId?: string;
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: CreatedWebhook;
    } | {
        status: 400;
        data: ValidationError;
    } | {
        status: 401;
        data: Unauthorized;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 405;
        data: MethodNotAllowed;
    } | {
        status: 409;
        data: WebhookLimitReached | IdempotencyInProgress;
    } | {
        status: 413;
        data: PayloadTooLarge;
    } | {
        status: 415;
        data: UnsupportedMediaType;
    } | {
        status: 422;
        data: IdempotencyKeyReused;
    } | {
        status: 429;
        data: RateLimited;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: Unavailable;
    }>("/v1/webhooks", oazapfts.json({
        ...opts,
        method: "POST",
        body: newWebhook,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId,
            "Idempotency-Key": idempotencyKey
        })
    }));
}
/**
 * List webhooks
 */
export function listWebhooks({ status, limit, cursor, xRequestId }: {
    status?: "active" | "disabled";
    limit?: number;
    cursor?: string;
    xRequestId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: WebhookPage;
    } | {
        status: 400;
        data: ValidationError;
    } | {
        status: 401;
        data: Unauthorized;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 405;
        data: MethodNotAllowed;
    } | {
        status: 429;
        data: RateLimited;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: Unavailable;
    }>(`/v1/webhooks${QS.query(QS.explode({
        status,
        limit,
        cursor
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId
        })
    });
}
/**
 * Show a webhook
 */
export function getWebhook(id: string, { xRequestId }: {
    xRequestId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Webhook;
    } | {
        status: 400;
        data: ValidationError;
    } | {
        status: 401;
        data: Unauthorized;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: NotFound;
    } | {
        status: 405;
        data: MethodNotAllowed;
    } | {
        status: 429;
        data: RateLimited;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: Unavailable;
    }>(`/v1/webhooks/${encodeURIComponent(id)}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId
        })
    });
}
/**
 * Change a webhook
 */
export function changeWebhook(id: string, webhookChange: WebhookChange, { xRequestId }: {
    xRequestId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Webhook;
    } | {
        status: 400;
        data: ValidationError;
    } | {
        status: 401;
        data: Unauthorized;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: NotFound;
    } | {
        status: 405;
        data: MethodNotAllowed;
    } | {
        status: 409;
        data: WebhookLimitReached;
    } | {
        status: 413;
        data: PayloadTooLarge;
    } | {
        status: 415;
        data: UnsupportedMediaType;
    } | {
        status: 429;
        data: RateLimited;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: Unavailable;
    }>(`/v1/webhooks/${encodeURIComponent(id)}`, oazapfts.json({
        ...opts,
        method: "PATCH",
        body: webhookChange,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId
        })
    }));
}
/**
 * Delete a webhook
 */
export function deleteWebhook(id: string, { xRequestId }: {
    xRequestId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 204;
    } | {
        status: 400;
        data: ValidationError;
    } | {
        status: 401;
        data: Unauthorized;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: NotFound;
    } | {
        status: 405;
        data: MethodNotAllowed;
    } | {
        status: 413;
        data: PayloadTooLarge;
    } | {
        status: 415;
        data: UnsupportedMediaType;
    } | {
        status: 429;
        data: RateLimited;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: Unavailable;
    }>(`/v1/webhooks/${encodeURIComponent(id)}`, {
        ...opts,
        method: "DELETE",
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId
        })
    });
}
/**
 * Rotate a webhook's secret
 */
export function rotateWebhookSecret(id: string, secretRotation?: SecretRotation, { xRequestId, idempotencyKey }: {
    xRequestId?: string;
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: RotatedSecret;
    } | {
        status: 400;
        data: ValidationError;
    } | {
        status: 401;
        data: Unauthorized;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: NotFound;
    } | {
        status: 405;
        data: MethodNotAllowed;
    } | {
        status: 409;
        data: IdempotencyInProgress;
    } | {
        status: 413;
        data: PayloadTooLarge;
    } | {
        status: 415;
        data: UnsupportedMediaType;
    } | {
        status: 422;
        data: IdempotencyKeyReused;
    } | {
        status: 429;
        data: RateLimited;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: Unavailable;
    }>(`/v1/webhooks/${encodeURIComponent(id)}/rotate-secret`, oazapfts.json({
        ...opts,
        method: "POST",
        body: secretRotation,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId,
            "Idempotency-Key": idempotencyKey
        })
    }));
}
/**
 * Send a test event
 */
export function testWebhook(id: string, testEvent: TestEvent, { xRequestId, idempotencyKey }: {
    xRequestId?: string;
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 202;
        data: QueuedTest;
    } | {
        status: 400;
        data: ValidationError;
    } | {
        status: 401;
        data: Unauthorized;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: NotFound;
    } | {
        status: 405;
        data: MethodNotAllowed;
    } | {
        status: 409;
        data: WebhookDisabled | IdempotencyInProgress;
    } | {
        status: 413;
        data: PayloadTooLarge;
    } | {
        status: 415;
        data: UnsupportedMediaType;
    } | {
        status: 422;
        data: IdempotencyKeyReused;
    } | {
        status: 429;
        data: RateLimited;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: Unavailable;
    }>(`/v1/webhooks/${encodeURIComponent(id)}/test`, oazapfts.json({
        ...opts,
        method: "POST",
        body: testEvent,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId,
            "Idempotency-Key": idempotencyKey
        })
    }));
}
/**
 * List deliveries
 */
export function listDeliveries({ webhookId, eventType, status, since, until, limit, cursor, xRequestId }: {
    webhookId?: string;
    eventType?: string;
    status?: "pending" | "retrying" | "delivered" | "failed";
    since?: string;
    until?: string;
    limit?: number;
    cursor?: string;
    xRequestId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: DeliveryPage;
    } | {
        status: 400;
        data: ValidationError;
    } | {
        status: 401;
        data: Unauthorized;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 405;
        data: MethodNotAllowed;
    } | {
        status: 429;
        data: RateLimited;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: Unavailable;
    }>(`/v1/deliveries${QS.query(QS.explode({
        webhook_id: webhookId,
        event_type: eventType,
        status,
        since,
        until,
        limit,
        cursor
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId
        })
    });
}
/**
 * Count deliveries
 */
export function getDeliveryStats({ webhookId, period, series, xRequestId }: {
    webhookId?: string;
    period?: "1h" | "24h" | "7d" | "30d";
    series?: boolean;
    xRequestId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: DeliveryStats;
    } | {
        status: 400;
        data: ValidationError;
    } | {
        status: 401;
        data: Unauthorized;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 405;
        data: MethodNotAllowed;
    } | {
        status: 429;
        data: RateLimited;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: Unavailable;
    }>(`/v1/deliveries/stats${QS.query(QS.explode({
        webhook_id: webhookId,
        period,
        series
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId
        })
    });
}
/**
 * Show a delivery
 */
export function getDelivery(id: string, { xRequestId }: {
    xRequestId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: DeliveryDetail;
    } | {
        status: 400;
        data: ValidationError;
    } | {
        status: 401;
        data: Unauthorized;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: NotFound;
    } | {
        status: 405;
        data: MethodNotAllowed;
    } | {
        status: 429;
        data: RateLimited;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: Unavailable;
    }>(`/v1/deliveries/${encodeURIComponent(id)}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId
        })
    });
}
/**
 * Retry a failed delivery
 */
export function retryDelivery(id: string, { xRequestId, idempotencyKey }: {
    xRequestId?: string;
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: RetriedDelivery;
    } | {
        status: 400;
        data: ValidationError;
    } | {
        status: 401;
        data: Unauthorized;
    } | {
        status: 402;
        data: QuotaExceeded;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: NotFound;
    } | {
        status: 405;
        data: MethodNotAllowed;
    } | {
        status: 409;
        data: DeliveryNotFailed | WebhookDisabled | IdempotencyInProgress;
    } | {
        status: 413;
        data: PayloadTooLarge;
    } | {
        status: 415;
        data: UnsupportedMediaType;
    } | {
        status: 422;
        data: IdempotencyKeyReused;
    } | {
        status: 429;
        data: RateLimited;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: Unavailable;
    }>(`/v1/deliveries/${encodeURIComponent(id)}/retry`, {
        ...opts,
        method: "POST",
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId,
            "Idempotency-Key": idempotencyKey
        })
    });
}
/**
 * Replay events
 */
export function createReplayJob(newReplayJob: NewReplayJob, { xRequestId, idempotencyKey }: {
    xRequestId?: string;
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 202;
        data: QueuedReplayJob;
    } | {
        status: 400;
        data: ValidationError;
    } | {
        status: 401;
        data: Unauthorized;
    } | {
        status: 402;
        data: QuotaExceeded;
    } | {
        status: 403;
        data: PlanRequired | Forbidden;
    } | {
        status: 404;
        data: NotFound;
    } | {
        status: 405;
        data: MethodNotAllowed;
    } | {
        status: 409;
        data: WebhookDisabled | ReplayLimitReached | IdempotencyInProgress;
    } | {
        status: 413;
        data: PayloadTooLarge;
    } | {
        status: 415;
        data: UnsupportedMediaType;
    } | {
        status: 422;
        data: IdempotencyKeyReused;
    } | {
        status: 429;
        data: RateLimited;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: Unavailable;
    }>("/v1/replay", oazapfts.json({
        ...opts,
        method: "POST",
        body: newReplayJob,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId,
            "Idempotency-Key": idempotencyKey
        })
    }));
}
/**
 * List replay jobs
 */
export function listReplayJobs({ limit, cursor, xRequestId }: {
    limit?: number;
    cursor?: string;
    xRequestId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ReplayJobPage;
    } | {
        status: 400;
        data: ValidationError;
    } | {
        status: 401;
        data: Unauthorized;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 405;
        data: MethodNotAllowed;
    } | {
        status: 429;
        data: RateLimited;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: Unavailable;
    }>(`/v1/replay${QS.query(QS.explode({
        limit,
        cursor
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId
        })
    });
}
/**
 * Show a replay job
 */
export function getReplayJob(jobId: string, { xRequestId }: {
    xRequestId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ReplayJobDetail;
    } | {
        status: 400;
        data: ValidationError;
    } | {
        status: 401;
        data: Unauthorized;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: NotFound;
    } | {
        status: 405;
        data: MethodNotAllowed;
    } | {
        status: 429;
        data: RateLimited;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: Unavailable;
    }>(`/v1/replay/${encodeURIComponent(jobId)}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId
        })
    });
}
/**
 * Cancel a replay job
 */
export function cancelReplayJob(jobId: string, { xRequestId }: {
    xRequestId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: CancelledReplayJob;
    } | {
        status: 400;
        data: ValidationError;
    } | {
        status: 401;
        data: Unauthorized;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: NotFound;
    } | {
        status: 405;
        data: MethodNotAllowed;
    } | {
        status: 409;
        data: JobNotCancellable;
    } | {
        status: 413;
        data: PayloadTooLarge;
    } | {
        status: 415;
        data: UnsupportedMediaType;
    } | {
        status: 429;
        data: RateLimited;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: Unavailable;
    }>(`/v1/replay/${encodeURIComponent(jobId)}`, {
        ...opts,
        method: "DELETE",
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId
        })
    });
}
/**
 * List events
 */
export function listEvents({ eventType, account, ledgerIndexMin, ledgerIndexMax, since, until, network, limit, cursor, xRequestId }: {
    eventType?: string[];
    account?: string;
    ledgerIndexMin?: number;
    ledgerIndexMax?: number;
    since?: string;
    until?: string;
    network?: "mainnet" | "testnet" | "devnet";
    limit?: number;
    cursor?: string;
    xRequestId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: EventPage;
    } | {
        status: 400;
        data: ValidationError;
    } | {
        status: 401;
        data: Unauthorized;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 405;
        data: MethodNotAllowed;
    } | {
        status: 429;
        data: RateLimited;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: Unavailable;
    }>(`/v1/events${QS.query(QS.explode({
        event_type: eventType,
        account,
        ledger_index_min: ledgerIndexMin,
        ledger_index_max: ledgerIndexMax,
        since,
        until,
        network,
        limit,
        cursor
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId
        })
    });
}
/**
 * Show an event
 */
export function getEvent(eventId: string, { network, xRequestId }: {
    network?: "mainnet" | "testnet" | "devnet";
    xRequestId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Event;
    } | {
        status: 400;
        data: ValidationError;
    } | {
        status: 401;
        data: Unauthorized;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: NotFound;
    } | {
        status: 405;
        data: MethodNotAllowed;
    } | {
        status: 429;
        data: RateLimited;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: Unavailable;
    }>(`/v1/events/${encodeURIComponent(eventId)}${QS.query(QS.explode({
        network
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId
        })
    });
}
/**
 * Show the ledgers taken
 */
export function getLedgerCoverage({ xRequestId }: {
    xRequestId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: LedgerCoverage;
    } | {
        status: 400;
        data: ValidationError;
    } | {
        status: 401;
        data: Unauthorized;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 405;
        data: MethodNotAllowed;
    } | {
        status: 429;
        data: RateLimited;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: Unavailable;
    }>("/v1/ledgers/coverage", {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId
        })
    });
}
/**
 * Make a key
 */
export function createApiKey(newApiKey: NewApiKey, { xRequestId, idempotencyKey }: {
    xRequestId?: string;
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: CreatedApiKey;
    } | {
        status: 400;
        data: ValidationError;
    } | {
        status: 401;
        data: Unauthorized;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 405;
        data: MethodNotAllowed;
    } | {
        status: 409;
        data: KeyLimitReached | IdempotencyInProgress;
    } | {
        status: 413;
        data: PayloadTooLarge;
    } | {
        status: 415;
        data: UnsupportedMediaType;
    } | {
        status: 422;
        data: IdempotencyKeyReused;
    } | {
        status: 429;
        data: RateLimited;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: Unavailable;
    }>("/v1/api-keys", oazapfts.json({
        ...opts,
        method: "POST",
        body: newApiKey,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId,
            "Idempotency-Key": idempotencyKey
        })
    }));
}
/**
 * List keys
 */
export function listApiKeys({ limit, cursor, xRequestId }: {
    limit?: number;
    cursor?: string;
    xRequestId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ApiKeyPage;
    } | {
        status: 400;
        data: ValidationError;
    } | {
        status: 401;
        data: Unauthorized;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 405;
        data: MethodNotAllowed;
    } | {
        status: 429;
        data: RateLimited;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: Unavailable;
    }>(`/v1/api-keys${QS.query(QS.explode({
        limit,
        cursor
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId
        })
    });
}
/**
 * Revoke a key
 */
export function revokeApiKey(id: string, { xRequestId }: {
    xRequestId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 204;
    } | {
        status: 400;
        data: ValidationError;
    } | {
        status: 401;
        data: Unauthorized;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: NotFound;
    } | {
        status: 405;
        data: MethodNotAllowed;
    } | {
        status: 413;
        data: PayloadTooLarge;
    } | {
        status: 415;
        data: UnsupportedMediaType;
    } | {
        status: 429;
        data: RateLimited;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: Unavailable;
    }>(`/v1/api-keys/${encodeURIComponent(id)}`, {
        ...opts,
        method: "DELETE",
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId
        })
    });
}
/**
 * Show the account
 */
export function getAccount({ xRequestId }: {
    xRequestId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Account;
    } | {
        status: 400;
        data: ValidationError;
    } | {
        status: 401;
        data: Unauthorized;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 405;
        data: MethodNotAllowed;
    } | {
        status: 429;
        data: RateLimited;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: Unavailable;
    }>("/v1/account", {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId
        })
    });
}
/**
 * Is the process alive
 */
export function getHealth({ xRequestId }: {
    xRequestId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Alive;
    } | {
        status: 400;
        data: ValidationError;
    } | {
        status: 405;
        data: MethodNotAllowed;
    } | {
        status: 500;
        data: InternalError;
    }>("/healthz", {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId
        })
    });
}
/**
 * Is the service ready
 */
export function getReadiness({ xRequestId }: {
    xRequestId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Ready;
    } | {
        status: 400;
        data: ValidationError;
    } | {
        status: 405;
        data: MethodNotAllowed;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: NotReady;
    }>("/readyz", {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId
        })
    });
}
