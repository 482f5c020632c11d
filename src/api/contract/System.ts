/** Contract of what needs no key: is the process alive, is it ready. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { CommonErrors, field, keyless } from "./Common.ts"

const Part = Schema.Struct({
  status: field(
    Schema.Literals(["ok", "starting", "degraded", "failed"]),
    "degraded: it works, with less than it should have"
  ),
  detail: field(Schema.String, "in a few words", "answers"),
  facts: Schema.optionalKey(
    field(
      Schema.Record(Schema.String, Schema.NullOr(Schema.Union([Schema.String, Schema.Finite]))),
      "what programs may look at",
      { head: 94_084_608 }
    )
  )
}).annotate({ identifier: "PartHealth", description: "The state of one part." })

const parts = Schema.Record(Schema.String, Part)

const Alive = Schema.Struct({ status: field(Schema.Literal("ok"), "always ok") }).annotate({
  identifier: "Alive",
  description: "The process lives."
})
const Ready = Schema.Struct({
  status: field(Schema.Literal("ok"), "every part is ok or degraded"),
  parts: field(parts, "by name", { database: { status: "ok", detail: "answers" } })
}).annotate({ identifier: "Ready", description: "The service is fit to serve." })

const NotReady = Schema.Struct({
  status: field(Schema.Literal("unavailable"), "some part is neither ok nor degraded"),
  parts: field(parts, "by name", { database: { status: "failed", detail: "the database does not answer" } })
}).annotate({ identifier: "NotReady", description: "The service is not fit to serve; its parts say why." })

export class System extends HttpApiGroup.make("system", { topLevel: true })
  .add(
    HttpApiEndpoint.get("healthz", "/healthz", { success: Alive }).annotateMerge(
      keyless({
        identifier: "getHealth",
        summary: "Is the process alive",
        description: "Answers as long as the process lives; needs no key."
      })
    ),
    HttpApiEndpoint.get("readyz", "/readyz", {
      success: [Ready, NotReady.pipe(HttpApiSchema.status(503))]
    }).annotateMerge(
      keyless({
        identifier: "getReadiness",
        summary: "Is the service ready",
        description: "Every part of it and its state; needs no key."
      })
    )
  )
  .middleware(CommonErrors)
  .annotate(OpenApi.Description, "For operators and their monitoring.") {}
