/** The client's options. The client does not retry: the adapter knows which requests may be sent again. */

import { readFileSync } from "node:fs"
import type { BaseOptions } from "@platformatic/kafka"
import { Schema } from "effect"
import type { KafkaSettings } from "../../config/Config.ts"
import { logLimits } from "../Limits.ts"
import { tokenProvider } from "./OAuthToken.ts"

export class CertificateUnreadable extends Schema.TaggedError<CertificateUnreadable>()(
  "CertificateUnreadable",
  {
    message: Schema.String
  }
) {}

const read = (setting: string, file: string): string => {
  try {
    return readFileSync(file, "utf8")
  } catch (error) {
    // Node's file errors carry a code.
    const { code } = error as NodeJS.ErrnoException
    throw new CertificateUnreadable({ message: `${setting}: the file ${file} cannot be read (${code})` })
  }
}

const tlsOf = ({ certificate, ssl }: KafkaSettings) => {
  if (!ssl) return {}
  if (certificate === undefined) return { tls: {} }
  const { certFile, keyFile } = certificate
  return { tls: { cert: read("KAFKA_SSL_CERT", certFile), key: read("KAFKA_SSL_KEY", keyFile) } }
}

const saslOf = ({ sasl }: KafkaSettings): Pick<BaseOptions, "sasl"> => {
  if (sasl === undefined) return {}
  return sasl.mechanism === "OAUTHBEARER"
    ? { sasl: { mechanism: sasl.mechanism, token: tokenProvider(sasl) } }
    : { sasl }
}

/** Throws `CertificateUnreadable`. */
export const clientOptions = (settings: KafkaSettings): BaseOptions => ({
  clientId: settings.clientId,
  bootstrapBrokers: [...settings.brokers],
  connectTimeout: logLimits.kafkaConnectMs,
  requestTimeout: logLimits.kafkaRequestMs,
  retries: 0,
  ...tlsOf(settings),
  ...saslOf(settings)
})
