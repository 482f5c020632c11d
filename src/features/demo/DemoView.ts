/** Formats a snapshot of the demo: a panel on a terminal, or a line per ledger when piped. Pure. */
import { BOLD, DIM, GREEN, painter, RED, YELLOW } from "../../terminal/Colour.ts"
import type { Sample } from "./DemoReceiver.ts"

export interface SampleView {
  readonly sample: Sample
  readonly attempts: number
  readonly delivered: number
  readonly refused: number
  /** Deliveries that wait for their next attempt. */
  readonly retrying: number
  readonly pending: number
}

export interface DemoSnapshot {
  readonly elapsedMs: number
  readonly ledgers: number
  /** Undefined: until stopped. */
  readonly ledgerLimit: number | undefined
  readonly lastLedger:
    | { readonly index: number; readonly hash: string; readonly transactions: number }
    | undefined
  readonly events: ReadonlyMap<string, number>
  readonly samples: ReadonlyArray<SampleView>
}

const sum = (numbers: Iterable<number>): number => {
  let total = 0
  for (const number of numbers) total += number
  return total
}

const perSecond = (count: number, elapsedMs: number): string =>
  elapsedMs > 0 ? `${((count * 1_000) / elapsedMs).toFixed(1)}/s` : "-"

const clockText = (ms: number): string => {
  const seconds = Math.floor(ms / 1_000)
  return `${String(Math.floor(seconds / 60)).padStart(2, "0")}:${String(seconds % 60).padStart(2, "0")}`
}

const columns = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join("   ")
  )
}

const sampleRows = (samples: ReadonlyArray<SampleView>): ReadonlyArray<string> =>
  columns([
    ["receiver", "attempts", "delivered", "refused", "waiting to retry", "queued"],
    ...samples.map((view) => [
      view.sample,
      String(view.attempts),
      String(view.delivered),
      String(view.refused),
      String(view.retrying),
      String(view.pending)
    ])
  ])

/** Event types in two columns, most frequent first. */
const eventRows = (events: ReadonlyMap<string, number>): ReadonlyArray<string> => {
  const cells = [...events]
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .map(([type, count]) => `${type.padEnd(26)}${String(count).padStart(6)}`)
  const half = Math.ceil(cells.length / 2)
  return cells.slice(0, half).map((cell, row) => `${cell}     ${cells[half + row] ?? ""}`.trimEnd())
}

/** The panel, redrawn in place. On a short terminal the last event types are cut off, not the figures above. */
export const panel = (snapshot: DemoSnapshot, colour: boolean, maxRows: number): ReadonlyArray<string> => {
  const paint = painter(colour)
  const total = sum(snapshot.events.values())
  const delivered = sum(snapshot.samples.map((view) => view.delivered))
  const last = snapshot.lastLedger
  const [head, ...rows] = sampleRows(snapshot.samples)
  const lines = [
    "",
    `${paint("Ledgerhook demo", BOLD)}   ${clockText(snapshot.elapsedMs)}   ${paint("Press Ctrl-C to stop", DIM)}`,
    "",
    `${paint("ledgers", BOLD)}     ${snapshot.ledgers}${snapshot.ledgerLimit === undefined ? "" : ` of ${snapshot.ledgerLimit}`}` +
      (last === undefined
        ? ""
        : `   ${paint(`#${last.index} ${last.hash.slice(0, 12)}… ${last.transactions} transactions`, DIM)}`),
    `${paint("events", BOLD)}      ${total}   ${paint(perSecond(total, snapshot.elapsedMs), DIM)}`,
    `${paint("deliveries", BOLD)}  ${paint(String(delivered), GREEN)}   ${paint(perSecond(delivered, snapshot.elapsedMs), DIM)}`,
    "",
    paint(head!, DIM),
    ...rows,
    "",
    ...eventRows(snapshot.events).map((row) => paint(row, DIM))
  ]
  return lines.slice(0, maxRows)
}

/** One line per ledger, for pipes and logs. */
export const ledgerLine = (snapshot: DemoSnapshot): string => {
  const last = snapshot.lastLedger
  const waiting = sum(snapshot.samples.map((view) => view.retrying))
  return (
    `ledger ${last?.index ?? "-"} ${last?.hash.slice(0, 12) ?? ""}  transactions ${last?.transactions ?? 0}` +
    `  events ${sum(snapshot.events.values())}` +
    `  delivered ${sum(snapshot.samples.map((view) => view.delivered))}  waiting to retry ${waiting}`
  )
}

export interface DemoVerdict {
  readonly ok: boolean
  readonly expectedEvents: number
  /** One sentence for each fault. */
  readonly faults: ReadonlyArray<string>
}

export const summary = (
  snapshot: DemoSnapshot,
  verdict: DemoVerdict,
  stopped: boolean,
  colour: boolean
): string => {
  const paint = painter(colour)
  return [
    "",
    paint(
      `${snapshot.ledgers} ledgers, ${verdict.expectedEvents} events, ${clockText(snapshot.elapsedMs)}`,
      BOLD
    ),
    ...eventRows(snapshot.events),
    "",
    ...sampleRows(snapshot.samples),
    "",
    ...verdict.faults.map((fault) => paint(fault, YELLOW)),
    verdict.ok
      ? paint(
          `Every wanted event arrived at each of the ${snapshot.samples.length} receivers with a valid signature.`,
          GREEN
        )
      : stopped
        ? paint("Stopped before every delivery had arrived.", YELLOW)
        : paint("Not every expected delivery arrived.", RED)
  ].join("\n")
}
