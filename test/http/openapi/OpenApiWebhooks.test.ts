/** The OpenAPI document describes the request for an event of each type as the service sends it. */
import { assert, describe, it } from "@effect/vitest"
import { headersOf, type WebhookRequest } from "../../../src/http/openapi/WebhookHeaders.ts"
import { type Carried, requestHeaders } from "../../../src/spine/domain/RequestHeaders.ts"
import { eventTypes } from "../../../src/spine/event/EventType.ts"
import { ENVELOPE, complaints as envelopeComplaints } from "../../schemas/support.ts"
import { eventOf } from "../../support/deliver/events.ts"
import { complaints, document } from "../../support/http/openApi.ts"

const bodyOf = (type: string) => document.webhooks[type].post.requestBody.content["application/json"]

const carried: Readonly<Record<WebhookRequest, Carried>> = {
  event: { deliveryId: "dlv_01KAJ0Q4M8000000G3T5W7Y9ZB", event: eventOf({ network: "mainnet" }) },
  batch: { batchId: "bat_01KAJ0Q4M8000000G3T5W7Y9ZC" }
}

const sent = (request: WebhookRequest, standard: boolean) => {
  return Object.entries(
    requestHeaders({
      headers: {},
      signatures: {
        service: `sha256=${"0a".repeat(32)}`,
        ...(standard && { standard: `v1,${"Ab+/".repeat(10)}Abc= v1,${"Ab+/".repeat(10)}Abc=` })
      },
      format: "ledgerhook",
      compression: standard ? "gzip" : undefined,
      webhookId: "wh_01KAJ0Q4M8000000G3T5W7Y9ZB",
      carried: carried[request],
      seconds: "1763684802"
    })
  ).filter(([name]) => name !== "User-Agent" && name !== "Content-Type")
}

describe("the webhooks of the OpenAPI document", () => {
  it("are one for each event type, besides batch, whose body is the envelope with that type's payload", () => {
    assert.sameMembers(Object.keys(document.webhooks), [...eventTypes, "batch"])
    for (const type of eventTypes) {
      const { schema, example } = bodyOf(type)
      assert.strictEqual(example.event_type, type)
      assert.deepStrictEqual(complaints(schema, example), [], type)
      assert.deepStrictEqual(envelopeComplaints(ENVELOPE, example), [], type)
      assert.isNotEmpty(complaints(schema, { ...example, payload: {} }), type)
      const other = eventTypes.find((one) => one !== type)
      assert.isNotEmpty(complaints(schema, { ...example, event_type: other }), type)
      for (const field of Object.keys(example))
        assert.isNotEmpty(complaints(schema, { ...example, [field]: undefined }), `${type} ${field}`)
    }
  })

  it("have one for a batch, whose items have the body of an event of any type", () => {
    const { schema, example } = bodyOf("batch")
    assert.deepStrictEqual(complaints(schema, example), [])
    const [item] = example
    for (const type of eventTypes) {
      const of = (event: unknown) => [item, { ...item, event }]
      const event = bodyOf(type).example
      assert.deepStrictEqual(complaints(schema, of(event)), [], type)
      assert.isNotEmpty(complaints(schema, of({ ...event, payload: {} })), type)
    }
    assert.isNotEmpty(complaints(schema, []))
    assert.isNotEmpty(complaints(schema, [{ event: item.event }]))
  })

  it("type the list of failed deliveries in the answer to a batch", () => {
    const { responses } = document.webhooks["batch"].post
    assert.deepStrictEqual(Object.keys(responses), ["207", "2XX", "default"])
    const { schema } = Object(document.components.responses["BatchPartlyAccepted"]).content[
      "application/json"
    ]
    const { deliveryId } = Object(carried.event)
    for (const failed of [[], [deliveryId]])
      assert.deepStrictEqual(complaints(schema, { failed, note: 1 }), [])
    for (const answer of [{}, [], { failed: deliveryId }, { failed: [1] }])
      assert.isNotEmpty(complaints(schema, answer))
  })

  it("name every header that the service sends, with its form", () => {
    for (const request of ["event", "batch"] as const) {
      const headers = new Map(headersOf(request).map((header) => [header.name, header]))
      for (const [name, value] of [...sent(request, true), ...sent(request, false)])
        assert.deepStrictEqual(complaints(headers.get(name)?.schema, value), [], name)
      const names = (standard: boolean) => sent(request, standard).map(([name]) => name)
      assert.sameMembers([...headers.keys()], names(true))
      for (const { name, always, schema } of headers.values()) {
        if (always) assert.include(names(false), name)
        for (const example of Object(schema).examples) assert.deepStrictEqual(complaints(schema, example), [])
      }
      for (const webhook of request === "batch" ? ["batch"] : eventTypes) {
        const { parameters } = document.webhooks[webhook].post
        assert.sameMembers(
          parameters.map(
            ({ $ref }: { $ref: string }) => document.components.parameters[$ref.split("/").at(-1)!].name
          ),
          [...headers.keys()]
        )
      }
    }
  })

  it("say what a 2xx means, and what any other answer means", () => {
    for (const type of eventTypes) {
      const { responses } = document.webhooks[type].post
      assert.deepStrictEqual(Object.keys(responses), ["2XX", "default"])
    }
    const { EventAccepted, EventNotAccepted } = document.components.responses
    assert.match(EventAccepted.description, /^The event is delivered\./)
    assert.match(EventNotAccepted.description, /sent again/)
  })
})
