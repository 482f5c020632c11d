/**
 * Recorded ledger data as people have it: whole JSON documents (a ledger, an answer of the API, a transaction, arrays
 * of those) or JSON lines of any of them. Input comes line by line, so any number of JSON lines pass in little memory.
 * What cannot be read, or is larger or deeper than any ledger, is a fault with its line; the rest still comes out. Pure.
 */
import { Limits } from "../../../config/Limits.ts"
import type { Json, Ledger } from "../../../domain/Ledger.ts"
import { ledgerOfTransaction, normaliseLedger } from "../../../domain/NormaliseLedger.ts"
import { isDeeperThan, makeDepthMeter, parseJson } from "../../terminal/JsonText.ts"

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
    `longer than ${Limits.recordedTextLength / 1_000_000} million characters; give each ledger a line of its own.`
  )

const tooDeep = (line: number): Fault =>
  fault(line, `arrays and objects more than ${Limits.commandJsonDepth} deep; no ledger has as many.`)

/** One after the other, since an array may hold millions of what is none. */
function* ledgerItems(value: Json, line: number, where: string): Generator<Item> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* ledgerItems(item, line, `${where}item ${index + 1}: `)
    return
  }
  const normalised = normaliseLedger(value)
  if (normalised !== undefined) {
    const { ledger, malformed } = normalised
    if (malformed > 0) {
      yield fault(
        line,
        `${where}${malformed} of the ledger's ${malformed + ledger.transactions.length} transactions have no type, hash or metadata in JSON form.`
      )
    }
    yield { _tag: "Recorded", ledger }
    return
  }
  const single = ledgerOfTransaction(value)
  yield single === undefined
    ? fault(
        line,
        `${where}neither a ledger with its transactions nor a transaction with hash and metadata, in JSON form.`
      )
    : { _tag: "Recorded", ledger: single }
}

export interface RecordedReader {
  readonly line: (text: string) => Iterable<Item>
  readonly end: () => Iterable<Item>
  /** Whether no further line can change anything. */
  readonly isDone: () => boolean
}

/** One reader per file. A first line that is JSON by itself means JSON lines; otherwise the file is one document. */
export const makeRecordedReader = (): RecordedReader => {
  let mode: "start" | "lines" | "document" | "given up" = "start"
  let number = 0
  const isTooDeep = makeDepthMeter(Limits.commandJsonDepth)
  let document: Array<string> = []
  let length = 0

  const addToDocument = (text: string): Iterable<Item> => {
    length += text.length + 1
    const refused = length > Limits.recordedTextLength ? tooLong : isTooDeep(text) ? tooDeep : undefined
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
      text.length > Limits.recordedTextLength
        ? tooLong
        : isDeeperThan(text, Limits.commandJsonDepth)
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
      return mode === "start" ? [fault(Math.max(number, 1), "no ledger or transaction in it.")] : []
    }
  }
}
