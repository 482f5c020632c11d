/** The faults of a payload that is given for a test event: it must fit the schema of the event's type. */
import { Schema } from "effect"
import type { Fault } from "../../http/Errors.ts"
import { faultsIn } from "../../http/RequestFaults.ts"
import type { EventType } from "../../spine/event/EventType.ts"
import type { JsonObject } from "../../spine/event/Ledger.ts"
import { payloads } from "../../spine/event/Payloads.ts"

interface Given {
  readonly event_type: EventType
  readonly payload?: JsonObject
}

/** The parameters of the faults begin with `/payload`. */
export const testEventRules = ({ event_type, payload }: Partial<Given>): ReadonlyArray<Fault> =>
  payload === undefined || event_type === undefined
    ? []
    : faultsIn(
        "Payload",
        Schema.Struct({ payload: payloads[event_type] }),
        { payload },
        JSON.stringify(payload).length
      )
