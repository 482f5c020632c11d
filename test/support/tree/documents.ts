/**
 * Generates the parts of the documents that come from the code, so that both always agree. The tests compare them;
 * `UPDATE_DOCUMENTS=1 npm test -- test/documents.test.ts` rewrites them.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { metricsTable } from "../../../src/app/Metrics.ts"
import { settingsTable } from "../../../src/app/Settings.ts"
import { type Role, roles } from "../../../src/spine/config/Definitions.ts"
import { scopes } from "../../../src/spine/domain/ApiKey.ts"
import { alertCodes } from "../../../src/spine/event/AlertCode.ts"
import {
  groupRights,
  type Holder,
  JOINED_GROUPS,
  type Operation,
  topicRights,
  writerRights
} from "../../../src/spine/log/Access.ts"
import topics from "../../../topics/topics.json" with { type: "json" }
import { neededBy, operations } from "../http/openApi.ts"

const cell = (text: string): string => text.replaceAll("|", "\\|")

const list = (items: ReadonlyArray<string>): string => items.join(", ")

export const topicsMarkdown = (): string =>
  [
    "",
    "| topic | key | partitions | kept | written by | read by | meaning |",
    "|---|---|---|---|---|---|---|",
    ...topics.map(({ name, key, partitions, retention, schema, writers, readers, meaning }) => {
      const kept = retention === null ? "the newest of each key" : retention
      const linked = schema === null ? `\`${name}\`` : `[\`${name}\`](../${schema})`
      return `| ${linked} | ${key} | ${partitions} | ${kept} | ${list(writers)} | ${list(readers)} | ${cell(meaning)} |`
    }),
    ""
  ].join("\n")

const named = (names: ReadonlyArray<string>): string => list(names.map((name) => `\`${name}\``)) || "none"

const withOperation = (holder: Holder, operation: Operation) =>
  topicRights(holder).flatMap((one) => (one.operations.includes(operation) ? [one.topic] : []))

export const accessMarkdown = (): string => {
  const everyRole = topicRights("events").filter(({ topic }) =>
    roles.every((role) => withOperation(role, "Read").includes(topic))
  )
  const shared = everyRole.map(({ topic }) => topic)
  const row = (role: Role) => {
    const reads = withOperation(role, "Read").filter((topic) => !shared.includes(topic))
    const { exclusive, ofProcess } = writerRights(role)
    const ids = [
      ...new Set(
        exclusive.map((name) => `ledgerhook.${name.replace(/mainnet|testnet|devnet/, "<network>")}`)
      ),
      ...(ofProcess ? ["<KAFKA_CLIENT_ID>.*"] : [])
    ]
    const groups = groupRights(role).filter(({ operations }) => operations.includes("Read"))
    return `| \`${role}\` | ${named(reads)} | ${named(withOperation(role, "Write"))} | ${named(groups.map(({ group }) => `ledgerhook.${group}`))} | ${named(ids)} |`
  }
  return [
    "| role | `Read` on topics, beside those of every role | `Write` on topics | `Read` on groups | `Write` on transactional ids |",
    "|---|---|---|---|---|",
    ...roles.map(row),
    "",
    `**Every role** also needs, because any process may make the report of the service: \`Describe\` and \`DescribeConfigs\` on all topics and on the groups ${named(JOINED_GROUPS.map((group) => `ledgerhook.${group}`))}, and \`Read\` on ${named(shared)}. Where it has \`Read\` or \`Write\`, it also needs \`Describe\`; \`ingest\` and \`route\` need it on the group \`ledgerhook.outbox\`. Topics are those of mainnet, testnet and devnet.`,
    "",
    `**\`administrator\`**: ${named(topicRights("administrator")[0]!.operations)} on all topics, and ${named(groupRights("administrator")[0]!.operations)} on the groups of every role.`
  ].join("\n")
}

const labelValues = (values: ReadonlyArray<string> | string): string =>
  typeof values === "string" ? values : values.map((value) => `\`${value}\``).join(", ")

/** The text above the table has the values of these labels, and long lists of values. */
const explainedLabels = ["network", "role", "part"]
const LABEL_VALUES_MOST = 5

export const metricsMarkdown = (): string =>
  [
    "| metric | labels | meaning |",
    "|---|---|---|",
    ...metricsTable
      .filter(({ name }) => name.startsWith("ledgerhook_"))
      .map(({ name, labels, description }) => {
        const shown = Object.entries(labels).map(([label, values]) =>
          explainedLabels.includes(label) || (typeof values !== "string" && values.length > LABEL_VALUES_MOST)
            ? `\`${label}\``
            : `\`${label}\`: ${labelValues(values)}`
        )
        return `| \`${name}\` | ${cell(shown.join("; "))} | ${cell(description)} |`
      })
  ].join("\n")

export const alertsMarkdown = (): string =>
  [
    "| code | case | event |",
    "|---|---|---|",
    ...Object.entries(alertCodes).map(([code, alert]) => `| \`${code}\` | ${alert.case} | ${alert.event} |`)
  ].join("\n")

export const envExample = (): string =>
  [
    "# Settings of Ledgerhook. Copy this file to .env and take the # away from what you change;",
    "# variables of the environment win over .env. Values shown are the defaults.",
    ...settingsTable.flatMap(({ name, default: value, accepts, meaning }) => [
      "",
      `# ${meaning}`,
      `# accepted: ${accepts}`,
      `#${name}=${value.includes(" ") ? JSON.stringify(value) : value}`
    ])
  ].join("\n")

/** Requests as clients write them: `/v1/webhooks/:id`, not `{id}`. */
export const endpointsMarkdown = (): string =>
  [
    "| request | what it does | query | scope |",
    "|---|---|---|---|",
    ...operations
      .filter(({ path }) => path.startsWith("/v1/"))
      .map((operation) => {
        const { method, path, parameters, summary } = operation
        const query = parameters.filter((one) => one.in === "query").map(({ name }) => `\`${name}\``)
        const needs = neededBy(operation)
        const scope = scopes.some((one) => one === needs) ? `\`${needs}\`` : needs
        return `| \`${method} ${path.replace(/\{(\w+)\}/g, ":$1")}\` | ${cell(summary)} | ${list(query)} | ${scope} |`
      })
  ].join("\n")

const section = (name: string): RegExp =>
  new RegExp(`(<!-- ${name}: begin[^>]*-->\n)([\\s\\S]*?)(\n<!-- ${name}: end -->)`)

export interface Made {
  readonly file: string
  readonly is: string
  readonly shouldBe: string
}

const update = process.env["UPDATE_DOCUMENTS"] === "1"

/** A file's whole text, or the text between its markers `<!-- name: begin -->` and `<!-- name: end -->`. */
export const made = (file: string, text: string, name?: string): Made => {
  const whole = readFileSync(file, "utf8")
  const shouldBe = name === undefined ? `${text}\n` : text
  const replaced =
    name === undefined ? shouldBe : whole.replace(section(name), `$1${text.replaceAll("$", "$$$$")}$3`)
  if (update) writeFileSync(file, replaced)
  const now = update ? replaced : whole
  return { file, is: name === undefined ? now : (section(name).exec(now)?.[2] ?? ""), shouldBe }
}
