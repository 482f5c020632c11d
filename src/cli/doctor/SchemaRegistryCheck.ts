/** `doctor` checks the schema registry: whether it answers, accepts the user, and accepts this version's schemas. */
import { Effect } from "effect"
import type { Network } from "../../domain/Network.ts"
import { examineSchemas } from "../../log/kafka/SchemaRegistry.ts"
import { Fault, finding } from "./Finding.ts"

export const schemaRegistryCheck = (url: string, topicPrefix: string, networks: ReadonlyArray<Network>) =>
  finding(
    `schemas ${new URL(url).host}`,
    "Start that registry, or correct SCHEMA_REGISTRY_URL.",
    Effect.gen(function* () {
      const subjects = yield* examineSchemas(url, topicPrefix, networks)
      const refused = subjects.find(({ accepted }) => !accepted)
      if (refused !== undefined) {
        return yield* new Fault({
          detail: `reachable, but it refuses this version's schema of ${refused.subject}, because it is not compatible with the registered ones`,
          fix: "Run the program version that registered the newest schema, or set another KAFKA_TOPIC_PREFIX."
        })
      }
      const all = subjects.length
      const fresh = subjects.filter(({ registered }) => !registered).length
      const loose = subjects.filter(({ registered, strict }) => registered && !strict).length
      return [
        "reachable",
        ...(fresh + loose === 0 ? ["the schemas are registered"] : []),
        ...(fresh > 0 ? [`the next start registers ${fresh} of ${all} schemas`] : []),
        ...(loose > 0
          ? [`the next start sets the compatibility of ${loose} of ${all} schemas to BACKWARD_TRANSITIVE`]
          : [])
      ].join("; ")
    })
  )
