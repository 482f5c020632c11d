/** What the Helm chart has from other files, the names of settings, and which of its values are explained. */
import { readFileSync } from "node:fs"
import { settingsTable } from "../../../src/app/Settings.ts"

export const CHART = "ops/helm"

/** The chart sets these, so values cannot. */
export const SET_BY_CHART: ReadonlyArray<string> = ["PORT", "OPS_PORT", "ROLES", "DATA_DIR"]

/** A value with its comment in `values.yaml`. A mapping without a comment of its own is only the path to its values. */
interface Value {
  readonly path: string
  readonly value: string
  readonly comment: string
}

/** Reads the lines of `values.yaml`: comments, then `key: value`, indented by two spaces for each level. */
export const documentedValues = (): ReadonlyArray<Value> => {
  const found: Array<Value> = []
  let path: ReadonlyArray<string> = []
  let comments: Array<string> = []
  for (const line of readFileSync(`${CHART}/values.yaml`, "utf8").split("\n")) {
    const [, indent = "", key, value = ""] = /^( *)([A-Za-z]+):(?: (.+))?$/.exec(line) ?? []
    if (key !== undefined) {
      path = [...path.slice(0, indent.length / 2), key]
      if (value !== "") found.push({ path: path.join("."), value, comment: comments.join(" ") })
    }
    const comment = /^ *# (.+)$/.exec(line)?.[1]
    comments = comment === undefined ? [] : [...comments, comment]
  }
  return found
}

interface Properties {
  readonly properties: Readonly<Record<string, object>>
}

/** `values.schema.json` with the names of the program's settings. What is secret has no place in `settings`. */
export const valuesSchema = (): string => {
  const schema: Properties = JSON.parse(readFileSync(`${CHART}/values.schema.json`, "utf8"))
  const allowed = settingsTable.filter(({ name }) => !SET_BY_CHART.includes(name))
  const described = ({ meaning, accepts }: (typeof allowed)[number]) => `${meaning}; accepted: ${accepts}`
  const settings = allowed
    .filter(({ secret }) => secret !== true)
    .map((one) => [one.name, { type: ["string", "number", "boolean"], description: described(one) }])
  const secrets = allowed.map(({ name }) => [name, { $ref: "#/definitions/secretKey" }])
  const properties = {
    ...schema.properties,
    settings: { ...schema.properties["settings"], properties: Object.fromEntries(settings) },
    secrets: { ...schema.properties["secrets"], properties: Object.fromEntries(secrets) }
  }
  return JSON.stringify({ ...schema, properties }, null, 2)
}
