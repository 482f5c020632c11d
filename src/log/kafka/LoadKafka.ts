/**
 * What others do with Kafka, loaded when there is one: its client takes some tenths of a second to load, for which every
 * command would wait, and 60 MB.
 */
import { Effect } from "effect"

export const loadKafka = Effect.promise(async () => {
  const [{ layer, readerLayer }, { ensureGroups, memberTimeoutOf }, topics] = await Promise.all([
    import("./KafkaEventLog.ts"),
    import("./Groups.ts"),
    import("./ClusterTopics.ts")
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
    reachable
  }
})
