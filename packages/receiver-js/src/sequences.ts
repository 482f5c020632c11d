/**
 * The order of a network's events. A sequence is an event's `ledger_index` (ten digits), a full stop and its position
 * among the events of its ledger (six digits, from 0). Compared as text, sequences are in ledger order.
 *
 * Sequences of different networks cannot be compared.
 */
import { ParseError } from "./errors.ts"

const FORM = /^[0-9]{10}\.[0-9]{6}$/
const LEDGER_DIGITS = 10
const POSITION_DIGITS = 6

const ledgerText = (ledgerIndex: number): string => String(ledgerIndex).padStart(LEDGER_DIGITS, "0")

const checked = (sequence: string): string => {
  if (FORM.test(sequence)) return sequence
  throw new ParseError(`${JSON.stringify(sequence)} is not a sequence, such as "0094084608.000007".`)
}

/** The sequence of a record of the events topic, or of an event of the API, which have a `position`. Throws ParseError. */
export const sequenceOf = (ledgerIndex: number, position: number): string =>
  checked(`${ledgerText(ledgerIndex)}.${String(position).padStart(POSITION_DIGITS, "0")}`)

/** Refuses a sequence that is malformed or of another ledger. Throws ParseError. */
export const checkSequence = (sequence: unknown, ledgerIndex: number, eventId: string): void => {
  const ledger = ledgerText(ledgerIndex)
  if (typeof sequence === "string" && FORM.test(sequence) && sequence.startsWith(ledger)) return
  throw new ParseError(`The sequence of ${eventId} must be ${ledger}, a full stop and six digits.`)
}

/**
 * A sorted copy. Events of a service before 0.3 have no sequence: they come first in their ledger. Events with equal
 * sequences keep their order.
 */
export const sortBySequence = <
  Event extends { readonly ledger_index: number; readonly sequence?: string | undefined }
>(
  events: Iterable<Event>
): Array<Event> => {
  const keyOf = ({ ledger_index, sequence }: Event) => sequence ?? ledgerText(ledger_index)
  return [...events].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0))
}

/** Positions of a ledger, both ends included, of which no sequence was given. */
export interface Gap {
  readonly ledger_index: number
  readonly from_position: number
  readonly to_position: number
}

export interface GapOptions {
  /** The ledgers that are examined, both included. Other sequences are ignored. */
  readonly fromLedger: number
  readonly toLedger: number
  /** `event_count` of records of the ledgers topic, by ledger index. Shows also what is missing at a ledger's end. */
  readonly eventCounts?: ReadonlyMap<number, number>
}

/**
 * The missing positions of a ledger range, in order. Every gap is events that exist and whose sequences were not given:
 * a later event of the ledger, or its event count, shows that they exist. No gap does not mean that nothing is
 * missing: without event counts, the end of a ledger and a ledger without any sequence cannot be seen.
 *
 * Meaningful only for a source without filters: a webhook with filters gets some positions of a ledger.
 *
 * It holds the distinct sequences of the range in memory and sorts them. It returns at most one gap for each of them and
 * for each event count. Throws ParseError for a text that is not a sequence.
 */
export const gaps = (
  sequences: Iterable<string>,
  { eventCounts = new Map(), fromLedger, toLedger }: GapOptions
): Array<Gap> => {
  const distinct = new Set<string>()
  const add = (sequence: string) => {
    const ledger = Number(checked(sequence).slice(0, LEDGER_DIGITS))
    if (ledger >= fromLedger && ledger <= toLedger) distinct.add(sequence)
  }
  for (const sequence of sequences) add(sequence)
  // As if the ledger's end were one more event: positions before it exist.
  for (const [ledgerIndex, count] of eventCounts) add(sequenceOf(ledgerIndex, count))
  const found: Array<Gap> = []
  let ledger_index = 0
  let next = 0
  for (const sequence of [...distinct].sort()) {
    const [ledger, position] = sequence.split(".").map(Number) as [number, number]
    if (ledger !== ledger_index) next = 0
    ledger_index = ledger
    if (position > next) found.push({ ledger_index, from_position: next, to_position: position - 1 })
    next = position + 1
  }
  return found
}
