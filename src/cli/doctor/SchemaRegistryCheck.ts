/** What `doctor` says of the schema registry: whether it answers and takes the user, and this version's schemas. */
import { Effect } from "effect"
import type { Network } from "../../domain/Network.ts"
import { examineSchemas } from "../../log/kafka/SchemaRegistry.ts"
import type { Fault } from "./Finding.ts"

export const schemaRegistryCheckName = (url: string): string => `schemas ${new URL(url).host}`

export const START_SCHEMA_REGISTRY = "Start that registry, or correct SCHEMA_REGISTRY_URL."

export const schemaRegistryCheck = (
  url: string,
  topicPrefix: string,
  networks: ReadonlyArray<Network>
): Effect.Effect<string, Fault> =>
  examineSchemas(url, topicPrefix, networks).pipe(
    Effect.mapError(({ message }) => ({ detail: message, mend: START_SCHEMA_REGISTRY })),
    Effect.flatMap((subjects) => {
      const refused = subjects.find(({ accepted }) => !accepted)
      if (refused !== undefined) {
        return Effect.fail({
          detail: `reachable, and refuses this version's schema of ${refused.subject}, which cannot read what earlier ones wrote`,
          mend: "Run the version that registered the newest, or set another KAFKA_TOPIC_PREFIX."
        })
      }
      const fresh = subjects.filter(({ registered }) => !registered).length
      const loose = subjects.filter(({ registered, strict }) => registered && !strict).length
      return Effect.succeed(
        [
          "reachable",
          fresh === 0 && loose === 0 ? "the schemas are registered" : undefined,
          fresh === 0 ? undefined : `${fresh} of ${subjects.length} schemas are registered at the next start`,
          loose === 0
            ? undefined
            : `${loose} of ${subjects.length} may change in any way until the next start sets BACKWARD_TRANSITIVE`
        ]
          .filter((part) => part !== undefined)
          .join("; ")
      )
    })
  )
