// @ts-nocheck
/**
 * Ledgerhook
 * 0.3.0
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
export type EventPattern = "*" | "account.*" | "trustline.*" | "nft.*" | "escrow.*" | "check.*" | "dex.*" | "payment.*" | "account.created" | "account.settings_changed" | "trustline.created" | "trustline.modified" | "trustline.deleted" | "nft.minted" | "nft.burned" | "nft.offer_created" | "nft.offer_accepted" | "nft.offer_cancelled" | "escrow.created" | "escrow.finished" | "escrow.cancelled" | "check.created" | "check.cashed" | "check.cancelled" | "dex.offer_partial" | "dex.offer_filled" | "dex.offer_cancelled" | "dex.offer_created" | "payment.xrp" | "payment.issued" | "account.deleted";
export type Network = "mainnet" | "testnet" | "devnet";
export type NewWebhook = {
    /** The endpoint that receives the deliveries: an https URL at a public address, without user name, password and fragment, of at most 2048 characters. It is stored and shown as it is called: `HTTPS://Example.com:443/a/../b` becomes `https://example.com/b`. */
    url: string;
    /** The events to deliver: event types (payment.xrp), families (nft.*), or * for every type. */
    event_types: EventPattern[];
    /** The network to watch: mainnet with a live key; testnet (default) or devnet with a test key. */
    network?: Network;
    /** Your own signing secret; whsec_ followed by the base64 of 24 to 64 bytes if signing contains standard. Default: the service generates one. */
    secret?: string;
    /** A note of your own about the webhook; null for none. */
    description?: string | null;
    /** Deliver only events that involve at least one of these classic addresses. Empty (default): events of every address. */
    account_filters?: string[];
    /** The payloads to send, see docs/payload-filters.md. At least one of the event types must have each of its fields. Default null: every payload. */
    payload_filter?: object | null;
    /** HTTP headers to add to every delivery: up to 20, none of those that the service sets itself. A value has at most 4096 characters, and all names and values together have at most 6144. Their values are not shown again. */
    headers?: {
        [key: string]: string;
    };
    /** The most attempts that may be under way at the same time. Default: 16. With 1, attempts never overlap. */
    max_in_flight?: number;
    /** The most attempts that may start in a second, retries included. Null (default): no limit. */
    max_per_second?: number | null;
    /** true: matching events are queued and kept for 7 days, and none is sent until it is false. Test events are sent. Default: false. */
    paused?: boolean;
    /** first_attempt (default): first attempts start in ledger order, and a retry holds nothing back. strict: nothing later is sent until the earlier delivery is answered or given up; with batch, the batch is the unit. A strict webhook has one request under way at a time. */
    ordering?: "first_attempt" | "strict";
    /** How requests are signed. service (default): X-Service-Signature, over the body. standard: the three webhook-… headers of Standard Webhooks, over the delivery id, the time of the attempt and the body. */
    signing?: ("service" | "standard")[];
    /** ledgerhook (default): the request body is the event with its payload. cloudevents: CloudEvents 1.0 in binary mode; the body is the payload, and ce-… headers hold the rest. */
    format?: "ledgerhook" | "cloudevents";
    /** What to add to payloads. memos: the transaction's memos, as the fields memos and memos_truncated. balance_changes: what the transaction changed in the balances of the event's accounts. Default: []. */
    include?: ("memos" | "balance_changes")[];
    /** How request bodies are compressed (Content-Encoding). Signatures cover the body before compression. Null (default): not compressed. */
    compression?: ("gzip" | "zstd") | null;
    /** Sends several events in one request, as a JSON array of {delivery_id, event}; docs/receiving.md describes such requests. Null (default): one event in each request. */
    batch?: {
        /** The most events of one request: 2 to 500. */
        max_events: number;
        /** How long the first event of a request waits for others, in milliseconds: 0 to 5000. 0: a request carries the events that wait already. */
        max_wait_ms: number;
    } | null;
};
export type WebhookHealth = {
    /** The first that is true: disabled; paused; new (no event was sent to it yet); failing (nothing was answered with 2xx since the first of at least 5 failed requests in a row, or of failed requests over at least a minute); waiting (a delivery waits for a retry, a rate or its place); healthy. */
    state: "failing" | "waiting" | "disabled" | "paused" | "new" | "healthy";
    /** Since when the state holds. */
    since: string;
    /** Why the newest request failed; null if it was answered. */
    last_error: string | null;
    /** When the next retry is due; null if none waits. */
    next_attempt_at: string | null;
    /** Failed requests since the newest answer. A batch counts once. */
    attempts_failed_in_a_row: number;
    /** The same in words. */
    sentence: string;
};
export type CreatedWebhook = {
    /** The webhook's id. */
    id: string;
    /** The endpoint that receives the deliveries. */
    url: string;
    /** Your note about the webhook. */
    description: string | null;
    /** The event types, families or * that the webhook was registered with. */
    event_types: EventPattern[];
    /** Only events that involve one of these classic addresses are delivered; empty: events of every address. In a list of webhooks, only the first 100 are shown. */
    account_filters: string[];
    /** The number of account filters. */
    account_filters_count: number;
    /** The payload filter as it was given; null for every payload. */
    payload_filter: object | null;
    /** The network to watch: mainnet with a live key; testnet (default) or devnet with a test key. */
    network: Network;
    /** active: events are delivered. disabled: nothing is sent, and no deliveries are made for new events. Set active to enable the webhook again. */
    status: "active" | "disabled";
    health: WebhookHealth;
    /** Failed deliveries in a row. When the number reaches the service's limit, the webhook is disabled. */
    consecutive_failures: number;
    /** The most attempts that may be under way at the same time. */
    max_in_flight: number;
    /** The most attempts that may start in a second; null for no limit. */
    max_per_second: number | null;
    /** true: matching events are queued and kept for 7 days, and none is sent until it is false. Test events are sent. Default: false. */
    paused: boolean;
    /** first_attempt (default): first attempts start in ledger order, and a retry holds nothing back. strict: nothing later is sent until the earlier delivery is answered or given up; with batch, the batch is the unit. A strict webhook has one request under way at a time. */
    ordering: "first_attempt" | "strict";
    /** How requests are signed. service (default): X-Service-Signature, over the body. standard: the three webhook-… headers of Standard Webhooks, over the delivery id, the time of the attempt and the body. */
    signing: ("service" | "standard")[];
    /** ledgerhook (default): the request body is the event with its payload. cloudevents: CloudEvents 1.0 in binary mode; the body is the payload, and ce-… headers hold the rest. */
    format: "ledgerhook" | "cloudevents";
    /** What to add to payloads. memos: the transaction's memos, as the fields memos and memos_truncated. balance_changes: what the transaction changed in the balances of the event's accounts. Default: []. */
    include: ("memos" | "balance_changes")[];
    /** How request bodies are compressed (Content-Encoding). Signatures cover the body before compression. Null (default): not compressed. */
    compression: ("gzip" | "zstd") | null;
    /** Sends several events in one request, as a JSON array of {delivery_id, event}; docs/receiving.md describes such requests. Null (default): one event in each request. */
    batch: {
        /** The most events of one request: 2 to 500. */
        max_events: number;
        /** How long the first event of a request waits for others, in milliseconds: 0 to 5000. 0: a request carries the events that wait already. */
        max_wait_ms: number;
    } | null;
    /** HTTP headers added to every delivery. Their values are shown as ***. */
    headers: {
        [key: string]: string;
    };
    /** ISO 8601 date-time in UTC with milliseconds. */
    created_at: string;
    /** ISO 8601 date-time in UTC with milliseconds. */
    updated_at: string;
    /** When the webhook was disabled; null if it is active. */
    disabled_at: string | null;
    /** Why the webhook was disabled; null if it is active. */
    disabled_reason: string | null;
    /** The secret that deliveries are signed with. It is shown only in this response: store it. */
    secret: string;
};
export type ValidationError = {
    /** What is wrong. */
    error: {
        /** The code, for programs. It does not change. */
        code: "VALIDATION_ERROR";
        /** What is wrong, for people. The wording may change. */
        message: string;
        /** What is wrong: a JSON pointer into the body, such as /event_types/0 (empty: the whole body), or the name of a parameter of the query, the path or the headers. Absent if the error is not about a parameter. */
        param?: string;
        /** The accepted value, field or path that the given one is most like. Absent if none is near. */
        suggestion?: string;
        /** The page about this code, relative to the address of the service. Always present. */
        doc_url?: string;
        /** Everything that is wrong with the parameters, in the order of the request: the first 20. The first of them is also the error's message. */
        errors?: {
            /** What is wrong: a JSON pointer into the body, such as /event_types/0 (empty: the whole body), or the name of a parameter of the query, the path or the headers. Absent if the error is not about a parameter. */
            param: string;
            /** What is wrong with it, for people. */
            message: string;
            /** The accepted value, field or path that the given one is most like. Absent if none is near. */
            suggestion?: string;
        }[];
    };
};
export type Unauthorized = {
    /** What is wrong. */
    error: {
        /** The code, for programs. It does not change. */
        code: "UNAUTHORIZED";
        /** What is wrong, for people. The wording may change. */
        message: string;
        /** What is wrong: a JSON pointer into the body, such as /event_types/0 (empty: the whole body), or the name of a parameter of the query, the path or the headers. Absent if the error is not about a parameter. */
        param?: string;
        /** The accepted value, field or path that the given one is most like. Absent if none is near. */
        suggestion?: string;
        /** The page about this code, relative to the address of the service. Always present. */
        doc_url?: string;
    };
};
export type Forbidden = {
    /** What is wrong. */
    error: {
        /** The code, for programs. It does not change. */
        code: "FORBIDDEN";
        /** What is wrong, for people. The wording may change. */
        message: string;
        /** What is wrong: a JSON pointer into the body, such as /event_types/0 (empty: the whole body), or the name of a parameter of the query, the path or the headers. Absent if the error is not about a parameter. */
        param?: string;
        /** The accepted value, field or path that the given one is most like. Absent if none is near. */
        suggestion?: string;
        /** The page about this code, relative to the address of the service. Always present. */
        doc_url?: string;
    };
};
export type MethodNotAllowed = {
    /** What is wrong. */
    error: {
        /** The code, for programs. It does not change. */
        code: "METHOD_NOT_ALLOWED";
        /** What is wrong, for people. The wording may change. */
        message: string;
        /** What is wrong: a JSON pointer into the body, such as /event_types/0 (empty: the whole body), or the name of a parameter of the query, the path or the headers. Absent if the error is not about a parameter. */
        param?: string;
        /** The accepted value, field or path that the given one is most like. Absent if none is near. */
        suggestion?: string;
        /** The page about this code, relative to the address of the service. Always present. */
        doc_url?: string;
    };
};
export type WebhookLimitReached = {
    /** What is wrong. */
    error: {
        /** The code, for programs. It does not change. */
        code: "WEBHOOK_LIMIT_REACHED";
        /** What is wrong, for people. The wording may change. */
        message: string;
        /** What is wrong: a JSON pointer into the body, such as /event_types/0 (empty: the whole body), or the name of a parameter of the query, the path or the headers. Absent if the error is not about a parameter. */
        param?: string;
        /** The accepted value, field or path that the given one is most like. Absent if none is near. */
        suggestion?: string;
        /** The page about this code, relative to the address of the service. Always present. */
        doc_url?: string;
    };
};
export type IdempotencyInProgress = {
    /** What is wrong. */
    error: {
        /** The code, for programs. It does not change. */
        code: "IDEMPOTENCY_IN_PROGRESS";
        /** What is wrong, for people. The wording may change. */
        message: string;
        /** What is wrong: a JSON pointer into the body, such as /event_types/0 (empty: the whole body), or the name of a parameter of the query, the path or the headers. Absent if the error is not about a parameter. */
        param?: string;
        /** The accepted value, field or path that the given one is most like. Absent if none is near. */
        suggestion?: string;
        /** The page about this code, relative to the address of the service. Always present. */
        doc_url?: string;
    };
};
export type PayloadTooLarge = {
    /** What is wrong. */
    error: {
        /** The code, for programs. It does not change. */
        code: "PAYLOAD_TOO_LARGE";
        /** What is wrong, for people. The wording may change. */
        message: string;
        /** What is wrong: a JSON pointer into the body, such as /event_types/0 (empty: the whole body), or the name of a parameter of the query, the path or the headers. Absent if the error is not about a parameter. */
        param?: string;
        /** The accepted value, field or path that the given one is most like. Absent if none is near. */
        suggestion?: string;
        /** The page about this code, relative to the address of the service. Always present. */
        doc_url?: string;
    };
};
export type UnsupportedMediaType = {
    /** What is wrong. */
    error: {
        /** The code, for programs. It does not change. */
        code: "UNSUPPORTED_MEDIA_TYPE";
        /** What is wrong, for people. The wording may change. */
        message: string;
        /** What is wrong: a JSON pointer into the body, such as /event_types/0 (empty: the whole body), or the name of a parameter of the query, the path or the headers. Absent if the error is not about a parameter. */
        param?: string;
        /** The accepted value, field or path that the given one is most like. Absent if none is near. */
        suggestion?: string;
        /** The page about this code, relative to the address of the service. Always present. */
        doc_url?: string;
    };
};
export type IdempotencyKeyReused = {
    /** What is wrong. */
    error: {
        /** The code, for programs. It does not change. */
        code: "IDEMPOTENCY_KEY_REUSED";
        /** What is wrong, for people. The wording may change. */
        message: string;
        /** What is wrong: a JSON pointer into the body, such as /event_types/0 (empty: the whole body), or the name of a parameter of the query, the path or the headers. Absent if the error is not about a parameter. */
        param?: string;
        /** The accepted value, field or path that the given one is most like. Absent if none is near. */
        suggestion?: string;
        /** The page about this code, relative to the address of the service. Always present. */
        doc_url?: string;
    };
};
export type RateLimited = {
    /** What is wrong. */
    error: {
        /** The code, for programs. It does not change. */
        code: "RATE_LIMITED";
        /** What is wrong, for people. The wording may change. */
        message: string;
        /** What is wrong: a JSON pointer into the body, such as /event_types/0 (empty: the whole body), or the name of a parameter of the query, the path or the headers. Absent if the error is not about a parameter. */
        param?: string;
        /** The accepted value, field or path that the given one is most like. Absent if none is near. */
        suggestion?: string;
        /** The page about this code, relative to the address of the service. Always present. */
        doc_url?: string;
    };
};
export type InternalError = {
    /** What is wrong. */
    error: {
        /** The code, for programs. It does not change. */
        code: "INTERNAL_ERROR";
        /** What is wrong, for people. The wording may change. */
        message: string;
        /** What is wrong: a JSON pointer into the body, such as /event_types/0 (empty: the whole body), or the name of a parameter of the query, the path or the headers. Absent if the error is not about a parameter. */
        param?: string;
        /** The accepted value, field or path that the given one is most like. Absent if none is near. */
        suggestion?: string;
        /** The page about this code, relative to the address of the service. Always present. */
        doc_url?: string;
    };
};
export type Unavailable = {
    /** What is wrong. */
    error: {
        /** The code, for programs. It does not change. */
        code: "UNAVAILABLE";
        /** What is wrong, for people. The wording may change. */
        message: string;
        /** What is wrong: a JSON pointer into the body, such as /event_types/0 (empty: the whole body), or the name of a parameter of the query, the path or the headers. Absent if the error is not about a parameter. */
        param?: string;
        /** The accepted value, field or path that the given one is most like. Absent if none is near. */
        suggestion?: string;
        /** The page about this code, relative to the address of the service. Always present. */
        doc_url?: string;
    };
};
export type WebhookStats = {
    /** Deliveries that succeeded. */
    delivered: number;
    /** Deliveries that were given up. */
    failed: number;
    /** Deliveries that wait for an attempt, retries included. */
    pending: number;
    /** delivered / (delivered + failed) as a percentage with two decimals; 0 if no delivery has ended. */
    success_rate: number;
    /** First attempts that delivered as a percentage of all first attempts of the period, with two decimals; null if there were none. */
    first_attempt_success_rate: number | null;
    /** Milliseconds within which 50 % of the deliveries of the period were answered, exact within an eighth; null if none was. */
    p50_ms: number | null;
    /** Milliseconds within which 99 % of the deliveries of the period were answered, exact within an eighth; null if none was. */
    p99_ms: number | null;
    /** Live deliveries that wait now, for longer than about a ledger. If there are more than 1,000, those that were created in the period. */
    waiting: number;
    /** The attempts of the last 24 hours, whatever the period, by half hour, oldest first: how many were answered with 2xx, and how many failed. Empty if there were none. */
    attempts: [
        number,
        number
    ][];
    /** What came of the newest attempt; null if none of the webhook's newest deliveries had one. */
    last_answer: {
        /** When the attempt ended. */
        at: string;
        /** The HTTP status of the response; null if there was none. */
        response_status: number | null;
        /** Why the attempt failed; null if it delivered. */
        error: string | null;
    } | null;
};
export type ListedWebhook = {
    /** The webhook's id. */
    id: string;
    /** The endpoint that receives the deliveries. */
    url: string;
    /** Your note about the webhook. */
    description: string | null;
    /** The event types, families or * that the webhook was registered with. */
    event_types: EventPattern[];
    /** Only events that involve one of these classic addresses are delivered; empty: events of every address. In a list of webhooks, only the first 100 are shown. */
    account_filters: string[];
    /** The number of account filters. */
    account_filters_count: number;
    /** The payload filter as it was given; null for every payload. */
    payload_filter: object | null;
    /** The network to watch: mainnet with a live key; testnet (default) or devnet with a test key. */
    network: Network;
    /** active: events are delivered. disabled: nothing is sent, and no deliveries are made for new events. Set active to enable the webhook again. */
    status: "active" | "disabled";
    health: WebhookHealth;
    /** Failed deliveries in a row. When the number reaches the service's limit, the webhook is disabled. */
    consecutive_failures: number;
    /** The most attempts that may be under way at the same time. */
    max_in_flight: number;
    /** The most attempts that may start in a second; null for no limit. */
    max_per_second: number | null;
    /** true: matching events are queued and kept for 7 days, and none is sent until it is false. Test events are sent. Default: false. */
    paused: boolean;
    /** first_attempt (default): first attempts start in ledger order, and a retry holds nothing back. strict: nothing later is sent until the earlier delivery is answered or given up; with batch, the batch is the unit. A strict webhook has one request under way at a time. */
    ordering: "first_attempt" | "strict";
    /** How requests are signed. service (default): X-Service-Signature, over the body. standard: the three webhook-… headers of Standard Webhooks, over the delivery id, the time of the attempt and the body. */
    signing: ("service" | "standard")[];
    /** ledgerhook (default): the request body is the event with its payload. cloudevents: CloudEvents 1.0 in binary mode; the body is the payload, and ce-… headers hold the rest. */
    format: "ledgerhook" | "cloudevents";
    /** What to add to payloads. memos: the transaction's memos, as the fields memos and memos_truncated. balance_changes: what the transaction changed in the balances of the event's accounts. Default: []. */
    include: ("memos" | "balance_changes")[];
    /** How request bodies are compressed (Content-Encoding). Signatures cover the body before compression. Null (default): not compressed. */
    compression: ("gzip" | "zstd") | null;
    /** Sends several events in one request, as a JSON array of {delivery_id, event}; docs/receiving.md describes such requests. Null (default): one event in each request. */
    batch: {
        /** The most events of one request: 2 to 500. */
        max_events: number;
        /** How long the first event of a request waits for others, in milliseconds: 0 to 5000. 0: a request carries the events that wait already. */
        max_wait_ms: number;
    } | null;
    /** HTTP headers added to every delivery. Their values are shown as ***. */
    headers: {
        [key: string]: string;
    };
    /** ISO 8601 date-time in UTC with milliseconds. */
    created_at: string;
    /** ISO 8601 date-time in UTC with milliseconds. */
    updated_at: string;
    /** When the webhook was disabled; null if it is active. */
    disabled_at: string | null;
    /** Why the webhook was disabled; null if it is active. */
    disabled_reason: string | null;
    stats?: WebhookStats;
};
export type WebhookPage = {
    /** The items, newest first. */
    data: ListedWebhook[];
    /** Whether there are older items. */
    has_more: boolean;
    /** The cursor of the next page; null on the last page. */
    next_cursor: string | null;
};
export type WebhookCounts = {
    /** How many of the webhooks are in each state of health. Every state is there. */
    states: {
        /** Webhooks in this state. */
        failing: number;
        /** Webhooks in this state. */
        waiting: number;
        /** Webhooks in this state. */
        disabled: number;
        /** Webhooks in this state. */
        paused: number;
        /** Webhooks in this state. */
        "new": number;
        /** Webhooks in this state. */
        healthy: number;
    };
};
export type Webhook = {
    /** The webhook's id. */
    id: string;
    /** The endpoint that receives the deliveries. */
    url: string;
    /** Your note about the webhook. */
    description: string | null;
    /** The event types, families or * that the webhook was registered with. */
    event_types: EventPattern[];
    /** Only events that involve one of these classic addresses are delivered; empty: events of every address. In a list of webhooks, only the first 100 are shown. */
    account_filters: string[];
    /** The number of account filters. */
    account_filters_count: number;
    /** The payload filter as it was given; null for every payload. */
    payload_filter: object | null;
    /** The network to watch: mainnet with a live key; testnet (default) or devnet with a test key. */
    network: Network;
    /** active: events are delivered. disabled: nothing is sent, and no deliveries are made for new events. Set active to enable the webhook again. */
    status: "active" | "disabled";
    health: WebhookHealth;
    /** Failed deliveries in a row. When the number reaches the service's limit, the webhook is disabled. */
    consecutive_failures: number;
    /** The most attempts that may be under way at the same time. */
    max_in_flight: number;
    /** The most attempts that may start in a second; null for no limit. */
    max_per_second: number | null;
    /** true: matching events are queued and kept for 7 days, and none is sent until it is false. Test events are sent. Default: false. */
    paused: boolean;
    /** first_attempt (default): first attempts start in ledger order, and a retry holds nothing back. strict: nothing later is sent until the earlier delivery is answered or given up; with batch, the batch is the unit. A strict webhook has one request under way at a time. */
    ordering: "first_attempt" | "strict";
    /** How requests are signed. service (default): X-Service-Signature, over the body. standard: the three webhook-… headers of Standard Webhooks, over the delivery id, the time of the attempt and the body. */
    signing: ("service" | "standard")[];
    /** ledgerhook (default): the request body is the event with its payload. cloudevents: CloudEvents 1.0 in binary mode; the body is the payload, and ce-… headers hold the rest. */
    format: "ledgerhook" | "cloudevents";
    /** What to add to payloads. memos: the transaction's memos, as the fields memos and memos_truncated. balance_changes: what the transaction changed in the balances of the event's accounts. Default: []. */
    include: ("memos" | "balance_changes")[];
    /** How request bodies are compressed (Content-Encoding). Signatures cover the body before compression. Null (default): not compressed. */
    compression: ("gzip" | "zstd") | null;
    /** Sends several events in one request, as a JSON array of {delivery_id, event}; docs/receiving.md describes such requests. Null (default): one event in each request. */
    batch: {
        /** The most events of one request: 2 to 500. */
        max_events: number;
        /** How long the first event of a request waits for others, in milliseconds: 0 to 5000. 0: a request carries the events that wait already. */
        max_wait_ms: number;
    } | null;
    /** HTTP headers added to every delivery. Their values are shown as ***. */
    headers: {
        [key: string]: string;
    };
    /** ISO 8601 date-time in UTC with milliseconds. */
    created_at: string;
    /** ISO 8601 date-time in UTC with milliseconds. */
    updated_at: string;
    /** When the webhook was disabled; null if it is active. */
    disabled_at: string | null;
    /** Why the webhook was disabled; null if it is active. */
    disabled_reason: string | null;
};
export type NotFound = {
    /** What is wrong. */
    error: {
        /** The code, for programs. It does not change. */
        code: "NOT_FOUND";
        /** What is wrong, for people. The wording may change. */
        message: string;
        /** What is wrong: a JSON pointer into the body, such as /event_types/0 (empty: the whole body), or the name of a parameter of the query, the path or the headers. Absent if the error is not about a parameter. */
        param?: string;
        /** The accepted value, field or path that the given one is most like. Absent if none is near. */
        suggestion?: string;
        /** The page about this code, relative to the address of the service. Always present. */
        doc_url?: string;
    };
};
export type WebhookChange = {
    /** The endpoint that receives the deliveries: an https URL at a public address, without user name, password and fragment, of at most 2048 characters. It is stored and shown as it is called: `HTTPS://Example.com:443/a/../b` becomes `https://example.com/b`. */
    url?: string;
    /** The events to deliver: event types (payment.xrp), families (nft.*), or * for every type. */
    event_types?: EventPattern[];
    /** active: events are delivered. disabled: nothing is sent, and no deliveries are made for new events. Set active to enable the webhook again. */
    status?: "active" | "disabled";
    /** A note of your own about the webhook; null for none. */
    description?: string | null;
    /** Deliver only events that involve at least one of these classic addresses. Empty (default): events of every address. */
    account_filters?: string[];
    /** The payloads to send, see docs/payload-filters.md. At least one of the event types must have each of its fields. Default null: every payload. */
    payload_filter?: object | null;
    /** HTTP headers to add to every delivery: up to 20, none of those that the service sets itself. A value has at most 4096 characters, and all names and values together have at most 6144. Their values are not shown again. */
    headers?: {
        [key: string]: string;
    };
    /** The most attempts that may be under way at the same time. Default: 16. With 1, attempts never overlap. */
    max_in_flight?: number;
    /** The most attempts that may start in a second, retries included. Null (default): no limit. */
    max_per_second?: number | null;
    /** true: matching events are queued and kept for 7 days, and none is sent until it is false. Test events are sent. Default: false. */
    paused?: boolean;
    /** first_attempt (default): first attempts start in ledger order, and a retry holds nothing back. strict: nothing later is sent until the earlier delivery is answered or given up; with batch, the batch is the unit. A strict webhook has one request under way at a time. */
    ordering?: "first_attempt" | "strict";
    /** How requests are signed. service (default): X-Service-Signature, over the body. standard: the three webhook-… headers of Standard Webhooks, over the delivery id, the time of the attempt and the body. */
    signing?: ("service" | "standard")[];
    /** ledgerhook (default): the request body is the event with its payload. cloudevents: CloudEvents 1.0 in binary mode; the body is the payload, and ce-… headers hold the rest. */
    format?: "ledgerhook" | "cloudevents";
    /** What to add to payloads. memos: the transaction's memos, as the fields memos and memos_truncated. balance_changes: what the transaction changed in the balances of the event's accounts. Default: []. */
    include?: ("memos" | "balance_changes")[];
    /** How request bodies are compressed (Content-Encoding). Signatures cover the body before compression. Null (default): not compressed. */
    compression?: ("gzip" | "zstd") | null;
    /** Sends several events in one request, as a JSON array of {delivery_id, event}; docs/receiving.md describes such requests. Null (default): one event in each request. */
    batch?: {
        /** The most events of one request: 2 to 500. */
        max_events: number;
        /** How long the first event of a request waits for others, in milliseconds: 0 to 5000. 0: a request carries the events that wait already. */
        max_wait_ms: number;
    } | null;
};
export type SecretRotation = {
    /** For how many seconds deliveries are also signed with the old secret, as a second signature in X-Service-Signature or webhook-signature. Default: 0. */
    grace_seconds?: number;
};
export type RotatedSecret = {
    /** The webhook's id. */
    id: string;
    /** The new secret. It is shown only in this response: store it. */
    secret: string;
    /** ISO 8601 date-time in UTC with milliseconds. */
    rotated_at: string;
};
export type EventType = "account.created" | "account.settings_changed" | "trustline.created" | "trustline.modified" | "trustline.deleted" | "nft.minted" | "nft.burned" | "nft.offer_created" | "nft.offer_accepted" | "nft.offer_cancelled" | "escrow.created" | "escrow.finished" | "escrow.cancelled" | "check.created" | "check.cashed" | "check.cancelled" | "dex.offer_partial" | "dex.offer_filled" | "dex.offer_cancelled" | "dex.offer_created" | "payment.xrp" | "payment.issued" | "account.deleted";
export type TestEvent = {
    /** The type of the synthetic event. */
    event_type: EventType;
    /** The payload to send, which the type's schema must accept; GET /v1/event-types has the schemas and an example of each. tx_hash is replaced by a new one, so that a receiver which ignores duplicates accepts the event. Default: the payload of a transaction of the simulated ledger. */
    payload?: object;
};
export type Attempt = {
    /** The number of the attempt, from 1. Manual retries continue the count. */
    attempt: number;
    /** How the attempt ended. */
    status: "failed" | "delivered";
    /** The HTTP status of the endpoint's last response; null if there was none. */
    response_status: number | null;
    /** Milliseconds until that response; null if there was none. */
    response_time_ms: number | null;
    /** Why the attempt failed; absent if it succeeded. */
    error?: string;
    /** When the attempt started. */
    attempted_at: string;
    /** Headers of the response; null if none are kept. Of an attempt that delivered, up to 192 characters are kept, of others up to 2,048. Headers of the connection, content-length and date are left out, and cookies are shown as ***. */
    response_headers: {
        [key: string]: string;
    } | null;
    /** The first 2,048 characters of the response body, or 200 with a note (see response_body of the delivery); null if there was no response. */
    response_body: string | null;
    /** Milliseconds for DNS, connecting and TLS; null if the connection was reused or none was made. */
    connect_ms: number | null;
    /** Milliseconds from the start of the attempt to the first byte of a response; null if none arrived. */
    first_byte_ms: number | null;
    /** Milliseconds from the start of the attempt to its end; null if it is not known. */
    total_ms: number | null;
    /** The X-Service-Batch-Id of the request if it carried several events (the webhook's batch); otherwise null. */
    batch_id: string | null;
};
export type AttemptedTest = {
    /** The id of the delivery. Follow it with GET /v1/deliveries/{id}. */
    delivery_id: string;
    attempt: Attempt;
};
export type QueuedTest = {
    /** The id of the delivery. Follow it with GET /v1/deliveries/{id}. */
    delivery_id: string;
    /** Present with wait: the first attempt has not ended in that time. */
    attempt?: null;
};
export type WebhookDisabled = {
    /** What is wrong. */
    error: {
        /** The code, for programs. It does not change. */
        code: "WEBHOOK_DISABLED";
        /** What is wrong, for people. The wording may change. */
        message: string;
        /** What is wrong: a JSON pointer into the body, such as /event_types/0 (empty: the whole body), or the name of a parameter of the query, the path or the headers. Absent if the error is not about a parameter. */
        param?: string;
        /** The accepted value, field or path that the given one is most like. Absent if none is near. */
        suggestion?: string;
        /** The page about this code, relative to the address of the service. Always present. */
        doc_url?: string;
    };
};
export type PreviewRequest = {
    /** The events to deliver: event types (payment.xrp), families (nft.*), or * for every type. */
    event_types?: EventPattern[];
    /** Deliver only events that involve at least one of these classic addresses. Empty (default): events of every address. */
    account_filters?: string[];
    /** The payloads to send, see docs/payload-filters.md. At least one of the event types must have each of its fields. Default null: every payload. */
    payload_filter?: object | null;
    /** How many of the network's newest events to examine. Default 1000. */
    events?: number;
};
export type FilterPreview = {
    /** How many of the newest events of the webhook's network were examined, of every type. */
    examined: number;
    /** How many of them have a wanted type and involve a wanted account, whatever the payload. */
    candidates: number;
    /** How many of these have a payload that the filter matches. They would have been delivered. */
    matched: number;
    /** The matches of each type. A type without matches is left out. */
    by_type: {
        [key: string]: number;
    };
    /** When the ledger of the oldest examined event closed; null if no event was examined. */
    oldest_at: string | null;
    /** When the ledger of the newest examined event closed; null if no event was examined. */
    newest_at: string | null;
    /** The newest matches, at most 5. `GET /v1/events/:event_id` shows an event. */
    sample_event_ids: string[];
};
export type AccountFilterChange = {
    /** Classic addresses to add. One that is a filter already stays one. */
    add?: string[];
    /** Classic addresses to remove. One that is no filter is ignored. */
    remove?: string[];
};
export type AccountFilterCount = {
    /** How many account filters the webhook now has. */
    account_filters_count: number;
};
export type Incident = {
    /** The incident's id. */
    id: string;
    /** The webhook that was failing. */
    webhook_id: string;
    /** End of the first failed request. */
    began_at: string;
    /** When the webhook answered, or was disabled or deleted; null while it is failing. */
    ended_at: string | null;
    /** Why the newest request failed; null if an earlier version recorded it. */
    cause: string | null;
    /** Failed requests in it. A batch counts once. */
    attempts_failed: number;
    /** Deliveries that were made from the first one that failed until the end. */
    waited: number;
    /** What has become of these deliveries; null if they were dropped before they were counted. */
    outcome: {
        /** How many of them were delivered. */
        delivered: number;
        /** How many of them were given up. */
        failed: number;
        /** How many of them still wait. */
        waiting: number;
    } | null;
    /** What ended it: an attempt that was answered, by schedule (attempt) or by hand (retry), or the webhook was disabled or deleted. Null while it is failing. */
    ended_by: ("attempt" | "retry" | "disabled" | "deleted") | null;
};
export type IncidentPage = {
    /** The items, newest first. */
    data: Incident[];
    /** Whether there are older items. */
    has_more: boolean;
    /** The cursor of the next page; null on the last page. */
    next_cursor: string | null;
};
export type IncidentDetail = {
    /** The incident's id. */
    id: string;
    /** The webhook that was failing. */
    webhook_id: string;
    /** End of the first failed request. */
    began_at: string;
    /** When the webhook answered, or was disabled or deleted; null while it is failing. */
    ended_at: string | null;
    /** Why the newest request failed; null if an earlier version recorded it. */
    cause: string | null;
    /** Failed requests in it. A batch counts once. */
    attempts_failed: number;
    /** Deliveries that were made from the first one that failed until the end. */
    waited: number;
    /** What has become of these deliveries; null if they were dropped before they were counted. */
    outcome: {
        /** How many of them were delivered. */
        delivered: number;
        /** How many of them were given up. */
        failed: number;
        /** How many of them still wait. */
        waiting: number;
    } | null;
    /** What ended it: an attempt that was answered, by schedule (attempt) or by hand (retry), or the webhook was disabled or deleted. Null while it is failing. */
    ended_by: ("attempt" | "retry" | "disabled" | "deleted") | null;
    /** The webhook's attempts over the time of the incident; null if they are no longer kept (RETENTION_DELIVERIES). */
    course: {
        /** How long a point is. */
        point_seconds: number;
        /** Oldest first, without gaps, at most 202: from a while before the incident until a while after it. */
        points: {
            /** Its beginning. */
            at: string;
            /** Attempts that ended in it and were answered with 2xx. */
            answered: number;
            /** Attempts that ended in it and failed. */
            failed: number;
            /** Deliveries that had failed at least once since the first point, and were not delivered at the end of this one. One that was given up counts on. */
            waiting: number;
        }[];
    } | null;
};
export type WebhookProgress = {
    /** The webhook's network. */
    network: Network;
    /** Every event that the webhook wanted, up to this ledger, is delivered or has failed finally. Null while nothing is queued for the webhook (it is disabled, or the account's quota is used up), and while it is not known: before the first ledger, and for some minutes after an update. It is at most about 2 s late, and never too high. Events of `gaps` were never queued. Replayed deliveries do not count. A manual retry may lower it. */
    complete_through: number | null;
    /** The newest ledger whose events are all queued for the webhooks that want them; null before the first one. */
    routed_through: number | null;
    /** Deliveries that are queued, and neither delivered nor failed finally. If there are more than 10,000, or very many are queued in all, it is a minimum. */
    waiting: number;
    /** The oldest of them; null if none waits. */
    oldest_waiting: {
        /** Its id. */
        delivery_id: string;
        /** Its event. */
        event_id: string;
        /** The event's ledger. */
        ledger_index: number;
    } | null;
    /** Spans of ledgers whose events were not queued for the webhook, oldest first: a replay sends them. They may be a few ledgers too wide. The newest 100 of the last 400 days are shown. */
    gaps: {
        /** The first ledger. */
        "from": number;
        /** The last ledger; null while the span lasts, and up to 15 s longer. */
        to: number | null;
        /** disabled: the webhook was disabled. suspended: the account was. quota: the account's monthly quota was used up. */
        reason: "disabled" | "suspended" | "quota";
        /** ISO 8601 date-time in UTC with milliseconds. */
        began_at: string;
        /** When the reason ended; null while it lasts. */
        ended_at: string | null;
    }[];
};
export type Delivery = {
    /** The delivery's id. Every attempt carries it in the header X-Service-Delivery-Id. */
    id: string;
    /** The webhook that the event is sent to. */
    webhook_id: string;
    /** The event that is sent. */
    event_id: string;
    /** The type of that event. */
    event_type: string;
    /** pending: waiting for the first attempt, also after a manual retry. retrying: an attempt failed, and another will follow. delivered: the endpoint answered with a 2xx status. failed: final; send it again with POST /v1/deliveries/{id}/retry. */
    status: "pending" | "retrying" | "delivered" | "failed";
    /** The number of attempts that have ended. */
    attempts: number;
    /** Why the last attempt failed, such as HTTP 503; null if it succeeded or there was none. */
    last_error: string | null;
    /** The HTTP status of the endpoint's last response; null if there was none. */
    response_status: number | null;
    /** Milliseconds until that response; null if there was none. */
    response_time_ms: number | null;
    /** When the next attempt is due; null unless the status is retrying. */
    next_attempt_at: string | null;
    /** ISO 8601 date-time in UTC with milliseconds. */
    created_at: string;
    /** ISO 8601 date-time in UTC with milliseconds. */
    updated_at: string;
};
export type DeliveryPage = {
    /** The items, newest first. */
    data: Delivery[];
    /** Whether there are older items. */
    has_more: boolean;
    /** The cursor of the next page; null on the last page. */
    next_cursor: string | null;
};
export type DeliveryStatsPoint = {
    /** The start of the interval. The first interval counts only deliveries inside the period. */
    at: string;
    /** Deliveries created in the interval that were delivered. */
    delivered: number;
    /** Deliveries created in the interval that failed. */
    failed: number;
    /** Deliveries created in the interval that are pending or retrying. */
    pending: number;
    /** Those of them that are retrying. */
    retrying: number;
    /** Attempts that ended in this time, first ones and retries, of live and of replayed deliveries. Test events do not count. */
    attempts: number;
    /** Those of them that failed. */
    attempts_failed: number;
    /** First attempts that delivered as a percentage of all first attempts that ended in this time, with two decimals; null if there were none. */
    first_attempt_success_rate: number | null;
    /** The response time in milliseconds within which 50% of the delivered deliveries were answered, accurate to one eighth; null if none was delivered. */
    p50_ms: number | null;
    /** The response time in milliseconds within which 99% of the delivered deliveries were answered, accurate to one eighth; null if none was delivered. */
    p99_ms: number | null;
    /** Only with answer_times=true: the attempts that delivered by their response time, in 9 classes: up to 16, 31, 62, 125, 250, 500, 1000, 2000 ms, and longer. A time within an eighth of a bound may be counted in the class beside it. */
    answer_times?: number[];
};
export type DeliveryStats = {
    /** The requested period. */
    period: "1h" | "24h" | "7d" | "30d";
    /** The sum of delivered, failed and pending. */
    total: number;
    /** Deliveries that were delivered. */
    delivered: number;
    /** Deliveries that failed. They are not retried automatically. */
    failed: number;
    /** Deliveries that are pending or retrying. */
    pending: number;
    /** Those of them that are retrying. */
    retrying: number;
    /** Delivered deliveries as a percentage of delivered and failed ones, with two decimals; 0 if there are none. */
    success_rate: number;
    /** Attempts that ended in this time, first ones and retries, of live and of replayed deliveries. Test events do not count. */
    attempts: number;
    /** Those of them that failed. */
    attempts_failed: number;
    /** First attempts that delivered as a percentage of all first attempts that ended in this time, with two decimals; null if there were none. */
    first_attempt_success_rate: number | null;
    /** The mean response time in milliseconds of the successful attempts, with two decimals; 0 if there are none. */
    avg_latency_ms: number;
    /** The response time in milliseconds within which 50% of the delivered deliveries were answered, accurate to one eighth; null if none was delivered. */
    p50_ms: number | null;
    /** The response time in milliseconds within which 99% of the delivered deliveries were answered, accurate to one eighth; null if none was delivered. */
    p99_ms: number | null;
    /** Only with series=true: the intervals of the period, oldest first, without gaps. An interval is a minute (1h), an hour (24h), 6 hours (7d) or a day (30d); 15 minutes with interval=15m. */
    series?: DeliveryStatsPoint[];
};
export type DeliveryDetail = {
    /** The delivery's id. Every attempt carries it in the header X-Service-Delivery-Id. */
    id: string;
    /** The webhook that the event is sent to. */
    webhook_id: string;
    /** The event that is sent. */
    event_id: string;
    /** The type of that event. */
    event_type: string;
    /** pending: waiting for the first attempt, also after a manual retry. retrying: an attempt failed, and another will follow. delivered: the endpoint answered with a 2xx status. failed: final; send it again with POST /v1/deliveries/{id}/retry. */
    status: "pending" | "retrying" | "delivered" | "failed";
    /** The number of attempts that have ended. */
    attempts: number;
    /** Why the last attempt failed, such as HTTP 503; null if it succeeded or there was none. */
    last_error: string | null;
    /** The HTTP status of the endpoint's last response; null if there was none. */
    response_status: number | null;
    /** Milliseconds until that response; null if there was none. */
    response_time_ms: number | null;
    /** When the next attempt is due; null unless the status is retrying. */
    next_attempt_at: string | null;
    /** ISO 8601 date-time in UTC with milliseconds. */
    created_at: string;
    /** ISO 8601 date-time in UTC with milliseconds. */
    updated_at: string;
    /** The headers of the last request, made again from the webhook as it is now. Signatures and the values of custom headers are shown as ***. Null before the first attempt, and when the event is no longer kept. */
    request_headers: {
        [key: string]: string;
    } | null;
    /** The request body, exactly as it is sent, in the webhook's present format and before compression. If the last attempt was part of a batch: the delivery's item of the array. Null before the first attempt, and when the event is no longer kept. */
    request_body: string | null;
    /** The body of the last response, cut at 16 KiB, or at 1,024 characters for a batch; null if there was none. After 32 MiB of responses with more than 200 characters for one account in a UTC day, further ones are cut at 200 characters, with a note. */
    response_body: string | null;
    /** All attempts, oldest first. */
    attempt_history: Attempt[];
};
export type RetriedDelivery = {
    /** The delivery's id, which stays the same. */
    delivery_id: string;
    /** pending: the delivery had failed and starts the retry schedule again. retrying: its next attempt is made now, and the schedule continues after it. */
    status: "pending" | "retrying";
};
export type QuotaExceeded = {
    /** What is wrong. */
    error: {
        /** The code, for programs. It does not change. */
        code: "QUOTA_EXCEEDED";
        /** What is wrong, for people. The wording may change. */
        message: string;
        /** What is wrong: a JSON pointer into the body, such as /event_types/0 (empty: the whole body), or the name of a parameter of the query, the path or the headers. Absent if the error is not about a parameter. */
        param?: string;
        /** The accepted value, field or path that the given one is most like. Absent if none is near. */
        suggestion?: string;
        /** The page about this code, relative to the address of the service. Always present. */
        doc_url?: string;
    };
};
export type DeliveryNotFailed = {
    /** What is wrong. */
    error: {
        /** The code, for programs. It does not change. */
        code: "DELIVERY_NOT_FAILED";
        /** What is wrong, for people. The wording may change. */
        message: string;
        /** What is wrong: a JSON pointer into the body, such as /event_types/0 (empty: the whole body), or the name of a parameter of the query, the path or the headers. Absent if the error is not about a parameter. */
        param?: string;
        /** The accepted value, field or path that the given one is most like. Absent if none is near. */
        suggestion?: string;
        /** The page about this code, relative to the address of the service. Always present. */
        doc_url?: string;
    };
};
export type NewRetryJob = {
    /** An id: wh_ and 26 characters. */
    webhook_id: string;
    /** Only deliveries in these statuses. Default: failed and retrying. */
    statuses?: ("failed" | "retrying")[];
    /** The events to deliver: event types (payment.xrp), families (nft.*), or * for every type. */
    event_types?: EventPattern[];
    /** ISO 8601 date-time with an offset. Exclusive: an item of exactly this time is not included. */
    since?: string;
    /** ISO 8601 date-time with an offset. Exclusive: an item of exactly this time is not included. */
    until?: string;
    /** true: only count the deliveries. Default: false. */
    dry_run?: boolean;
};
export type CountedRetries = {
    /** How many deliveries match now. */
    matched: number;
    /** Present if more deliveries may match: the webhook has too many in the ten minutes of since or until to count them all. */
    at_least?: true;
    /** How many there are of each event type. Types without any are left out. */
    by_type: {
        [key: string]: number;
    };
};
export type QueuedRetryJob = {
    /** The job's id, for GET and DELETE /v1/replay/{job_id}. */
    job_id: string;
    /** The job is queued. */
    status: "queued";
    /** How many deliveries match now. */
    matched: number;
    /** Present if more deliveries may match: the webhook has too many in the ten minutes of since or until to count them all. */
    at_least?: true;
    /** ISO 8601 date-time in UTC with milliseconds. */
    created_at: string;
};
export type ReplayLimitReached = {
    /** What is wrong. */
    error: {
        /** The code, for programs. It does not change. */
        code: "REPLAY_LIMIT_REACHED";
        /** What is wrong, for people. The wording may change. */
        message: string;
        /** What is wrong: a JSON pointer into the body, such as /event_types/0 (empty: the whole body), or the name of a parameter of the query, the path or the headers. Absent if the error is not about a parameter. */
        param?: string;
        /** The accepted value, field or path that the given one is most like. Absent if none is near. */
        suggestion?: string;
        /** The page about this code, relative to the address of the service. Always present. */
        doc_url?: string;
    };
};
export type NewReplayJob = {
    /** An id: wh_ and 26 characters. */
    webhook_id: string;
    /** The ids of the events. A repeated id counts once. An id that does not exist counts as failed. */
    event_ids?: string[];
    /** Which events to send. The webhook's own filters are ignored. Without any filter, every event of the webhook's network that is still kept is sent. */
    filters?: {
        /** Only events of these types (payment.xrp) or families (nft.*). Default: all types. */
        event_types?: EventPattern[];
        /** Only events that involve at least one of these classic addresses. Default: all events. */
        accounts?: string[];
        /** The payloads to send, see docs/payload-filters.md. At least one of the event types must have each of its fields. Default null: every payload. */
        payload_filter?: object | null;
        /** ISO 8601 date-time with an offset. Exclusive: an item of exactly this time is not included. */
        since?: string;
        /** ISO 8601 date-time with an offset. Exclusive: an item of exactly this time is not included. */
        until?: string;
    };
    /** true: only count the events. Default: false. */
    dry_run?: boolean;
};
export type CountedReplay = {
    /** How many events the job would send, as for a job. */
    estimated_events: number;
    /** Present if more events may match: filters.accounts match too many to count. About 100000 are then counted. */
    at_least?: true;
    /** How many of the events that the service has are of each type, payload_filter ignored. Types without any are left out. Null if there is at_least. */
    by_type: {
        [key: string]: number;
    } | null;
    /** The ledger of the first of these events; null if by_type is null or empty. */
    first_ledger: number | null;
    /** The ledger of the last of these events; null if by_type is null or empty. */
    last_ledger: number | null;
};
export type QueuedReplayJob = {
    /** The job's id. */
    job_id: string;
    /** The job is queued. */
    status: "queued";
    /** The webhook that the events are sent to. */
    webhook_id: string;
    /** How many events the job will send. For event_ids it is the number of ids. For filters it is an estimate. It does not include payload_filter, and events of the last seconds may be missing from it. */
    estimated_events: number;
    /** Present if more events may match: filters.accounts match too many to count. About 100000 are then counted. */
    at_least?: true;
    /** ISO 8601 date-time in UTC with milliseconds. */
    created_at: string;
};
export type PlanRequired = {
    /** What is wrong. */
    error: {
        /** The code, for programs. It does not change. */
        code: "PLAN_REQUIRED";
        /** What is wrong, for people. The wording may change. */
        message: string;
        /** What is wrong: a JSON pointer into the body, such as /event_types/0 (empty: the whole body), or the name of a parameter of the query, the path or the headers. Absent if the error is not about a parameter. */
        param?: string;
        /** The accepted value, field or path that the given one is most like. Absent if none is near. */
        suggestion?: string;
        /** The page about this code, relative to the address of the service. Always present. */
        doc_url?: string;
    };
};
export type ReplayJob = {
    /** The job's id. */
    job_id: string;
    /** replay: sends past events as new deliveries. retry: makes the next attempts of deliveries that have not succeeded (POST /v1/deliveries/retry). */
    mode: "replay" | "retry";
    /** queued: no process works on it yet. running. completed: all its events are queued for delivery. cancelled. failed: error says why. */
    status: "queued" | "running" | "completed" | "cancelled" | "failed";
    /** The webhook that the events are sent to. */
    webhook_id: string;
    /** How many events the job sends. Replay: an estimate until the job has completed, then exact. Retry: the deliveries that matched when the job was created; when it has completed, those that it queued. */
    total_events: number;
    /** Events that are queued for delivery so far. */
    processed_events: number;
    /** Events that could not be queued: ids that do not exist, events that are no longer kept, or the rest of a job that failed. Set when the job ends. */
    failed_events: number;
    /** Deliveries of the job that were delivered. A delivery that several retry jobs take counts in the last of them. Final once the job has ended and none waits. Null for jobs from before release 0.3. */
    delivered: number | null;
    /** Deliveries of the job that wait for an attempt, retries included. A delivery that several retry jobs take counts in the last of them. Final once the job has ended and none waits. Null for jobs from before release 0.3. */
    waiting: number | null;
    /** Deliveries of the job that have failed finally. A delivery that several retry jobs take counts in the last of them. Final once the job has ended and none waits. Null for jobs from before release 0.3. */
    failed: number | null;
    /** Why the job failed; null if it did not. */
    error: string | null;
    /** What the job was asked for, accounts and payload_filter left out; null for event_ids. since and until compare with the time at which the ledger closed, for a retry with the time at which the delivery was created. */
    requested: {
        /** Only for a retry: deliveries in these statuses. */
        statuses?: ("failed" | "retrying")[];
        /** Events of these types. Absent: of all types. */
        event_types?: string[];
        /** ISO 8601 date-time in UTC with milliseconds. */
        since?: string;
        /** ISO 8601 date-time in UTC with milliseconds. */
        until?: string;
    } | null;
    /** ISO 8601 date-time in UTC with milliseconds. */
    created_at: string;
    /** When all events were queued; null until then. */
    completed_at: string | null;
    /** When the job had ended and none of its deliveries waited any more; null until then. */
    finished_at: string | null;
};
export type ReplayJobPage = {
    /** The items, newest first. */
    data: ReplayJob[];
    /** Whether there are older items. */
    has_more: boolean;
    /** The cursor of the next page; null on the last page. */
    next_cursor: string | null;
};
export type ReplayJobDetail = {
    /** The job's id. */
    job_id: string;
    /** replay: sends past events as new deliveries. retry: makes the next attempts of deliveries that have not succeeded (POST /v1/deliveries/retry). */
    mode: "replay" | "retry";
    /** queued: no process works on it yet. running. completed: all its events are queued for delivery. cancelled. failed: error says why. */
    status: "queued" | "running" | "completed" | "cancelled" | "failed";
    /** The webhook that the events are sent to. */
    webhook_id: string;
    /** How many events the job sends. Replay: an estimate until the job has completed, then exact. Retry: the deliveries that matched when the job was created; when it has completed, those that it queued. */
    total_events: number;
    /** Events that are queued for delivery so far. */
    processed_events: number;
    /** Events that could not be queued: ids that do not exist, events that are no longer kept, or the rest of a job that failed. Set when the job ends. */
    failed_events: number;
    /** Deliveries of the job that were delivered. A delivery that several retry jobs take counts in the last of them. Final once the job has ended and none waits. Null for jobs from before release 0.3. */
    delivered: number | null;
    /** Deliveries of the job that wait for an attempt, retries included. A delivery that several retry jobs take counts in the last of them. Final once the job has ended and none waits. Null for jobs from before release 0.3. */
    waiting: number | null;
    /** Deliveries of the job that have failed finally. A delivery that several retry jobs take counts in the last of them. Final once the job has ended and none waits. Null for jobs from before release 0.3. */
    failed: number | null;
    /** Why the job failed; null if it did not. */
    error: string | null;
    /** What the job was asked for, accounts and payload_filter left out; null for event_ids. since and until compare with the time at which the ledger closed, for a retry with the time at which the delivery was created. */
    requested: {
        /** Only for a retry: deliveries in these statuses. */
        statuses?: ("failed" | "retrying")[];
        /** Events of these types. Absent: of all types. */
        event_types?: string[];
        /** ISO 8601 date-time in UTC with milliseconds. */
        since?: string;
        /** ISO 8601 date-time in UTC with milliseconds. */
        until?: string;
    } | null;
    /** ISO 8601 date-time in UTC with milliseconds. */
    created_at: string;
    /** When all events were queued; null until then. */
    completed_at: string | null;
    /** When the job had ended and none of its deliveries waited any more; null until then. */
    finished_at: string | null;
    /** How much of the job is done, with two decimals; 100 when it is completed. */
    progress_percent: number;
    /** Estimated seconds until the job is done; null if it is not running. */
    eta_seconds: number | null;
    /** Ledgers from before the service's first ledger, which have to be fetched first. Present only if filters.since reaches back that far and the operator has configured servers for it. */
    history?: {
        /** How many ledgers have to be fetched; null until it is known. */
        ledgers: number | null;
        /** How many of them have been fetched. */
        fetched_ledgers: number;
    };
    /** Ledgers of the job's period that the operator skipped, because no server could list their transactions: their events are missing. Absent if there are none. */
    skipped_ledgers?: number[];
};
export type CancelledReplayJob = {
    /** The job's id. */
    job_id: string;
    /** No more events are queued. */
    status: "cancelled";
    /** Events that were queued before the cancellation. They may still be delivered. */
    processed_events: number;
    /** ISO 8601 date-time in UTC with milliseconds. */
    cancelled_at: string;
};
export type JobNotCancellable = {
    /** What is wrong. */
    error: {
        /** The code, for programs. It does not change. */
        code: "JOB_NOT_CANCELLABLE";
        /** What is wrong, for people. The wording may change. */
        message: string;
        /** What is wrong: a JSON pointer into the body, such as /event_types/0 (empty: the whole body), or the name of a parameter of the query, the path or the headers. Absent if the error is not about a parameter. */
        param?: string;
        /** The accepted value, field or path that the given one is most like. Absent if none is near. */
        suggestion?: string;
        /** The page about this code, relative to the address of the service. Always present. */
        doc_url?: string;
    };
};
export type Hash = string;
export type Address = string;
export type Drops = string;
export type MemoHex = string;
export type Memo = {
    /** MemoType. */
    "type"?: MemoHex;
    /** MemoFormat. */
    format?: MemoHex;
    /** MemoData. */
    data?: MemoHex;
};
export type Currency = string;
export type TokenAsset = {
    /** The token's currency. */
    currency: Currency;
    /** The other side of the trust line, from the account's view. */
    issuer: Address;
};
export type MptIssuanceId = string;
export type MptAsset = {
    /** The token. */
    mpt_issuance_id: MptIssuanceId;
};
export type ComputedValue = string;
export type BalanceChange = {
    /** The account. */
    account: Address;
    /** XRP, a token on a trust line, or a multi-purpose token. */
    asset: "XRP" | TokenAsset | MptAsset;
    /** The account's balance after the transaction, minus the one before; never 0. XRP in drops, less the fee if the account paid it. A multi-purpose token in units, for its issuer as the opposite of what is outstanding. */
    change: ComputedValue;
};
export type PaymentXrp = {
    /** The transaction that caused the event. */
    tx_hash: Hash;
    /** The account that paid. */
    sender: Address;
    /** The account that was paid; the sender itself in a conversion. */
    receiver: Address;
    /** The amount delivered. In a partial payment it is less than the amount requested. */
    amount: Drops;
    /** The destination tag, which names a customer or account at the receiver. 0 is a valid tag. */
    destination_tag?: number;
    /** The source tag, which names a customer or account at the sender. */
    source_tag?: number;
    /** The sender's reference. */
    invoice_id?: Hash;
    /** The account that sent the transaction for its account, as its delegate. */
    delegate?: Address;
    /** The Batch transaction of which the transaction is a part. */
    parent_batch_id?: Hash;
    /** The account that signed the transaction too, as its sponsor. */
    sponsor?: Address;
    /** The transaction's memos, up to 1,024 bytes. Absent if it has none. In a payload only if the receiver includes memos. */
    memos?: Memo[];
    /** Present if the transaction has more than 1,024 bytes of memos: the first memo that exceeds them and all later ones are left out. In a payload only if the receiver includes memos. */
    memos_truncated?: true;
    /** What the transaction changed in the balances of the event's accounts, sorted by account, then by asset: XRP, tokens by currency and issuer, multi-purpose tokens by id. Empty if it changed none of them. Absent if the metadata do not tell it, or if there are more than 100 changes. In a payload only if the receiver includes balance_changes. */
    balance_changes?: BalanceChange[];
};
export type PaymentXrpApiEvent = {
    /** The event's id. The same event always has the same id, so use it to recognise duplicates. */
    event_id: string;
    /** The event's type. */
    event_type: "payment.xrp";
    /** The index of the ledger that contains the event. */
    ledger_index: number;
    /** The event's place among the events of its ledger, from 0. With ledger_index it gives the order of a network's events, as in the header X-Service-Sequence. */
    position: number;
    /** When that ledger closed: ISO 8601 date-time in UTC, whole seconds. */
    timestamp: string;
    /** The network of the event. */
    network: Network;
    payload: PaymentXrp;
};
export type TokenValue = string;
export type TokenAmount = {
    /** The token's currency. */
    currency: Currency;
    /** The token's issuer. */
    issuer: Address;
    /** The amount. */
    value: TokenValue;
};
export type MptValue = string;
export type MptAmount = {
    /** The token. */
    mpt_issuance_id: MptIssuanceId;
    /** The amount. */
    value: MptValue;
};
export type IssuedAmount = TokenAmount | MptAmount;
export type PaymentIssued = {
    /** The transaction that caused the event. */
    tx_hash: Hash;
    /** The account that paid. */
    sender: Address;
    /** The account that was paid; the sender itself in a conversion. */
    receiver: Address;
    /** The amount delivered. If the issuer is the receiver, but the receiver did not issue the token, it means any issuer that the receiver trusts. */
    amount: IssuedAmount;
    /** The destination tag, which names a customer or account at the receiver. 0 is a valid tag. */
    destination_tag?: number;
    /** The source tag, which names a customer or account at the sender. */
    source_tag?: number;
    /** The sender's reference. */
    invoice_id?: Hash;
    /** The account that sent the transaction for its account, as its delegate. */
    delegate?: Address;
    /** The Batch transaction of which the transaction is a part. */
    parent_batch_id?: Hash;
    /** The account that signed the transaction too, as its sponsor. */
    sponsor?: Address;
    /** The transaction's memos, up to 1,024 bytes. Absent if it has none. In a payload only if the receiver includes memos. */
    memos?: Memo[];
    /** Present if the transaction has more than 1,024 bytes of memos: the first memo that exceeds them and all later ones are left out. In a payload only if the receiver includes memos. */
    memos_truncated?: true;
    /** What the transaction changed in the balances of the event's accounts, sorted by account, then by asset: XRP, tokens by currency and issuer, multi-purpose tokens by id. Empty if it changed none of them. Absent if the metadata do not tell it, or if there are more than 100 changes. In a payload only if the receiver includes balance_changes. */
    balance_changes?: BalanceChange[];
};
export type PaymentIssuedApiEvent = {
    /** The event's id. The same event always has the same id, so use it to recognise duplicates. */
    event_id: string;
    /** The event's type. */
    event_type: "payment.issued";
    /** The index of the ledger that contains the event. */
    ledger_index: number;
    /** The event's place among the events of its ledger, from 0. With ledger_index it gives the order of a network's events, as in the header X-Service-Sequence. */
    position: number;
    /** When that ledger closed: ISO 8601 date-time in UTC, whole seconds. */
    timestamp: string;
    /** The network of the event. */
    network: Network;
    payload: PaymentIssued;
};
export type Hex = string;
export type NftMinted = {
    /** The transaction that caused the event. */
    tx_hash: Hash;
    /** The NFTokenID. */
    nftoken_id: Hash;
    /** The token's issuer. */
    issuer: Address;
    /** The account that minted the token and holds it. */
    owner: Address;
    /** The taxon, a number by which the issuer groups tokens. */
    taxon: number;
    /** The token's serial number among the tokens of its issuer. */
    serial: number;
    /** The flags in the NFTokenID, not those of the transaction. */
    flags: number;
    /** The issuer's share of each resale, in units of 1/100000. */
    transfer_fee: number;
    /** The URI of the token. */
    uri?: Hex;
    /** The account that sent the transaction for its account, as its delegate. */
    delegate?: Address;
    /** The Batch transaction of which the transaction is a part. */
    parent_batch_id?: Hash;
    /** The account that signed the transaction too, as its sponsor. */
    sponsor?: Address;
    /** The transaction's memos, up to 1,024 bytes. Absent if it has none. In a payload only if the receiver includes memos. */
    memos?: Memo[];
    /** Present if the transaction has more than 1,024 bytes of memos: the first memo that exceeds them and all later ones are left out. In a payload only if the receiver includes memos. */
    memos_truncated?: true;
    /** What the transaction changed in the balances of the event's accounts, sorted by account, then by asset: XRP, tokens by currency and issuer, multi-purpose tokens by id. Empty if it changed none of them. Absent if the metadata do not tell it, or if there are more than 100 changes. In a payload only if the receiver includes balance_changes. */
    balance_changes?: BalanceChange[];
};
export type NftMintedApiEvent = {
    /** The event's id. The same event always has the same id, so use it to recognise duplicates. */
    event_id: string;
    /** The event's type. */
    event_type: "nft.minted";
    /** The index of the ledger that contains the event. */
    ledger_index: number;
    /** The event's place among the events of its ledger, from 0. With ledger_index it gives the order of a network's events, as in the header X-Service-Sequence. */
    position: number;
    /** When that ledger closed: ISO 8601 date-time in UTC, whole seconds. */
    timestamp: string;
    /** The network of the event. */
    network: Network;
    payload: NftMinted;
};
export type NftBurned = {
    /** The transaction that caused the event. */
    tx_hash: Hash;
    /** The NFTokenID. */
    nftoken_id: Hash;
    /** The account that held the token. */
    owner: Address;
    /** The account that burned the token: its owner or, if allowed, its issuer. */
    burned_by: Address;
    /** The token's issuer. */
    issuer: Address;
    /** The taxon, a number by which the issuer groups tokens. */
    taxon: number;
    /** The token's serial number among the tokens of its issuer. */
    serial: number;
    /** The account that sent the transaction for its account, as its delegate. */
    delegate?: Address;
    /** The Batch transaction of which the transaction is a part. */
    parent_batch_id?: Hash;
    /** The account that signed the transaction too, as its sponsor. */
    sponsor?: Address;
    /** The transaction's memos, up to 1,024 bytes. Absent if it has none. In a payload only if the receiver includes memos. */
    memos?: Memo[];
    /** Present if the transaction has more than 1,024 bytes of memos: the first memo that exceeds them and all later ones are left out. In a payload only if the receiver includes memos. */
    memos_truncated?: true;
    /** What the transaction changed in the balances of the event's accounts, sorted by account, then by asset: XRP, tokens by currency and issuer, multi-purpose tokens by id. Empty if it changed none of them. Absent if the metadata do not tell it, or if there are more than 100 changes. In a payload only if the receiver includes balance_changes. */
    balance_changes?: BalanceChange[];
};
export type NftBurnedApiEvent = {
    /** The event's id. The same event always has the same id, so use it to recognise duplicates. */
    event_id: string;
    /** The event's type. */
    event_type: "nft.burned";
    /** The index of the ledger that contains the event. */
    ledger_index: number;
    /** The event's place among the events of its ledger, from 0. With ledger_index it gives the order of a network's events, as in the header X-Service-Sequence. */
    position: number;
    /** When that ledger closed: ISO 8601 date-time in UTC, whole seconds. */
    timestamp: string;
    /** The network of the event. */
    network: Network;
    payload: NftBurned;
};
export type Amount = Drops | TokenAmount | MptAmount;
export type Time = string;
export type NftOfferCreated = {
    /** The transaction that caused the event. */
    tx_hash: Hash;
    /** The offer's ledger entry. */
    offer_id: Hash;
    /** The NFTokenID. */
    nftoken_id: Hash;
    /** The account that made the offer. */
    owner: Address;
    /** Whether it offers to sell the token; otherwise to buy it. */
    is_sell: boolean;
    /** The price. "0" gives the token away. */
    amount: Amount;
    /** The account that owns the token, if the transaction says so. */
    nft_owner?: Address;
    /** The only account that may accept. */
    destination?: Address;
    /** When the offer expires. It cannot be accepted from then on. */
    expiration?: Time;
    /** The account that sent the transaction for its account, as its delegate. */
    delegate?: Address;
    /** The Batch transaction of which the transaction is a part. */
    parent_batch_id?: Hash;
    /** The account that signed the transaction too, as its sponsor. */
    sponsor?: Address;
    /** The transaction's memos, up to 1,024 bytes. Absent if it has none. In a payload only if the receiver includes memos. */
    memos?: Memo[];
    /** Present if the transaction has more than 1,024 bytes of memos: the first memo that exceeds them and all later ones are left out. In a payload only if the receiver includes memos. */
    memos_truncated?: true;
    /** What the transaction changed in the balances of the event's accounts, sorted by account, then by asset: XRP, tokens by currency and issuer, multi-purpose tokens by id. Empty if it changed none of them. Absent if the metadata do not tell it, or if there are more than 100 changes. In a payload only if the receiver includes balance_changes. */
    balance_changes?: BalanceChange[];
};
export type NftOfferCreatedApiEvent = {
    /** The event's id. The same event always has the same id, so use it to recognise duplicates. */
    event_id: string;
    /** The event's type. */
    event_type: "nft.offer_created";
    /** The index of the ledger that contains the event. */
    ledger_index: number;
    /** The event's place among the events of its ledger, from 0. With ledger_index it gives the order of a network's events, as in the header X-Service-Sequence. */
    position: number;
    /** When that ledger closed: ISO 8601 date-time in UTC, whole seconds. */
    timestamp: string;
    /** The network of the event. */
    network: Network;
    payload: NftOfferCreated;
};
export type NftOfferAccepted = {
    /** The transaction that caused the event. */
    tx_hash: Hash;
    /** The NFTokenID. */
    nftoken_id: Hash;
    /** The account that held the token. */
    seller: Address;
    /** The account that holds it now. */
    buyer: Address;
    /** What the buyer paid; the broker's fee and the issuer's share come out of it. */
    amount: Amount;
    /** The accepted offer to sell. */
    sell_offer_id?: Hash;
    /** The accepted offer to buy. Both ids are given if a broker matched the offers. */
    buy_offer_id?: Hash;
    /** The account that matched the two offers. */
    broker?: Address;
    /** What the broker kept. */
    broker_fee?: Amount;
    /** The token's issuer. */
    issuer: Address;
    /** The issuer's share of each resale, in units of 1/100000. */
    transfer_fee: number;
    /** The account that sent the transaction for its account, as its delegate. */
    delegate?: Address;
    /** The Batch transaction of which the transaction is a part. */
    parent_batch_id?: Hash;
    /** The account that signed the transaction too, as its sponsor. */
    sponsor?: Address;
    /** The transaction's memos, up to 1,024 bytes. Absent if it has none. In a payload only if the receiver includes memos. */
    memos?: Memo[];
    /** Present if the transaction has more than 1,024 bytes of memos: the first memo that exceeds them and all later ones are left out. In a payload only if the receiver includes memos. */
    memos_truncated?: true;
    /** What the transaction changed in the balances of the event's accounts, sorted by account, then by asset: XRP, tokens by currency and issuer, multi-purpose tokens by id. Empty if it changed none of them. Absent if the metadata do not tell it, or if there are more than 100 changes. In a payload only if the receiver includes balance_changes. */
    balance_changes?: BalanceChange[];
};
export type NftOfferAcceptedApiEvent = {
    /** The event's id. The same event always has the same id, so use it to recognise duplicates. */
    event_id: string;
    /** The event's type. */
    event_type: "nft.offer_accepted";
    /** The index of the ledger that contains the event. */
    ledger_index: number;
    /** The event's place among the events of its ledger, from 0. With ledger_index it gives the order of a network's events, as in the header X-Service-Sequence. */
    position: number;
    /** When that ledger closed: ISO 8601 date-time in UTC, whole seconds. */
    timestamp: string;
    /** The network of the event. */
    network: Network;
    payload: NftOfferAccepted;
};
export type NftOfferCancelled = {
    /** The transaction that caused the event. */
    tx_hash: Hash;
    /** The offer's ledger entry. */
    offer_id: Hash;
    /** The NFTokenID. */
    nftoken_id: Hash;
    /** The account that made the offer. */
    owner: Address;
    /** Whether it offers to sell the token; otherwise to buy it. */
    is_sell: boolean;
    /** The price. "0" gives the token away. */
    amount: Amount;
    /** The only account that may accept. */
    destination?: Address;
    /** When the offer expires. It cannot be accepted from then on. */
    expiration?: Time;
    /** cancelled: by its owner or destination. expired: another account removed it, or tried to accept it, after it had expired. nft_burned: the token was burned. account_deleted: the owner's account was deleted. other: any other reason. */
    reason: "cancelled" | "expired" | "nft_burned" | "account_deleted" | "other";
    /** The account that sent the NFTokenCancelOffer. */
    cancelled_by?: Address;
    /** The account that sent the transaction for its account, as its delegate. */
    delegate?: Address;
    /** The Batch transaction of which the transaction is a part. */
    parent_batch_id?: Hash;
    /** The account that signed the transaction too, as its sponsor. */
    sponsor?: Address;
    /** The transaction's memos, up to 1,024 bytes. Absent if it has none. In a payload only if the receiver includes memos. */
    memos?: Memo[];
    /** Present if the transaction has more than 1,024 bytes of memos: the first memo that exceeds them and all later ones are left out. In a payload only if the receiver includes memos. */
    memos_truncated?: true;
    /** What the transaction changed in the balances of the event's accounts, sorted by account, then by asset: XRP, tokens by currency and issuer, multi-purpose tokens by id. Empty if it changed none of them. Absent if the metadata do not tell it, or if there are more than 100 changes. In a payload only if the receiver includes balance_changes. */
    balance_changes?: BalanceChange[];
};
export type NftOfferCancelledApiEvent = {
    /** The event's id. The same event always has the same id, so use it to recognise duplicates. */
    event_id: string;
    /** The event's type. */
    event_type: "nft.offer_cancelled";
    /** The index of the ledger that contains the event. */
    ledger_index: number;
    /** The event's place among the events of its ledger, from 0. With ledger_index it gives the order of a network's events, as in the header X-Service-Sequence. */
    position: number;
    /** When that ledger closed: ISO 8601 date-time in UTC, whole seconds. */
    timestamp: string;
    /** The network of the event. */
    network: Network;
    payload: NftOfferCancelled;
};
export type DexOfferCreated = {
    /** The transaction that caused the event. */
    tx_hash: Hash;
    /** The offer's ledger entry. */
    offer_id: Hash;
    /** The sequence or ticket of the OfferCreate that made it. */
    offer_sequence: number;
    /** The offer's owner. */
    account: Address;
    /** The amount that the owner gives, as placed in the book. */
    taker_gets: Amount;
    /** The amount that the owner receives, as placed in the book. */
    taker_pays: Amount;
    /** The amount that the owner asked to give, if it differs. */
    requested_taker_gets?: Amount;
    /** The amount that the owner asked to receive, if it differs. */
    requested_taker_pays?: Amount;
    /** When the offer expires. It cannot be taken from then on. */
    expiration?: Time;
    /** Whether the owner gives all of taker_gets, even for more than taker_pays. */
    is_sell: boolean;
    /** Whether the offer does not take offers that match it exactly. */
    is_passive: boolean;
    /** The permissioned domain it belongs to. */
    domain_id?: Hash;
    /** Present, and true, if the offer is also in the open order book, besides that of its domain. */
    is_hybrid?: true;
    /** The account that sent the transaction for its account, as its delegate. */
    delegate?: Address;
    /** The Batch transaction of which the transaction is a part. */
    parent_batch_id?: Hash;
    /** The account that signed the transaction too, as its sponsor. */
    sponsor?: Address;
    /** The transaction's memos, up to 1,024 bytes. Absent if it has none. In a payload only if the receiver includes memos. */
    memos?: Memo[];
    /** Present if the transaction has more than 1,024 bytes of memos: the first memo that exceeds them and all later ones are left out. In a payload only if the receiver includes memos. */
    memos_truncated?: true;
    /** What the transaction changed in the balances of the event's accounts, sorted by account, then by asset: XRP, tokens by currency and issuer, multi-purpose tokens by id. Empty if it changed none of them. Absent if the metadata do not tell it, or if there are more than 100 changes. In a payload only if the receiver includes balance_changes. */
    balance_changes?: BalanceChange[];
};
export type DexOfferCreatedApiEvent = {
    /** The event's id. The same event always has the same id, so use it to recognise duplicates. */
    event_id: string;
    /** The event's type. */
    event_type: "dex.offer_created";
    /** The index of the ledger that contains the event. */
    ledger_index: number;
    /** The event's place among the events of its ledger, from 0. With ledger_index it gives the order of a network's events, as in the header X-Service-Sequence. */
    position: number;
    /** When that ledger closed: ISO 8601 date-time in UTC, whole seconds. */
    timestamp: string;
    /** The network of the event. */
    network: Network;
    payload: DexOfferCreated;
};
export type ComputedTokenAmount = {
    /** The token's currency. */
    currency: Currency;
    /** The token's issuer. */
    issuer: Address;
    /** The amount. */
    value: ComputedValue;
};
export type ComputedAmount = Drops | ComputedTokenAmount | MptAmount;
export type TransactionType = string;
export type DexOfferPartial = {
    /** The transaction that caused the event. */
    tx_hash: Hash;
    /** The offer's ledger entry. */
    offer_id: Hash;
    /** The sequence or ticket of the OfferCreate that made it. */
    offer_sequence: number;
    /** The offer's owner. */
    account: Address;
    /** The account whose transaction took the offer. */
    taker: Address;
    /** What the owner gave in this trade, without transfer fees. */
    filled_taker_gets: ComputedAmount;
    /** What the owner received in this trade. */
    filled_taker_pays: ComputedAmount;
    /** What is left to give. */
    remaining_taker_gets: Amount;
    /** What is left to receive. */
    remaining_taker_pays: Amount;
    /** The type of the transaction that caused the event. */
    tx_type: TransactionType;
    /** The permissioned domain it belongs to. */
    domain_id?: Hash;
    /** Present, and true, if the offer is also in the open order book, besides that of its domain. */
    is_hybrid?: true;
    /** The account that sent the transaction for its account, as its delegate. */
    delegate?: Address;
    /** The Batch transaction of which the transaction is a part. */
    parent_batch_id?: Hash;
    /** The account that signed the transaction too, as its sponsor. */
    sponsor?: Address;
    /** The transaction's memos, up to 1,024 bytes. Absent if it has none. In a payload only if the receiver includes memos. */
    memos?: Memo[];
    /** Present if the transaction has more than 1,024 bytes of memos: the first memo that exceeds them and all later ones are left out. In a payload only if the receiver includes memos. */
    memos_truncated?: true;
    /** What the transaction changed in the balances of the event's accounts, sorted by account, then by asset: XRP, tokens by currency and issuer, multi-purpose tokens by id. Empty if it changed none of them. Absent if the metadata do not tell it, or if there are more than 100 changes. In a payload only if the receiver includes balance_changes. */
    balance_changes?: BalanceChange[];
};
export type DexOfferPartialApiEvent = {
    /** The event's id. The same event always has the same id, so use it to recognise duplicates. */
    event_id: string;
    /** The event's type. */
    event_type: "dex.offer_partial";
    /** The index of the ledger that contains the event. */
    ledger_index: number;
    /** The event's place among the events of its ledger, from 0. With ledger_index it gives the order of a network's events, as in the header X-Service-Sequence. */
    position: number;
    /** When that ledger closed: ISO 8601 date-time in UTC, whole seconds. */
    timestamp: string;
    /** The network of the event. */
    network: Network;
    payload: DexOfferPartial;
};
export type DexOfferFilled = {
    /** The transaction that caused the event. */
    tx_hash: Hash;
    /** The offer's ledger entry. */
    offer_id: Hash;
    /** The sequence or ticket of the OfferCreate that made it. */
    offer_sequence: number;
    /** The offer's owner. */
    account: Address;
    /** The account whose transaction took the offer. */
    taker: Address;
    /** What the owner gave in this trade, without transfer fees. */
    filled_taker_gets: ComputedAmount;
    /** What the owner received in this trade. */
    filled_taker_pays: ComputedAmount;
    /** What is left to give. */
    remaining_taker_gets: Amount;
    /** What is left to receive. */
    remaining_taker_pays: Amount;
    /** The type of the transaction that caused the event. */
    tx_type: TransactionType;
    /** The permissioned domain it belongs to. */
    domain_id?: Hash;
    /** Present, and true, if the offer is also in the open order book, besides that of its domain. */
    is_hybrid?: true;
    /** The account that sent the transaction for its account, as its delegate. */
    delegate?: Address;
    /** The Batch transaction of which the transaction is a part. */
    parent_batch_id?: Hash;
    /** The account that signed the transaction too, as its sponsor. */
    sponsor?: Address;
    /** The transaction's memos, up to 1,024 bytes. Absent if it has none. In a payload only if the receiver includes memos. */
    memos?: Memo[];
    /** Present if the transaction has more than 1,024 bytes of memos: the first memo that exceeds them and all later ones are left out. In a payload only if the receiver includes memos. */
    memos_truncated?: true;
    /** What the transaction changed in the balances of the event's accounts, sorted by account, then by asset: XRP, tokens by currency and issuer, multi-purpose tokens by id. Empty if it changed none of them. Absent if the metadata do not tell it, or if there are more than 100 changes. In a payload only if the receiver includes balance_changes. */
    balance_changes?: BalanceChange[];
};
export type DexOfferFilledApiEvent = {
    /** The event's id. The same event always has the same id, so use it to recognise duplicates. */
    event_id: string;
    /** The event's type. */
    event_type: "dex.offer_filled";
    /** The index of the ledger that contains the event. */
    ledger_index: number;
    /** The event's place among the events of its ledger, from 0. With ledger_index it gives the order of a network's events, as in the header X-Service-Sequence. */
    position: number;
    /** When that ledger closed: ISO 8601 date-time in UTC, whole seconds. */
    timestamp: string;
    /** The network of the event. */
    network: Network;
    payload: DexOfferFilled;
};
export type DexOfferCancelled = {
    /** The transaction that caused the event. */
    tx_hash: Hash;
    /** The offer's ledger entry. */
    offer_id: Hash;
    /** The sequence or ticket of the OfferCreate that made it. */
    offer_sequence: number;
    /** The offer's owner. */
    account: Address;
    /** What was left to give. */
    taker_gets: Amount;
    /** What was left to receive. */
    taker_pays: Amount;
    /** When the offer expires. It cannot be taken from then on. */
    expiration?: Time;
    /** cancelled: by its owner. replaced: by a new offer of the owner. account_deleted: the owner's account was deleted. unfunded: the owner had nothing more to give, or was not allowed to. expired: it had expired. self_crossed: a new offer of the owner matched it. */
    reason: "cancelled" | "replaced" | "account_deleted" | "unfunded" | "expired" | "self_crossed";
    /** The type of the transaction that caused the event. */
    tx_type: TransactionType;
    /** The permissioned domain it belongs to. */
    domain_id?: Hash;
    /** Present, and true, if the offer is also in the open order book, besides that of its domain. */
    is_hybrid?: true;
    /** The account that sent the transaction for its account, as its delegate. */
    delegate?: Address;
    /** The Batch transaction of which the transaction is a part. */
    parent_batch_id?: Hash;
    /** The account that signed the transaction too, as its sponsor. */
    sponsor?: Address;
    /** The transaction's memos, up to 1,024 bytes. Absent if it has none. In a payload only if the receiver includes memos. */
    memos?: Memo[];
    /** Present if the transaction has more than 1,024 bytes of memos: the first memo that exceeds them and all later ones are left out. In a payload only if the receiver includes memos. */
    memos_truncated?: true;
    /** What the transaction changed in the balances of the event's accounts, sorted by account, then by asset: XRP, tokens by currency and issuer, multi-purpose tokens by id. Empty if it changed none of them. Absent if the metadata do not tell it, or if there are more than 100 changes. In a payload only if the receiver includes balance_changes. */
    balance_changes?: BalanceChange[];
};
export type DexOfferCancelledApiEvent = {
    /** The event's id. The same event always has the same id, so use it to recognise duplicates. */
    event_id: string;
    /** The event's type. */
    event_type: "dex.offer_cancelled";
    /** The index of the ledger that contains the event. */
    ledger_index: number;
    /** The event's place among the events of its ledger, from 0. With ledger_index it gives the order of a network's events, as in the header X-Service-Sequence. */
    position: number;
    /** When that ledger closed: ISO 8601 date-time in UTC, whole seconds. */
    timestamp: string;
    /** The network of the event. */
    network: Network;
    payload: DexOfferCancelled;
};
export type TrustlineCreated = {
    /** The transaction that caused the event. */
    tx_hash: Hash;
    /** The id of the line's ledger entry. It is the same in all events of one line. */
    trustline_id: Hash;
    /** The side that set the line with this transaction; if neither did, the side whose reserve the line counts towards. */
    account: Address;
    /** The other side: usually the issuer. */
    counterparty: Address;
    /** The line's currency. */
    currency: Currency;
    /** The most that the account is willing to hold. */
    limit: TokenValue;
    /** The most that the counterparty is willing to hold. */
    limit_peer: TokenValue;
    /** The account's balance. Negative if the account owes the amount. */
    balance: TokenValue;
    /** Whether the account forbids rippling through it. */
    no_ripple: boolean;
    /** Whether the counterparty does. */
    no_ripple_peer: boolean;
    /** Whether the account froze the line. */
    freeze: boolean;
    /** Whether the counterparty did. */
    freeze_peer: boolean;
    /** Whether the account deep-froze the line. */
    deep_freeze: boolean;
    /** Whether the counterparty did. */
    deep_freeze_peer: boolean;
    /** Whether the account authorised the counterparty to hold its tokens. */
    authorized: boolean;
    /** Whether the counterparty authorised the account. */
    peer_authorized: boolean;
    /** The account's rate for incoming amounts, in units of 1/1000000000. */
    quality_in?: number;
    /** The account's rate for outgoing amounts, in units of 1/1000000000. */
    quality_out?: number;
    /** Present, and true, if the line belongs to an AMM's pool. */
    amm_pool?: true;
    /** The type of the transaction that caused the event. */
    tx_type: TransactionType;
    /** Whether a transaction other than a TrustSet created the line. */
    auto_created: boolean;
    /** The account that sent the transaction for its account, as its delegate. */
    delegate?: Address;
    /** The Batch transaction of which the transaction is a part. */
    parent_batch_id?: Hash;
    /** The account that signed the transaction too, as its sponsor. */
    sponsor?: Address;
    /** The transaction's memos, up to 1,024 bytes. Absent if it has none. In a payload only if the receiver includes memos. */
    memos?: Memo[];
    /** Present if the transaction has more than 1,024 bytes of memos: the first memo that exceeds them and all later ones are left out. In a payload only if the receiver includes memos. */
    memos_truncated?: true;
    /** What the transaction changed in the balances of the event's accounts, sorted by account, then by asset: XRP, tokens by currency and issuer, multi-purpose tokens by id. Empty if it changed none of them. Absent if the metadata do not tell it, or if there are more than 100 changes. In a payload only if the receiver includes balance_changes. */
    balance_changes?: BalanceChange[];
};
export type TrustlineCreatedApiEvent = {
    /** The event's id. The same event always has the same id, so use it to recognise duplicates. */
    event_id: string;
    /** The event's type. */
    event_type: "trustline.created";
    /** The index of the ledger that contains the event. */
    ledger_index: number;
    /** The event's place among the events of its ledger, from 0. With ledger_index it gives the order of a network's events, as in the header X-Service-Sequence. */
    position: number;
    /** When that ledger closed: ISO 8601 date-time in UTC, whole seconds. */
    timestamp: string;
    /** The network of the event. */
    network: Network;
    payload: TrustlineCreated;
};
export type TrustLineChange = {
    field: "authorized" | "deep_freeze" | "deep_freeze_peer" | "freeze" | "freeze_peer" | "no_ripple" | "no_ripple_peer" | "peer_authorized";
    previous: boolean;
    value: boolean;
} | {
    field: "limit" | "limit_peer";
    previous: TokenValue;
    value: TokenValue;
} | {
    field: "quality_in" | "quality_in_peer" | "quality_out" | "quality_out_peer";
    previous?: number;
    value?: number;
};
export type TrustlineModified = {
    /** The transaction that caused the event. */
    tx_hash: Hash;
    /** The id of the line's ledger entry. It is the same in all events of one line. */
    trustline_id: Hash;
    /** The side that set the line with this transaction; if neither did, the side whose reserve the line counts towards. */
    account: Address;
    /** The other side: usually the issuer. */
    counterparty: Address;
    /** The line's currency. */
    currency: Currency;
    /** The most that the account is willing to hold. */
    limit: TokenValue;
    /** The most that the counterparty is willing to hold. */
    limit_peer: TokenValue;
    /** The account's balance. Negative if the account owes the amount. */
    balance: TokenValue;
    /** Whether the account forbids rippling through it. */
    no_ripple: boolean;
    /** Whether the counterparty does. */
    no_ripple_peer: boolean;
    /** Whether the account froze the line. */
    freeze: boolean;
    /** Whether the counterparty did. */
    freeze_peer: boolean;
    /** Whether the account deep-froze the line. */
    deep_freeze: boolean;
    /** Whether the counterparty did. */
    deep_freeze_peer: boolean;
    /** Whether the account authorised the counterparty to hold its tokens. */
    authorized: boolean;
    /** Whether the counterparty authorised the account. */
    peer_authorized: boolean;
    /** The account's rate for incoming amounts, in units of 1/1000000000. */
    quality_in?: number;
    /** The account's rate for outgoing amounts, in units of 1/1000000000. */
    quality_out?: number;
    /** Present, and true, if the line belongs to an AMM's pool. */
    amm_pool?: true;
    /** The type of the transaction that caused the event. */
    tx_type: TransactionType;
    /** The account whose transaction changed it. */
    changed_by: Address;
    /** What changed, sorted by field, each at most once. */
    changes: TrustLineChange[];
    /** The account that sent the transaction for its account, as its delegate. */
    delegate?: Address;
    /** The Batch transaction of which the transaction is a part. */
    parent_batch_id?: Hash;
    /** The account that signed the transaction too, as its sponsor. */
    sponsor?: Address;
    /** The transaction's memos, up to 1,024 bytes. Absent if it has none. In a payload only if the receiver includes memos. */
    memos?: Memo[];
    /** Present if the transaction has more than 1,024 bytes of memos: the first memo that exceeds them and all later ones are left out. In a payload only if the receiver includes memos. */
    memos_truncated?: true;
    /** What the transaction changed in the balances of the event's accounts, sorted by account, then by asset: XRP, tokens by currency and issuer, multi-purpose tokens by id. Empty if it changed none of them. Absent if the metadata do not tell it, or if there are more than 100 changes. In a payload only if the receiver includes balance_changes. */
    balance_changes?: BalanceChange[];
};
export type TrustlineModifiedApiEvent = {
    /** The event's id. The same event always has the same id, so use it to recognise duplicates. */
    event_id: string;
    /** The event's type. */
    event_type: "trustline.modified";
    /** The index of the ledger that contains the event. */
    ledger_index: number;
    /** The event's place among the events of its ledger, from 0. With ledger_index it gives the order of a network's events, as in the header X-Service-Sequence. */
    position: number;
    /** When that ledger closed: ISO 8601 date-time in UTC, whole seconds. */
    timestamp: string;
    /** The network of the event. */
    network: Network;
    payload: TrustlineModified;
};
export type TrustlineDeleted = {
    /** The transaction that caused the event. */
    tx_hash: Hash;
    /** The id of the line's ledger entry. It is the same in all events of one line. */
    trustline_id: Hash;
    /** The side that set the line with this transaction; if neither did, the side whose reserve the line counts towards. */
    account: Address;
    /** The other side: usually the issuer. */
    counterparty: Address;
    /** The line's currency. */
    currency: Currency;
    /** The most that the account is willing to hold. */
    limit: TokenValue;
    /** The most that the counterparty is willing to hold. */
    limit_peer: TokenValue;
    /** The account's balance. Negative if the account owes the amount. */
    balance: TokenValue;
    /** Whether the account forbids rippling through it. */
    no_ripple: boolean;
    /** Whether the counterparty does. */
    no_ripple_peer: boolean;
    /** Whether the account froze the line. */
    freeze: boolean;
    /** Whether the counterparty did. */
    freeze_peer: boolean;
    /** Whether the account deep-froze the line. */
    deep_freeze: boolean;
    /** Whether the counterparty did. */
    deep_freeze_peer: boolean;
    /** Whether the account authorised the counterparty to hold its tokens. */
    authorized: boolean;
    /** Whether the counterparty authorised the account. */
    peer_authorized: boolean;
    /** The account's rate for incoming amounts, in units of 1/1000000000. */
    quality_in?: number;
    /** The account's rate for outgoing amounts, in units of 1/1000000000. */
    quality_out?: number;
    /** Present, and true, if the line belongs to an AMM's pool. */
    amm_pool?: true;
    /** The type of the transaction that caused the event. */
    tx_type: TransactionType;
    /** The account's previous limit, if this transaction changed it. */
    previous_limit?: TokenValue;
    /** The account that sent the transaction for its account, as its delegate. */
    delegate?: Address;
    /** The Batch transaction of which the transaction is a part. */
    parent_batch_id?: Hash;
    /** The account that signed the transaction too, as its sponsor. */
    sponsor?: Address;
    /** The transaction's memos, up to 1,024 bytes. Absent if it has none. In a payload only if the receiver includes memos. */
    memos?: Memo[];
    /** Present if the transaction has more than 1,024 bytes of memos: the first memo that exceeds them and all later ones are left out. In a payload only if the receiver includes memos. */
    memos_truncated?: true;
    /** What the transaction changed in the balances of the event's accounts, sorted by account, then by asset: XRP, tokens by currency and issuer, multi-purpose tokens by id. Empty if it changed none of them. Absent if the metadata do not tell it, or if there are more than 100 changes. In a payload only if the receiver includes balance_changes. */
    balance_changes?: BalanceChange[];
};
export type TrustlineDeletedApiEvent = {
    /** The event's id. The same event always has the same id, so use it to recognise duplicates. */
    event_id: string;
    /** The event's type. */
    event_type: "trustline.deleted";
    /** The index of the ledger that contains the event. */
    ledger_index: number;
    /** The event's place among the events of its ledger, from 0. With ledger_index it gives the order of a network's events, as in the header X-Service-Sequence. */
    position: number;
    /** When that ledger closed: ISO 8601 date-time in UTC, whole seconds. */
    timestamp: string;
    /** The network of the event. */
    network: Network;
    payload: TrustlineDeleted;
};
export type AccountCreated = {
    /** The transaction that caused the event. */
    tx_hash: Hash;
    /** The new account. */
    account: Address;
    /** The account whose transaction created it. */
    created_by: Address;
    /** The account's first balance. */
    initial_balance: Drops;
    /** What the account belongs to, if it is a pseudo-account, for which no keys exist. other: an object of a kind that this version of the rules does not name. */
    pseudo_account_type?: "amm" | "vault" | "loan_broker" | "other";
    /** The type of the transaction that caused the event. */
    tx_type: TransactionType;
    /** The account that sent the transaction for its account, as its delegate. */
    delegate?: Address;
    /** The Batch transaction of which the transaction is a part. */
    parent_batch_id?: Hash;
    /** The account that signed the transaction too, as its sponsor. */
    sponsor?: Address;
    /** The transaction's memos, up to 1,024 bytes. Absent if it has none. In a payload only if the receiver includes memos. */
    memos?: Memo[];
    /** Present if the transaction has more than 1,024 bytes of memos: the first memo that exceeds them and all later ones are left out. In a payload only if the receiver includes memos. */
    memos_truncated?: true;
    /** What the transaction changed in the balances of the event's accounts, sorted by account, then by asset: XRP, tokens by currency and issuer, multi-purpose tokens by id. Empty if it changed none of them. Absent if the metadata do not tell it, or if there are more than 100 changes. In a payload only if the receiver includes balance_changes. */
    balance_changes?: BalanceChange[];
};
export type AccountCreatedApiEvent = {
    /** The event's id. The same event always has the same id, so use it to recognise duplicates. */
    event_id: string;
    /** The event's type. */
    event_type: "account.created";
    /** The index of the ledger that contains the event. */
    ledger_index: number;
    /** The event's place among the events of its ledger, from 0. With ledger_index it gives the order of a network's events, as in the header X-Service-Sequence. */
    position: number;
    /** When that ledger closed: ISO 8601 date-time in UTC, whole seconds. */
    timestamp: string;
    /** The network of the event. */
    network: Network;
    payload: AccountCreated;
};
export type EmailHash = string;
export type Signer = {
    /** The account that may sign. */
    account: Address;
    /** The weight of its signature. */
    weight: number;
    /** The owner's note on the signer. */
    wallet_locator?: Hash;
};
export type SignerList = {
    /** The sum of weights that a transaction requires. */
    quorum: number;
    /** In the order of the ledger entry. */
    signers: Signer[];
};
export type SettingChange = {
    setting: "account_txn_id" | "allow_trust_line_clawback" | "allow_trust_line_locking" | "default_ripple" | "deposit_auth" | "disable_master_key" | "disallow_incoming_check" | "disallow_incoming_nftoken_offer" | "disallow_incoming_pay_chan" | "disallow_incoming_trustline" | "disallow_incoming_xrp" | "global_freeze" | "no_freeze" | "require_authorization" | "require_destination_tag";
    previous: boolean;
    value: boolean;
} | {
    setting: "domain" | "message_key";
    previous?: Hex;
    value?: Hex;
} | {
    setting: "email_hash";
    previous?: EmailHash;
    value?: EmailHash;
} | {
    setting: "wallet_locator";
    previous?: Hash;
    value?: Hash;
} | {
    setting: "transfer_rate";
    previous?: number;
    value?: number;
} | {
    setting: "tick_size";
    previous?: number;
    value?: number;
} | {
    setting: "nftoken_minter" | "regular_key";
    previous?: Address;
    value?: Address;
} | {
    setting: "signer_list";
    previous?: SignerList;
    value?: SignerList;
};
export type AccountSettingsChanged = {
    /** The transaction that caused the event. */
    tx_hash: Hash;
    /** The account whose settings changed; it sent the transaction. */
    account: Address;
    /** What changed, sorted by setting, each at most once. */
    changes: SettingChange[];
    /** The type of the transaction that caused the event. */
    tx_type: TransactionType;
    /** The account that sent the transaction for its account, as its delegate. */
    delegate?: Address;
    /** The Batch transaction of which the transaction is a part. */
    parent_batch_id?: Hash;
    /** The account that signed the transaction too, as its sponsor. */
    sponsor?: Address;
    /** The transaction's memos, up to 1,024 bytes. Absent if it has none. In a payload only if the receiver includes memos. */
    memos?: Memo[];
    /** Present if the transaction has more than 1,024 bytes of memos: the first memo that exceeds them and all later ones are left out. In a payload only if the receiver includes memos. */
    memos_truncated?: true;
    /** What the transaction changed in the balances of the event's accounts, sorted by account, then by asset: XRP, tokens by currency and issuer, multi-purpose tokens by id. Empty if it changed none of them. Absent if the metadata do not tell it, or if there are more than 100 changes. In a payload only if the receiver includes balance_changes. */
    balance_changes?: BalanceChange[];
};
export type AccountSettingsChangedApiEvent = {
    /** The event's id. The same event always has the same id, so use it to recognise duplicates. */
    event_id: string;
    /** The event's type. */
    event_type: "account.settings_changed";
    /** The index of the ledger that contains the event. */
    ledger_index: number;
    /** The event's place among the events of its ledger, from 0. With ledger_index it gives the order of a network's events, as in the header X-Service-Sequence. */
    position: number;
    /** When that ledger closed: ISO 8601 date-time in UTC, whole seconds. */
    timestamp: string;
    /** The network of the event. */
    network: Network;
    payload: AccountSettingsChanged;
};
export type AccountDeleted = {
    /** The transaction that caused the event. */
    tx_hash: Hash;
    /** The deleted account. */
    account: Address;
    /** The account that got the balance. Only for AccountDelete. */
    destination?: Address;
    /** The destination tag, which names a customer or account at the destination. */
    destination_tag?: number;
    /** The amount that the destination got; absent if the ledger does not show it. */
    delivered_amount?: Drops;
    /** What the account belongs to, if it is a pseudo-account, for which no keys exist. other: an object of a kind that this version of the rules does not name. */
    pseudo_account_type?: "amm" | "vault" | "loan_broker" | "other";
    /** The type of the transaction that caused the event. */
    tx_type: TransactionType;
    /** The account that sent the transaction for its account, as its delegate. */
    delegate?: Address;
    /** The Batch transaction of which the transaction is a part. */
    parent_batch_id?: Hash;
    /** The account that signed the transaction too, as its sponsor. */
    sponsor?: Address;
    /** The transaction's memos, up to 1,024 bytes. Absent if it has none. In a payload only if the receiver includes memos. */
    memos?: Memo[];
    /** Present if the transaction has more than 1,024 bytes of memos: the first memo that exceeds them and all later ones are left out. In a payload only if the receiver includes memos. */
    memos_truncated?: true;
    /** What the transaction changed in the balances of the event's accounts, sorted by account, then by asset: XRP, tokens by currency and issuer, multi-purpose tokens by id. Empty if it changed none of them. Absent if the metadata do not tell it, or if there are more than 100 changes. In a payload only if the receiver includes balance_changes. */
    balance_changes?: BalanceChange[];
};
export type AccountDeletedApiEvent = {
    /** The event's id. The same event always has the same id, so use it to recognise duplicates. */
    event_id: string;
    /** The event's type. */
    event_type: "account.deleted";
    /** The index of the ledger that contains the event. */
    ledger_index: number;
    /** The event's place among the events of its ledger, from 0. With ledger_index it gives the order of a network's events, as in the header X-Service-Sequence. */
    position: number;
    /** When that ledger closed: ISO 8601 date-time in UTC, whole seconds. */
    timestamp: string;
    /** The network of the event. */
    network: Network;
    payload: AccountDeleted;
};
export type EscrowCreated = {
    /** The transaction that caused the event. */
    tx_hash: Hash;
    /** The escrow's ledger entry. */
    escrow_id: Hash;
    /** The account that put the amount in escrow. */
    owner: Address;
    /** The account that gets the amount. It may be the owner. */
    destination: Address;
    /** The amount in escrow. If the token has a transfer fee, the destination gets less. */
    amount: Amount;
    /** The sequence or ticket of the EscrowCreate. */
    sequence: number;
    /** The destination tag, which names a customer or account at the destination. */
    destination_tag?: number;
    /** The source tag, which names a customer or account at the owner. */
    source_tag?: number;
    /** The crypto-condition that must be fulfilled. */
    condition?: Hex;
    /** From this time on the escrow may be finished. */
    finish_after?: Time;
    /** From this time on the escrow can only be cancelled. */
    cancel_after?: Time;
    /** The account that sent the transaction for its account, as its delegate. */
    delegate?: Address;
    /** The Batch transaction of which the transaction is a part. */
    parent_batch_id?: Hash;
    /** The account that signed the transaction too, as its sponsor. */
    sponsor?: Address;
    /** The transaction's memos, up to 1,024 bytes. Absent if it has none. In a payload only if the receiver includes memos. */
    memos?: Memo[];
    /** Present if the transaction has more than 1,024 bytes of memos: the first memo that exceeds them and all later ones are left out. In a payload only if the receiver includes memos. */
    memos_truncated?: true;
    /** What the transaction changed in the balances of the event's accounts, sorted by account, then by asset: XRP, tokens by currency and issuer, multi-purpose tokens by id. Empty if it changed none of them. Absent if the metadata do not tell it, or if there are more than 100 changes. In a payload only if the receiver includes balance_changes. */
    balance_changes?: BalanceChange[];
};
export type EscrowCreatedApiEvent = {
    /** The event's id. The same event always has the same id, so use it to recognise duplicates. */
    event_id: string;
    /** The event's type. */
    event_type: "escrow.created";
    /** The index of the ledger that contains the event. */
    ledger_index: number;
    /** The event's place among the events of its ledger, from 0. With ledger_index it gives the order of a network's events, as in the header X-Service-Sequence. */
    position: number;
    /** When that ledger closed: ISO 8601 date-time in UTC, whole seconds. */
    timestamp: string;
    /** The network of the event. */
    network: Network;
    payload: EscrowCreated;
};
export type EscrowFinished = {
    /** The transaction that caused the event. */
    tx_hash: Hash;
    /** The escrow's ledger entry. */
    escrow_id: Hash;
    /** The account that put the amount in escrow. */
    owner: Address;
    /** The account that gets the amount. It may be the owner. */
    destination: Address;
    /** The amount in escrow. If the token has a transfer fee, the destination gets less. */
    amount: Amount;
    /** The sequence or ticket of the EscrowCreate. */
    sequence: number;
    /** The destination tag, which names a customer or account at the destination. */
    destination_tag?: number;
    /** The source tag, which names a customer or account at the owner. */
    source_tag?: number;
    /** The crypto-condition that must be fulfilled. */
    condition?: Hex;
    /** From this time on the escrow may be finished. */
    finish_after?: Time;
    /** From this time on the escrow can only be cancelled. */
    cancel_after?: Time;
    /** The account that sent the EscrowFinish. Any account may. */
    finished_by: Address;
    /** The fulfilment of the condition. */
    fulfillment?: Hex;
    /** The amount that the destination got: less than amount if the token has a transfer fee. Absent if the ledger does not show it. */
    delivered_amount?: ComputedAmount;
    /** The account that sent the transaction for its account, as its delegate. */
    delegate?: Address;
    /** The Batch transaction of which the transaction is a part. */
    parent_batch_id?: Hash;
    /** The account that signed the transaction too, as its sponsor. */
    sponsor?: Address;
    /** The transaction's memos, up to 1,024 bytes. Absent if it has none. In a payload only if the receiver includes memos. */
    memos?: Memo[];
    /** Present if the transaction has more than 1,024 bytes of memos: the first memo that exceeds them and all later ones are left out. In a payload only if the receiver includes memos. */
    memos_truncated?: true;
    /** What the transaction changed in the balances of the event's accounts, sorted by account, then by asset: XRP, tokens by currency and issuer, multi-purpose tokens by id. Empty if it changed none of them. Absent if the metadata do not tell it, or if there are more than 100 changes. In a payload only if the receiver includes balance_changes. */
    balance_changes?: BalanceChange[];
};
export type EscrowFinishedApiEvent = {
    /** The event's id. The same event always has the same id, so use it to recognise duplicates. */
    event_id: string;
    /** The event's type. */
    event_type: "escrow.finished";
    /** The index of the ledger that contains the event. */
    ledger_index: number;
    /** The event's place among the events of its ledger, from 0. With ledger_index it gives the order of a network's events, as in the header X-Service-Sequence. */
    position: number;
    /** When that ledger closed: ISO 8601 date-time in UTC, whole seconds. */
    timestamp: string;
    /** The network of the event. */
    network: Network;
    payload: EscrowFinished;
};
export type EscrowCancelled = {
    /** The transaction that caused the event. */
    tx_hash: Hash;
    /** The escrow's ledger entry. */
    escrow_id: Hash;
    /** The account that put the amount in escrow. */
    owner: Address;
    /** The account that gets the amount. It may be the owner. */
    destination: Address;
    /** The amount in escrow. If the token has a transfer fee, the destination gets less. */
    amount: Amount;
    /** The sequence or ticket of the EscrowCreate. */
    sequence: number;
    /** The destination tag, which names a customer or account at the destination. */
    destination_tag?: number;
    /** The source tag, which names a customer or account at the owner. */
    source_tag?: number;
    /** The crypto-condition that must be fulfilled. */
    condition?: Hex;
    /** From this time on the escrow may be finished. */
    finish_after?: Time;
    /** From this time on the escrow can only be cancelled. */
    cancel_after?: Time;
    /** The account that sent the EscrowCancel. Any account may. */
    cancelled_by: Address;
    /** The account that sent the transaction for its account, as its delegate. */
    delegate?: Address;
    /** The Batch transaction of which the transaction is a part. */
    parent_batch_id?: Hash;
    /** The account that signed the transaction too, as its sponsor. */
    sponsor?: Address;
    /** The transaction's memos, up to 1,024 bytes. Absent if it has none. In a payload only if the receiver includes memos. */
    memos?: Memo[];
    /** Present if the transaction has more than 1,024 bytes of memos: the first memo that exceeds them and all later ones are left out. In a payload only if the receiver includes memos. */
    memos_truncated?: true;
    /** What the transaction changed in the balances of the event's accounts, sorted by account, then by asset: XRP, tokens by currency and issuer, multi-purpose tokens by id. Empty if it changed none of them. Absent if the metadata do not tell it, or if there are more than 100 changes. In a payload only if the receiver includes balance_changes. */
    balance_changes?: BalanceChange[];
};
export type EscrowCancelledApiEvent = {
    /** The event's id. The same event always has the same id, so use it to recognise duplicates. */
    event_id: string;
    /** The event's type. */
    event_type: "escrow.cancelled";
    /** The index of the ledger that contains the event. */
    ledger_index: number;
    /** The event's place among the events of its ledger, from 0. With ledger_index it gives the order of a network's events, as in the header X-Service-Sequence. */
    position: number;
    /** When that ledger closed: ISO 8601 date-time in UTC, whole seconds. */
    timestamp: string;
    /** The network of the event. */
    network: Network;
    payload: EscrowCancelled;
};
export type CheckCreated = {
    /** The transaction that caused the event. */
    tx_hash: Hash;
    /** The check's ledger entry. */
    check_id: Hash;
    /** The account that wrote the check. */
    account: Address;
    /** The account that may cash it. */
    destination: Address;
    /** The most that the check may cost the writer. */
    send_max: Amount;
    /** The sequence or ticket of the CheckCreate. */
    sequence: number;
    /** The destination tag, which names a customer or account at the destination. */
    destination_tag?: number;
    /** The source tag, which names a customer or account at the writer. */
    source_tag?: number;
    /** The writer's reference. */
    invoice_id?: Hash;
    /** When the check expires. It cannot be cashed from then on. */
    expiration?: Time;
    /** The account that sent the transaction for its account, as its delegate. */
    delegate?: Address;
    /** The Batch transaction of which the transaction is a part. */
    parent_batch_id?: Hash;
    /** The account that signed the transaction too, as its sponsor. */
    sponsor?: Address;
    /** The transaction's memos, up to 1,024 bytes. Absent if it has none. In a payload only if the receiver includes memos. */
    memos?: Memo[];
    /** Present if the transaction has more than 1,024 bytes of memos: the first memo that exceeds them and all later ones are left out. In a payload only if the receiver includes memos. */
    memos_truncated?: true;
    /** What the transaction changed in the balances of the event's accounts, sorted by account, then by asset: XRP, tokens by currency and issuer, multi-purpose tokens by id. Empty if it changed none of them. Absent if the metadata do not tell it, or if there are more than 100 changes. In a payload only if the receiver includes balance_changes. */
    balance_changes?: BalanceChange[];
};
export type CheckCreatedApiEvent = {
    /** The event's id. The same event always has the same id, so use it to recognise duplicates. */
    event_id: string;
    /** The event's type. */
    event_type: "check.created";
    /** The index of the ledger that contains the event. */
    ledger_index: number;
    /** The event's place among the events of its ledger, from 0. With ledger_index it gives the order of a network's events, as in the header X-Service-Sequence. */
    position: number;
    /** When that ledger closed: ISO 8601 date-time in UTC, whole seconds. */
    timestamp: string;
    /** The network of the event. */
    network: Network;
    payload: CheckCreated;
};
export type CheckCashed = {
    /** The transaction that caused the event. */
    tx_hash: Hash;
    /** The check's ledger entry. */
    check_id: Hash;
    /** The account that wrote the check. */
    account: Address;
    /** The account that may cash it. */
    destination: Address;
    /** The most that the check may cost the writer. */
    send_max: Amount;
    /** The sequence or ticket of the CheckCreate. */
    sequence: number;
    /** The destination tag, which names a customer or account at the destination. */
    destination_tag?: number;
    /** The source tag, which names a customer or account at the writer. */
    source_tag?: number;
    /** The writer's reference. */
    invoice_id?: Hash;
    /** When the check expires. It cannot be cashed from then on. */
    expiration?: Time;
    /** The amount that the destination got. */
    amount: Amount;
    /** The account that sent the transaction for its account, as its delegate. */
    delegate?: Address;
    /** The Batch transaction of which the transaction is a part. */
    parent_batch_id?: Hash;
    /** The account that signed the transaction too, as its sponsor. */
    sponsor?: Address;
    /** The transaction's memos, up to 1,024 bytes. Absent if it has none. In a payload only if the receiver includes memos. */
    memos?: Memo[];
    /** Present if the transaction has more than 1,024 bytes of memos: the first memo that exceeds them and all later ones are left out. In a payload only if the receiver includes memos. */
    memos_truncated?: true;
    /** What the transaction changed in the balances of the event's accounts, sorted by account, then by asset: XRP, tokens by currency and issuer, multi-purpose tokens by id. Empty if it changed none of them. Absent if the metadata do not tell it, or if there are more than 100 changes. In a payload only if the receiver includes balance_changes. */
    balance_changes?: BalanceChange[];
};
export type CheckCashedApiEvent = {
    /** The event's id. The same event always has the same id, so use it to recognise duplicates. */
    event_id: string;
    /** The event's type. */
    event_type: "check.cashed";
    /** The index of the ledger that contains the event. */
    ledger_index: number;
    /** The event's place among the events of its ledger, from 0. With ledger_index it gives the order of a network's events, as in the header X-Service-Sequence. */
    position: number;
    /** When that ledger closed: ISO 8601 date-time in UTC, whole seconds. */
    timestamp: string;
    /** The network of the event. */
    network: Network;
    payload: CheckCashed;
};
export type CheckCancelled = {
    /** The transaction that caused the event. */
    tx_hash: Hash;
    /** The check's ledger entry. */
    check_id: Hash;
    /** The account that wrote the check. */
    account: Address;
    /** The account that may cash it. */
    destination: Address;
    /** The most that the check may cost the writer. */
    send_max: Amount;
    /** The sequence or ticket of the CheckCreate. */
    sequence: number;
    /** The destination tag, which names a customer or account at the destination. */
    destination_tag?: number;
    /** The source tag, which names a customer or account at the writer. */
    source_tag?: number;
    /** The writer's reference. */
    invoice_id?: Hash;
    /** When the check expires. It cannot be cashed from then on. */
    expiration?: Time;
    /** The account that sent the CheckCancel. */
    cancelled_by: Address;
    /** cancelled: by its writer or its destination. expired: by another account, which is possible only after the check has expired. */
    reason: "cancelled" | "expired";
    /** The account that sent the transaction for its account, as its delegate. */
    delegate?: Address;
    /** The Batch transaction of which the transaction is a part. */
    parent_batch_id?: Hash;
    /** The account that signed the transaction too, as its sponsor. */
    sponsor?: Address;
    /** The transaction's memos, up to 1,024 bytes. Absent if it has none. In a payload only if the receiver includes memos. */
    memos?: Memo[];
    /** Present if the transaction has more than 1,024 bytes of memos: the first memo that exceeds them and all later ones are left out. In a payload only if the receiver includes memos. */
    memos_truncated?: true;
    /** What the transaction changed in the balances of the event's accounts, sorted by account, then by asset: XRP, tokens by currency and issuer, multi-purpose tokens by id. Empty if it changed none of them. Absent if the metadata do not tell it, or if there are more than 100 changes. In a payload only if the receiver includes balance_changes. */
    balance_changes?: BalanceChange[];
};
export type CheckCancelledApiEvent = {
    /** The event's id. The same event always has the same id, so use it to recognise duplicates. */
    event_id: string;
    /** The event's type. */
    event_type: "check.cancelled";
    /** The index of the ledger that contains the event. */
    ledger_index: number;
    /** The event's place among the events of its ledger, from 0. With ledger_index it gives the order of a network's events, as in the header X-Service-Sequence. */
    position: number;
    /** When that ledger closed: ISO 8601 date-time in UTC, whole seconds. */
    timestamp: string;
    /** The network of the event. */
    network: Network;
    payload: CheckCancelled;
};
export type Event = ({
    event_type: "payment.xrp";
} & PaymentXrpApiEvent) | ({
    event_type: "payment.issued";
} & PaymentIssuedApiEvent) | ({
    event_type: "nft.minted";
} & NftMintedApiEvent) | ({
    event_type: "nft.burned";
} & NftBurnedApiEvent) | ({
    event_type: "nft.offer_created";
} & NftOfferCreatedApiEvent) | ({
    event_type: "nft.offer_accepted";
} & NftOfferAcceptedApiEvent) | ({
    event_type: "nft.offer_cancelled";
} & NftOfferCancelledApiEvent) | ({
    event_type: "dex.offer_created";
} & DexOfferCreatedApiEvent) | ({
    event_type: "dex.offer_partial";
} & DexOfferPartialApiEvent) | ({
    event_type: "dex.offer_filled";
} & DexOfferFilledApiEvent) | ({
    event_type: "dex.offer_cancelled";
} & DexOfferCancelledApiEvent) | ({
    event_type: "trustline.created";
} & TrustlineCreatedApiEvent) | ({
    event_type: "trustline.modified";
} & TrustlineModifiedApiEvent) | ({
    event_type: "trustline.deleted";
} & TrustlineDeletedApiEvent) | ({
    event_type: "account.created";
} & AccountCreatedApiEvent) | ({
    event_type: "account.settings_changed";
} & AccountSettingsChangedApiEvent) | ({
    event_type: "account.deleted";
} & AccountDeletedApiEvent) | ({
    event_type: "escrow.created";
} & EscrowCreatedApiEvent) | ({
    event_type: "escrow.finished";
} & EscrowFinishedApiEvent) | ({
    event_type: "escrow.cancelled";
} & EscrowCancelledApiEvent) | ({
    event_type: "check.created";
} & CheckCreatedApiEvent) | ({
    event_type: "check.cashed";
} & CheckCashedApiEvent) | ({
    event_type: "check.cancelled";
} & CheckCancelledApiEvent);
export type EventPage = {
    /** The items, newest first. */
    data: Event[];
    /** Whether there are older items. */
    has_more: boolean;
    /** The cursor of the next page; null on the last page. */
    next_cursor: string | null;
};
export type StreamLimitReached = {
    /** What is wrong. */
    error: {
        /** The code, for programs. It does not change. */
        code: "STREAM_LIMIT_REACHED";
        /** What is wrong, for people. The wording may change. */
        message: string;
        /** What is wrong: a JSON pointer into the body, such as /event_types/0 (empty: the whole body), or the name of a parameter of the query, the path or the headers. Absent if the error is not about a parameter. */
        param?: string;
        /** The accepted value, field or path that the given one is most like. Absent if none is near. */
        suggestion?: string;
        /** The page about this code, relative to the address of the service. Always present. */
        doc_url?: string;
    };
};
export type EventCounts = {
    /** The network. */
    network: Network;
    /** When the counted 24 hours began. */
    since: string;
    /** When they ended. */
    until: string;
    /** The events of each type. A type without events is left out. */
    by_type: {
        [key: string]: number;
    };
};
export type DayPreviewRequest = {
    /** The network: mainnet with a live key; testnet (default) or devnet with a test key. */
    network?: Network;
    /** The events to deliver: event types (payment.xrp), families (nft.*), or * for every type. */
    event_types: EventPattern[];
    /** Deliver only events that involve at least one of these classic addresses. Empty (default): events of every address. */
    account_filters?: string[];
    /** The payloads to send, see docs/payload-filters.md. At least one of the event types must have each of its fields. Default null: every payload. */
    payload_filter?: object | null;
};
export type DayPreview = {
    /** The network. */
    network: Network;
    /** When the counted 24 hours began. */
    since: string;
    /** When they ended. */
    until: string;
    /** The events of these 24 hours that have a wanted type and a wanted account. */
    candidates: number;
    /** There may be more candidates: not all were counted. */
    at_least?: true;
    /** How many of the candidates were examined: the newest, at most 5000. */
    examined: number;
    /** Since when every candidate was examined. It equals `since` if the examined ones are all of the 24 hours. */
    examined_since: string;
    /** How many of the examined have a payload that the filter matches. */
    matched: number;
    /** The matches of each type. A type without matches is left out. */
    by_type: {
        [key: string]: number;
    };
    /** The matches in each of 48 equal parts of the time from `examined_since` to `until`, oldest first. */
    parts: number[];
    /** The newest matches, at most 3. */
    samples: Event[];
};
export type DescribedEventType = {
    /** The event's type. */
    event_type: EventType;
    /** When such an event occurs. */
    description: string;
    /** The JSON Schema (draft 2020-12) of the payload. It needs no other file. The same schemas are published in schemas/payloads of the repository. */
    schema: object;
    /** A payload that the schema accepts. */
    example: object;
};
export type EventTypeList = {
    /** The event types, by families. */
    data: DescribedEventType[];
};
export type LedgerRef = {
    /** The ledger's index. */
    ledger_index: number;
    /** The ledger's hash: 64 upper-case hex digits. */
    ledger_hash: string;
    /** When the ledger closed: ISO 8601 date-time in UTC, whole seconds. */
    close_time: string;
};
export type LedgerRange = {
    /** The oldest ledger of the range. */
    first: LedgerRef;
    /** The newest ledger of the range. */
    last: LedgerRef;
    /** The number of ledgers, first and last included. */
    ledgers: number;
    /** Whether these ledgers are simulated. The service simulates a test network for which no servers are configured. */
    simulated: boolean;
    /** The version of the detection rules that found the events of the newest ledgers. Replays repeat events as they were found, and detect nothing again. */
    rules_version: number;
    /** The first ledger of `rules_version`. An earlier version found the events of the ledgers before it. Absent if there are none. */
    rules_from?: number;
};
export type LedgerHead = {
    /** The ledger's index. */
    ledger_index: number;
    /** When a server announced the ledger. */
    announced_at: string;
    /** Milliseconds since it was announced. */
    age_ms: number;
};
export type LedgerCatchUp = {
    /** The first ledger that is not processed yet. */
    "from": number;
    /** The last ledger that is not processed yet. */
    to: number;
    /** The number of ledgers that are not processed yet. */
    ledgers: number;
    /** Ledgers processed per second over the last 30 seconds; null until it can be measured. */
    ledgers_per_second: number | null;
    /** The estimated seconds until all are processed; null until it can be estimated. */
    seconds_left: number | null;
};
export type SkippedLedger = {
    /** The ledger's index. */
    ledger_index: number;
    /** The operator's reason. */
    reason: string;
    /** When the service went on without it. */
    skipped_at: string;
};
export type NetworkCoverage = {
    /** The network. */
    network: Network;
    /** Whether the service watches this network. */
    watched: boolean;
    /** The processed ledgers whose events are still kept, oldest first. Usually one range. */
    ranges: LedgerRange[];
    /** The newest validated ledger that a server has announced, whichever process answers; null if the service has never heard of one. If `age_ms` is more than some seconds, newer ledgers may exist. */
    head: LedgerHead | null;
    /** The announced ledgers that are not processed yet; null if the service is at most one ledger behind `head`. */
    catching_up: LedgerCatchUp | null;
    /** How long the oldest event that the service has not sent yet has waited because of the service, in seconds. 0 in health. What waits for a webhook's own speed, rate or failures does not count. Null while the service does not know it, for example because its log does not answer. */
    seconds_late: number | null;
    /** The ledgers that the operator skipped, lowest first. They count as processed in the ranges, but their events are missing. Absent if there are none. */
    skipped?: SkippedLedger[];
};
export type LedgerCoverage = {
    /** The networks that the key sees: mainnet with a live key, testnet and devnet with a test key. */
    data: NetworkCoverage[];
};
export type LedgerCoverageHour = {
    /** The start of the hour, in UTC. */
    hour: string;
    /** The ledgers that closed in the hour and were processed. 0 with `missing` 0: the network was not watched, or its ledgers are no longer kept. */
    ledgers: number;
    /** The ledgers of the hour whose events are missing: they were never processed, or the operator skipped them. When a ledger that was never processed closed is estimated from the ledgers before and after the gap. */
    missing: number;
    /** The events of the hour's ledgers. The newest may follow some seconds later. */
    events: number;
};
export type LedgerCoverageByHour = {
    /** The hours, oldest first, without gaps. The last one has not ended. */
    data: LedgerCoverageHour[];
};
export type Transaction = {
    /** The network of the transaction. */
    network: Network;
    /** The index of the validated ledger that contains it. */
    ledger_index: number;
    /** The hash of that ledger. */
    ledger_hash: string;
    /** When that ledger closed. */
    close_time: string;
    /** The transaction's place in its ledger, from 0: the TransactionIndex of its metadata. */
    position: number;
    /** The transaction's hash. */
    hash: string;
    /** The transaction, as version 2 of the XRP Ledger's API shows it: a payment has DeliverMax, which is the field Amount that was signed. */
    tx_json: object;
    /** What it changed, as a server of the network gave it. */
    meta: object;
    /** Always true: the service takes validated ledgers only. */
    validated: true;
};
export type LedgerWebhook = {
    /** The webhook's id. */
    webhook_id: string;
    /** How many of the ledger's events have a delivery to the webhook. */
    events: number;
    /** The same by event type. */
    event_types?: {
        [key: string]: number;
    };
    /** Deliveries whose newest attempt was answered with a 2xx status. */
    answered: number;
    /** Deliveries whose newest attempt failed, whether they are retried or not. The others have had no attempt. */
    failed: number;
    /** The HTTP status of the newest attempt for any of these deliveries; null if there was no attempt or no response. */
    last_status: number | null;
    /** Why that attempt failed; null if it was answered, or if there was no attempt. */
    last_error: string | null;
    /** How long that attempt waited for the response, in milliseconds; null if there was none. */
    response_time_ms: number | null;
};
export type LedgerActivity = {
    /** The ledger's network. */
    network: Network;
    /** The ledger's index. */
    ledger_index: number;
    /** When the ledger closed: ISO 8601 date-time in UTC, whole seconds. */
    closed_at: string;
    /** How many events of each type the ledger has, for any account; empty if it has none. */
    events: {
        [key: string]: number;
    };
    /** The account's webhooks that have deliveries of these events, in the order of their ids. A delivery counts from its first outcome on, or from about a second after the event was queued, whichever is first. Replayed and test deliveries do not count. */
    webhooks: LedgerWebhook[];
};
export type StreamEnd = {
    /** Why the stream ends. */
    error: {
        /** A code as of the API's errors. */
        code: string;
        /** Why the stream ends, and what to do. */
        message: string;
    };
};
export type ExplainedLedger = {
    /** The index of the ledger. */
    index: number;
    /** When the service took the ledger. */
    taken_at: string;
    /** Present if the operator skipped the ledger, because no server could list its transactions: the reason. Its events are missing. */
    skipped?: string;
};
export type ExplainedDelivery = {
    /** The delivery's id. */
    id: string;
    /** The delivery's present status. */
    status: "pending" | "retrying" | "delivered" | "failed";
};
export type ExplainedWebhook = {
    /** The webhook's id. */
    webhook_id: string;
    /** Whether there is a delivery or, if there is none, whether the webhook's present settings ask for the event. */
    wanted: boolean;
    /** `matched`: there is a delivery, or nothing known speaks against one. `queued`: the event waits to be sent: the webhook is paused, or, if `delivery` is null, its delivery is not shown yet. `network`, `type`, `account`, `payload`: the webhook does not ask for the event. The others say what was the case when the ledger was taken. `not_yet_created`: the webhook did not exist. `deleted`: it had been deleted. `disabled`: it was disabled, or its account suspended. `quota`: the month's quota was used up. */
    reason: "matched" | "queued" | "type" | "account" | "payload" | "network" | "not_yet_created" | "disabled" | "quota" | "deleted";
    /** The newest delivery of this event to this webhook, live or of a replay; null if there is none. */
    delivery: ExplainedDelivery | null;
};
export type ExplainedEvent = {
    /** The event's id. */
    event_id: string;
    /** The event's type. */
    event_type: EventType;
    /** The webhooks, newest first. At most 100 are shown. */
    webhooks: ExplainedWebhook[];
};
export type Explanation = {
    /** The given hash, in upper case. */
    transaction: string;
    /** Null if no event of the transaction is known, or the given ledger was not taken. Add ledger_index to learn whether it was. */
    ledger: ExplainedLedger | null;
    /** The events of the transaction, in ledger order. At most 100 are shown. */
    events: ExplainedEvent[];
    /** The number of events of the transaction. */
    events_count: number;
    /** The number of webhooks, those that are not shown included. */
    webhooks_count: number;
};
export type NewApiKey = {
    /** A name that tells the key from others. */
    name: string;
    /** What the key may do. A key cannot grant a scope that it does not have itself. */
    scopes: ("webhooks:read" | "webhooks:write" | "deliveries:read" | "deliveries:write" | "events:read" | "api_keys:read" | "api_keys:write" | "admin")[];
    /** Which networks the key sees: live means mainnet, test means testnet and devnet. Default: the environment of the calling key. A test key can create test keys only. */
    environment?: "live" | "test";
    /** When the key expires: an ISO 8601 date-time with an offset, in the future. Absent or null: it never expires. */
    expires_at?: string | null;
};
export type CreatedApiKey = {
    /** The key's id. It is not the value that goes into X-Service-Key. */
    id: string;
    /** The key's name. */
    name: string;
    /** What the key may do. */
    scopes: ("webhooks:read" | "webhooks:write" | "deliveries:read" | "deliveries:write" | "events:read" | "api_keys:read" | "api_keys:write" | "admin")[];
    /** live: the key sees mainnet. test: it sees testnet and devnet. */
    environment: "live" | "test";
    /** ISO 8601 date-time in UTC with milliseconds. */
    created_at: string;
    /** When the key expires; null if it never does. */
    expires_at: string | null;
    /** When the key was last used, to the minute; null if it never was. */
    last_used_at: string | null;
    /** When the key was revoked; null if it was not. */
    revoked_at: string | null;
    /** The value for the header X-Service-Key, or for Authorization: Bearer. It is shown only in this response: store it. */
    key: string;
};
export type KeyLimitReached = {
    /** What is wrong. */
    error: {
        /** The code, for programs. It does not change. */
        code: "KEY_LIMIT_REACHED";
        /** What is wrong, for people. The wording may change. */
        message: string;
        /** What is wrong: a JSON pointer into the body, such as /event_types/0 (empty: the whole body), or the name of a parameter of the query, the path or the headers. Absent if the error is not about a parameter. */
        param?: string;
        /** The accepted value, field or path that the given one is most like. Absent if none is near. */
        suggestion?: string;
        /** The page about this code, relative to the address of the service. Always present. */
        doc_url?: string;
    };
};
export type ApiKey = {
    /** The key's id. It is not the value that goes into X-Service-Key. */
    id: string;
    /** The key's name. */
    name: string;
    /** What the key may do. */
    scopes: ("webhooks:read" | "webhooks:write" | "deliveries:read" | "deliveries:write" | "events:read" | "api_keys:read" | "api_keys:write" | "admin")[];
    /** live: the key sees mainnet. test: it sees testnet and devnet. */
    environment: "live" | "test";
    /** ISO 8601 date-time in UTC with milliseconds. */
    created_at: string;
    /** When the key expires; null if it never does. */
    expires_at: string | null;
    /** When the key was last used, to the minute; null if it never was. */
    last_used_at: string | null;
    /** When the key was revoked; null if it was not. */
    revoked_at: string | null;
    /** The first and the last four characters of the key's value, to recognise it. */
    key_hint: string;
};
export type ApiKeyPage = {
    /** The items, newest first. */
    data: ApiKey[];
    /** Whether there are older items. */
    has_more: boolean;
    /** The cursor of the next page; null on the last page. */
    next_cursor: string | null;
};
export type Account = {
    /** The account's id. */
    id: string;
    /** The account's name. */
    name: string;
    /** The address for mails about the account; null if there is none. */
    email: string | null;
    /** The plan, which sets the limits. */
    plan: "developer" | "builder" | "professional" | "compliance" | "enterprise";
    /** The limits of the plan. An Enterprise account may have limits of its own, which replace the plan's. */
    limits: {
        /** Requests that each key may make in a minute. */
        requests_per_minute: number;
        /** Requests that each key may make in a UTC day. */
        requests_per_day: number;
        /** Requests that all keys of the account together may make in a minute, revoked keys included: requests_per_minute times api_keys. */
        account_requests_per_minute: number;
        /** The same in a UTC day: requests_per_day times api_keys. */
        account_requests_per_day: number;
        /** Delivery attempts allowed in a calendar month (UTC). Null: no quota. */
        monthly_deliveries: number | null;
        /** Replay jobs that may be queued or running at the same time. */
        concurrent_replays: number;
        /** Webhooks that may exist, active or disabled. */
        webhooks: number;
        /** Addresses allowed in the account filters of all webhooks together. */
        account_filters: number;
        /** API keys that may exist, revoked and expired ones not counted. */
        api_keys: number;
        /** API keys that may be created within 24 hours, revoked and expired ones counted. */
        new_api_keys_per_day: number;
    };
    /** How much of this month's quota is used. */
    usage: {
        /** The current calendar month (UTC). */
        month: string;
        /** Delivery attempts of this month that count towards the quota: those on mainnet, test deliveries excluded. */
        deliveries: number;
        /** Delivery attempts allowed in a calendar month (UTC). Null: no quota. */
        quota: number | null;
        /** The days of the month up to today, oldest first, those without deliveries included. */
        days: {
            /** The day (UTC). */
            date: string;
            /** Delivery attempts of this day that count towards the quota. */
            deliveries: number;
        }[];
    };
    /** The calling key. */
    key: {
        /** The key's id. */
        id: string;
        /** The key's name. */
        name: string;
        /** The first and the last four characters of the key's value, to recognise it. */
        key_hint: string;
        /** live: the key sees mainnet. test: it sees testnet and devnet. */
        environment: "live" | "test";
        /** What the key may do. */
        scopes: ("webhooks:read" | "webhooks:write" | "deliveries:read" | "deliveries:write" | "events:read" | "api_keys:read" | "api_keys:write" | "admin")[];
    };
};
export type NoticeUrl = {
    /** Where notices are sent. */
    url: string;
    /** standard (default): a request of Standard Webhooks, signed. slack: a message for an incoming webhook of Slack. */
    format: "standard" | "slack";
    /** The notices that are sent. */
    types: ("webhook.failing" | "webhook.recovered" | "webhook.disabled" | "quota.warning" | "quota.reached" | "replay.finished")[];
    /** ISO 8601 date-time in UTC with milliseconds. */
    created_at: string;
    /** ISO 8601 date-time in UTC with milliseconds. */
    updated_at: string;
    /** The newest notice of the account; null if there is none. */
    last_notice: {
        /** Its type. */
        "type": string;
        /** ISO 8601 date-time in UTC with milliseconds. */
        created_at: string;
        /** When the URL accepted it; null if it has not. */
        sent_at: string | null;
        /** How often it was sent. */
        attempts: number;
        /** Why the last attempt failed; null if it did not. */
        error: string | null;
    } | null;
};
export type NoticeUrlRequest = {
    /** The endpoint that receives the deliveries: an https URL at a public address, without user name, password and fragment, of at most 2048 characters. It is stored and shown as it is called: `HTTPS://Example.com:443/a/../b` becomes `https://example.com/b`. */
    url: string;
    /** Your own signing secret: whsec_ followed by the base64 of 24 to 64 bytes. Not for the format slack, which has no signature. Default: the one that the URL has, otherwise the service generates one. */
    secret?: string;
    /** The notices to send. Default: every type. */
    types?: ("webhook.failing" | "webhook.recovered" | "webhook.disabled" | "quota.warning" | "quota.reached" | "replay.finished")[];
    /** standard (default): a request of Standard Webhooks, signed. slack: a message for an incoming webhook of Slack. */
    format?: "standard" | "slack";
};
export type ChangedNoticeUrl = {
    /** Where notices are sent. */
    url: string;
    /** standard (default): a request of Standard Webhooks, signed. slack: a message for an incoming webhook of Slack. */
    format: "standard" | "slack";
    /** The notices that are sent. */
    types: ("webhook.failing" | "webhook.recovered" | "webhook.disabled" | "quota.warning" | "quota.reached" | "replay.finished")[];
    /** ISO 8601 date-time in UTC with milliseconds. */
    created_at: string;
    /** ISO 8601 date-time in UTC with milliseconds. */
    updated_at: string;
    /** The newest notice of the account; null if there is none. */
    last_notice: {
        /** Its type. */
        "type": string;
        /** ISO 8601 date-time in UTC with milliseconds. */
        created_at: string;
        /** When the URL accepted it; null if it has not. */
        sent_at: string | null;
        /** How often it was sent. */
        attempts: number;
        /** Why the last attempt failed; null if it did not. */
        error: string | null;
    } | null;
    /** The signing secret, if this request has set it. It is not shown again: store it. */
    secret?: string;
};
export type TestNotice = {
    /** The notice's id, which the header webhook-id has. */
    notice_id: string;
};
export type SignIn = {
    /** An API key. */
    key?: string;
    /** What follows `#link=` in a link that signs in: the first start of the service prints one, and the command `ledgerhook portal`. It is valid for 10 minutes, once. */
    link?: string;
};
export type Alive = {
    /** Always ok. */
    status: "ok";
};
export type PartHealth = {
    /** ok: the part works. starting: it is not ready yet. degraded: it works with restrictions. failed: it does not work. */
    status: "ok" | "starting" | "degraded" | "failed";
    /** What the part is doing, or what is wrong. */
    detail: string;
    /** Figures for monitoring, by name. */
    facts?: {
        [key: string]: string | number | null;
    };
};
export type Ready = {
    /** Every part is ok or degraded. */
    status: "ok";
    /** The parts of the service, by name. */
    parts: {
        [key: string]: PartHealth;
    };
};
export type NotReady = {
    /** At least one part is starting or failed. */
    status: "unavailable";
    /** The parts of the service, by name. */
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
export function listWebhooks({ status, health, network, eventType, sort, search, stats, limit, cursor, xRequestId }: {
    status?: "active" | "disabled";
    health?: "failing" | "waiting" | "disabled" | "paused" | "new" | "healthy";
    network?: Network;
    eventType?: EventPattern;
    sort?: "created_at" | "health";
    search?: string;
    stats?: "1h" | "24h" | "7d" | "30d";
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
        health,
        network,
        event_type: eventType,
        sort,
        search,
        stats,
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
 * Count webhooks by health
 */
export function countWebhooks({ xRequestId }: {
    xRequestId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: WebhookCounts;
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
    }>("/v1/webhooks/health", {
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
export function testWebhook(id: string, testEvent: TestEvent, { wait, xRequestId, idempotencyKey }: {
    wait?: string;
    xRequestId?: string;
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AttemptedTest;
    } | {
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
    }>(`/v1/webhooks/${encodeURIComponent(id)}/test${QS.query(QS.explode({
        wait
    }))}`, oazapfts.json({
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
 * Preview filters
 */
export function previewWebhook(id: string, previewRequest?: PreviewRequest, { xRequestId, idempotencyKey }: {
    xRequestId?: string;
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: FilterPreview;
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
    }>(`/v1/webhooks/${encodeURIComponent(id)}/preview`, oazapfts.json({
        ...opts,
        method: "POST",
        body: previewRequest,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId,
            "Idempotency-Key": idempotencyKey
        })
    }));
}
/**
 * Add and remove account filters
 */
export function changeAccountFilters(id: string, accountFilterChange: AccountFilterChange, { xRequestId, idempotencyKey }: {
    xRequestId?: string;
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AccountFilterCount;
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
    }>(`/v1/webhooks/${encodeURIComponent(id)}/account-filters`, oazapfts.json({
        ...opts,
        method: "POST",
        body: accountFilterChange,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId,
            "Idempotency-Key": idempotencyKey
        })
    }));
}
/**
 * List incidents
 */
export function listIncidents({ since, until, limit, cursor, xRequestId }: {
    since?: string;
    until?: string;
    limit?: number;
    cursor?: string;
    xRequestId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: IncidentPage;
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
    }>(`/v1/incidents${QS.query(QS.explode({
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
 * Show an incident
 */
export function getIncident(id: string, { xRequestId }: {
    xRequestId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: IncidentDetail;
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
    }>(`/v1/incidents/${encodeURIComponent(id)}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId
        })
    });
}
/**
 * List incidents of a webhook
 */
export function listWebhookIncidents(id: string, { since, until, limit, cursor, xRequestId }: {
    since?: string;
    until?: string;
    limit?: number;
    cursor?: string;
    xRequestId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: IncidentPage;
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
    }>(`/v1/webhooks/${encodeURIComponent(id)}/incidents${QS.query(QS.explode({
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
 * Show how far a webhook has got
 */
export function getWebhookProgress(id: string, { xRequestId }: {
    xRequestId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: WebhookProgress;
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
    }>(`/v1/webhooks/${encodeURIComponent(id)}/progress`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId
        })
    });
}
/**
 * List deliveries
 */
export function listDeliveries({ webhookId, eventType, status, eventId, jobId, since, until, limit, cursor, xRequestId }: {
    webhookId?: string;
    eventType?: EventPattern;
    status?: ("pending" | "retrying" | "delivered" | "failed")[];
    eventId?: string;
    jobId?: string;
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
        event_id: eventId,
        job_id: jobId,
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
 * Get delivery statistics
 */
export function getDeliveryStats({ webhookId, period, series, interval, answerTimes, xRequestId }: {
    webhookId?: string;
    period?: "1h" | "24h" | "7d" | "30d";
    series?: boolean;
    interval?: "15m";
    answerTimes?: boolean;
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
        series,
        interval,
        answer_times: answerTimes
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
 * Retry a delivery now
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
 * Retry many deliveries of a webhook
 */
export function retryDeliveries(newRetryJob: NewRetryJob, { xRequestId, idempotencyKey }: {
    xRequestId?: string;
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: CountedRetries;
    } | {
        status: 202;
        data: QueuedRetryJob;
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
    }>("/v1/deliveries/retry", oazapfts.json({
        ...opts,
        method: "POST",
        body: newRetryJob,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId,
            "Idempotency-Key": idempotencyKey
        })
    }));
}
/**
 * Create a replay job
 */
export function createReplayJob(newReplayJob: NewReplayJob, { xRequestId, idempotencyKey }: {
    xRequestId?: string;
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: CountedReplay;
    } | {
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
export function listEvents({ eventType, account, ledgerIndexMin, ledgerIndexMax, since, until, network, include, limit, cursor, xRequestId }: {
    eventType?: EventPattern[];
    account?: string;
    ledgerIndexMin?: number;
    ledgerIndexMax?: number;
    since?: string;
    until?: string;
    network?: Network;
    include?: ("memos" | "balance_changes")[];
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
        include,
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
 * Stream events
 */
export function streamEvents({ lastEventId, eventType, account, network, include, lastEventIdQuery, xRequestId }: {
    lastEventId?: string;
    eventType?: EventPattern[];
    account?: string;
    network?: Network;
    include?: ("memos" | "balance_changes")[];
    lastEventIdQuery?: string;
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
        data: StreamLimitReached | RateLimited;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: Unavailable;
    }>(`/v1/events/stream${QS.query(QS.explode({
        event_type: eventType,
        account,
        network,
        include,
        last_event_id: lastEventIdQuery
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "last-event-id": lastEventId,
            "X-Request-Id": xRequestId
        })
    });
}
/**
 * Count the events of the last day
 */
export function countEvents({ network, xRequestId }: {
    network?: Network;
    xRequestId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: EventCounts;
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
    }>(`/v1/events/counts${QS.query(QS.explode({
        network
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId
        })
    });
}
/**
 * Preview filters with the last day
 */
export function previewFilters(dayPreviewRequest: DayPreviewRequest, { xRequestId, idempotencyKey }: {
    xRequestId?: string;
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: DayPreview;
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
    }>("/v1/events/preview", oazapfts.json({
        ...opts,
        method: "POST",
        body: dayPreviewRequest,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId,
            "Idempotency-Key": idempotencyKey
        })
    }));
}
/**
 * Show an event
 */
export function getEvent(eventId: string, { network, include, xRequestId }: {
    network?: Network;
    include?: ("memos" | "balance_changes")[];
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
        network,
        include
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId
        })
    });
}
/**
 * List the event types
 */
export function listEventTypes({ xRequestId }: {
    xRequestId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: EventTypeList;
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
    }>("/v1/event-types", {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId
        })
    });
}
/**
 * Show which ledgers were processed
 */
export function getLedgerCoverage({ by, days, network, xRequestId }: {
    by?: "hour";
    days?: number;
    network?: Network;
    xRequestId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: LedgerCoverage | LedgerCoverageByHour;
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
    }>(`/v1/ledgers/coverage${QS.query(QS.explode({
        by,
        days,
        network
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId
        })
    });
}
/**
 * Show a transaction
 */
export function getTransaction(hash: string, { network, xRequestId }: {
    network?: Network;
    xRequestId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Transaction;
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
    }>(`/v1/transactions/${encodeURIComponent(hash)}${QS.query(QS.explode({
        network
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId
        })
    });
}
/**
 * Stream ledgers and what webhooks answer
 */
export function streamActivity({ network, xRequestId }: {
    network?: Network;
    xRequestId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: LedgerActivity | StreamEnd;
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
        data: StreamLimitReached | RateLimited;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: Unavailable;
    }>(`/v1/activity/stream${QS.query(QS.explode({
        network
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId
        })
    });
}
/**
 * Explain deliveries of a transaction
 */
export function explainTransaction(transaction: string, { network, ledgerIndex, webhookId, xRequestId }: {
    network?: Network;
    ledgerIndex?: number;
    webhookId?: string;
    xRequestId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Explanation;
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
    }>(`/v1/explain${QS.query(QS.explode({
        transaction,
        network,
        ledger_index: ledgerIndex,
        webhook_id: webhookId
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId
        })
    });
}
/**
 * Create an API key
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
 * List API keys
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
 * Revoke an API key
 */
export function revokeApiKey(id: string, { self, xRequestId }: {
    self?: boolean;
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
    }>(`/v1/api-keys/${encodeURIComponent(id)}${QS.query(QS.explode({
        self
    }))}`, {
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
 * Show the URL for notices
 */
export function getNoticeUrl({ xRequestId }: {
    xRequestId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: NoticeUrl;
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
    }>("/v1/account/notices", {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId
        })
    });
}
/**
 * Set the URL for notices
 */
export function setNoticeUrl(noticeUrlRequest: NoticeUrlRequest, { xRequestId }: {
    xRequestId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ChangedNoticeUrl;
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
    }>("/v1/account/notices", oazapfts.json({
        ...opts,
        method: "PUT",
        body: noticeUrlRequest,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId
        })
    }));
}
/**
 * Remove the URL for notices
 */
export function removeNoticeUrl({ xRequestId }: {
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
    }>("/v1/account/notices", {
        ...opts,
        method: "DELETE",
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId
        })
    });
}
/**
 * Send a test notice
 */
export function testNoticeUrl({ xRequestId, idempotencyKey }: {
    xRequestId?: string;
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 202;
        data: TestNotice;
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
    }>("/v1/account/notices/test", {
        ...opts,
        method: "POST",
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId,
            "Idempotency-Key": idempotencyKey
        })
    });
}
/**
 * Sign in to the dashboard
 */
export function signIn(signIn: SignIn, { xRequestId }: {
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
    }>("/v1/session", oazapfts.json({
        ...opts,
        method: "POST",
        body: signIn,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId
        })
    }));
}
/**
 * Sign out of the dashboard
 */
export function signOut({ xServiceEnvironment, xRequestId }: {
    xServiceEnvironment?: "live" | "test";
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
        status: 405;
        data: MethodNotAllowed;
    } | {
        status: 413;
        data: PayloadTooLarge;
    } | {
        status: 415;
        data: UnsupportedMediaType;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: Unavailable;
    }>("/v1/session", {
        ...opts,
        method: "DELETE",
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "x-service-environment": xServiceEnvironment,
            "X-Request-Id": xRequestId
        })
    });
}
/**
 * Check whether the process is alive
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
 * Check whether the service is ready
 */
export function getReadiness({ exclude, xRequestId }: {
    exclude?: string[];
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
    }>(`/readyz${QS.query(QS.explode({
        exclude
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId
        })
    });
}
/**
 * Check whether one part is ready
 */
export function getPartReadiness(part: string, { xRequestId }: {
    xRequestId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Ready;
    } | {
        status: 400;
        data: ValidationError;
    } | {
        status: 404;
        data: NotFound;
    } | {
        status: 405;
        data: MethodNotAllowed;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: NotReady;
    }>(`/readyz/${encodeURIComponent(part)}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "X-Request-Id": xRequestId
        })
    });
}
