/**
 * `ledgerhook topics …`: compares a Kafka cluster's topics with `topics/topics.json`, and changes them to match.
 * `start` creates missing topics automatically. Changes that lose data or move keys are made only here, with --force.
 */
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { Settings } from "../../spine/config/Config.ts"
import { roles } from "../../spine/config/Definitions.ts"
import { list } from "../../spine/config/Values.ts"
import { ADMINISTRATOR, aclLines, type Holder, rightsOf } from "../../spine/log/Access.ts"
import { loadKafka } from "../../spine/log/kafka/LoadKafka.ts"
import { type Risk, sentenceOf, type TopicChange } from "../../spine/log/kafka/TopicPlan.ts"
import { RED } from "../../terminal/Colour.ts"
import { FailureReported, wrongUsage } from "../../terminal/Failure.ts"
import { lineFlag, optional, switchFlag } from "../../terminal/Flags.ts"
import { about } from "../../terminal/Help.ts"
import { settings } from "../../terminal/Invocation.ts"
import { print, printError } from "../../terminal/Output.ts"
import { type Column, json, printList } from "../../terminal/Table.ts"

/** Names of certificates may be long. */
const PRINCIPAL_LENGTH = 500

const differences = Effect.gen(function* () {
  const all = yield* Settings
  if (all.kafka === undefined) {
    return yield* wrongUsage(
      "KAFKA_BROKERS is not set, so the embedded log is used; it needs no topics to be created."
    )
  }
  const { planOf } = yield* loadKafka
  return { kafka: all.kafka, changes: yield* planOf(all.kafka, all) }
}).pipe(Effect.provide(settings))

const applying: Readonly<Record<Risk, string>> = {
  none: "yes",
  losing: "with --force",
  impossible: "no"
}

const columns: ReadonlyArray<Column<TopicChange>> = [
  { head: "TOPIC", cell: ({ topic }) => topic.name },
  { head: "WHAT", cell: ({ kind, setting }) => setting ?? (kind === "create" ? "topic" : kind) },
  { head: "IS", cell: ({ from, kind }) => from ?? (kind === "create" ? "missing" : "unset") },
  { head: "SHOULD BE", cell: ({ to }) => to },
  {
    head: "APPLY",
    cell: ({ risk }) => applying[risk],
    colour: ({ risk }) => (risk === "none" ? undefined : RED)
  }
]

const toJson = ({ topic, kind, setting, from, to, risk }: TopicChange) => ({
  topic: topic.name,
  change: kind,
  setting: setting ?? null,
  is: from ?? null,
  should_be: to,
  risk
})

const diff = Command.make(
  "diff",
  { json },
  Effect.fnUntraced(function* ({ json: asJson }) {
    const { changes } = yield* differences
    yield* printList({
      json: asJson,
      page: (last, limit) => {
        const from = last === undefined ? 0 : changes.indexOf(last) + 1
        return Effect.succeed(changes.slice(from, from + limit))
      },
      columns,
      toJson,
      none: "The topics match topics/topics.json."
    })
  })
).pipe(
  about(
    "Compare a Kafka cluster's topics",
    "Show how the topics of KAFKA_BROKERS differ from topics/topics.json, and whether `topics apply` would change them. Changes nothing. The exit code is 0 even if there are differences.",
    {
      "ledgerhook topics diff": "A table",
      "ledgerhook topics diff --json": "For programs: [] if nothing differs"
    }
  )
)

const apply = Command.make(
  "apply",
  {
    force: switchFlag("force", "Also make changes that delete records or move keys to other partitions")
  },
  Effect.fnUntraced(function* ({ force }) {
    const { changes, kafka } = yield* differences
    const wanted = changes.filter(({ risk }) => risk === "none" || (force && risk === "losing"))
    const refused = changes.filter((change) => !wanted.includes(change))
    const { applyPlan } = yield* loadKafka
    const done = yield* applyPlan(kafka, wanted)
    for (const change of done) yield* print(`Done: ${sentenceOf(change)}.`)
    for (const change of refused) {
      const way = change.risk === "losing" ? "; to do it anyway, use --force" : ""
      yield* printError(`ledgerhook: ${sentenceOf(change)}${way}.`)
    }
    if (refused.length > 0) return yield* new FailureReported()
    if (done.length === 0) yield* print("The topics match topics/topics.json.")
  })
).pipe(
  about(
    "Update a Kafka cluster's topics",
    "Change the topics of KAFKA_BROKERS to match topics/topics.json, and print what was done. Changes that delete records (a shorter retention, another cleanup policy) or move keys (more partitions) are refused without --force, and the exit code is then 1. `ledgerhook start` creates missing topics automatically.",
    {
      "ledgerhook topics apply": "Make the changes that lose nothing",
      "ledgerhook topics apply --force": "Make all changes"
    }
  )
)

const holders: ReadonlyArray<Holder> = [...roles, ADMINISTRATOR]

const roleFlag = Flag.String("role").pipe(
  Flag.withMetavar("ROLES"),
  Flag.withDescription(`Comma-separated: ${holders.join(", ")} (default: ROLES)`),
  Flag.filterMap(
    (text) => {
      const chosen = list(text)
      return chosen.length > 0 && chosen.every((one) => holders.some((holder) => holder === one))
        ? Option.some(holders.filter((holder) => chosen.includes(holder)))
        : Option.none()
    },
    () => `a comma-separated list of ${holders.join(", ")}`
  ),
  optional
)

const acls = Command.make(
  "acls",
  {
    principal: lineFlag("principal", "The Kafka user, such as User:ledgerhook", PRINCIPAL_LENGTH),
    role: roleFlag
  },
  Effect.fnUntraced(function* ({ principal, role }) {
    const { kafka, roles: own } = yield* Settings
    if (kafka === undefined) {
      return yield* wrongUsage(
        "KAFKA_BROKERS is not set, so the embedded log is used; it needs no rights on Kafka."
      )
    }
    const server = `kafka-acls.sh --bootstrap-server ${kafka.brokers[0]}`
    for (const line of aclLines(principal, rightsOf(role ?? own, kafka))) yield* print(`${server} ${line}`)
  }, Effect.provide(settings))
).pipe(
  about(
    "Print the rights that a role needs",
    "Print the commands of Kafka's kafka-acls.sh that allow a Kafka user what the roles need, no more, under the names that KAFKA_TOPIC_PREFIX and KAFKA_CLIENT_ID give. Connects to nothing. `administrator` creates and changes the topics with `ledgerhook topics apply`; the roles do not need to, once the topics exist.",
    {
      "ledgerhook topics acls --role route --principal User:ledgerhook-route": "For a process with one role",
      "ledgerhook topics acls --principal User:ledgerhook": "For the ROLES of the settings"
    }
  )
)

export const topics = Command.make("topics").pipe(
  Command.withDescription("Compare and update the topics of a Kafka cluster"),
  Command.withSubcommands([diff, apply, acls])
)
