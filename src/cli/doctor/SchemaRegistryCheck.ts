/** What `doctor` says of the schema registry: whether it answers and takes the user, and this version's schemas. */
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
          detail: `reachable, and refuses this version's schema of ${refused.subject}, which cannot read what earlier ones wrote`,
          mend: "Run the version that registered the newest, or set another KAFKA_TOPIC_PREFIX."
        })
      }
      const all = subjects.length
      const fresh = subjects.filter(({ registered }) => !registered).length
      const loose = subjects.filter(({ registered, strict }) => registered && !strict).length
      return [
        "reachable",
        ...(fresh + loose === 0 ? ["the schemas are registered"] : []),
        ...(fresh > 0 ? [`${fresh} of ${all} schemas are registered at the next start`] : []),
        ...(loose > 0
          ? [`${loose} of ${all} may change in any way until the next start sets BACKWARD_TRANSITIVE`]
          : [])
      ].join("; ")
    })
  )
