/**
 * Loads the Kafka adapter only if Kafka is configured. Otherwise every command would wait for its client to load and
 * need the memory for it.
 */
import { Effect } from "effect"

export const loadKafka = Effect.promise(async () => {
  const [{ layer, readerLayer }, { ensureGroups, memberTimeoutOf }, topics, { requireRights }] =
    await Promise.all([
      import("./KafkaLog.ts"),
      import("./Groups.ts"),
      import("./ClusterTopics.ts"),
      import("./Rights.ts")
    ])
  const { applyPlan, ensureTopics, identityOf, planOf, reachable } = topics
  return {
    layer,
    readerLayer,
    ensureGroups,
    memberTimeoutOf,
    applyPlan,
    ensureTopics,
    identityOf,
    planOf,
    reachable,
    requireRights
  }
})
