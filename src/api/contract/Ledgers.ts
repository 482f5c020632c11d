/** Contract of `/v1/ledgers`: which ledgers the service has taken, network by network. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { networks } from "../../domain/Network.ts"
import { CommonErrors, KeyRequired, RequiredScope, Timestamp } from "./Common.ts"

const LedgerRef = Schema.Struct({
  ledger_index: Schema.Int,
  ledger_hash: Schema.String,
  close_time: Schema.String.annotate({
    format: "date-time",
    description: "ISO 8601, UTC, whole seconds"
  })
}).annotate({ identifier: "LedgerRef" })

const LedgerRange = Schema.Struct({
  first: LedgerRef,
  last: LedgerRef,
  ledgers: Schema.Int.annotate({ description: "how many: both ends and every ledger between them" })
}).annotate({ identifier: "LedgerRange" })

const Head = Schema.Struct({
  ledger_index: Schema.Int,
  announced_at: Timestamp,
  age_ms: Schema.Int
}).annotate({ identifier: "LedgerHead" })

const CatchUp = Schema.Struct({
  from: Schema.Int,
  to: Schema.Int,
  ledgers: Schema.Int,
  ledgers_per_second: Schema.NullOr(Schema.Finite).annotate({
    description: "over the last half minute; null while there is too little to tell"
  }),
  seconds_left: Schema.NullOr(Schema.Finite).annotate({ description: "at that rate" })
}).annotate({ identifier: "LedgerCatchUp" })

export const NetworkCoverage = Schema.Struct({
  network: Schema.Literals(networks),
  watched: Schema.Boolean.annotate({ description: "whether the service follows this network" }),
  ranges: Schema.Array(LedgerRange).annotate({
    description: "the ledgers taken whose events are still kept; oldest first. Normally one range"
  }),
  head: Schema.NullOr(Head).annotate({
    description: "the newest validated ledger that a server has announced; null while none has"
  }),
  catching_up: Schema.NullOr(CatchUp).annotate({
    description: "ledgers still to be taken; null when the newest is taken or on its way"
  })
}).annotate({ identifier: "NetworkCoverage" })
export type NetworkCoverage = typeof NetworkCoverage.Type

export class Ledgers extends HttpApiGroup.make("ledgers")
  .add(
    HttpApiEndpoint.get("coverage", "/coverage", {
      success: Schema.Struct({ data: Schema.Array(NetworkCoverage) })
    }).annotate(RequiredScope, "events:read")
  )
  .middleware(CommonErrors)
  .middleware(KeyRequired)
  .prefix("/v1/ledgers") {}
