/**
 * Checks at the start, and for `doctor`, that this user has the rights on topics that its roles need (Access.ts): a
 * missing one is then one sentence, and not a stage that fails later. A topic that does not exist yet passes. Kafka
 * tells rights on groups and transactional ids only when they are used.
 */
import { AclOperations, kGetBootstrapConnection, metadataV12 } from "@platformatic/kafka"
import { Effect } from "effect"
import type { KafkaSettings } from "../../config/Config.ts"
import type { Role } from "../../config/Definitions.ts"
import { type Operation, type Right, rightsOf } from "../Access.ts"
import { connected } from "./Channel.ts"
import { KafkaTopicsError, request, withAdmin } from "./ClusterTopics.ts"
import { lacks } from "./ErrorText.ts"

const numbers: Readonly<Record<Operation, number>> = {
  Read: AclOperations.READ,
  Write: AclOperations.WRITE,
  Create: AclOperations.CREATE,
  Alter: AclOperations.ALTER,
  Describe: AclOperations.DESCRIBE,
  DescribeConfigs: AclOperations.DESCRIBE_CONFIGS,
  AlterConfigs: AclOperations.ALTER_CONFIGS
}

const TOPIC_AUTHORIZATION_FAILED = 29
/** The answer of a cluster that does not tell rights. */
const UNKNOWN = -(2 ** 31)

type Topics = metadataV12.MetadataResponse["topics"]

const missingIn = (topics: Topics, rights: ReadonlyArray<Right>): ReadonlyArray<string> =>
  rights.flatMap(({ name, operations }) => {
    const found = topics.find((topic) => topic.name === name)
    if (found?.errorCode === TOPIC_AUTHORIZATION_FAILED) return [lacks("Describe", "topic", name)]
    if (found?.errorCode !== 0 || found.topicAuthorizedOperations === UNKNOWN) return []
    return operations
      .filter((operation) => (found.topicAuthorizedOperations & (1 << numbers[operation])) === 0)
      .map((operation) => lacks(operation, "topic", name))
  })

/** Fails with a sentence that names the first missing right and counts the others. */
export const requireRights = Effect.fnUntraced(function* (
  settings: KafkaSettings,
  roles: ReadonlyArray<Role>
) {
  const rights = rightsOf(roles, settings).filter(({ resource }) => resource === "topic")
  const names = rights.map(({ name }) => name)
  const topics = yield* withAdmin(settings, (admin) =>
    request("reading this user's rights", async (): Promise<Topics> => {
      const connection = await connected((done) => admin[kGetBootstrapConnection](done))
      try {
        return (await metadataV12.api.async(connection, names, false, true)).topics
      } catch (error) {
        // The answer is an error if one of its topics has an error.
        if (!(error instanceof Error && "response" in error)) throw error
        return (error.response as metadataV12.MetadataResponse).topics
      }
    })
  )
  const [first, ...others] = missingIn(topics, rights)
  if (first === undefined) return
  const more = others.length === 0 ? "" : `, and ${others.length} more`
  return yield* new KafkaTopicsError({ message: `KAFKA_BROKERS: ${first}${more}.`, cause: undefined })
})
