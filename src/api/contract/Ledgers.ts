/** Contract of `/v1/ledgers`: which ledgers the service has taken, network by network. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { networks } from "../../domain/Network.ts"
import { CommonErrors, field, KeyRequired, scoped, Timestamp } from "./Common.ts"

const LedgerRef = Schema.Struct({
  ledger_index: field(Schema.Int, "its number", 94_084_608),
  ledger_hash: field(
    Schema.String,
    "64 upper-case hex digits",
    "C6AD4F3C7A5B5B3C9D2B7F0E1A8D64E5B1F2A3C4D5E6F708192A3B4C5D6E7F80"
  ),
  close_time: Schema.String.annotate({
    format: "date-time",
    description: "ISO 8601, UTC, whole seconds",
    examples: ["2025-02-11T16:31:20Z"]
  })
}).annotate({ identifier: "LedgerRef", description: "One ledger." })

const LedgerRange = Schema.Struct({
  first: LedgerRef.annotateKey({ description: "the oldest of them" }),
  last: LedgerRef.annotateKey({ description: "the newest of them" }),
  ledgers: field(Schema.Int, "how many: both ends and every ledger between them", 1),
  simulated: field(
    Schema.Boolean,
    "whether the simulated ledger made them, which plays a test network that has no servers",
    false
  )
}).annotate({ identifier: "LedgerRange", description: "Ledgers without a gap." })

const Head = Schema.Struct({
  ledger_index: field(Schema.Int, "its number", 94_084_609),
  announced_at: field(Timestamp, "when a server announced it"),
  age_ms: field(Schema.Int, "since then", 1_840)
}).annotate({ identifier: "LedgerHead", description: "The newest validated ledger." })

const CatchUp = Schema.Struct({
  from: field(Schema.Int, "the first ledger still to be taken", 94_084_609),
  to: field(Schema.Int, "the last one", 94_084_708),
  ledgers: field(Schema.Int, "how many", 100),
  ledgers_per_second: field(
    Schema.NullOr(Schema.Finite),
    "over the last half minute; null while there is too little to tell",
    12.5
  ),
  seconds_left: field(Schema.NullOr(Schema.Finite), "at that rate", 8)
}).annotate({ identifier: "LedgerCatchUp", description: "Ledgers still to be taken." })

export const NetworkCoverage = Schema.Struct({
  network: field(Schema.Literals(networks), "the network", "mainnet"),
  watched: field(Schema.Boolean, "whether the service follows this network", true),
  ranges: Schema.Array(LedgerRange).annotate({
    description: "the ledgers taken whose events are still kept; oldest first. Normally one range"
  }),
  head: Schema.NullOr(Head).annotate({
    description: "the newest validated ledger that a server has announced; null while none has"
  }),
  catching_up: Schema.NullOr(CatchUp).annotate({
    description: "ledgers still to be taken; null when the newest is taken or on its way",
    examples: [null]
  })
}).annotate({ identifier: "NetworkCoverage", description: "What was taken of one network." })
export type NetworkCoverage = typeof NetworkCoverage.Type

export class Ledgers extends HttpApiGroup.make("ledgers")
  .add(
    HttpApiEndpoint.get("coverage", "/coverage", {
      success: Schema.Struct({
        data: Schema.Array(NetworkCoverage).annotate({ description: "the networks of the key's environment" })
      }).annotate({ identifier: "LedgerCoverage", description: "Which ledgers were taken." })
    }).annotateMerge(
      scoped("events:read", {
        identifier: "getLedgerCoverage",
        summary: "Show the ledgers taken",
        description: "By network, as ranges without a gap; what is missing between them was never taken."
      })
    )
  )
  .middleware(CommonErrors)
  .middleware(KeyRequired)
  .annotate(OpenApi.Description, "Proof of which ledgers were looked at.")
  .prefix("/v1/ledgers") {}
