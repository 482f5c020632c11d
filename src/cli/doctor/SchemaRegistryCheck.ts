/** `doctor` checks the schema registry: whether it answers, accepts the user, and accepts this version's schemas. */
import { Effect } from "effect"
import type { Network } from "../../domain/Network.ts"
import { examineSchemas } from "../../log/kafka/SchemaRegistry.ts"
import { Fault, finding } from "./Finding.ts"
import type { LastTaken } from "./LastTaken.ts"

/** `taken`: the last ledger of each network. Once one was taken, its records name schemas of the registry. */
export const schemaRegistryCheck = (
  url: string,
  topicPrefix: string,
  networks: ReadonlyArray<Network>,
  taken: Effect.Effect<LastTaken | undefined>,
  used?: { readonly rawTransactions: boolean }
) =>
  finding(
    `schemas ${new URL(url).host}`,
    "Start that registry, or correct SCHEMA_REGISTRY_URL.",
    Effect.gen(function* () {
      const subjects = yield* examineSchemas(url, topicPrefix, networks, used)
      const refused = subjects.find(({ accepted }) => !accepted)
      if (refused !== undefined) {
        return yield* new Fault({
          detail: `reachable, but it refuses this version's schema of ${refused.subject}, because it is not compatible with the registered ones`,
          fix: "Run the program version that registered the newest schema, or set another KAFKA_TOPIC_PREFIX."
        })
      }
      const all = subjects.length
      const fresh = subjects.filter(({ registered }) => !registered).length
      if (fresh > 0 && (yield* taken)?.size)
        return yield* new Fault({
          detail: `reachable, but ${fresh} of ${all} schemas are gone: readers of the event topics cannot decode records`,
          fix: "Restore the registry's data, or restart a process with the role ingest: it registers the schemas again, and they may get other ids."
        })
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
