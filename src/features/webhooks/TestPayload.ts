/** The faults of a payload that is given for a test event: it must fit the schema of the event's type. */
import { Schema } from "effect"
import type { EventType } from "../domain/EventType.ts"
import type { JsonObject } from "../domain/Ledger.ts"
import { payloads } from "../domain/Payloads.ts"
import type { Fault } from "./Errors.ts"
import { faultsIn } from "./RequestFaults.ts"

interface Given {
  readonly event_type: EventType
  readonly payload?: JsonObject
}

/** The parameters of the faults begin with `/payload`. */
export const payloadFaults = ({ event_type, payload }: Given): ReadonlyArray<Fault> =>
  payload === undefined
    ? []
    : faultsIn(
        "Payload",
        Schema.Struct({ payload: payloads[event_type] }),
        { payload },
        JSON.stringify(payload).length
      )
