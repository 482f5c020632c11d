/** The client's options. The client does not retry: the adapter knows which requests may be sent again. */
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
