/** Contract of `/v1/ledgers`: which ledgers the service has processed, network by network, as ranges or by hour. */

import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { CommonErrors, field, KeyRequired, rule, scoped, Timestamp } from "../../http/ContractParts.ts"
import { Place, QueryTypes } from "../../http/FeatureContract.ts"
import { queryRules, RequestRules } from "../../http/RequestRules.ts"
import { networks } from "../../spine/event/Network.ts"
import { coverageRules } from "./LedgerRules.ts"

const LedgerRef = Schema.Struct({
  ledger_index: field(Schema.Int, "The ledger's index.", 94_084_608),
  ledger_hash: field(
    Schema.String,
    "The ledger's hash: 64 upper-case hex digits.",
    "C6AD4F3C7A5B5B3C9D2B7F0E1A8D64E5B1F2A3C4D5E6F708192A3B4C5D6E7F80"
  ),
  close_time: Schema.String.annotate({
    format: "date-time",
    description: "When the ledger closed: ISO 8601 date-time in UTC, whole seconds.",
    examples: ["2025-02-11T16:31:20Z"]
  })
}).annotate({ identifier: "LedgerRef", description: "A ledger." })

const LedgerRange = Schema.Struct({
  first: LedgerRef.annotateKey({ description: "The oldest ledger of the range." }),
  last: LedgerRef.annotateKey({ description: "The newest ledger of the range." }),
  ledgers: field(Schema.Int, "The number of ledgers, first and last included.", 1),
  simulated: field(
    Schema.Boolean,
    "Whether these ledgers are simulated. The service simulates a test network for which no servers are configured.",
    false
  ),
  rules_version: field(
    Schema.Int,
    "The version of the detection rules that found the events of the newest ledgers. Replays repeat events as they were found, and detect nothing again.",
    2
  ),
  rules_from: Schema.optionalKey(
    Schema.Int.annotate({
      description:
        "The first ledger of `rules_version`. An earlier version found the events of the ledgers before it. Absent if there are none.",
      examples: [94_084_608]
    })
  )
}).annotate({ identifier: "LedgerRange", description: "A range of ledgers without gaps." })

const Head = Schema.Struct({
  ledger_index: field(Schema.Int, "The ledger's index.", 94_084_609),
  announced_at: field(Timestamp, "When a server announced the ledger."),
  age_ms: field(Schema.Int, "Milliseconds since it was announced.", 1_840)
}).annotate({ identifier: "LedgerHead", description: "The newest validated ledger of the network." })

const CatchUp = Schema.Struct({
  from: field(Schema.Int, "The first ledger that is not processed yet.", 94_084_609),
  to: field(Schema.Int, "The last ledger that is not processed yet.", 94_084_708),
  ledgers: field(Schema.Int, "The number of ledgers that are not processed yet.", 100),
  ledgers_per_second: field(
    Schema.NullOr(Schema.Finite),
    "Ledgers processed per second over the last 30 seconds; null until it can be measured.",
    12.5
  ),
  seconds_left: field(
    Schema.NullOr(Schema.Finite),
    "The estimated seconds until all are processed; null until it can be estimated.",
    8
  )
}).annotate({ identifier: "LedgerCatchUp", description: "Ledgers that are not processed yet." })

const SkippedLedger = Schema.Struct({
  ledger_index: field(Schema.Int, "The ledger's index.", 562_177),
  reason: field(Schema.String, "The operator's reason.", "no server lists its transactions"),
  skipped_at: field(Timestamp, "When the service went on without it.")
}).annotate({
  identifier: "SkippedLedger",
  description: "A ledger whose events are missing for ever, because no server could list its transactions."
})

export const NetworkCoverage = Schema.Struct({
  network: field(Schema.Literals(networks), "The network.", "mainnet"),
  watched: field(Schema.Boolean, "Whether the service watches this network.", true),
  ranges: Schema.Array(LedgerRange).annotate({
    description: "The processed ledgers whose events are still kept, oldest first. Usually one range."
  }),
  head: Schema.NullOr(Head).annotate({
    description:
      "The newest validated ledger that a server has announced, whichever process answers; null if the service has never heard of one. If `age_ms` is more than some seconds, newer ledgers may exist."
  }),
  catching_up: Schema.NullOr(CatchUp).annotate({
    description:
      "The announced ledgers that are not processed yet; null if the service is at most one ledger behind `head`.",
    examples: [null]
  }),
  seconds_late: Schema.NullOr(Schema.Int).annotate({
    description:
      "How long the oldest event that the service has not sent yet has waited because of the service, in seconds. 0 in health. What waits for a webhook's own speed, rate or failures does not count. Null while the service does not know it, for example because its log does not answer.",
    examples: [0]
  }),
  skipped: Schema.optionalKey(
    Schema.Array(SkippedLedger).annotate({
      description:
        "The ledgers that the operator skipped, lowest first. They count as processed in the ranges, but their events are missing. Absent if there are none."
    })
  )
}).annotate({ identifier: "NetworkCoverage", description: "The processed ledgers of one network." })
export type NetworkCoverage = typeof NetworkCoverage.Type

const CoverageHour = Schema.Struct({
  hour: field(Timestamp, "The start of the hour, in UTC."),
  ledgers: field(
    Schema.Int,
    "The ledgers that closed in the hour and were processed. 0 with `missing` 0: the network was not watched, or its ledgers are no longer kept.",
    923
  ),
  missing: field(
    Schema.Int,
    "The ledgers of the hour whose events are missing: they were never processed, or the operator skipped them. When a ledger that was never processed closed is estimated from the ledgers before and after the gap.",
    0
  ),
  events: field(
    Schema.Int,
    "The events of the hour's ledgers. The newest may follow some seconds later.",
    18_460
  )
}).annotate({ identifier: "LedgerCoverageHour", description: "The ledgers of one hour." })

export const coverageDays = { default: 30, maximum: 30 } as const

const Days = Schema.String.check(
  rule((text: string) =>
    /^\d{1,2}$/.test(text) && Number(text) >= 1 && Number(text) <= coverageDays.maximum
      ? undefined
      : `must be an integer from 1 to ${coverageDays.maximum}`
  )
)

export class Ledgers extends HttpApiGroup.make("ledgers")
  .add(
    HttpApiEndpoint.get("coverage", "/coverage", {
      query: {
        by: Schema.optionalKey(
          field(Schema.Literals(["hour"]), "Count by hour instead of listing ranges.", "hour")
        ),
        days: Schema.optionalKey(
          field(
            Days,
            "Only with by=hour: for how many days of 24 hours, up to the present hour. Default: 30.",
            "30"
          )
        ),
        network: Schema.optionalKey(
          field(
            Schema.Literals(networks),
            "Only with by=hour: mainnet with live keys, testnet (the default) or devnet with test keys.",
            "mainnet"
          )
        )
      },
      success: Schema.Union([
        Schema.Struct({
          data: Schema.Array(NetworkCoverage).annotate({
            description:
              "The networks that the key sees: mainnet with a live key, testnet and devnet with a test key."
          })
        }).annotate({ identifier: "LedgerCoverage", description: "Which ledgers were processed." }),
        Schema.Struct({
          data: Schema.Array(CoverageHour).annotate({
            description: "The hours, oldest first, without gaps. The last one has not ended."
          })
        }).annotate({
          identifier: "LedgerCoverageByHour",
          description: "With by=hour: the ledgers of each hour."
        })
      ]).annotate({ description: "Which ledgers were processed." })
    })
      .annotate(RequestRules, queryRules(coverageRules))
      .annotateMerge(
        scoped("events:read", {
          identifier: "getLedgerCoverage",
          summary: "Show which ledgers were processed",
          description:
            "For each network, the ranges of processed ledgers. A ledger between two ranges was never processed, so its events are missing. So are those of the ledgers in `skipped`. With `by=hour`, the ledgers of one network hour by hour."
        })
      )
  )
  .middleware(CommonErrors)
  .middleware(KeyRequired)
  .annotate(Place, 90)
  .annotate(QueryTypes, {
    days: {
      type: "integer",
      minimum: 1,
      maximum: coverageDays.maximum,
      default: coverageDays.default,
      examples: [30]
    }
  })
  .annotate(OpenApi.Description, "Which ledgers the service has processed.")
  .prefix("/v1/ledgers") {}
