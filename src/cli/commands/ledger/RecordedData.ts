/**
 * Recorded ledger data as people have it: whole JSON documents (a ledger, an answer of the API, a transaction, arrays
 * of those) or JSON lines of any of them. Input comes line by line, so any number of JSON lines pass in little memory.
 * What cannot be read, or is larger or deeper than any ledger, is a fault with its line; the rest still comes out. Pure.
 */
import { Limits } from "../../../config/Limits.ts"
import type { Json, Ledger } from "../../../domain/Ledger.ts"
import { ledgerOfTransaction, normaliseLedger } from "../../../domain/NormaliseLedger.ts"
import { isBeyondRepair, isDeeperThan, makeDepthMeter, parseJson } from "../../terminal/JsonText.ts"

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

/** Lines are joined to pieces of about this length, since each costs as much as 30 characters more. */
const PIECE_LENGTH = 1_000_000

/** A document over several lines, which is read at its end, or given up as soon as it cannot be JSON any more. */
const makeDocument = (firstLine: number) => {
  const isTooDeep = makeDepthMeter(Limits.commandJsonDepth)
  const pieces: Array<string> = []
  let lines: Array<string> = []
  let length = 0
  let nextPiece = PIECE_LENGTH
  let nextLook = PIECE_LENGTH
  const whole = (): string => [...pieces, ...lines].join("")
  const read = (text: string): Iterable<Item> => {
    const parsed = parseJson(text)
    return "value" in parsed
      ? ledgerItems(parsed.value, firstLine, "")
      : [fault(firstLine + parsed.line, parsed.message)]
  }
  return {
    /** The fault for which it is given up. */
    add: (line: string, number: number): Iterable<Item> | undefined => {
      length += line.length + 1
      if (length > Limits.recordedTextLength) return [tooLong(number)]
      if (isTooDeep(line)) return [tooDeep(number)]
      lines.push(line, "\n")
      if (length < nextPiece) return undefined
      nextPiece = length + PIECE_LENGTH
      pieces.push(lines.join(""))
      lines = []
      if (length < nextLook) return undefined
      nextLook = 2 * length
      const text = whole()
      return isBeyondRepair(text) ? read(text) : undefined
    },
    end: (): Iterable<Item> => read(whole())
  }
}

type State =
  | { readonly mode: "start" | "lines" | "given up" }
  | { readonly mode: "document"; readonly document: ReturnType<typeof makeDocument> }

/** One reader per file. A first line that is JSON by itself means JSON lines; otherwise the file is one document. */
export const makeRecordedReader = (): RecordedReader => {
  let state: State = { mode: "start" }
  let number = 0
  const grow = (document: ReturnType<typeof makeDocument>, text: string): Iterable<Item> => {
    const faults = document.add(text, number)
    state = faults === undefined ? { mode: "document", document } : { mode: "given up" }
    return faults ?? []
  }
  return {
    line: (raw) => {
      number++
      const text = number === 1 ? raw.replace(/^\uFEFF/, "") : raw
      if (state.mode === "given up") return []
      if (state.mode === "document") return grow(state.document, text)
      if (text.trim() === "") return []
      const refused =
        text.length > Limits.recordedTextLength
          ? tooLong
          : isDeeperThan(text, Limits.commandJsonDepth)
            ? tooDeep
            : undefined
      if (refused !== undefined) {
        state = { mode: "lines" }
        return [refused(number)]
      }
      const parsed = parseJson(text)
      if ("value" in parsed) {
        state = { mode: "lines" }
        return ledgerItems(parsed.value, number, "")
      }
      return state.mode === "lines" ? [fault(number, parsed.message)] : grow(makeDocument(number), text)
    },
    isDone: () => state.mode === "given up",
    end: () => {
      if (state.mode === "document") return state.document.end()
      return state.mode === "start" ? [fault(Math.max(number, 1), "no ledger or transaction in it.")] : []
    }
  }
}
