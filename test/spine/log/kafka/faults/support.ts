/** Shared by the scripts: the cluster, a topic for each script, and a text for each outcome. */
import { randomUUID } from "node:crypto"
import { Admin, GenericError } from "@platformatic/kafka"

export const bootstrapBrokers = (process.env["KAFKA_BROKERS"] ?? "127.0.0.1:9092").split(",")

/** Kafka's name for the innermost failure: `INVALID_PRODUCER_EPOCH`. */
const reasonOf = (error: unknown): string => {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  if (!(error instanceof Error)) return String(error)
  if (error.cause !== undefined) return reasonOf(error.cause)
  return "apiId" in error && GenericError.isGenericError(error) ? String(error["apiId"]) : error.message
}

export const outcomeOf = async (work: () => Promise<unknown>): Promise<string> => {
  try {
    await work()
    return "works"
  } catch (error) {
    return `fails with ${reasonOf(error)}`
  }
}

/** Gone afterwards. */
export const withTopic = async (use: (topic: string) => Promise<void>, partitions = 1): Promise<void> => {
  const topic = `fault-${randomUUID()}`
  const admin = new Admin({ clientId: "fault", bootstrapBrokers })
  try {
    await admin.createTopics({ topics: [topic], partitions, replicas: 1 })
    await use(topic)
    await admin.deleteTopics({ topics: [topic] })
  } finally {
    await admin.close()
  }
}
