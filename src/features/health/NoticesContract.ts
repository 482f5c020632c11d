/** Contract of `/v1/account/notices`: a URL to which the service reports what concerns the account. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  bodyErrors,
  CommonErrors,
  field,
  KeyRequired,
  postErrors,
  rule,
  scoped,
  Timestamp
} from "../../http/ContractParts.ts"
import { NotFound, NoticeTestWaiting } from "../../http/Errors.ts"
import { Place } from "../../http/FeatureContract.ts"
import { bodyRules, RequestRules } from "../../http/RequestRules.ts"
import { STANDARD_SECRET_FORM, STANDARD_SECRET_PATTERN, standardKey } from "../../spine/domain/Signing.ts"
import { Url } from "../webhooks/WebhookFieldsContract.ts"
import { noticeUrlRules } from "./NoticeUrlRules.ts"
import { noticeFormats, noticeTypes } from "./notify/Notices.ts"

const SECRET_EXAMPLE = "whsec_mtvxSR6qY2gC0dLzTgEvZ0x4nVqk2j7wKxq7sH9tYl8="

const Format = field(
  Schema.Literals(noticeFormats),
  "standard (default): a request of Standard Webhooks, signed. slack: a message for an incoming webhook of Slack.",
  "standard"
)

const NoticeUrlRequest = Schema.Struct({
  url: Url,
  secret: Schema.optionalKey(
    Schema.String.check(
      rule((secret) => (standardKey(secret) === undefined ? `must be ${STANDARD_SECRET_FORM}` : undefined), {
        pattern: STANDARD_SECRET_PATTERN
      })
    ).annotate({
      description: `Your own signing secret: ${STANDARD_SECRET_FORM}. Not for the format slack, which has no signature. Default: the one that the URL has, otherwise the service generates one.`,
      examples: [SECRET_EXAMPLE]
    })
  ),
  types: Schema.optionalKey(
    Schema.Array(Schema.Literals(noticeTypes))
      .check(
        rule((types) => (types.length === 0 ? "must contain at least one type" : undefined), { minItems: 1 })
      )
      .annotate({
        description: "The notices to send. Default: every type.",
        examples: [["webhook.failing", "webhook.recovered"]]
      })
  ),
  format: Schema.optionalKey(Format)
}).annotate({
  identifier: "NoticeUrlRequest",
  description: "Where to send notices, and which.",
  examples: [{ url: "https://example.com/ops/ledgerhook" }]
})

const record = {
  url: field(Schema.String, "Where notices are sent.", "https://example.com/ops/ledgerhook"),
  format: Format,
  types: field(Schema.Array(Schema.Literals(noticeTypes)), "The notices that are sent.", noticeTypes),
  created_at: Timestamp,
  updated_at: Timestamp,
  last_notice: field(
    Schema.NullOr(
      Schema.Struct({
        type: field(Schema.String, "Its type.", "webhook.failing"),
        created_at: Timestamp,
        sent_at: field(
          Schema.NullOr(Timestamp),
          "When the URL accepted it; null if it has not.",
          "2026-11-21T09:35:30.000Z"
        ),
        attempts: field(Schema.Int, "How often it was sent.", 1),
        error: field(Schema.NullOr(Schema.String), "Why the last attempt failed; null if it did not.", null)
      })
    ),
    "The newest notice of the account; null if there is none."
  )
}

const NoticeUrl = Schema.Struct(record).annotate({
  identifier: "NoticeUrl",
  description: "The account's URL for notices."
})

const ChangedNoticeUrl = Schema.Struct({
  ...record,
  secret: Schema.optionalKey(
    field(
      Schema.String,
      "The signing secret, if this request has set it. It is not shown again: store it.",
      SECRET_EXAMPLE
    )
  )
}).annotate({ identifier: "ChangedNoticeUrl", description: "The account's URL for notices." })

export class Notices extends HttpApiGroup.make("notices")
  .add(
    HttpApiEndpoint.get("get", "/", { success: NoticeUrl, error: NotFound }).annotateMerge(
      scoped("admin", {
        identifier: "getNoticeUrl",
        summary: "Show the URL for notices",
        description: "Shows where notices are sent, and whether the newest one was accepted."
      })
    ),
    HttpApiEndpoint.put("set", "/", {
      payload: NoticeUrlRequest,
      success: ChangedNoticeUrl,
      error: bodyErrors
    })
      .annotateMerge(
        scoped("admin", {
          identifier: "setNoticeUrl",
          summary: "Set the URL for notices",
          description:
            "From now on, notices about the account go to this URL too: webhooks that fail, work again or were disabled, the quota, and replays that ended. They are retried for three days. An account has one URL; this replaces it."
        })
      )
      .annotate(RequestRules, bodyRules<typeof NoticeUrlRequest.Type>(noticeUrlRules)),
    HttpApiEndpoint.delete("remove", "/", {
      success: HttpApiSchema.NoContent,
      error: [NotFound, ...bodyErrors]
    }).annotateMerge(
      scoped("admin", {
        identifier: "removeNoticeUrl",
        summary: "Remove the URL for notices",
        description: "No more notices are sent, those that wait for a retry included. Mails are still sent."
      })
    ),
    HttpApiEndpoint.post("test", "/test", {
      success: Schema.Struct({
        notice_id: field(
          Schema.String,
          "The notice's id, which the header webhook-id has.",
          "ntc_6f0e1b4c2a9d8e7f6a5b4c3d2e"
        )
      })
        .annotate({ identifier: "TestNotice", description: "The notice that is sent." })
        .pipe(HttpApiSchema.status(202)),
      error: [NotFound, NoticeTestWaiting, ...postErrors]
    }).annotateMerge(
      scoped("admin", {
        identifier: "testNoticeUrl",
        summary: "Send a test notice",
        description:
          "Sends a notice of the type notice.test, once. While one waits to be sent, another one is refused with 409. `last_notice` of `GET /v1/account/notices` then says whether the URL accepted it."
      })
    )
  )
  .middleware(CommonErrors)
  .middleware(KeyRequired)
  .annotate(Place, 150)
  .annotate(OpenApi.Description, "A URL to which the service reports what concerns the account.")
  .prefix("/v1/account/notices") {}
