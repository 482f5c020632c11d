/**
 * The rights (ACLs) on a Kafka cluster that each role needs, no more and no less: docs/access.md and the output of
 * `ledgerhook topics acls` are made from it, a process checks its topics against it at the start, and a test runs each
 * role with exactly these. Roles of features are here too, because an operator gives the rights before a role runs. Who
 * reads and writes a topic is in topics/topics.json. Pure.
 */
import entries from "../../../topics/topics.json" with { type: "json" }
import type { KafkaSettings } from "../config/Config.ts"
import type { Role } from "../config/Definitions.ts"
import { networks } from "../event/Network.ts"
import { OUTBOX_GROUP } from "./Log.ts"
import { namesOf } from "./Topics.ts"

export type Operation =
  | "Read"
  | "Write"
  | "Create"
  | "Alter"
  | "Describe"
  | "DescribeConfigs"
  | "AlterConfigs"

export interface Right {
  readonly resource: "topic" | "group" | "transactional-id"
  readonly name: string
  readonly pattern: "literal" | "prefixed"
  readonly operations: ReadonlyArray<Operation>
}

/** Who creates the topics and changes them, with `ledgerhook topics apply`, if the roles may not. */
export const ADMINISTRATOR = "administrator"
export type Holder = Role | typeof ADMINISTRATOR

/** The groups that processes join. Each has the name of its role. */
export const JOINED_GROUPS = ["deliver", "delay", "route", "events"]

/** Kept as an offset of `webhooks.config`: up to where the outbox is published. */
const OUTBOX = { group: OUTBOX_GROUP, topic: "webhooks.config" }
const publishing: ReadonlyArray<Holder> = ["api", "deliver"]
/** They wait until changes of webhooks are published. */
const following: ReadonlyArray<Holder> = [...publishing, "ingest", "route"]

/** The writers that one process at a time may be. */
const exclusiveOf = (holder: Holder): ReadonlyArray<string> =>
  holder === "ingest"
    ? networks.flatMap((network) => [`ledger.${network}`, `history.${network}`])
    : publishing.includes(holder)
      ? [OUTBOX.group]
      : []

/** Roles that write under an id of their process. */
const writing: ReadonlyArray<Holder> = ["route", "deliver", "delay", "replay"]

/** Any process may be the one that makes the report of the service, which reads how late each stage is. */
const REPORTED = [
  "xrpl.<network>.ledgers",
  "xrpl.<network>.events",
  "xrpl.<network>.transactions",
  "xrpl.<network>.history.events",
  "webhooks.deliveries",
  "webhooks.replays"
]

const topicOperations = (holder: Holder, { name, readers, writers }: (typeof entries)[number]) => {
  const operations: Array<Operation> = ["Describe", "DescribeConfigs"]
  if (holder === ADMINISTRATOR) return [...operations, "Create", "Alter", "AlterConfigs"] as const
  const commits = name === OUTBOX.topic && publishing.includes(holder)
  if (readers.includes(holder) || REPORTED.includes(name) || commits) operations.push("Read")
  if (writers.includes(holder)) operations.push("Write")
  return operations
}

/** Its operations on each topic of topics/topics.json, by the names there. */
export const topicRights = (
  holder: Holder
): ReadonlyArray<{ readonly topic: string; readonly operations: ReadonlyArray<Operation> }> =>
  entries.map((entry) => ({ topic: entry.name, operations: topicOperations(holder, entry) }))

const groupOperations = (holder: Holder, group: string): ReadonlyArray<Operation> => {
  if (group === OUTBOX.group) {
    if (publishing.includes(holder)) return ["Describe", "Read"]
    return following.includes(holder) ? ["Describe"] : []
  }
  if (holder === ADMINISTRATOR) return ["DescribeConfigs", "AlterConfigs"]
  // Each process reads how soon Kafka detects that a member has died, and the report reads how far the groups are.
  return ["Describe", "DescribeConfigs", ...(group === holder ? (["Read"] as const) : [])]
}

/** Its operations on each group, by the names in the code. */
export const groupRights = (holder: Holder) =>
  [...JOINED_GROUPS, OUTBOX.group].map((group) => ({ group, operations: groupOperations(holder, group) }))

/** The transactional ids that it writes under: of exclusive writers, and whether also of its process. */
export const writerRights = (holder: Holder) => ({
  exclusive: exclusiveOf(holder),
  ofProcess: writing.includes(holder)
})

const writes = (name: string, pattern: Right["pattern"]): Right => ({
  resource: "transactional-id",
  name,
  pattern,
  operations: ["Describe", "Write"]
})

type Names = Pick<KafkaSettings, "topicPrefix" | "clientId">

const rightsOfOne = (holder: Holder, { clientId, topicPrefix }: Names): ReadonlyArray<Right> => {
  const own = (name: string) => `${topicPrefix}ledgerhook.${name}`
  const { exclusive, ofProcess } = writerRights(holder)
  return [
    ...entries.flatMap((entry) =>
      namesOf(networks, [entry]).map(
        (topic): Right => ({
          resource: "topic",
          name: topicPrefix + topic,
          pattern: "literal",
          operations: topicOperations(holder, entry)
        })
      )
    ),
    ...groupRights(holder).map(
      ({ group, operations }): Right => ({
        resource: "group",
        name: own(group),
        pattern: "literal",
        operations
      })
    ),
    ...exclusive.map((name) => writes(own(name), "literal")),
    ...(ofProcess ? [writes(`${topicPrefix}${clientId}.`, "prefixed")] : [])
  ]
}

/** The rights of a process with these roles, under its names on the cluster. */
export const rightsOf = (holders: ReadonlyArray<Holder>, names: Names): ReadonlyArray<Right> =>
  [
    ...Map.groupBy(
      holders.flatMap((holder) => rightsOfOne(holder, names)),
      ({ name, resource }) => `${resource} ${name}`
    ).values()
  ].flatMap((same) => {
    const operations = [...new Set(same.flatMap((one) => one.operations))].sort()
    return operations.length === 0 ? [] : [{ ...same[0]!, operations }]
  })

const quoted = (text: string): string =>
  /^[\w.:=@,/-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

/** The arguments of `kafka-acls.sh` that grant the rights: one line for all resources with the same operations. */
export const aclLines = (principal: string, rights: ReadonlyArray<Right>): ReadonlyArray<string> =>
  [
    ...Map.groupBy(rights, ({ operations, pattern, resource }) =>
      [
        ...operations.flatMap((operation) => ["--operation", operation]),
        ...(pattern === "prefixed" ? ["--resource-pattern-type", "prefixed"] : []),
        `--${resource}`
      ].join(" ")
    )
  ].map(([how, of]) => {
    const [flag = ""] = how.split(" ").slice(-1)
    const names = of.map(({ name }) => `${flag} ${quoted(name)}`)
    return `--add --allow-principal ${quoted(principal)} ${how.split(" ").slice(0, -1).join(" ")} ${names.join(" ")}`
  })
