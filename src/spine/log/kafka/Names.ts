/** Our names on a cluster that other programs may use as well. All begin with KAFKA_TOPIC_PREFIX. Pure. */
import type { KafkaSettings } from "../../config/Config.ts"

type Prefixed = Pick<KafkaSettings, "topicPrefix">

export const topicName = ({ topicPrefix }: Prefixed, topic: string): string => topicPrefix + topic

/** The name of a consumer group or a transactional id. A bare `route` could clash with another program's. */
export const ownName = ({ topicPrefix }: Prefixed, name: string): string => `${topicPrefix}ledgerhook.${name}`
