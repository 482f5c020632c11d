/**
 * How a detector's answer differs from what a conformance vector expects (schemas/detection/README.md). The order of
 * keys, and fields that a vector does not name, are not compared. Events are compared in order, alerts as a set. Pure.
 */
import type { Json, JsonObject } from "../../../spine/event/Ledger.ts"
import { isJsonObject } from "../../../spine/event/NormaliseLedger.ts"

/** Undefined: absent. */
export interface Difference {
  readonly path: string
  readonly expected: Json | undefined
  readonly got: Json | undefined
}

export interface Expectation {
  /** Memos and changes of balances are compared too. */
  readonly booking?: true
  readonly events: ReadonlyArray<JsonObject>
  readonly alerts: ReadonlyArray<JsonObject>
}

export interface Answer {
  readonly events: ReadonlyArray<Json>
  readonly alerts: ReadonlyArray<Json>
}

const eventFields = ["event_id", "event_type", "ledger_index", "timestamp", "payload", "accounts"]
/** Fields beside the payload, compared where a vector is about them. */
const fieldsBeside = ["memos", "memos_truncated", "balance_changes"]
const alertFields = ["code", "event_type", "tx_hash"]

const pick = (value: Json, names: ReadonlyArray<string>): Json =>
  isJsonObject(value)
    ? Object.fromEntries(names.filter((name) => name in value).map((name) => [name, value[name]!]))
    : value

const differ = (
  path: string,
  expected: Json | undefined,
  got: Json | undefined
): ReadonlyArray<Difference> => {
  if (Array.isArray(expected) && Array.isArray(got))
    return Array.from({ length: Math.max(expected.length, got.length) }, (_, i) =>
      differ(`${path}[${i}]`, expected[i], got[i])
    ).flat()
  if (isJsonObject(expected) && isJsonObject(got))
    return [...new Set([...Object.keys(expected), ...Object.keys(got)])].flatMap((name) =>
      differ(`${path}.${name}`, expected[name], got[name])
    )
  return expected === got ? [] : [{ path, expected, got }]
}

/** The alerts of one list that the other lacks. Keys are in the order of `alertFields`. */
const lacking = (from: ReadonlyArray<Json>, within: ReadonlyArray<Json>): ReadonlyArray<Json> => {
  const texts = within.map((one) => JSON.stringify(one))
  return from.filter((one) => {
    const at = texts.indexOf(JSON.stringify(one))
    if (at >= 0) texts.splice(at, 1)
    return at < 0
  })
}

export const compare = (expected: Expectation, answer: Answer): ReadonlyArray<Difference> => {
  const fields = expected.booking ? [...eventFields, ...fieldsBeside] : eventFields
  const wanted = expected.alerts.map((one) => pick(one, alertFields))
  const found = answer.alerts.map((one) => pick(one, alertFields))
  return [
    ...differ(
      "events",
      expected.events.map((one) => pick(one, fields)),
      answer.events.map((one) => pick(one, fields))
    ),
    ...lacking(wanted, found).map((one) => ({ path: "alerts", expected: one, got: undefined })),
    ...lacking(found, wanted).map((one) => ({ path: "alerts", expected: undefined, got: one }))
  ]
}
