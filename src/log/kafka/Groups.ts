/**
 * How soon the cluster notices that a member of the program's groups has died: its partitions wait that long for another
 * owner. Brokers say 45 s; each group may have a setting of its own, down to a bound that only the brokers' configuration
 * moves. A cluster that refuses is no failure: everything works, and is taken over later.
 */
import { type Admin, ConfigResourceTypes, IncrementalAlterConfigOperationTypes } from "@platformatic/kafka"
import { Effect } from "effect"
import type { KafkaSettings } from "../../config/Config.ts"
import { Limits } from "../../config/Limits.ts"
import { request, withAdmin } from "./ClusterTopics.ts"
import { ownName } from "./Names.ts"

const GROUPS = ["deliver", "delay", "route", "events"]
const SESSION_TIMEOUT = "consumer.session.timeout.ms"

/** How long a member may be silent before it is given up. */
export type MemberTimeout = { readonly ms: number } & (
  | { readonly kind: "short" }
  /** It is long, and this user can shorten it. */
  | { readonly kind: "settable" }
  | { readonly kind: "refused"; readonly reason: string }
)

const groupsOf = (settings: KafkaSettings): ReadonlyArray<string> =>
  GROUPS.map((group) => ownName(settings, group))

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
            value: String(Limits.kafkaMemberMs),
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
      const long = timeouts.filter((one) => one.ms > Limits.kafkaMemberMs).map(({ group }) => group)
      if (long.length === 0) return { kind: "short", ms } satisfies MemberTimeout
      return yield* Effect.match(change(admin, long, validateOnly), {
        onSuccess: (): MemberTimeout => ({ kind: "settable", ms }),
        onFailure: ({ message }): MemberTimeout => ({ kind: "refused", ms, reason: message })
      })
    })
  )

/** Changes nothing. */
export const memberTimeoutOf = (settings: KafkaSettings) => shorten(settings, true)

/** At a start: shortens it where the cluster lets this user, and says where not. */
export const ensureGroups = (settings: KafkaSettings): Effect.Effect<void> =>
  shorten(settings, false).pipe(
    Effect.flatMap((found) =>
      found.kind === "refused"
        ? Effect.logWarning(
            `deliveries of a process that dies wait for ${found.ms / 1_000} s; see \`ledgerhook doctor\` (${found.reason})`
          )
        : Effect.void
    ),
    Effect.catch(({ message }) => Effect.logWarning(message))
  )
