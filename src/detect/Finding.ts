/**
 * What a detector is given and what it returns. Detectors are pure: they see one transaction of a validated ledger
 * and return events without order or id, which Detect.ts adds, or alerts for what they cannot decide.
 */
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
  /** In the order of their ids. */
  readonly nodes: ReadonlyArray<AffectedNode>
  /** Every node could be read: only then do `nodes` prove how much somebody got. */
  readonly isComplete: boolean
  readonly ledgerIndex: number
  readonly closeTime: number | undefined
  readonly parentCloseTime: number | undefined
}

export interface EventFinding {
  readonly _tag: "Event"
  readonly type: EventType
  readonly payload: JsonObject
  /** Those with a role; doubles and absent ones allowed. */
  readonly accounts: ReadonlyArray<string | undefined>
}

export interface AlertFinding {
  readonly _tag: "Alert"
  readonly type: EventType | null
  readonly reason: string
}

export type Finding = EventFinding | AlertFinding
export type Findings = ReadonlyArray<Finding>

/** State-driven: of one ledger entry, under any transaction and result. */
export type NodeDetector = (context: TransactionContext, node: AffectedNode) => Findings

/** Transaction-driven: of one successful transaction of its type. */
export type TransactionDetector = (context: TransactionContext) => Findings

export const nothing: Findings = []

/** Lists are of entries whose form depends on what they name: tests hold those to the schemas, not the compiler. */
type Built<Value> = Value extends ReadonlyArray<unknown> ? ReadonlyArray<Json> : Value

/** A payload with every field of its type named; what may be left out may be undefined. */
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

export const alert = (type: EventType | null, reason: string): AlertFinding => ({
  _tag: "Alert",
  type,
  reason
})
