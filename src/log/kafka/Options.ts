/** The client's options for a cluster. Faults are not retried in the client: the adapter knows what may be repeated. */
import type { BaseOptions } from "@platformatic/kafka"
import type { KafkaSettings } from "../../config/Config.ts"
import { Limits } from "../../config/Limits.ts"

export const clientOptions = ({ clientId, brokers, ssl, sasl }: KafkaSettings): BaseOptions => ({
  clientId,
  bootstrapBrokers: [...brokers],
  connectTimeout: Limits.kafkaConnectMs,
  requestTimeout: Limits.kafkaRequestMs,
  retries: 0,
  ...(ssl ? { tls: {} } : {}),
  ...(sasl === undefined ? {} : { sasl })
})
