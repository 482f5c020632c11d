/**
 * Compares the topics of a Kafka cluster with topics/topics.json (TopicPlan.ts) and applies the differences. Creating
 * missing topics is safe, also if two processes do it at once. A change that would lose data is made only if an
 * operator asks for it.
 */

import { Admin, ConfigResourceTypes, IncrementalAlterConfigOperationTypes } from "@platformatic/kafka"
import { Cause, Effect, Schedule, Schema } from "effect"
import type { KafkaSettings } from "../../config/Config.ts"
import { seconds } from "../../words/Words.ts"
import { logLimits } from "../Limits.ts"
import type { TopicSettings } from "../Topics.ts"
import { STEP_TRIES, watchConnections } from "./Channel.ts"
import { denialOf, reasonOf } from "./ErrorText.ts"
import { clientOptions } from "./Options.ts"
import { planTopics, sentenceOf, type TopicChange, type TopicState, wantedTopics } from "./TopicPlan.ts"

export class KafkaTopicsError extends Schema.TaggedError<KafkaTopicsError>()("KafkaTopicsError", {
  message: Schema.String,
  cause: Schema.Defect()
}) {}

export const request = <A>(what: string, run: () => Promise<A>) =>
  Effect.tryPromise({
    try: run,
    catch: (cause) =>
      new KafkaTopicsError({ message: `KAFKA_BROKERS: ${what} failed (${reasonOf(cause)}).`, cause })
  })

export const withAdmin = <A, E, R>(settings: KafkaSettings, use: (admin: Admin) => Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.try({
      try: () => new Admin({ ...clientOptions(settings), retries: 3 }),
      catch: (cause) => new KafkaTopicsError({ message: `${reasonOf(cause)}.`, cause })
    }),
    (admin) => {
      const causeOf = watchConnections(admin)
      return Effect.mapError(use(admin), (error) => {
        if (!(error instanceof KafkaTopicsError)) return error
        const [told, cause] = [reasonOf(error.cause), causeOf(error.cause)]
        return new KafkaTopicsError({ message: error.message.replace(told, reasonOf(cause)), cause })
      })
    },
    (admin) => Effect.ignore(Effect.tryPromise(() => admin.close()))
  )

const foundTopics = Effect.fnUntraced(function* (admin: Admin, names: ReadonlyArray<string>) {
  const present = new Set(yield* request("listing topics", () => admin.listTopics()))
  const topics = names.filter((name) => present.has(name))
  if (topics.length === 0) return []
  const metadata = yield* request("reading topics", () => admin.metadata({ topics, forceUpdate: true }))
  const described = yield* request("reading topics' settings", () =>
    admin.describeConfigs({
      resources: topics.map((resourceName) => ({
        resourceType: ConfigResourceTypes.TOPIC,
        resourceName,
        configurationKeys: null
      }))
    })
  )
  return described.map(({ resourceName, configs }): TopicState => {
    const partitions = metadata.topics.get(resourceName)?.partitions ?? []
    return {
      name: resourceName,
      partitions: partitions.length,
      replication: Math.min(...partitions.map(({ replicas }) => replicas.length)),
      settings: Object.fromEntries(configs.map(({ name, value }) => [name, value ?? ""]))
    }
  })
})

/** The client tries each of several requests four times. */
const REACHED_MS = 2 * logLimits.kafkaRequestMs

/** What the cluster says about itself. Fails with one sentence if it cannot be reached. */
const clusterOf = (settings: KafkaSettings) =>
  withAdmin(settings, (admin) => request("connecting", () => admin.metadata({ topics: [] }))).pipe(
    Effect.timeoutOrElse({
      duration: REACHED_MS,
      orElse: () =>
        Effect.fail(
          new KafkaTopicsError({
            message: `KAFKA_BROKERS: the cluster does not answer within ${seconds(REACHED_MS)}.`,
            cause: new Cause.TimeoutError()
          })
        )
    })
  )

/** Fails with one sentence when the cluster cannot be reached. */
export const reachable = (settings: KafkaSettings): Effect.Effect<void, KafkaTopicsError> =>
  Effect.asVoid(clusterOf(settings))

/** Identifies the log by the cluster's id and the prefix of our names on it. */
export const identityOf = (settings: KafkaSettings) =>
  Effect.map(
    clusterOf(settings),
    ({ id }) => ({ kind: "kafka", clusterId: id ?? "", topicPrefix: settings.topicPrefix }) as const
  )

/** The changes that make the cluster's topics equal to topics/topics.json. */
export const planOf = (settings: KafkaSettings, topics: TopicSettings) =>
  withAdmin(settings, (admin) =>
    Effect.gen(function* () {
      const { brokers } = yield* request("reading the cluster", () => admin.metadata({ topics: [] }))
      const wanted = wantedTopics(settings.topicPrefix, topics, brokers.size)
      return planTopics(
        wanted,
        yield* foundTopics(
          admin,
          wanted.map(({ name }) => name)
        )
      )
    })
  )

const applyOne = (admin: Admin, change: TopicChange) => {
  const { topic } = change
  switch (change.kind) {
    case "create":
      return request(`creating ${topic.name}`, () =>
        admin.createTopics({
          topics: [topic.name],
          partitions: topic.partitions,
          replicas: topic.replication,
          configs: Object.entries(topic.settings).map(([name, value]) => ({ name, value }))
        })
      ).pipe(
        // Another process created it first.
        Effect.catchIf(
          ({ message }) => /already exists/i.test(message),
          () => Effect.void
        )
      )
    case "replication":
      return Effect.void
    case "partitions":
      return request(`adding partitions to ${topic.name}`, () =>
        admin.createPartitions({ topics: [{ name: topic.name, count: topic.partitions }] })
      )
    case "setting":
      return request(`changing ${topic.name}`, () =>
        admin.incrementalAlterConfigs({
          resources: [
            {
              resourceType: ConfigResourceTypes.TOPIC,
              resourceName: topic.name,
              configs: [
                {
                  name: change.setting!,
                  value: change.to,
                  configOperation: IncrementalAlterConfigOperationTypes.SET
                }
              ]
            }
          ]
        })
      )
  }
}

/** Applies the changes that are possible, and returns them. */
export const applyPlan = (settings: KafkaSettings, changes: ReadonlyArray<TopicChange>) =>
  withAdmin(settings, (admin) =>
    Effect.gen(function* () {
      const possible = changes.filter(({ risk }) => risk !== "impossible")
      for (const change of possible) yield* applyOne(admin, change)
      // Brokers may not know a new topic yet when the request has succeeded.
      const topics = [...new Set(possible.map(({ topic }) => topic.name))]
      yield* request("reading new topics", () => admin.metadata({ topics, forceUpdate: true })).pipe(
        Effect.retry({
          schedule: Schedule.spaced(logLimits.kafkaStepWaitMs.longest),
          times: STEP_TRIES
        })
      )
      return possible
    })
  )

/** At the start: applies the changes that lose nothing, and logs a warning for each of the others. */
export const ensureTopics = Effect.fnUntraced(function* (settings: KafkaSettings, topics: TopicSettings) {
  const changes = yield* planOf(settings, topics)
  const safe = changes.filter(({ risk }) => risk === "none")
  yield* applyPlan(
    settings,
    safe.filter(({ kind }) => kind === "create")
  )
  yield* applyPlan(
    settings,
    safe.filter(({ kind }) => kind !== "create")
  ).pipe(
    // Where an administrator keeps the topics, they stay as they are.
    Effect.catchIf(
      ({ cause }) => denialOf(cause) !== undefined,
      ({ message }) => Effect.logWarning(`topics are not changed: ${message} See \`ledgerhook topics diff\`.`)
    )
  )
  for (const change of changes.filter(({ risk }) => risk !== "none")) {
    yield* Effect.logWarning(`not changed: ${sentenceOf(change)}. See \`ledgerhook topics diff\`.`)
  }
})
