/**
 * Recorded ledger data as people have it: whole JSON documents (a ledger, an answer of the API, a transaction, arrays
 * of those) or JSON lines of any of them. Input comes line by line, so JSON lines of any length pass in little memory.
 * What cannot be read is a fault with its place; the rest still comes out. Pure.
 */
import type { Json, Ledger } from "../domain/Ledger.ts"
import { ledgerOfTransaction, normaliseLedger } from "../domain/NormaliseLedger.ts"

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

const ledgerItems = (value: Json, line: number, where: string): ReadonlyArray<Item> => {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => ledgerItems(item, line, `${where}item ${index + 1}: `))
  }
  const normalised = normaliseLedger(value)
  if (normalised !== undefined) {
    const { ledger, malformed } = normalised
    const recorded: Recorded = { _tag: "Recorded", ledger }
    return malformed === 0
      ? [recorded]
      : [
          fault(
            line,
            `${where}${malformed} of the ledger's ${malformed + ledger.transactions.length} transactions have no type, hash or metadata in JSON form.`
          ),
          recorded
        ]
  }
  const single = ledgerOfTransaction(value)
  return single === undefined
    ? [
        fault(
          line,
          `${where}neither a ledger with its transactions nor a transaction with hash and metadata, in JSON form.`
        )
      ]
    : [{ _tag: "Recorded", ledger: single }]
}

/** Undefined when `text` is no JSON. */
const parse = (text: string): { readonly value: Json } | undefined => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

const jsonFault = (text: string, firstLine: number): Fault => {
  try {
    JSON.parse(text)
    return fault(firstLine, "not valid JSON.")
  } catch (error) {
    const { message } = error as SyntaxError
    if (message.includes("end of JSON")) {
      return fault(firstLine + text.trimEnd().split("\n").length - 1, "not valid JSON: it ends too early.")
    }
    // V8 names the place as "… in JSON at position 11 (line 3 column 2)", or quotes the text instead.
    const place = /\(line (\d+) column \d+\)/.exec(message)
    const what = message.replace(/ in JSON at position.*$| after JSON at position.*$|, ".*$/s, "")
    return fault(firstLine + (place === null ? 0 : Number(place[1]) - 1), `not valid JSON: ${what}.`)
  }
}

export interface RecordedReader {
  readonly line: (text: string) => ReadonlyArray<Item>
  readonly end: () => ReadonlyArray<Item>
}

/** One reader per file. A first line that is JSON by itself means JSON lines; otherwise the file is one document. */
export const makeRecordedReader = (): RecordedReader => {
  let mode: "start" | "lines" | "document" = "start"
  let number = 0
  let firstLine = 1
  const document: Array<string> = []
  return {
    line: (raw) => {
      number++
      const text = number === 1 ? raw.replace(/^\uFEFF/, "") : raw
      if (mode === "document") {
        document.push(text)
        return []
      }
      if (text.trim() === "") return []
      const parsed = parse(text)
      if (parsed !== undefined) {
        mode = "lines"
        return ledgerItems(parsed.value, number, "")
      }
      if (mode === "lines") return [jsonFault(text, number)]
      mode = "document"
      firstLine = number
      document.push(text)
      return []
    },
    end: () => {
      if (mode === "start") return [fault(Math.max(number, 1), "no ledger or transaction in it.")]
      if (mode === "lines") return []
      const text = document.join("\n")
      const parsed = parse(text)
      return parsed === undefined ? [jsonFault(text, firstLine)] : ledgerItems(parsed.value, firstLine, "")
    }
  }
}
