/** Contract of the health probes, which need no key. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { CommonErrors, field, keyless, rule } from "../../http/ContractParts.ts"
import { NotFound } from "../../http/Errors.ts"
import { Place } from "../../http/FeatureContract.ts"

const Part = Schema.Struct({
  status: field(
    Schema.Literals(["ok", "starting", "degraded", "failed"]),
    "ok: the part works. starting: it is not ready yet. degraded: it works with restrictions. failed: it does not work."
  ),
  detail: field(Schema.String, "What the part is doing, or what is wrong.", "answers"),
  facts: Schema.optionalKey(
    field(
      Schema.Record(Schema.String, Schema.NullOr(Schema.Union([Schema.String, Schema.Finite]))),
      "Figures for monitoring, by name.",
      { head: 94_084_608 }
    )
  )
}).annotate({ identifier: "PartHealth", description: "The state of one part of the service." })

const parts = Schema.Record(Schema.String, Part)

const Alive = Schema.Struct({ status: field(Schema.Literal("ok"), "Always ok.") }).annotate({
  identifier: "Alive",
  description: "The process is alive."
})
const Ready = Schema.Struct({
  status: field(Schema.Literal("ok"), "Every part is ok or degraded."),
  parts: field(parts, "The parts of the service, by name.", { database: { status: "ok", detail: "answers" } })
}).annotate({ identifier: "Ready", description: "The service is ready." })

const NotReady = Schema.Struct({
  status: field(Schema.Literal("unavailable"), "At least one part is starting or failed."),
  parts: field(parts, "The parts of the service, by name.", {
    database: { status: "failed", detail: "the database does not answer" }
  })
}).annotate({ identifier: "NotReady", description: "The service is not ready; the parts show why." })

const PART_NAME = /^[a-z]+(?:\.[a-z]+)?$/

const partName = Schema.String.check(
  rule(
    (text: string) =>
      PART_NAME.test(text) ? undefined : "must be the name of a part as /readyz shows it, such as database",
    { pattern: PART_NAME.source }
  )
)

export class System extends HttpApiGroup.make("system", { topLevel: true })
  .add(
    HttpApiEndpoint.get("healthz", "/healthz", { success: Alive }).annotateMerge(
      keyless({
        identifier: "getHealth",
        summary: "Check whether the process is alive",
        description: "Answers 200 while the process is alive. Needs no key."
      })
    ),
    HttpApiEndpoint.get("readyz", "/readyz", {
      query: {
        exclude: Schema.optionalKey(
          field(
            Schema.Array(partName),
            "A part to leave out. Repeat the parameter for several. A part that this process does not have is ignored, so every process can be asked alike.",
            ["ledger.mainnet"]
          )
        )
      },
      success: [Ready, NotReady.pipe(HttpApiSchema.status(503))]
    }).annotateMerge(
      keyless({
        identifier: "getReadiness",
        summary: "Check whether the service is ready",
        description:
          "Shows every part of the process with its state. Answers 503 if one is starting or failed. Needs no key."
      })
    ),
    HttpApiEndpoint.get("readyzPart", "/readyz/:part", {
      params: {
        part: field(partName, "The name of a part, as /readyz shows it, or traffic.", "database")
      },
      success: [Ready, NotReady.pipe(HttpApiSchema.status(503))],
      error: NotFound
    }).annotateMerge(
      keyless({
        identifier: "getPartReadiness",
        summary: "Check whether one part is ready",
        description:
          "Shows one part of the process. Answers 503 if it is starting or failed. The part `traffic` is for load balancers and probes: it fails while the process starts or stops, while a stage of its own has failed for 60 seconds, and with the role `api` while the database has failed for 10 seconds. Needs no key."
      })
    )
  )
  .middleware(CommonErrors)
  .annotate(Place, 170)
  .annotate(OpenApi.Description, "Health probes for operators.") {}
