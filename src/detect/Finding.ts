/**
 * The input and output of detectors. A detector is pure: it reads one transaction of a validated ledger and returns
 * events, or alerts for cases that it cannot decide. Detect.ts adds order and ids.
 */
import type { AlertCode } from "../domain/AlertCode.ts"
import type { EventType } from "../domain/EventType.ts"
import type { Json, JsonObject } from "../domain/Ledger.ts"
import type { Payload } from "../domain/Payloads.ts"
import { withoutAbsent } from "./Fields.ts"
import type { AffectedNode } from "./Nodes.ts"

export interface TransactionContext {
  readonly hash: string
  readonly tx: JsonObject
  readonly meta: JsonObject
  readonly type: string
  /** `tx.Account`. */
  readonly account: string
  readonly succeeded: boolean
  /** Sorted by id. */
  readonly nodes: ReadonlyArray<AffectedNode>
  /** Whether every node could be read. If not, `nodes` cannot prove how much an account gained. */
  readonly isComplete: boolean
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

export interface AlertFinding {
  readonly _tag: "Alert"
  readonly code: AlertCode
  readonly type: EventType | null
  readonly reason: string
}

export type Finding = EventFinding | AlertFinding
export type Findings = ReadonlyArray<Finding>

/** Reads one ledger entry's node, under any type and result of the transaction. */
export type NodeDetector = (context: TransactionContext, node: AffectedNode) => Findings

/** Reads one successful transaction of its type. */
export type TransactionDetector = (context: TransactionContext) => Findings

export const nothing: Findings = []

/** The form of a list's entries depends on what they name. The compiler cannot check it; tests and Validate.ts do. */
type Built<Value> = Value extends ReadonlyArray<unknown> ? ReadonlyArray<Json> : Value

/** A payload that names every field of its type. Optional fields may be undefined. */
export type Draft<Fields> = {
  readonly [Name in keyof Fields]-?: Record<never, never> extends Pick<Fields, Name>
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
