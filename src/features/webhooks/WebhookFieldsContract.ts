/** The fields of a webhook that customers set, with their checks and error messages. */
import { Schema } from "effect"
import { addressForm, field, issueOf, rule, textList, uncheckedText } from "../../http/ContractParts.ts"
import { compressions } from "../../spine/domain/Compression.ts"
import { URL_LENGTH_MAX } from "../../spine/domain/EndpointUrl.ts"
import { defaultOrdering, orderings } from "../../spine/domain/Ordering.ts"
import { STANDARD_SECRET_FORM, signingSchemes } from "../../spine/domain/Signing.ts"
import { SECRET_CHARACTERS } from "../../spine/domain/WebhookSecret.ts"
import { addressProblem } from "../../spine/event/AccountId.ts"
import { eventPatterns, isEventPattern } from "../../spine/event/EventPatterns.ts"
import { eventTypes } from "../../spine/event/EventType.ts"
import { includables } from "../../spine/event/Include.ts"
import { networks } from "../../spine/event/Network.ts"
import { requestFormats } from "../../spine/event/RequestFormat.ts"
import { filterProblems } from "../../spine/filter/Parse.ts"
import { filterBounds } from "../../spine/filter/PayloadFilter.ts"
import { nearest, type Problem } from "../../spine/words/Nearest.ts"
import { webhookBounds } from "./Limits.ts"
import { headersProblem, searchProblem } from "./WebhookRules.ts"

export const Status = field(
  Schema.Literals(["active", "disabled"]),
  "active: events are delivered. disabled: nothing is sent, and no deliveries are made for new events. Set active to enable the webhook again.",
  "active"
)
export const Network = field(
  Schema.Literals(networks),
  "The network to watch: mainnet with a live key; testnet (default) or devnet with a test key."
)

export const Url = uncheckedText({ maxLength: URL_LENGTH_MAX }).annotate({
  format: "uri",
  description: `The endpoint that receives the deliveries: an https URL at a public address, without user name, password and fragment, of at most ${URL_LENGTH_MAX} characters. It is stored and shown as it is called: \`HTTPS://Example.com:443/a/../b\` becomes \`https://example.com/b\`.`,
  examples: ["https://example.com/hooks/xrpl"]
})

export const Description = Schema.NullOr(
  Schema.String.check(
    rule(
      (text: string) =>
        // Counts code points, not UTF-16 units.
        [...text].length > webhookBounds.descriptionLength
          ? `must have at most ${webhookBounds.descriptionLength} characters`
          : undefined,
      { maxLength: webhookBounds.descriptionLength }
    )
  )
).annotate({
  description: "A note of your own about the webhook; null for none.",
  examples: ["Payments to the shop"]
})

/** A text that webhooks are searched by. */
export const Search = Schema.String.check(
  rule(searchProblem, { minLength: 1, maxLength: webhookBounds.searchLength })
).annotate({
  description:
    "Only webhooks that have this text in their id, url or description. A to Z also match a to z. A whole id finds the webhook with this id.",
  examples: ["shop"]
})

export const patternProblem = (pattern: string): Problem | undefined =>
  isEventPattern(pattern)
    ? undefined
    : {
        problem: `must be one of the ${eventTypes.length} event types (such as payment.xrp), a family (such as nft.*), or *`,
        suggestion: isEventPattern(`${pattern}.*`) ? `${pattern}.*` : nearest(pattern, eventPatterns)
      }

/** An event type, a family of types, or `*`. */
export const EventPattern = Schema.String.check(rule(patternProblem, { enum: eventPatterns }))

/** The same without the check: for responses, and for lists that check their items after their length. */
export const ListedPattern = uncheckedText({ enum: eventPatterns })

export const EventTypes = textList(
  ListedPattern,
  (length) => (length === 0 ? "must contain at least one event type" : undefined),
  patternProblem,
  { minItems: 1 }
).annotate({
  description: "The events to deliver: event types (payment.xrp), families (nft.*), or * for every type.",
  examples: [["payment.xrp", "nft.*"]]
})

export const AccountFilters = textList(
  uncheckedText(addressForm),
  (length) =>
    length > webhookBounds.accountFilters
      ? `must contain at most ${webhookBounds.accountFilters} addresses`
      : undefined,
  addressProblem,
  { maxItems: webhookBounds.accountFilters }
).annotate({
  description:
    "Deliver only events that involve at least one of these classic addresses. Empty (default): events of every address.",
  examples: [["rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX"]]
})

export const PAYLOAD_FILTER_EXAMPLE = {
  amount: { $gte: "1000000" },
  destination_tag: { $in: [7, 8] }
}

/** Here its fields are checked against all event types. Handlers check them against the chosen types. */
export const PayloadFilter = Schema.Record(Schema.String, Schema.Unknown)
  .check(
    Schema.makeFilter(
      (filter) => filterProblems(filter, eventTypes).map((wrong) => issueOf(wrong, wrong.path)),
      { toJsonSchema: () => ({ minProperties: 1 }) }
    )
  )
  .annotate({
    description: `Conditions on the fields of an event's payload. It must meet all of them: $eq, $ne, $gt, $gte, $lt, $lte, $in, $nin and $exists on dotted paths, and $and, $or, $not. At most ${filterBounds.conditions} comparisons. docs/payload-filters.md describes the language.`,
    examples: [PAYLOAD_FILTER_EXAMPLE]
  })

export const WebhookPayloadFilter = Schema.NullOr(PayloadFilter).annotate({
  description:
    "The payloads to send, see docs/payload-filters.md. At least one of the event types must have each of its fields. Default null: every payload.",
  examples: [PAYLOAD_FILTER_EXAMPLE]
})

export const SECRET_EXAMPLE = "whsec_3Zq9mB0c2Yp7uV4xLk8sTn5wRf6hJd1a"

export const Secret = Schema.String.check(
  rule(
    (secret: string) => {
      const { minimum, maximum } = webhookBounds.secretLength
      return secret.length >= minimum && secret.length <= maximum && SECRET_CHARACTERS.test(secret)
        ? undefined
        : `must have ${minimum} to ${maximum} visible ASCII characters`
    },
    { pattern: `^[!-~]{${webhookBounds.secretLength.minimum},${webhookBounds.secretLength.maximum}}$` }
  )
).annotate({
  description: `Your own signing secret; ${STANDARD_SECRET_FORM} if signing contains standard. Default: the service generates one.`,
  examples: [SECRET_EXAMPLE]
})

export const Headers = Schema.Record(Schema.String, Schema.String)
  .check(rule(headersProblem, { maxProperties: webhookBounds.webhookHeaders }))
  .annotate({
    description: `HTTP headers to add to every delivery: up to ${webhookBounds.webhookHeaders}, none of those that the service sets itself. A value has at most ${webhookBounds.webhookHeaderLength} characters, and all names and values together have at most ${webhookBounds.webhookHeadersLength}. Their values are not shown again.`,
    examples: [{ "X-Tenant": "shop-42" }]
  })

export const integer = (minimum: number, maximum: number) =>
  Schema.Int.check(
    rule(
      (value: number) =>
        value >= minimum && value <= maximum ? undefined : `must be an integer from ${minimum} to ${maximum}`,
      { minimum, maximum }
    )
  )

const { maximum: MOST_EVENTS, minimum: FEWEST_EVENTS } = webhookBounds.batchEvents

/** The plain settings, and whether the webhook is paused: optional wherever customers give them. */
export const settings = {
  max_in_flight: field(
    integer(1, webhookBounds.maxInFlight),
    `The most attempts that may be under way at the same time. Default: ${webhookBounds.defaultInFlight}. With 1, attempts never overlap.`,
    webhookBounds.defaultInFlight
  ),
  max_per_second: field(
    Schema.NullOr(integer(1, webhookBounds.maxPerSecond)),
    "The most attempts that may start in a second, retries included. Null (default): no limit.",
    50
  ),
  paused: field(
    Schema.Boolean,
    "true: matching events are queued and kept for 7 days, and none is sent until it is false. Test events are sent. Default: false.",
    false
  ),
  ordering: field(
    Schema.Literals(orderings),
    "first_attempt (default): first attempts start in ledger order, and a retry holds nothing back. strict: nothing later is sent until the earlier delivery is answered or given up; with batch, the batch is the unit. A strict webhook has one request under way at a time.",
    defaultOrdering
  ),
  signing: Schema.Array(Schema.Literals(signingSchemes))
    .check(
      rule((schemes) => (schemes.length === 0 ? "must contain service, standard or both" : undefined), {
        minItems: 1
      })
    )
    .annotate({
      description:
        "How requests are signed. service (default): X-Service-Signature, over the body. standard: the three webhook-… headers of Standard Webhooks, over the delivery id, the time of the attempt and the body.",
      examples: [["service", "standard"]]
    }),
  format: field(
    Schema.Literals(requestFormats),
    "ledgerhook (default): the request body is the event with its payload. cloudevents: CloudEvents 1.0 in binary mode; the body is the payload, and ce-… headers hold the rest.",
    "ledgerhook"
  ),
  include: field(
    Schema.Array(Schema.Literals(includables)),
    "What to add to payloads. memos: the transaction's memos, as the fields memos and memos_truncated. balance_changes: what the transaction changed in the balances of the event's accounts. Default: [].",
    ["balance_changes"]
  ),
  compression: field(
    // One union: of two, the error message would name the literals only.
    Schema.Union([...Schema.Literals(compressions).members, Schema.Null]),
    "How request bodies are compressed (Content-Encoding). Signatures cover the body before compression. Null (default): not compressed.",
    null
  ),
  batch: Schema.NullOr(
    Schema.Struct({
      max_events: field(
        integer(FEWEST_EVENTS, MOST_EVENTS),
        `The most events of one request: ${FEWEST_EVENTS} to ${MOST_EVENTS}.`,
        100
      ),
      max_wait_ms: field(
        integer(0, webhookBounds.batchWaitMs),
        `How long the first event of a request waits for others, in milliseconds: 0 to ${webhookBounds.batchWaitMs}. 0: a request carries the events that wait already.`,
        1_000
      )
    })
  ).annotate({
    description:
      "Sends several events in one request, as a JSON array of {delivery_id, event}; docs/receiving.md describes such requests. Null (default): one event in each request.",
    examples: [{ max_events: 100, max_wait_ms: 1_000 }]
  })
}
