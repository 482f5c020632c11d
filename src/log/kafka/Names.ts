/** Names on a cluster that other programs use as well. KAFKA_TOPIC_PREFIX begins all of them. Pure. */
import type { KafkaSettings } from "../../config/Config.ts"

type Prefixed = Pick<KafkaSettings, "topicPrefix">

export const topicName = ({ topicPrefix }: Prefixed, topic: string): string => topicPrefix + topic

/** A consumer group or a transactional id: `route` alone would be anybody's, and Kafka fences one of two by that name. */
export const ownName = ({ topicPrefix }: Prefixed, name: string): string => `${topicPrefix}ledgerhook.${name}`
