/**
 * The part `webhooks` of the OpenAPI document: the request that the service sends for an event of each type, the one
 * that carries a batch, and what the receiver's answer means. Pure.
 */
import { eventCatalogue } from "../../spine/event/EventCatalogue.ts"
import { payloadName } from "../../spine/event/EventType.ts"
import { publishedSchema } from "../../spine/event/JsonSchemas.ts"
import { BATCH_ANSWER, BATCH_BODY, bodyName, componentRef } from "./EventComponents.ts"
import { component } from "./OpenApiHeaders.ts"
import { headersOf, type WebhookRequest, webhookHeaders } from "./WebhookHeaders.ts"

const ACCEPTED = "EventAccepted"
const NOT_ACCEPTED = "EventNotAccepted"
const BATCH_ACCEPTED = "BatchAccepted"
const BATCH_PARTLY_ACCEPTED = "BatchPartlyAccepted"
const BATCH_NOT_ACCEPTED = "BatchNotAccepted"

const forms =
  "This is the body in the format `ledgerhook`, the default. If the webhook's `format` is `cloudevents`, the body is the `payload` alone, and headers `ce-…` have the rest. If the webhook's `batch` is set, requests are those of the webhook `batch` instead."

const batchForms =
  "This is the body in the format `ledgerhook`, the default. If the webhook's `format` is `cloudevents`, it is in the JSON Batch Format of CloudEvents, with the content type `application/cloudevents-batch+json`."

export const webhookResponses = {
  [ACCEPTED]: {
    description:
      "The event is delivered. The status and the headers must arrive within 10 seconds (`DELIVERY_TIMEOUT`); the body is stored, but not interpreted."
  },
  [NOT_ACCEPTED]: {
    description:
      "The attempt has failed, also with a redirect and without an answer. The event is sent again, up to 10 attempts in about 21 hours. `Retry-After` lengthens the wait by up to 10 minutes."
  },
  [BATCH_ACCEPTED]: {
    description:
      "All deliveries of the batch are delivered, except those that the body lists as `failed`. The answer must arrive within 10 seconds (`DELIVERY_TIMEOUT`)."
  },
  [BATCH_PARTLY_ACCEPTED]: {
    description:
      "The listed deliveries failed and are retried; all others are delivered. Without a readable list, all failed.",
    content: { "application/json": { schema: componentRef(BATCH_ANSWER) } }
  },
  [BATCH_NOT_ACCEPTED]: {
    description:
      "The attempt has failed for all deliveries of the batch, also with a redirect and without an answer. They are retried as after a request with one event."
  }
}

export const webhookParameters = Object.fromEntries(
  webhookHeaders.map(({ component: key, name, always, description, schema }) => [
    key,
    { name, in: "header", required: always, description, schema }
  ])
)

const parametersOf = (request: WebhookRequest) =>
  headersOf(request).map((header) => component("parameters", header.component))

const batchWebhook = () => {
  const { examples } = publishedSchema("batch.schema.json")
  return {
    post: {
      operationId: "receiveBatch",
      summary: "batch",
      description: "Several events of a webhook that has `batch`, in one request.",
      security: [],
      parameters: parametersOf("batch"),
      requestBody: {
        description: batchForms,
        required: true,
        content: {
          "application/json": {
            schema: componentRef(BATCH_BODY),
            example: Array.isArray(examples) ? examples[0] : undefined
          }
        }
      },
      responses: {
        "207": component("responses", BATCH_PARTLY_ACCEPTED),
        "2XX": component("responses", BATCH_ACCEPTED),
        default: component("responses", BATCH_NOT_ACCEPTED)
      }
    }
  }
}

export const webhooks = (): Readonly<Record<string, unknown>> => ({
  ...Object.fromEntries(
    eventCatalogue().map(({ event_type, description, exampleBody }) => [
      event_type,
      {
        post: {
          operationId: `receive${payloadName(event_type)}`,
          summary: event_type,
          description,
          security: [],
          parameters: parametersOf("event"),
          requestBody: {
            description: forms,
            required: true,
            content: {
              "application/json": { schema: componentRef(bodyName(event_type)), example: exampleBody }
            }
          },
          responses: {
            "2XX": component("responses", ACCEPTED),
            default: component("responses", NOT_ACCEPTED)
          }
        }
      }
    ])
  ),
  batch: batchWebhook()
})
