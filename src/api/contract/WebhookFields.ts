/** The fields of a webhook that its customer sets: what each may hold, and what is said where it does not. */
import { Schema } from "effect"
import { eventTypes } from "../../domain/EventType.ts"
import { networks } from "../../domain/Network.ts"
import { addressProblem, headersProblem, isEventPattern, webhookBounds } from "../../domain/WebhookRules.ts"
import { field, rule } from "./Common.ts"

export const Status = field(
  Schema.Literals(["active", "disabled"]),
  "a disabled webhook gets nothing new; active enables it again",
  "active"
)
export const Network = field(
  Schema.Literals(networks),
  "mainnet with live keys; testnet (the default) or devnet with test keys",
  "mainnet"
)

export const Url = Schema.String.annotate({
  format: "uri",
  description: `https, no user info, at most ${webhookBounds.urlLength} characters, a public address`,
  examples: ["https://example.com/hooks/xrpl"]
})

export const Description = Schema.NullOr(
  Schema.String.check(
    rule(
      (text: string) =>
        // Characters, as people count them: not UTF-16 units. PostgreSQL keeps no NUL.
        [...text].length > webhookBounds.descriptionLength || text.includes("\0")
          ? `must have at most ${webhookBounds.descriptionLength} characters`
          : undefined,
      { maxLength: webhookBounds.descriptionLength }
    )
  )
).annotate({
  description: "what it is for, in your words; null: nothing",
  examples: ["Payments to the shop"]
})

/** An event type, or several in one word. */
export const EventPattern = Schema.String.check(
  rule((pattern: string) =>
    isEventPattern(pattern)
      ? undefined
      : `must be one of the ${eventTypes.length} event types (as payment.xrp), a family (as nft.*), or *`
  )
)

export const EventTypes = Schema.Array(EventPattern)
  .check(
    rule((patterns) => (patterns.length === 0 ? "must hold at least one event type" : undefined), {
      minItems: 1
    })
  )
  .annotate({
    description: "event types as payment.xrp, families as nft.*, or * for every type",
    examples: [["payment.xrp", "nft.*"]]
  })

export const AccountFilters = Schema.Array(Schema.String.check(rule(addressProblem)))
  .check(
    rule(
      (filters) =>
        filters.length > webhookBounds.accountFilters
          ? `must hold at most ${webhookBounds.accountFilters} addresses`
          : undefined,
      { maxItems: webhookBounds.accountFilters }
    )
  )
  .annotate({
    description: "classic addresses, one of which an event must involve; empty, the default: every account",
    examples: [["rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX"]]
  })

export const SECRET_EXAMPLE = "whsec_3Zq9mB0c2Yp7uV4xLk8sTn5wRf6hJd1a"

export const Secret = Schema.String.check(
  rule(
    (secret: string) => {
      const { minimum, maximum } = webhookBounds.secretLength
      return secret.length >= minimum && secret.length <= maximum && /^[!-~]*$/.test(secret)
        ? undefined
        : `must have ${minimum} to ${maximum} visible ASCII characters`
    },
    { pattern: `^[!-~]{${webhookBounds.secretLength.minimum},${webhookBounds.secretLength.maximum}}$` }
  )
).annotate({
  description: "a signing secret of your own; by default one is made",
  examples: [SECRET_EXAMPLE]
})

export const Headers = Schema.Record(Schema.String, Schema.String)
  .check(rule(headersProblem, { maxProperties: webhookBounds.webhookHeaders }))
  .annotate({
    description: `sent with every delivery; up to ${webhookBounds.webhookHeaders}, none of the service's own. Their values are not shown again`,
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

export const MaxInFlight = field(
  integer(1, webhookBounds.maxInFlight),
  `attempts at once at most, by default ${webhookBounds.defaultInFlight}; 1 keeps ledger order strict`,
  webhookBounds.defaultInFlight
)

export const MaxPerSecond = field(
  Schema.NullOr(integer(1, webhookBounds.maxPerSecond)),
  "attempts a second at most; null, the default: no limit",
  50
)
