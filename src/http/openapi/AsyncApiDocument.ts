/**
 * The AsyncAPI 3.0 document: the public Kafka topics, and the requests to webhooks, each with its messages. It is
 * generated from `topics/topics.json` and the published schemas, whose keywords mean the same in AsyncAPI's dialect.
 * It describes what the service sends, so every operation has the action `send`. Pure.
 */
import packageJson from "../../../package.json" with { type: "json" }
import { eventCatalogue } from "../../spine/event/EventCatalogue.ts"
import { transactionOfEventId } from "../../spine/event/EventId.ts"
import { publishedSchema, publishedSchemas } from "../../spine/event/JsonSchemas.ts"
import type { JsonObject } from "../../spine/event/Ledger.ts"
import { networks } from "../../spine/event/Network.ts"
import { type PublicTopic, publicTopics } from "../../spine/log/Topics.ts"
import { EVENT_ID_EXAMPLE, HASH_EXAMPLE } from "../ContractParts.ts"
import {
  BATCH_ANSWER,
  BATCH_BODY,
  bodyName,
  componentRef,
  componentsOf,
  eventComponents
} from "./EventComponents.ts"
import { license } from "./License.ts"
import { headersOf, type WebhookRequest } from "./WebhookHeaders.ts"

const KAFKA_BINDING = "0.5.0"
const HTTP_BINDING = "0.3.0"
const WEBHOOK = "webhook"

const ref = (...path: ReadonlyArray<string>) => ({ $ref: `#/${path.join("/")}` })

const text = (description: string, example: string) => ({ type: "string", description, examples: [example] })

const ledgerIndex = text("The ledger's index as a decimal number.", "94084608")
const contentType = text("The form of the value, or of what follows the prefix.", "application/json")

const recordMessages = {
  EventRecord: {
    summary: "One event, with the accounts that it involves and its place in its ledger.",
    headers: {
      "event-type": text("The event's type.", "payment.xrp"),
      "event-id": text("The event's id.", EVENT_ID_EXAMPLE),
      "ledger-index": ledgerIndex,
      "content-type": contentType
    },
    more: {
      ce_specversion: text("The version of CloudEvents.", "1.0"),
      ce_id: text("The event's id.", EVENT_ID_EXAMPLE),
      ce_source: text("The network.", "urn:ledgerhook:mainnet"),
      ce_type: text("The event's type.", "payment.xrp"),
      ce_subject: text("The hash of the transaction.", transactionOfEventId(EVENT_ID_EXAMPLE)),
      ce_time: text("When the ledger closed.", "2025-11-21T00:26:41Z"),
      ce_sequence: text("The event's place in the order of its network.", "0094084608.000041")
    }
  },
  LedgerRecord: {
    summary: "The marker of one ledger, written after the ledger's events in the same transaction.",
    headers: { "ledger-index": ledgerIndex, "content-type": contentType },
    more: {}
  },
  TransactionRecord: {
    summary: "One transaction with its metadata, as the server gave it.",
    headers: {
      "transaction-hash": text("The transaction's hash.", HASH_EXAMPLE),
      "transaction-type": text("The transaction's type.", "Payment"),
      "ledger-index": ledgerIndex,
      "content-type": contentType
    },
    more: {}
  }
}

type RecordName = keyof typeof recordMessages

/** The records by the published schemas that topics.json names. */
const recordNames: Readonly<Record<string, RecordName>> = {
  "schemas/records/event.schema.json": "EventRecord",
  "schemas/records/ledger.schema.json": "LedgerRecord",
  "schemas/records/transaction.schema.json": "TransactionRecord"
}

const recordOf = (topic: PublicTopic) => {
  const name = recordNames[topic.schema]
  const published = publishedSchemas().find(({ path }) => `schemas/${path}` === topic.schema)
  if (name === undefined || published === undefined)
    throw new Error(`the AsyncAPI document does not know the records of ${topic.name}`)
  return { name, document: published.document }
}

/** `xrpl.<network>.history.events` → `historyEvents`. */
const channelName = ({ name }: PublicTopic): string =>
  name.replace("xrpl.<network>.", "").replace(/\.([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Records of earlier versions lack the headers in `more`. */
const headersSchema = ({ headers, more }: (typeof recordMessages)[RecordName]) => ({
  type: "object",
  properties: { ...headers, ...more },
  required: Object.keys(headers)
})

const recordMessage = (name: RecordName, document: JsonObject) => ({
  name,
  title: document["title"],
  summary: recordMessages[name].summary,
  contentType: "application/json",
  headers: headersSchema(recordMessages[name]),
  payload: componentRef(name),
  bindings: {
    kafka: {
      key: { type: "string", enum: networks, description: "The network." },
      bindingVersion: KAFKA_BINDING
    }
  },
  examples: (Array.isArray(document["examples"]) ? document["examples"] : []).map((payload) => ({ payload }))
})

const topicChannel = (topic: PublicTopic) => ({
  address: topic.name.replace("<network>", "{network}"),
  title: topic.name,
  description: topic.meaning,
  servers: [ref("servers", "kafka")],
  parameters: { network: { enum: networks, description: "The network." } },
  messages: { [recordOf(topic).name]: ref("components", "messages", recordOf(topic).name) },
  bindings: {
    kafka: {
      partitions: topic.partitions,
      replicas: topic.replication,
      topicConfiguration: { "cleanup.policy": ["delete"] },
      bindingVersion: KAFKA_BINDING
    }
  }
})

const requestHeadersOf = (request: WebhookRequest) => ({
  type: "object",
  properties: Object.fromEntries(
    headersOf(request).map(({ name, description, schema }) => [name, { ...schema, description }])
  ),
  required: headersOf(request).flatMap(({ always, name }) => (always ? [name] : []))
})

const batchMessage = () => {
  const { examples } = publishedSchema("batch.schema.json")
  return {
    name: "batch",
    title: "batch",
    summary: "Several events in one request, to a webhook that has `batch`.",
    contentType: "application/json",
    headers: componentRef("BatchHeaders"),
    payload: componentRef(BATCH_BODY),
    examples: (Array.isArray(examples) ? examples : []).map((payload) => ({ payload }))
  }
}

const answerMessage = {
  name: "batch answer",
  title: "batch answer",
  summary: "The answer to a batch of which some deliveries failed. Its status is best 207.",
  contentType: "application/json",
  payload: componentRef(BATCH_ANSWER),
  examples: [{ payload: { failed: ["dlv_01KAJ0Q4M8000000G3T5W7Y9ZB"] } }]
}

const webhookMessages = () =>
  Object.fromEntries(
    eventCatalogue().map(({ event_type, description, exampleBody }) => [
      bodyName(event_type),
      {
        name: event_type,
        title: event_type,
        summary: description,
        contentType: "application/json",
        headers: componentRef("WebhookHeaders"),
        payload: componentRef(bodyName(event_type)),
        examples: [{ payload: exampleBody }]
      }
    ])
  )

const messageRefs = (channel: string, names: ReadonlyArray<string>) =>
  names.map((name) => ref("channels", channel, "messages", name))

const servers = {
  kafka: {
    host: "{broker}",
    protocol: "kafka",
    description:
      "The Kafka cluster that `KAFKA_BROKERS` names. If `KAFKA_TOPIC_PREFIX` is set, every topic's name begins with it. Read with `isolation.level=read_committed`.",
    variables: { broker: { default: "localhost:9092", description: "A broker of the cluster." } }
  },
  [WEBHOOK]: {
    host: "{host}",
    protocol: "https",
    description: "Your server: the `url` of a webhook.",
    variables: { host: { default: "example.com", description: "The host of the `url`." } }
  }
}

/** The document served at /asyncapi.json. */
export const asyncApiDocument = (): object => {
  const topics = publicTopics()
  const records = [...new Map(topics.map(recordOf).map((record) => [record.name, record])).values()]
  const requests = { ...webhookMessages(), [BATCH_BODY]: batchMessage() }
  return {
    asyncapi: "3.0.0",
    id: "urn:ledgerhook:asyncapi",
    info: {
      title: "Ledgerhook",
      version: packageJson.version,
      description:
        "The events of the XRP Ledger that Ledgerhook sends: to webhooks, and to Kafka topics. A value of a topic is JSON. If `SCHEMA_REGISTRY_URL` is set, it is in Confluent's wire format: a zero byte, the schema's id in four bytes, then the same JSON.",
      license
    },
    defaultContentType: "application/json",
    servers,
    channels: {
      ...Object.fromEntries(topics.map((topic) => [channelName(topic), topicChannel(topic)])),
      [WEBHOOK]: {
        address: "/",
        title: "The url of a webhook",
        description:
          "Each event that matches a webhook is one POST to the webhook's `url`, in the format `ledgerhook`, the default. If the webhook's `format` is `cloudevents`, the body is the `payload` alone, and headers `ce-…` have the rest. If the webhook has `batch`, a POST carries several events.",
        servers: [ref("servers", WEBHOOK)],
        messages: Object.fromEntries(
          [...Object.keys(requests), BATCH_ANSWER].map((name) => [name, ref("components", "messages", name)])
        )
      }
    },
    operations: {
      ...Object.fromEntries(
        topics.map((topic) => [
          `${channelName(topic)}.send`,
          {
            action: "send",
            channel: ref("channels", channelName(topic)),
            summary: topic.meaning,
            messages: messageRefs(channelName(topic), [recordOf(topic).name])
          }
        ])
      ),
      [`${WEBHOOK}.send`]: {
        action: "send",
        channel: ref("channels", WEBHOOK),
        summary:
          "Sends an event to a webhook. A 2xx within 10 seconds delivers it; otherwise it is sent again.",
        messages: messageRefs(WEBHOOK, Object.keys(requests)),
        reply: { channel: ref("channels", WEBHOOK), messages: messageRefs(WEBHOOK, [BATCH_ANSWER]) },
        bindings: { http: { method: "POST", bindingVersion: HTTP_BINDING } }
      }
    },
    components: {
      messages: {
        ...Object.fromEntries(records.map(({ name, document }) => [name, recordMessage(name, document)])),
        ...requests,
        [BATCH_ANSWER]: answerMessage
      },
      schemas: {
        ...Object.assign({}, ...records.map(({ document }) => componentsOf(document).definitions)),
        ...eventComponents(),
        ...Object.fromEntries(records.map(({ name, document }) => [name, componentsOf(document).schema])),
        WebhookHeaders: requestHeadersOf("event"),
        BatchHeaders: requestHeadersOf("batch")
      }
    }
  }
}
