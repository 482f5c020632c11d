/**
 * `ledgerhook topics …`: how a Kafka cluster's topics differ from `topics/topics.json`, and making them the same.
 * `start` creates what is missing by itself; what would lose data or move keys is done here alone, with --force.
 */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { Settings } from "../../config/Config.ts"
import { loadKafka } from "../../log/kafka/LoadKafka.ts"
import { type Risk, sentenceOf, type TopicChange } from "../../log/kafka/TopicPlan.ts"
import { RED } from "../terminal/Colour.ts"
import { FailureReported, wrongUsage } from "../terminal/Failure.ts"
import { about } from "../terminal/Help.ts"
import { settings } from "../terminal/Invocation.ts"
import { print, printError } from "../terminal/Output.ts"
import { type Column, json, printList } from "../terminal/Table.ts"

/** The cluster of the settings, and what differs there. */
const differences = Effect.gen(function* () {
  const all = yield* Settings
  if (all.kafka === undefined) {
    return yield* wrongUsage(
      "KAFKA_BROKERS is not set: the embedded log makes its topics by itself, there is nothing to compare."
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
      none: "The cluster's topics are as they should be."
    })
  })
).pipe(
  about(
    "Show how a cluster's topics differ",
    "Show what KAFKA_BROKERS lacks or has differently from topics/topics.json, and whether `topics apply` would change it. Changes nothing; the exit code is 0 also where there are differences.",
    {
      "ledgerhook topics diff": "A table",
      "ledgerhook topics diff --json": "For a program: [] when nothing differs"
    }
  )
)

const apply = Command.make(
  "apply",
  {
    force: Flag.Boolean("force").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Also what deletes records or moves keys to other partitions")
    )
  },
  Effect.fnUntraced(function* ({ force }) {
    const { changes, kafka } = yield* differences
    const wanted = changes.filter(({ risk }) => risk === "none" || (force && risk === "losing"))
    const refused = changes.filter((change) => !wanted.includes(change))
    const { applyPlan } = yield* loadKafka
    const done = yield* applyPlan(kafka, wanted)
    for (const change of done) yield* print(`Done: ${sentenceOf(change)}.`)
    for (const change of refused) {
      const way = change.risk === "losing" ? "; --force does it all the same" : ""
      yield* printError(`ledgerhook: ${sentenceOf(change)}${way}.`)
    }
    if (refused.length > 0) return yield* new FailureReported()
    if (done.length === 0) yield* print("The cluster's topics are as they should be.")
  })
).pipe(
  about(
    "Make a cluster's topics as they should be",
    "Make the topics of KAFKA_BROKERS those of topics/topics.json, and say what was done. What would delete records (a shorter retention, another cleanup) or move keys (more partitions) is refused without --force, and the exit code is then 1. `ledgerhook start` creates missing topics by itself.",
    {
      "ledgerhook topics apply": "All that loses nothing",
      "ledgerhook topics apply --force": "Also what `topics diff` warns of"
    }
  )
)

export const topics = Command.make("topics").pipe(
  Command.withDescription("The topics of a Kafka cluster, as topics/topics.json describes them."),
  Command.withSubcommands([diff, apply])
)
