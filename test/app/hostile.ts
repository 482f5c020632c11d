/** Random hostile requests, made from the OpenAPI document: the same seed gives the same requests. */
import type { Call } from "../support/http/api.ts"
import { examplesOf, type Operation, type Parameter } from "../support/http/openApi.ts"

export type SeededRandom = () => number

export interface HostileRequest {
  readonly operation: Operation
  readonly method: string
  readonly path: string
  readonly call: Call
}

const pick = <A>(chance: SeededRandom, from: ReadonlyArray<A>): A => from[Math.floor(chance() * from.length)]!

/** Texts that have broken other services. */
const texts: ReadonlyArray<string> = [
  "",
  " ",
  "null",
  "undefined",
  "NaN",
  "-1",
  "0",
  "1e309",
  "9007199254740993",
  "0x10",
  "true",
  "[]",
  "'; DROP TABLE webhooks; --",
  "' OR '1'='1",
  "$1",
  "%s%n%x",
  "../../etc/passwd",
  "..%2f..%2f",
  "<script>alert(1)</script>",
  "#{7*7}{{constructor}}",
  "__proto__",
  "constructor",
  "toString",
  "a\u0000b",
  "\ud800",
  "\u202egnp",
  "🪝".repeat(300),
  "é".normalize("NFD"),
  "\r\nX-Injected: 1",
  "a".repeat(5_000),
  "2026-13-45T99:99:99Z",
  "2026-02-29T00:00:00Z",
  "+275760-09-13T00:00:00.001Z",
  "0000-01-01T00:00:00Z",
  `xrpl:99999999999999999999:${"A".repeat(64)}:payment.xrp`,
  "eyJrIjoiIn0"
]

const values = (chance: SeededRandom): unknown =>
  pick<() => unknown>(chance, [
    () => pick(chance, texts),
    () => null,
    () => pick(chance, [0, -1, 1.5, 2 ** 31, 2 ** 53, 1e308, -0]),
    () => chance() < 0.5,
    () => [],
    () => ({}),
    () => [pick(chance, texts), null, 1],
    () => ({ [pick(chance, texts)]: pick(chance, texts) }),
    () => new Array(200).fill(pick(chance, texts)),
    () => JSON.parse(`${"[".repeat(500)}${"]".repeat(500)}`)
  ])()

/** The value with a part replaced, added or removed. */
const mutated = (chance: SeededRandom, value: unknown): unknown => {
  if (typeof value !== "object" || value === null || chance() < 0.15) return values(chance)
  if (Array.isArray(value)) {
    return chance() < 0.3
      ? [...value, values(chance)]
      : value.map((one) => (chance() < 0.6 ? mutated(chance, one) : one))
  }
  const entries = Object.entries(value)
  const [name = "x"] = pick(chance, [...entries, [pick(chance, texts), null] as const])
  const rest = entries.filter(([one]) => one !== name)
  return chance() < 0.2
    ? Object.fromEntries(rest)
    : Object.fromEntries([...rest, [name, mutated(chance, Object(value)[name])]])
}

const bodies: ReadonlyArray<string | Uint8Array> = [
  "",
  "{",
  "nul",
  '"text"',
  "\ufeff{}",
  '{"a":1}{"b":2}',
  '{"__proto__":{"url":"https://example.com"}}',
  '{"url":"https://example.com","url":5}',
  `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`,
  "[".repeat(100_000),
  new Uint8Array([0xff, 0xfe, 0x7b, 0x7d]),
  new Uint8Array(1_000)
]

const bodyOf = (chance: SeededRandom, { requestBody }: Operation): unknown => {
  const [media] = Object.values(requestBody?.content ?? {})
  const example = media === undefined ? {} : examplesOf(media)[0]
  const kind = chance()
  if (kind < 0.15) return example
  if (kind < 0.25) return pick(chance, bodies)
  let value = example
  for (let times = 0; times <= chance() * 3; times++) value = mutated(chance, value)
  return value
}

const contentTypes = [
  "text/plain",
  "application/json; charset=utf-16",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "application/jsonx",
  ""
]

const headersOf = (chance: SeededRandom): Readonly<Record<string, string>> => {
  const some = (name: string, from: ReadonlyArray<string>, often: number) =>
    chance() < often ? { [name]: pick(chance, from) } : {}
  return {
    ...some("content-type", contentTypes, 0.1),
    ...some("x-request-id", ["trace", "two words", "x".repeat(500), "é", ""], 0.2),
    ...some("accept", ["text/html", "*/*;q=0", "application/xml", ""], 0.1),
    ...some("x-http-method-override", ["DELETE", "TRACE"], 0.1),
    ...some("content-encoding", ["gzip", "br", "nonsense"], 0.05),
    ...some("x-forwarded-for", ["127.0.0.1", "' OR 1=1"], 0.1),
    ...some("range", ["bytes=0-0"], 0.05),
    ...some("if-none-match", ["*"], 0.05),
    ...some("cookie", ["a=b; __proto__=c"], 0.05)
  }
}

const queryOf = (chance: SeededRandom, parameters: ReadonlyArray<Parameter>): string => {
  const inQuery = parameters.filter((one) => one.in === "query")
  const pairs: Array<string> = []
  for (const { name, example } of inQuery) {
    if (chance() < 0.6) continue
    const value = chance() < 0.5 ? String(example) : pick(chance, texts)
    pairs.push(`${name}=${encodeURIComponent(value.toWellFormed())}`)
    if (chance() < 0.1) pairs.push(`${name}=${encodeURIComponent(pick(chance, texts).toWellFormed())}`)
    if (chance() < 0.05) pairs.push(`${name}[]=x`, name, `${name}=%zz`, "&&=&")
  }
  if (chance() < 0.1) pairs.push(`${encodeURIComponent(pick(chance, texts).toWellFormed())}=1`)
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`
}

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

/** `idOf` gives an existing id for the parameter of the operation's path. */
export const hostileRequest = (
  chance: SeededRandom,
  operation: Operation,
  idOf: (path: string) => string | undefined
): HostileRequest => {
  const id = (chance() < 0.6 ? idOf(operation.path) : undefined) ?? pick(chance, texts)
  const method = chance() < 0.93 ? operation.method : pick(chance, METHODS)
  const path = operation.path.replace(/\{\w+\}/, encodeURIComponent(id.toWellFormed()).replaceAll("%3A", ":"))
  const takesBody = method !== "GET" && method !== "HEAD"
  return {
    operation,
    method,
    path: `${path}${queryOf(chance, operation.parameters)}`,
    call: {
      headers: headersOf(chance),
      ...(takesBody && (operation.requestBody !== undefined || chance() < 0.3)
        ? { body: bodyOf(chance, operation) }
        : {})
    }
  }
}
