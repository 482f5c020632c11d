/** Texts for the Kafka client's errors. Pure. */
import { plainMessage } from "../../domain/ConnectionFailure.ts"

/** Kafka's errors for a missing right, with the kind of resource. */
const DENIALS: Readonly<Record<string, "topic" | "group" | "transactional id" | "cluster">> = {
  TOPIC_AUTHORIZATION_FAILED: "topic",
  GROUP_AUTHORIZATION_FAILED: "group",
  TRANSACTIONAL_ID_AUTHORIZATION_FAILED: "transactional id",
  CLUSTER_AUTHORIZATION_FAILED: "cluster"
}
export const DENIED = Object.keys(DENIALS)

/** The operation that a request needs. Of requests that need several, the one on `kind`. */
const operationOf = (api: string, kind: string): string => {
  switch (api) {
    case "Produce":
    case "AddPartitionsToTxn":
    case "InitProducerId":
    case "EndTxn":
      return "Write"
    case "AddOffsetsToTxn":
    case "TxnOffsetCommit":
      return kind === "transactional id" ? "Write" : "Read"
    case "Fetch":
    case "OffsetCommit":
      return "Read"
    case "ConsumerGroupHeartbeat":
      return kind === "group" ? "Read" : "Describe"
    case "CreateTopics":
      return "Create"
    case "CreatePartitions":
      return "Alter"
    case "DescribeConfigs":
      return "DescribeConfigs"
    case "IncrementalAlterConfigs":
      return "AlterConfigs"
    default:
      return "Describe"
  }
}

/** The end of a sentence about a missing right. */
export const lacks = (operation: string, kind: string, name: string): string =>
  `this Kafka user lacks the operation ${operation} on the ${kind}${name === "" ? "" : ` ${name}`} (docs/access.md)`

const NAMES = ["name", "resourceName", "groupId", "key", "topicId"]

/** The names of the parts of an answer that have this error. */
const namesWith = (answer: unknown, code: number, parent = ""): ReadonlyArray<string> => {
  if (Array.isArray(answer)) return answer.flatMap((one) => namesWith(one, code, parent))
  if (typeof answer !== "object" || answer === null) return []
  const fields: Readonly<Record<string, unknown>> = { ...answer }
  const own = NAMES.map((field) => fields[field]).find((name) => typeof name === "string")
  const name = typeof own === "string" ? own : parent
  return [
    ...(fields["errorCode"] === code || fields["partitionErrorCode"] === code ? [name] : []),
    ...Object.values(fields).flatMap((field) => namesWith(field, code, name))
  ]
}

/**
 * The right that this user lacks, if that is why a request failed. `known` is the name of the group, topic or
 * transactional id that the request was about, for answers that do not repeat it; by a topic's id, its name.
 */
export const denialOf = (
  error: unknown,
  known: (name: string) => string = (name) => name
): string | undefined => {
  if (!(error instanceof Error)) return undefined
  const api = /executing API (\w+)/.exec(error.message)?.[1]
  const inner: ReadonlyArray<unknown> = error instanceof AggregateError ? error.errors : []
  for (const one of inner) {
    const { apiCode, apiId }: { readonly apiCode?: number; readonly apiId?: string } = Object(one)
    const kind = DENIALS[apiId ?? ""]
    if (api === undefined || kind === undefined || apiCode === undefined) continue
    const found = "response" in error ? namesWith(error.response, apiCode) : []
    const name = known(found[0] ?? "")
    const operation =
      kind === "cluster" && api === "InitProducerId" ? "IdempotentWrite" : operationOf(api, kind)
    return lacks(operation, kind, name)
  }
  for (const one of [...inner, error.cause]) {
    const denial = denialOf(one, known)
    if (denial !== undefined) return denial
  }
  return undefined
}

/** The innermost of the client's nested errors names the cause. If the cluster sent a message, that is used. */
export const reasonOf = (error: unknown): string => {
  const denial = denialOf(error)
  if (denial !== undefined) return denial
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  if (!(error instanceof Error)) return String(error)
  if (error.cause !== undefined) return reasonOf(error.cause)
  const said = "serverErrorMessage" in error ? error.serverErrorMessage : undefined
  return typeof said === "string" && said !== "" ? said : plainMessage(error.message)
}
