/**
 * The part `webhooks` of the OpenAPI document: the request that the service sends for an event of each type, and what
 * the receiver's answer means. Pure.
 */
import { eventCatalogue } from "../domain/EventCatalogue.ts"
import { bodyName, componentRef } from "../domain/EventComponents.ts"
import { payloadName } from "../domain/EventType.ts"
import { component } from "./OpenApiHeaders.ts"
import { webhookHeaders } from "./WebhookHeaders.ts"

const ACCEPTED = "EventAccepted"
const NOT_ACCEPTED = "EventNotAccepted"

const forms =
  "This is the body in the format `ledgerhook`, the default. If the webhook's `format` is `cloudevents`, the body is the `payload` alone, and headers `ce-…` have the rest. If the webhook's `batch` is set, one request carries several events: the body is an array of `{delivery_id, event}`, and `X-Service-Batch-Id` replaces the three headers that name the event and its delivery."

export const webhookResponses = {
  [ACCEPTED]: {
    description:
      "The event is delivered. The status and the headers must arrive within 10 seconds (`DELIVERY_TIMEOUT`); the body is stored, but not interpreted. Only of the answer to a batch the service reads the list `failed`."
  },
  [NOT_ACCEPTED]: {
    description:
      "The attempt has failed, also with a redirect and without an answer. The event is sent again, up to 10 attempts in about 21 hours. `Retry-After` lengthens the wait by up to 10 minutes."
  }
}

export const webhookParameters = Object.fromEntries(
  webhookHeaders.map(({ component: key, name, always, description, schema }) => [
    key,
    { name, in: "header", required: always, description, schema }
  ])
)

const parameters = webhookHeaders.map((header) => component("parameters", header.component))

export const webhooks = (): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    eventCatalogue().map(({ event_type, description, exampleBody }) => [
      event_type,
      {
        post: {
          operationId: `receive${payloadName(event_type)}`,
          summary: event_type,
          description,
          security: [],
          parameters,
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
  )
