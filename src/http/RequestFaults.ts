/**
 * Lists what a failed schema check found in a request: a sentence for each fault, which names the field and what is
 * accepted. The sentence never repeats the given value, which may be a secret. The endpoint's decoder ends at the first
 * fault, so that a hostile body costs little; a request that it refused is decoded again here, for all faults.
 */
import { Array as Arr, Context, Effect, Option, Order, Result, Schema, SchemaAST, SchemaIssue } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint, HttpApiError } from "effect/http-api"
import type { Settings } from "../spine/config/Config.ts"
import type { JsonObject } from "../spine/event/Ledger.ts"
import { isJsonObject } from "../spine/event/NormaliseLedger.ts"
import { NAME_LENGTH, nearest, sentenceOf } from "../spine/words/Nearest.ts"
import { printable } from "../spine/words/Printable.ts"
import { Caller } from "./ContractParts.ts"
import { FAULTS_MAX, type Fault, pointerOf } from "./Errors.ts"
import { RequestRules, ruleFaults } from "./RequestRules.ts"

/** Of a longer body only the first fault is listed: it has room for a million. A list of texts lists its own. */
const ALL_FAULTS_LENGTH = 64 * 1024

const articles: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  boolean: "a boolean",
  array: "an array",
  object: "an object"
}

/** `number | null` → `a number or null`. */
const accepted = (expected: string): string =>
  expected
    .split(" | ")
    .map((one) => articles[one] ?? one)
    .join(", ")
    .replace(/, ([^,]*)$/, " or $1")

type Path = ReadonlyArray<PropertyKey>
type Kind = HttpApiError.HttpApiSchemaError["kind"]

interface Found {
  readonly path: Path
  readonly issue: SchemaIssue.Issue
}

/** The faults of an issue, one for each place. */
const foundIn = (issue: SchemaIssue.Issue, path: Path = []): ReadonlyArray<Found> => {
  switch (issue._tag) {
    case "Pointer":
      return foundIn(issue.issue, [...path, ...issue.path])
    case "Encoding":
      return foundIn(issue.issue, path)
    case "Filter":
      // A check without a place of its own has its message on the filter.
      return issue.issue._tag === "InvalidValue" ? [{ path, issue }] : foundIn(issue.issue, path)
    case "Composite":
    case "AnyOf":
      return issue.issues.length === 0
        ? [{ path, issue }]
        : issue.issues.flatMap((inner) => foundIn(inner, path))
    default:
      return [{ path, issue }]
  }
}

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const pathText = (path: Path): string =>
  path
    .map((key, i) => (typeof key === "number" ? `[${key}]` : i === 0 ? String(key) : `.${String(key)}`))
    .join("")

/** The subject when the fault has no path. */
const wholeOf: Readonly<Record<string, string>> = {
  Payload: "The request body must be a JSON object",
  Query: "The query is not valid",
  Params: "The path is not valid"
}

const inside = (value: unknown, key: PropertyKey): unknown =>
  // A query parameter of a list may be given as one text.
  typeof value === "object" && value !== null ? Reflect.get(value, key) : value

/** Where each key of the path stands among its neighbours in the request. Missing ones are last. */
const placeOf = (given: unknown, path: Path): ReadonlyArray<number> => {
  let value = given
  return path.map((key) => {
    const at = typeof key === "number" ? key : Object.keys(Object(value)).indexOf(String(key))
    value = inside(value, key)
    return at < 0 ? Number.MAX_SAFE_INTEGER : at
  })
}

const textsOf = ({ ast }: SchemaIssue.AnyOf): ReadonlyArray<string> =>
  ast.types.flatMap((one) => (one._tag === "Literal" && typeof one.literal === "string" ? [one.literal] : []))

/** What a type with a name is, from the first sentence of its description: "an amount of XRP, of a token …". */
const described = (issue: SchemaIssue.Issue): string | undefined => {
  const annotations =
    issue._tag === "Filter"
      ? issue.filter.annotations
      : "ast" in issue
        ? SchemaAST.resolve(issue.ast)
        : undefined
  const { identifier, description } = { ...annotations }
  if (typeof identifier !== "string" || typeof description !== "string") return undefined
  const [sentence = ""] = description.split(/[.:] |\.$/)
  return sentence.replace(/^[A-Z](?=[a-z ])/, (first) => first.toLowerCase())
}

const problemOf = (kind: Kind, { issue, path }: Found, given: unknown) => {
  if (issue._tag === "MissingKey") return { problem: "is required" }
  if (issue._tag === "UnexpectedKey") {
    const known =
      issue.ast._tag === "Objects" ? issue.ast.propertySignatures.map(({ name }) => String(name)) : []
    return {
      problem: `is unknown; accepted: ${known.join(", ")}`,
      suggestion: nearest(String(path.at(-1)), known)
    }
  }
  const own = issue._tag === "Filter" ? issue.issue : issue
  const text = format(issue).issues[0]?.message ?? ""
  const expected = text.startsWith("Expected ") ? text.slice("Expected ".length) : undefined
  if (expected === undefined) {
    const suggestion = own._tag === "InvalidValue" ? own.annotations?.["suggestion"] : undefined
    return { problem: text, suggestion: typeof suggestion === "string" ? suggestion : undefined }
  }
  // Every query parameter is a string. A parameter that is given twice is a list.
  if (kind === "Query" && expected === "string") return { problem: "must be given once" }
  const value = path.reduce(inside, given)
  return {
    problem: `must be ${described(issue) ?? accepted(expected)}`,
    suggestion:
      issue._tag === "AnyOf" && typeof value === "string" ? nearest(value, textsOf(issue)) : undefined
  }
}

const faultOf = (kind: Kind, found: Found, given: unknown): Fault => {
  // A field's name may be as long as the body.
  const path = found.path.map((key) => (typeof key === "number" ? key : printable(String(key), NAME_LENGTH)))
  if (path.length === 0) return { param: "", message: `${wholeOf[kind] ?? "The request is not valid"}.` }
  const problem = problemOf(kind, found, given)
  return {
    param: kind === "Payload" ? pointerOf(path) : String(path[0]),
    message: sentenceOf(pathText(path), problem),
    suggestion: problem.suggestion
  }
}

const byPlace = Order.mapInput(
  Order.Array(Order.Number),
  ({ place }: { readonly place: ReadonlyArray<number> }) => place
)

/** In the order of `given`, which may be unknown. */
export const faultsOf = (kind: Kind, issue: SchemaIssue.Issue, given: unknown): ReadonlyArray<Fault> =>
  Arr.sort(
    foundIn(issue).map((found) => ({ found, place: placeOf(given, found.path) })),
    byPlace
  )
    .slice(0, FAULTS_MAX)
    .map(({ found }) => faultOf(kind, found, given))

/** `length`: of the request's body. */
export const faultsIn = (
  of: Kind,
  schema: Schema.Top,
  given: unknown,
  length: number
): ReadonlyArray<Fault> => {
  // No schema of the API needs services.
  const decoded = Schema.decodeUnknownResult(schema as Schema.Codec<unknown>, {
    errors: length > ALL_FAULTS_LENGTH ? "first" : "all",
    onExcessProperty: of === "Query" || of === "Payload" ? "error" : "ignore"
  })(given)
  return Result.isSuccess(decoded) ? [] : faultsOf(of, decoded.failure.issue, given)
}

/**
 * The field that rules know: the parameter of the query, or the field at the top of the body, such as `since`. Of a part
 * of the body it is the part's field: `filters/since`.
 */
const fieldOf =
  ({ of, parts }: Pick<RequestRules["Service"], "of" | "parts">) =>
  ({ param }: Fault): string => {
    if (of === "Query") return param
    const [, top = "", inner] = param.split("/").map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"))
    return inner !== undefined && parts.includes(top) ? `${top}/${inner}` : top
  }

/** The fields that are not wrong. */
const rightFields = (
  given: JsonObject,
  wrong: ReadonlySet<string>,
  parts: ReadonlyArray<string>,
  prefix = ""
): JsonObject =>
  Object.fromEntries(
    Object.entries(given).flatMap(([key, value]) => {
      if (wrong.has(prefix + key)) return []
      return [
        [key, parts.includes(key) && isJsonObject(value) ? rightFields(value, wrong, [], `${key}/`) : value]
      ]
    })
  )

/**
 * What the endpoint's rules find in the fields of the body or the query in which the schema has found nothing
 * (`faults`). Nothing if not all of the schema's faults are known.
 */
const faultsOfRules = Effect.fnUntraced(function* (
  annotated: RequestRules["Service"],
  faults: ReadonlyArray<Fault>,
  given: unknown,
  length: number,
  settings: Settings["Service"]
) {
  const caller = Option.getOrUndefined(yield* Effect.serviceOption(Caller))
  const isKnown = length <= ALL_FAULTS_LENGTH && faults.length < FAULTS_MAX
  if (caller === undefined || !isKnown || !isJsonObject(given)) return faults
  const field = fieldOf(annotated)
  const wrong = new Set(faults.map(field))
  const right = rightFields(given, wrong, annotated.parts)
  const found = yield* Effect.provideService(
    ruleFaults(annotated.rules, right, settings, wrong),
    Caller,
    caller
  )
  const order = Object.keys(given)
  const placeIn = (fault: Fault) => {
    const at = order.indexOf(field(fault).split("/", 1)[0]!)
    return at < 0 ? order.length : at
  }
  // A rule may take a default for a field that is left out here.
  const others = found.filter((fault) => !wrong.has(field(fault)))
  return others.length === 0 ? faults : Arr.sortWith([...faults, ...others], placeIn, Order.Number)
})

/** Every fault of the request that the endpoint's decoder refused. */
export const requestFaults = Effect.fnUntraced(function* (
  endpoint: HttpApiEndpoint.Top,
  { cause }: HttpApiError.HttpApiSchemaError,
  settings: Settings["Service"]
) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const { params } = yield* HttpRouter.RouteContext
  const query = yield* HttpServerRequest.ParsedSearchParams
  const schemas = [...endpoint.payload.values()].flatMap((one) => one.schemas)
  // The gate has read the body, and checked that it is JSON.
  const text = schemas.length === 0 ? "" : yield* Effect.orDie(request.text)
  const body = text === "" ? undefined : JSON.parse(text)
  const parts: ReadonlyArray<readonly [Kind, Schema.Top | undefined, unknown]> = [
    ["Params", endpoint.params, params],
    ["Headers", endpoint.headers, request.headers],
    ["Query", endpoint.query && Schema.toCodecArrayFromSingle(endpoint.query), query],
    ["Payload", schemas.length === 0 ? undefined : Schema.Union(schemas), body]
  ]
  const rules = Context.getOrUndefined(endpoint.annotations, RequestRules)
  const faults = yield* Effect.forEach(parts, ([of, schema, given]) => {
    const found = schema === undefined ? [] : faultsIn(of, schema, given, text.length)
    return rules?.of === of
      ? faultsOfRules(rules, found, given, text.length, settings)
      : Effect.succeed(found)
  }).pipe(Effect.map(Arr.flatten))
  if (Arr.isReadonlyArrayNonEmpty(faults)) return faults
  return yield* Effect.die(new Error(`a request is refused for no fault: ${cause.message}`))
})
