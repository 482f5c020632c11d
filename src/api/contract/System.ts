/** Contract of what needs no key: is the process alive, is it ready. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { CommonErrors } from "./Common.ts"

const Part = Schema.Struct({
  status: Schema.Literals(["ok", "starting", "degraded", "failed"]),
  detail: Schema.String,
  facts: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.NullOr(Schema.Union([Schema.String, Schema.Finite])))
  )
})
const parts = Schema.Record(Schema.String, Part)

const Ready = Schema.Struct({ status: Schema.Literal("ok"), parts }).annotate({ identifier: "Ready" })
const NotReady = Schema.Struct({ status: Schema.Literal("unavailable"), parts }).annotate({
  identifier: "NotReady"
})

export class System extends HttpApiGroup.make("system", { topLevel: true })
  .add(
    HttpApiEndpoint.get("healthz", "/healthz", { success: Schema.Struct({ status: Schema.Literal("ok") }) }),
    HttpApiEndpoint.get("readyz", "/readyz", { success: [Ready, NotReady.pipe(HttpApiSchema.status(503))] })
  )
  .middleware(CommonErrors) {}
