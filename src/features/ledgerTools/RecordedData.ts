/**
 * Reads recorded ledger data: a JSON document (a ledger, a response of the XRP Ledger's API, a transaction, or an array
 * of them) or JSON lines. Input is read line by line, so JSON lines need little memory. Text that cannot be read, or
 * that is larger or deeper than any ledger, gives a fault with its line number, and so does a document that is not
 * final or a ledger that is not complete (docs/detection-rules.md 4.1). The rest is still read. Pure.
 */

import { Result } from "effect"
import { Limits } from "../../spine/config/Limits.ts"
import type { Json, JsonObject, Ledger } from "../../spine/event/Ledger.ts"
import {
  isJsonObject,
  ledgerOfTransaction,
  listedTransactions,
  type NormalisedLedger,
  normaliseLedger,
  notFinal,
  outOfRange
} from "../../spine/event/NormaliseLedger.ts"
import { checkTransactions } from "../../spine/ledger/servers/LedgerCheck.ts"
import { provenLedger } from "../../spine/ledger/servers/VerifyLedger.ts"
import { isDeeperThan, makeDepthMeter } from "../../spine/words/JsonDepth.ts"
import { parseJson } from "../../terminal/JsonText.ts"
import { ledgerToolsLimits } from "./Limits.ts"

export interface Recorded {
  readonly _tag: "Recorded"
  readonly ledger: Ledger
}

export interface Fault {
  readonly _tag: "Fault"
  /** From 1. */
  readonly line: number
  readonly message: string
}

export type Item = Recorded | Fault

const fault = (line: number, message: string): Fault => ({ _tag: "Fault", line, message })

const tooLong = (line: number): Fault =>
  fault(
    line,
    `longer than ${ledgerToolsLimits.recordedTextLength / 1_000_000} million characters; put each ledger on its own line.`
  )

const tooDeep = (line: number): Fault =>
  fault(line, `arrays and objects nested more than ${Limits.jsonDepth} levels deep; this is not a ledger.`)

/** Why the ledger causes no events. The header may be absent, unlike in an answer that ingest takes. */
const refusalOf = (normalised: NormalisedLedger): string | undefined =>
  normalised.notFinal ??
  (normalised.invalid === undefined
    ? checkTransactions(normalised)?.detail
    : `ledger ${normalised.ledger.ledger_index} has no valid ${normalised.invalid}`)

/** An answer of the method `ledger` in the API's binary form, or its `result`. It must have the hash that it names. */
const inBytes = (value: Json): JsonObject | undefined => {
  const result = isJsonObject(value) && isJsonObject(value["result"]) ? value["result"] : value
  if (!isJsonObject(result) || !isJsonObject(result["ledger"])) return undefined
  return typeof result["ledger"]["ledger_data"] === "string" ? result : undefined
}

const fromBytes = (result: JsonObject, line: number, where: string): Item => {
  const index = Number(result["ledger_index"] ?? 0)
  return Result.match(provenLedger("", index, { result }), {
    onSuccess: ({ ledger }): Item => ({ _tag: "Recorded", ledger }),
    onFailure: ({ detail }) => fault(line, `${where}${detail}.`)
  })
}

/** A generator, because an array may contain millions of items that are not ledgers. */
function* ledgerItems(value: Json, line: number, where: string): Generator<Item> {
  const refusal = notFinal(value)
  if (refusal !== undefined) {
    yield fault(line, `${where}${refusal}.`)
    return
  }
  const bytes = inBytes(value)
  if (bytes !== undefined) {
    yield fromBytes(bytes, line, where)
    return
  }
  const normalised = normaliseLedger(value)
  if (normalised !== undefined) {
    const refused = refusalOf(normalised)
    yield refused === undefined
      ? { _tag: "Recorded", ledger: normalised.ledger }
      : fault(line, `${where}${refused}.`)
    return
  }
  const items = Array.isArray(value) ? value : listedTransactions(value)
  if (items !== undefined) {
    for (const [index, item] of items.entries()) yield* ledgerItems(item, line, `${where}item ${index + 1}: `)
    return
  }
  const single = ledgerOfTransaction(value)
  const wrong = outOfRange(value)
  yield wrong === undefined && single !== undefined
    ? { _tag: "Recorded", ledger: single }
    : fault(
        line,
        `${where}${wrong ?? "neither a ledger with its transactions nor a transaction with hash and metadata, in JSON form (of the API's binary form only whole ledgers are read)"}.`
      )
}

/** The ledgers in one document. */
export const recordedItems = (document: Json): Iterable<Item> => ledgerItems(document, 1, "")

export interface RecordedReader {
  readonly line: (text: string) => Iterable<Item>
  readonly end: () => Iterable<Item>
  /** Whether the rest of the file is ignored. */
  readonly isDone: () => boolean
}

/** One reader per file. If the first line is complete JSON, the file is JSON lines, otherwise one document. */
export const makeRecordedReader = (): RecordedReader => {
  let mode: "start" | "lines" | "document" | "given up" = "start"
  let number = 0
  const isTooDeep = makeDepthMeter(Limits.jsonDepth)
  let document: Array<string> = []
  let length = 0

  const addToDocument = (text: string): Iterable<Item> => {
    length += text.length + 1
    const refused =
      length > ledgerToolsLimits.recordedTextLength ? tooLong : isTooDeep(text) ? tooDeep : undefined
    if (refused !== undefined) {
      mode = "given up"
      document = []
      return [refused(number)]
    }
    mode = "document"
    document.push(text)
    return []
  }

  const readDocument = (): Iterable<Item> => {
    const firstLine = number - document.length + 1
    const parsed = parseJson(document.join("\n"))
    return "value" in parsed
      ? ledgerItems(parsed.value, firstLine, "")
      : [fault(firstLine + parsed.line, parsed.message)]
  }

  const readLine = (text: string): Iterable<Item> => {
    const refused =
      text.length > ledgerToolsLimits.recordedTextLength
        ? tooLong
        : isDeeperThan(text, Limits.jsonDepth)
          ? tooDeep
          : undefined
    if (refused !== undefined) {
      mode = "lines"
      return [refused(number)]
    }
    const parsed = parseJson(text)
    if ("value" in parsed) {
      mode = "lines"
      return ledgerItems(parsed.value, number, "")
    }
    return mode === "lines" ? [fault(number, parsed.message)] : addToDocument(text)
  }

  return {
    line: (raw) => {
      number++
      const text = number === 1 ? raw.replace(/^\uFEFF/, "") : raw
      if (mode === "given up") return []
      if (mode === "document") return addToDocument(text)
      return text.trim() === "" ? [] : readLine(text)
    },
    isDone: () => mode === "given up",
    end: () => {
      if (mode === "document") return readDocument()
      return mode === "start"
        ? [fault(Math.max(number, 1), "the file contains no ledger or transaction.")]
        : []
    }
  }
}
