/**
 * Sets how soon Kafka detects that a member of our consumer groups has died. Until then, its partitions have no owner.
 * Kafka's default is 45 s. A group can have a shorter timeout, but not below the limit in the brokers' configuration.
 * If the cluster refuses, the start continues: dead members are then detected later.
 */
import { type Admin, ConfigResourceTypes, IncrementalAlterConfigOperationTypes } from "@platformatic/kafka"
import { Effect } from "effect"
import type { KafkaSettings } from "../../config/Config.ts"
import { Limits } from "../../config/Limits.ts"
import { seconds } from "../../words/Words.ts"
import { JOINED_GROUPS } from "../Access.ts"
import { request, withAdmin } from "./ClusterTopics.ts"
import { ownName } from "./Names.ts"

const SESSION_TIMEOUT = "consumer.session.timeout.ms"

/** How long a member may send no heartbeat before its partitions go to others. */
export type MemberTimeout = { readonly ms: number } & (
  | { readonly kind: "short" }
  /** The current timeout is longer than ours, and this user may shorten it. */
  | { readonly kind: "settable" }
  | { readonly kind: "rejected"; readonly reason: string }
)

const groupsOf = (settings: KafkaSettings): ReadonlyArray<string> =>
  JOINED_GROUPS.map((group) => ownName(settings, group))

/** Each group's timeout in milliseconds. */
const timeoutsOf = Effect.fnUntraced(function* (admin: Admin, groups: ReadonlyArray<string>) {
  const described = yield* request("reading the groups' settings", () =>
    admin.describeConfigs({
      resources: groups.map((resourceName) => ({
        resourceType: ConfigResourceTypes.GROUP,
        resourceName,
        configurationKeys: [SESSION_TIMEOUT]
      }))
    })
  )
  return described.map(({ resourceName, configs }) => ({
    group: resourceName,
    ms: Number(configs.find(({ name }) => name === SESSION_TIMEOUT)?.value ?? 0)
  }))
})

const change = (admin: Admin, groups: ReadonlyArray<string>, validateOnly: boolean) =>
  request(`setting ${SESSION_TIMEOUT} of the groups`, () =>
    admin.incrementalAlterConfigs({
      validateOnly,
      resources: groups.map((resourceName) => ({
        resourceType: ConfigResourceTypes.GROUP,
        resourceName,
        configs: [
          {
            name: SESSION_TIMEOUT,
            value: String(Limits.leaseMs),
            configOperation: IncrementalAlterConfigOperationTypes.SET
          }
        ]
      }))
    })
  )

const shorten = (settings: KafkaSettings, validateOnly: boolean) =>
  withAdmin(settings, (admin) =>
    Effect.gen(function* () {
      const timeouts = yield* timeoutsOf(admin, groupsOf(settings))
      const ms = Math.max(...timeouts.map((one) => one.ms))
      const long = timeouts.filter((one) => one.ms > Limits.leaseMs).map(({ group }) => group)
      if (long.length === 0) return { kind: "short", ms } satisfies MemberTimeout
      return yield* Effect.match(change(admin, long, validateOnly), {
        onSuccess: (): MemberTimeout => ({ kind: "settable", ms }),
        onFailure: ({ message }): MemberTimeout => ({ kind: "rejected", ms, reason: message })
      })
    })
  )

/** The current timeout. Changes nothing. */
export const memberTimeoutOf = (settings: KafkaSettings) => shorten(settings, true)

/** At the start: shortens the timeout, or logs a warning if the cluster refuses. */
export const ensureGroups = (settings: KafkaSettings): Effect.Effect<void> =>
  shorten(settings, false).pipe(
    Effect.flatMap((found) =>
      found.kind === "rejected"
        ? Effect.logWarning(
            `Kafka detects a dead process only after ${seconds(found.ms)}, and its deliveries wait until then; see \`ledgerhook doctor\` (${found.reason})`
          )
        : Effect.void
    ),
    Effect.catch(({ message }) => Effect.logWarning(message))
  )
