/** The AsyncAPI document: AsyncAPI's own parser accepts it, and it describes what the service sends. */
import { readFileSync } from "node:fs"
import { DiagnosticSeverity, Parser } from "@asyncapi/parser"
import { assert, describe, it, layer } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import { Effect } from "effect"
import { type Carried, requestHeaders } from "../../../src/spine/domain/RequestHeaders.ts"
import { cloudEventRecordHeaders } from "../../../src/spine/event/CloudEvent.ts"
import { eventTypes } from "../../../src/spine/event/EventType.ts"
import { eventRecords, markerRecord } from "../../../src/spine/ledger/ingest/LedgerRecords.ts"
import topics from "../../../topics/topics.json" with { type: "json" }
import { eventOf } from "../../support/deliver/events.ts"
import { ApiUnderTest, apiLayer } from "../../support/http/api.ts"

const source = readFileSync("schemas/asyncapi.json", "utf8")
const document = JSON.parse(source)

const parse = (text: string) => new Parser().parse(text)

// Parsing takes seconds: the tests share one result.
const parsing = parse(source)

const problemsOf = async (result: ReturnType<typeof parse>) =>
  (await result).diagnostics
    .filter(({ severity }) => severity <= DiagnosticSeverity.Warning)
    .map(({ code, message, path }) => `${code} ${message} ${path.join(".")}`)

const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }))
// Only the schemas: "id" of the whole document is no keyword of JSON Schema.
ajv.addSchema({ components: document.components }, "asyncapi")

/** The schema's errors for the value. */
const complaints = (name: string, value: unknown): ReadonlyArray<string> => {
  const validate = ajv.getSchema(`asyncapi#/components/schemas/${name}`)
  if (validate === undefined) return assert.fail(`there is no schema ${name}`)
  return validate(value)
    ? []
    : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`)
}

describe("the AsyncAPI document", () => {
  it("passes AsyncAPI's parser without an error or a warning", async () => {
    assert.deepStrictEqual(await problemsOf(parsing), [])
    assert.isNotEmpty(
      await problemsOf(parse(JSON.stringify({ ...document, channels: { events: { address: 1 } } })))
    )
  })

  it("has a channel for each public topic, and one for the requests to webhooks", async () => {
    const { document: parsed } = await parsing
    const channels = parsed?.channels().all() ?? []
    const addresses = topics.flatMap(({ name, schema }) =>
      schema === null ? [] : [name.replace("<network>", "{network}")]
    )
    assert.deepStrictEqual(
      channels.map((channel) => channel.address()),
      [...addresses, "/"]
    )
    assert.strictEqual(parsed?.info().version(), JSON.parse(readFileSync("package.json", "utf8")).version)
    assert.strictEqual(parsed?.info().license()?.name(), "Apache 2.0")
    const operations = parsed?.operations().all() ?? []
    assert.deepStrictEqual(
      operations.map((operation) => [operation.action(), operation.channels().all()[0]?.id()]),
      channels.map((channel) => ["send", channel.id()])
    )
    assert.sameMembers(
      channels
        .at(-1)!
        .messages()
        .all()
        .map((message) => message.name()),
      [...eventTypes, "batch", "batch answer"]
    )
    assert.deepStrictEqual(
      operations
        .at(-1)!
        .reply()
        ?.messages()
        .all()
        .map((message) => message.name()),
      ["batch answer"]
    )
  })

  it("has examples of every message that its own schemas accept", () => {
    const messages = Object.values<Record<string, unknown>>(document.components.messages)
    assert.lengthOf(messages, eventTypes.length + 5)
    for (const message of messages) {
      const { examples, name, payload } = Object(message)
      assert.isNotEmpty(examples, name)
      for (const example of examples)
        assert.deepStrictEqual(complaints(payload.$ref.split("/").at(-1), example.payload), [], name)
    }
  })

  it("names the headers of records and requests as they are sent", () => {
    const headersOf = (name: string) => document.components.messages[name].headers.required
    const event = eventOf({ network: "testnet" })
    const ledger = {
      ledger_index: event.ledger_index,
      ledger_hash: "A".repeat(64),
      parent_hash: "B".repeat(64),
      close_time: 800_000_000,
      parent_close_time: 799_999_996,
      transactions: []
    }
    const [record] = eventRecords("testnet", ledger, [event], 1)
    const always = Object.keys(record?.headers ?? {})
    assert.sameMembers(headersOf("EventRecord"), always)
    assert.sameMembers(Object.keys(document.components.messages.EventRecord.headers.properties), [
      ...always,
      ...Object.keys(cloudEventRecordHeaders({ ...event, network: "testnet" }))
    ])
    const marker = {
      ledger_index: 1,
      ledger_hash: "A".repeat(64),
      parent_hash: "B".repeat(64),
      close_time: event.timestamp,
      transaction_count: 0,
      event_count: 0,
      first_event_offset: null,
      detected_at: 1
    }
    assert.sameMembers(headersOf("LedgerRecord"), Object.keys(markerRecord("testnet", marker).headers ?? {}))
    const requestOf = (carried: Carried) =>
      requestHeaders({
        headers: {},
        signatures: {},
        format: "ledgerhook",
        compression: undefined,
        webhookId: "wh_01KAJ0Q4M8000000G3T5W7Y9ZB",
        carried,
        seconds: "1763684802"
      })
    const request = requestOf({ deliveryId: "dlv_01KAJ0Q4M8000000G3T5W7Y9ZB", event })
    const batch = requestOf({ batchId: "bat_01KAJ0Q4M8000000G3T5W7Y9ZC" })
    assert.deepStrictEqual(complaints("WebhookHeaders", request), [])
    assert.deepStrictEqual(complaints("BatchHeaders", batch), [])
    assert.isNotEmpty(complaints("BatchHeaders", request))
    const { "X-Service-Event-Id": _, ...without } = request
    assert.isNotEmpty(complaints("WebhookHeaders", without))
  })
})

layer(apiLayer(), { excludeTestServices: true })("/asyncapi.json", (test) => {
  test.effect("is the document that is published in schemas/", () =>
    Effect.gen(function* () {
      const { status, body } = yield* (yield* ApiUnderTest).call("GET", "/asyncapi.json")
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(body, document)
    })
  )
})
