/**
 * The input and output of detectors. A detector is pure: it reads one transaction of a validated ledger, and first says
 * which event types it causes. Then it returns each event, or throws if the event must be withheld. Detect.ts turns
 * what is thrown into alerts; Numbering.ts adds order and ids.
 */
import type { AlertCode } from "../event/AlertCode.ts"
import type { EventType } from "../event/EventType.ts"
import type { Json, JsonObject } from "../event/Ledger.ts"
import type { Network } from "../event/Network.ts"
import type { Payload } from "../event/Payloads.ts"
import type { OriginField } from "../event/payloads/PayloadFields.ts"
import { withoutAbsent } from "./Fields.ts"
import type { AffectedNode } from "./Nodes.ts"

/** Who else acted, and in which batch (docs/detection-rules.md 1.8). */
export type Origin = Readonly<Record<OriginField, string | undefined>>

export interface TransactionContext {
  readonly hash: string
  readonly tx: JsonObject
  readonly meta: JsonObject
  readonly type: string
  /** `tx.Account`. */
  readonly account: string
  /** The fields that every payload of the transaction has; most transactions have none. */
  readonly origin: Origin | undefined
  readonly succeeded: boolean
  /** Sorted by id. */
  readonly nodes: ReadonlyArray<AffectedNode>
  /** What is wrong with the nodes that could not be read. Then `nodes` cannot prove how much an account gained. */
  readonly fault: string | undefined
  /** Undefined for recorded data. */
  readonly network: Network | undefined
  readonly ledgerIndex: number
  readonly closeTime: number | undefined
  readonly parentCloseTime: number | undefined
}

export interface EventFinding {
  readonly _tag: "Event"
  readonly type: EventType
  readonly payload: JsonObject
  /** The accounts with a role. Duplicates and undefined are allowed. */
  readonly accounts: ReadonlyArray<string | undefined>
}

/** An event that is not emitted. It keeps its number (docs/detection-rules.md 1.3). */
export interface WithheldFinding {
  readonly _tag: "Withheld"
  readonly code: AlertCode
  readonly type: EventType
  readonly reason: string
}

/** An alert beside an event, or one whose event type cannot be told. It has no number. */
export interface AlertFinding {
  readonly _tag: "Alert"
  readonly code: AlertCode
  readonly type: EventType | null
  readonly reason: string
}

export type Finding = EventFinding | WithheldFinding | AlertFinding
export type Findings = ReadonlyArray<Finding>

/** Thrown where the rules do not decide. Any other error means that a field could not be read. */
export class Undecided extends Error {
  readonly code: AlertCode

  constructor(code: AlertCode, reason: string) {
    super(reason)
    this.code = code
  }
}

/** One event that a node causes. */
export interface Cause {
  readonly type: EventType
  /** The event, and alerts beside it. Throws if the event must be withheld. */
  readonly read: (context: TransactionContext, node: AffectedNode) => Findings
}

/**
 * The events that one ledger entry's node causes, under any type and result of the transaction. Throws if they cannot
 * be told; reads nothing that they do not depend on.
 */
export type NodeDetector = (context: TransactionContext, node: AffectedNode) => ReadonlyArray<Cause>

/** Reads one successful transaction of its type. */
export interface TransactionDetector {
  /** The type of the event, if it causes one; null if it cannot be told. Never throws. */
  readonly typeOf: (context: TransactionContext) => EventType | null
  /** As `Cause.read`. */
  readonly read: (context: TransactionContext) => Findings
}

export const nothing: ReadonlyArray<never> = []

/** The form of a list's entries depends on what they name. The compiler cannot check it; tests and Validate.ts do. */
type Built<Value> = Value extends ReadonlyArray<unknown> ? ReadonlyArray<Json> : Value

/** A payload that names every field of its type. Optional fields may be undefined. Numbering.ts adds the origin's. */
export type Draft<Fields> = {
  readonly [Name in Exclude<keyof Fields, OriginField>]-?: Record<never, never> extends Pick<Fields, Name>
    ? Built<Fields[Name]> | undefined
    : Built<Fields[Name]>
}

export const event = <Type extends EventType>(
  type: Type,
  payload: Draft<Payload<Type>>,
  accounts: ReadonlyArray<string | undefined>
): EventFinding => ({
  _tag: "Event",
  type,
  // The compiler does not see through the generic type that every payload is JSON.
  payload: withoutAbsent(payload as { readonly [name: string]: Json | undefined }),
  accounts
})

export const alert = (code: AlertCode, type: EventType | null, reason: string): AlertFinding => ({
  _tag: "Alert",
  code,
  type,
  reason
})
