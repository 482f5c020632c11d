/** What the page of coverage says first. Pure. */
import type { NetworkCoverage } from "../../../api/ledgerhook.ts"
import { count, localDate, plural } from "../../../words/format.ts"
import { type Gap, missingIn } from "./gaps.ts"

interface Headline {
  readonly title: string
  readonly note: string
  readonly isComplete: boolean
}

export const headlineOf = (
  { catching_up, network, ranges }: Pick<NetworkCoverage, "catching_up" | "network" | "ranges">,
  gaps: ReadonlyArray<Gap>
): Headline => {
  const [oldest] = ranges
  if (oldest === undefined)
    return {
      title: "No ledger has been taken yet",
      note: `The service takes the next ledger of ${network} that a server announces.`,
      isComplete: false
    }
  const missing = missingIn(gaps)
  const skipped = gaps.filter((gap) => gap.skipped !== undefined).length
  // A skipped ledger is in a range.
  const taken = ranges.reduce((sum, { ledgers }) => sum + ledgers, 0) - skipped
  const since = `of ${network}${oldest.simulated ? " (a simulated ledger)" : ""} since ${localDate(new Date(oldest.first.close_time))}`
  if (missing > 0)
    return {
      title: `${plural(missing, "ledger")} ${missing === 1 ? "is" : "are"} missing`,
      note: `${count(taken)} of ${count(taken + missing)} ledgers ${since} are taken.`,
      isComplete: false
    }
  const note = `${plural(taken, "ledger")} ${since}, none missing; each links to the one before.`
  return catching_up === null
    ? { title: "Every ledger is taken", note, isComplete: true }
    : { title: `${plural(catching_up.ledgers, "ledger")} still to take`, note, isComplete: false }
}
