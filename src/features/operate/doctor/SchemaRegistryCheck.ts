/** `doctor` checks the schema registry: whether it answers, accepts the user, and accepts this version's schemas. */
import { Effect } from "effect"
import type { Network } from "../../../spine/event/Network.ts"
import { examineSchemas, findsSchema } from "../../../spine/log/kafka/SchemaRegistry.ts"
import { Fault, finding } from "./Finding.ts"
import type { LastTaken } from "./LastTaken.ts"

/**
 * Whether readers find the schema of old records. If the registry was emptied and numbers anew, they may not, although all
 * schemas are registered again. `oldest`: the id that the oldest record of each topic names.
 */
const lostIds = Effect.fnUntraced(function* (url: string, oldest: ReadonlyMap<string, number>) {
  const lost = yield* Effect.filter([...oldest], ([topic, id]) =>
    Effect.map(findsSchema(url, topic, id), (found) => !found)
  )
  return lost.map(([topic, id]) => `${id} (${topic})`)
})

/** `taken`: the last ledger of each network. Once one was taken, its records name schemas of the registry. */
export const schemaRegistryCheck = (
  url: string,
  topicPrefix: string,
  networks: ReadonlyArray<Network>,
  taken: Effect.Effect<LastTaken | undefined>,
  oldest: Effect.Effect<ReadonlyMap<string, number>>,
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
      // Of a network that was just added, or of transactions before their first start, some are unknown.
      if (subjects.every(({ known }) => !known) && (yield* taken)?.size)
        return yield* new Fault({
          detail: `reachable, but all ${all} schemas are gone: readers of the event topics cannot decode records`,
          fix: "Restore the registry's data. A running process with the role ingest also registers the schemas again within a minute, but they may get other ids than those in earlier records."
        })
      const lost = yield* lostIds(url, yield* oldest)
      if (lost.length > 0)
        return yield* new Fault({
          detail: `reachable, but it does not have the schemas that old records name: ${lost.join(", ")}`,
          fix: "Restore the registry's data of the time before it was emptied. Without it, these records cannot be decoded by their ids until retention has removed them."
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
