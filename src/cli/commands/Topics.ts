/**
 * `ledgerhook topics …`: compares a Kafka cluster's topics with `topics/topics.json`, and changes them to match.
 * `start` creates missing topics automatically. Changes that lose data or move keys are made only here, with --force.
 */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { Settings } from "../../config/Config.ts"
import { loadKafka } from "../../log/kafka/LoadKafka.ts"
import { type Risk, sentenceOf, type TopicChange } from "../../log/kafka/TopicPlan.ts"
import { RED } from "../terminal/Colour.ts"
import { FailureReported, wrongUsage } from "../terminal/Failure.ts"
import { switchFlag } from "../terminal/Flags.ts"
import { about } from "../terminal/Help.ts"
import { settings } from "../terminal/Invocation.ts"
import { print, printError } from "../terminal/Output.ts"
import { type Column, json, printList } from "../terminal/Table.ts"

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

export const topics = Command.make("topics").pipe(
  Command.withDescription("Compare and update the topics of a Kafka cluster"),
  Command.withSubcommands([diff, apply])
)
