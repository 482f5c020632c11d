/** Whatever parameter or field of the published document is wrong, the error names it. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { apiLayer } from "../support/http/api.ts"
import { document, examplesOf, type Operation, operations, type Parameter } from "../support/http/openApi.ts"
import { refused } from "./refused.ts"

type Json = Readonly<Record<string, unknown>>

/** The alternatives of a schema, with references resolved. */
const choicesOf = (schema: Json): ReadonlyArray<Json> => {
  const { $ref, anyOf, oneOf } = schema
  if (typeof $ref === "string") return choicesOf(document.components.schemas[$ref.split("/").at(-1)!])
  const choices = (anyOf ?? oneOf) as ReadonlyArray<Json> | undefined
  return choices === undefined ? [schema] : choices.flatMap(choicesOf)
}

const wrongFor = (schema: Json): unknown =>
  choicesOf(schema).some(({ type, enum: values }) => type === "string" && values === undefined) ? 5 : "no"

interface Field {
  readonly path: ReadonlyArray<string>
  readonly wrong: unknown
}

const fieldsOf = (schema: Json, path: ReadonlyArray<string> = []): ReadonlyArray<Field> =>
  choicesOf(schema).flatMap(({ properties = {} }) =>
    Object.entries(properties as Readonly<Record<string, Json>>).flatMap(([name, inner]) => [
      { path: [...path, name], wrong: wrongFor(inner) },
      ...fieldsOf(inner, [...path, name])
    ])
  )

const withField = (body: unknown, [name, ...rest]: ReadonlyArray<string>, value: unknown): unknown =>
  name === undefined ? value : { ...Object(body), [name]: withField(Object(Object(body)[name]), rest, value) }

const bodySchemaOf = ({ requestBody }: Operation) => Object.values(requestBody?.content ?? {})[0]

/** Probes are not part of the API. A cursor is checked only after its webhook is found. */
const isChecked = ({ path }: Operation, { in: place, name }: Parameter) =>
  place !== "header" && !path.startsWith("/readyz") && !(name === "cursor" && path.includes("{"))

const pathOf = ({ parameters, path }: Operation, ids: string) =>
  parameters
    .filter((one) => one.in === "path")
    .reduce((text, { example, name }) => text.replace(`{${name}}`, ids || String(example)), path)

layer(apiLayer(), { excludeTestServices: true })("an error names", (it) => {
  for (const operation of operations) {
    const name = `${operation.method} ${operation.path}`
    const media = bodySchemaOf(operation)
    for (const parameter of operation.parameters.filter((one) => isChecked(operation, one)))
      it.effect(`${name}: the parameter ${parameter.name}`, () =>
        Effect.gen(function* () {
          const wrong = parameter.name === "search" ? "" : "!"
          const path =
            parameter.in === "path"
              ? pathOf(operation, wrong)
              : `${pathOf(operation, "")}?${parameter.name}=${wrong}`
          const body = media && examplesOf(media)[0]
          const error = yield* refused(operation.method, path, body)
          const [fault] = error.errors.filter((one: Json) => one["param"] === parameter.name)
          assert.isDefined(fault, JSON.stringify(error))
          assert.match(fault.message, new RegExp(`^${parameter.name}\\b.*\\bmust\\b`))
        })
      )
    const fields = media === undefined ? [] : fieldsOf(media.schema as Json)
    for (const { path, wrong } of fields)
      it.effect(`${name}: the field ${path.join(".")}`, () =>
        Effect.gen(function* () {
          const body = withField(examplesOf(media!)[0], path, wrong)
          const error = yield* refused(operation.method, pathOf(operation, ""), body)
          assert.deepStrictEqual([error.code, error.param], ["VALIDATION_ERROR", `/${path.join("/")}`])
          assert.isTrue(error.message.startsWith(`${path.join(".")} must`), error.message)
        })
      )
    if (fields.length > 0)
      it.effect(`${name}: every field at once, and those that do not exist`, () =>
        Effect.gen(function* () {
          const wrong = fields.filter(({ path }) => path.length === 1)
          const body = Object.fromEntries([
            ["unheard_of", 1],
            ...wrong.map(({ path, wrong }) => [path[0], wrong])
          ])
          const error = yield* refused(operation.method, pathOf(operation, ""), body)
          assert.deepStrictEqual(
            error.errors.map(({ param }: Json) => param),
            Object.keys(body).map((field) => `/${field}`)
          )
        })
      )
  }
})
