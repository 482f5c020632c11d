/**
 * Finds variables that look like settings but are none: mistyped names, and names of other versions. A variable counts
 * only if it begins with the first word of a setting. It must then be near to a setting's name, or begin with a word
 * that is ours alone: other programs have variables such as `KAFKA_HEAP_OPTS`. Pure.
 */
import { nearest, sentenceOf } from "../words/Nearest.ts"
import type { Environment } from "./Config.ts"

/** Kubernetes gives every pod such variables for each service: KAFKA_PORT, KAFKA_SERVICE_HOST, KAFKA_PORT_9092_TCP. */
const SERVICE_LINK =
  /_(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)?)$/

/** Words that several settings begin with, and variables of other programs too. */
const SHARED = ["ADMIN", "KAFKA", "LOG", "OTEL", "SECRETS"]

/** `DELIVERY_TIMEOUT` → `DELIVERY`, `TIMEOUT`. */
const partsOf = (name: string): readonly [word: string, rest: string] => {
  const at = name.indexOf("_")
  return at < 0 ? [name, ""] : [name.slice(0, at), name.slice(at + 1)]
}

type Names = ReadonlyArray<{ readonly name: string }>

/** What follows the first word, by first word. */
const restsOf = (table: Names) => {
  const rests = new Map<string, Array<string>>()
  for (const [word, rest] of table.map(({ name }) => partsOf(name)))
    if (rest !== "") rests.set(word, [...(rests.get(word) ?? []), rest])
  return rests
}

/** Every variable that begins with one of these words is meant for this program. */
export const ownWordsOf = (table: Names) =>
  [...restsOf(table)].flatMap(([word, rests]) => (rests.length > 1 && !SHARED.includes(word) ? [word] : []))

/** The unknown settings, each with a sentence such as `DELIVERY_TIMEOTU is not a setting; did you mean …?` */
export const unknownSettings = (environment: Environment, table: Names) => {
  const settings = restsOf(table)
  const ownWords = ownWordsOf(table)
  return Object.keys(environment).flatMap((name) => {
    const [word, rest] = partsOf(name)
    const rests = settings.get(word) ?? []
    if (rest === "" || rests.length === 0 || rests.includes(rest) || SERVICE_LINK.test(name)) return []
    const near = nearest(rest, rests)
    if (near === undefined && !ownWords.includes(word)) return []
    const suggestion = near === undefined ? undefined : `${word}_${near}`
    return [{ name, message: sentenceOf(name, { problem: "is not a setting", suggestion }) }]
  })
}
