/**
 * Building blocks for payload schemas (docs/detection-rules.md 1.4, 1.5). A check here is also one in the published
 * JSON Schema, so patterns carry the `u` flag and use nothing that other languages read differently
 * (src/spine/event/LedgerForms.ts). Numbers have the bounds of the ledger's own field, because every value in the
 * ledger must pass.
 */
import { Schema } from "effect"
import {
  ADDRESS,
  CURRENCY,
  HEX,
  HEX_DIGITS_MAX,
  INTEGER,
  MPT_ISSUANCE_ID,
  TOKEN_VALUE,
  TRANSACTION_TYPE
} from "../LedgerForms.ts"

/** A field that every payload of its type has. */
export const required = <S extends Schema.Top>(schema: S, description: string): S["Rebuild"] =>
  schema.annotateKey({ description })

/** A field that is left out where it does not apply; it is never null (docs/detection-rules.md 1.4). */
export const optional = <S extends Schema.Top>(
  schema: S,
  description: string
): Schema.optionalKey<S>["Rebuild"] => Schema.optionalKey(schema).annotateKey({ description })

/** A schema that the published documents define under a name. */
export const named = <S extends Schema.Top>(name: string, description: string, schema: S): S["Rebuild"] =>
  schema.annotate({ identifier: name, title: name, description })

export const text = (
  pattern: RegExp,
  name: string,
  description: string,
  ...examples: ReadonlyArray<string>
) =>
  Schema.String.check(Schema.isPattern(pattern)).annotate({
    identifier: name,
    title: name,
    description,
    examples
  })

const unsigned = (bits: 8 | 16 | 32) =>
  Schema.Number.check(Schema.isInt(), Schema.isBetween({ minimum: 0, maximum: 2 ** bits - 1 }))

export const uint8 = unsigned(8)
export const uint16 = unsigned(16)
export const uint32 = unsigned(32)

export const Hash = text(
  /^[0-9A-F]{64}$/u,
  "Hash",
  "256 bits as 64 upper-case hex digits.",
  "C6AD4F3C7A5B5B3C9D2B7F0E1A8D64E5B1F2A3C4D5E6F708192A3B4C5D6E7F80"
)

export const Address = text(
  ADDRESS,
  "Address",
  "A classic XRP Ledger address with a valid checksum. The pattern does not check the checksum.",
  "rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX"
)

export const Hex = Schema.String.check(Schema.isPattern(HEX), Schema.isMaxLength(HEX_DIGITS_MAX)).annotate({
  identifier: "Hex",
  title: "Hex",
  description: "Bytes in hex, as they are in the ledger, not decoded: at most 512 bytes.",
  examples: ["6578616D706C652E636F6D"]
})

export const Time = text(
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$/u,
  "Time",
  "ISO 8601 date-time in UTC, whole seconds.",
  "2025-11-21T00:26:41Z"
).annotate({ format: "date-time" })

export const TransactionType = text(
  TRANSACTION_TYPE,
  "TransactionType",
  "The XRP Ledger's name of a transaction type. New types may appear at any time.",
  "Payment",
  "OfferCreate"
)

export const Drops = text(
  INTEGER,
  "Drops",
  "XRP in drops (0.000001 XRP) as an integer in a string: up to 10^17, which is more than a JSON number can represent exactly. Negative only where the ledger itself is: in 2013, and in self-payments through AMMs in 2024.",
  "17310000"
)

export const Currency = text(
  CURRENCY,
  "Currency",
  "A currency code: 3 characters (case matters) or 40 upper-case hex digits. Hex codes are not decoded, because different codes may look alike as text.",
  "USD",
  "524C555344000000000000000000000000000000"
)

/** Copied from the ledger: rippled's text form. */
export const TokenValue = text(
  TOKEN_VALUE,
  "TokenValue",
  "A decimal number as the ledger writes it, with up to 16 significant digits. Very large and very small numbers have an exponent (1000000000000000e-3).",
  "410.84",
  "9999999999999999e80"
)

/** Computed by detection: plain notation, exact, so often longer than 16 digits. */
export const ComputedValue = text(
  /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]*[1-9])?$/u,
  "ComputedValue",
  "An exact decimal number without exponent.",
  "113.6"
)

export const MptIssuanceId = text(
  MPT_ISSUANCE_ID,
  "MptIssuanceId",
  "The id of an issuance of a multi-purpose token: 48 upper-case hex digits.",
  "00000F1D290B4EB045CBE502A2FCB7281531E971D8295162"
)

const MptValue = text(
  INTEGER,
  "MptValue",
  "Units of a multi-purpose token, as an integer in a string.",
  "250"
)

const currency = required(Currency, "The token's currency.")
const issuer = required(Address, "The token's issuer.")

export const TokenAmount = named(
  "TokenAmount",
  "An amount of a token on trust lines.",
  Schema.Struct({
    currency,
    issuer,
    value: required(TokenValue, "The amount.")
  })
)

const ComputedTokenAmount = named(
  "ComputedTokenAmount",
  "A computed amount of a token on trust lines.",
  Schema.Struct({
    currency,
    issuer,
    value: required(ComputedValue, "The amount.")
  })
)

export const MptAmount = named(
  "MptAmount",
  "An amount of a multi-purpose token.",
  Schema.Struct({
    mpt_issuance_id: required(MptIssuanceId, "The token."),
    value: required(MptValue, "The amount.")
  })
)

export const IssuedAmount = named(
  "IssuedAmount",
  "An amount of any asset except XRP.",
  Schema.Union([TokenAmount, MptAmount])
)

export const Amount = named(
  "Amount",
  "An amount of XRP, of a token on trust lines or of a multi-purpose token.",
  Schema.Union([Drops, TokenAmount, MptAmount])
)

export const ComputedAmount = named(
  "ComputedAmount",
  "An amount that is the exact difference of two amounts of the ledger.",
  Schema.Union([Drops, ComputedTokenAmount, MptAmount])
)

/** The first field of every payload. */
export const tx_hash = required(Hash, "The transaction that caused the event.")
export const tx_type = required(TransactionType, "The type of the transaction that caused the event.")

/** The last fields of every payload: who else acted, and in which batch. */
const originFields = {
  delegate: optional(Address, "The account that sent the transaction for its account, as its delegate."),
  parent_batch_id: optional(Hash, "The Batch transaction of which the transaction is a part."),
  sponsor: optional(Address, "The account that signed the transaction too, as its sponsor.")
}

export type OriginField = keyof typeof originFields

/** The payload of one event type. `fields` are those of the type; every payload has `originFields` behind them. */
export const payload = <Fields extends Schema.Struct.Fields>(
  description: string,
  fields: Fields,
  ...examples: ReadonlyArray<Schema.Struct<Fields & typeof originFields>["Type"]>
) => Schema.Struct({ ...fields, ...originFields }).annotate({ description, examples })
