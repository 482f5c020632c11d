/**
 * Gives a transaction's events their order and ids (docs/detection-rules.md 1.3), and the accounts that they involve
 * (1.9). Pure. A withheld event keeps its number: a later correction never gives its id to another event.
 */
import { rankOf } from "../event/EventType.ts"
import type { DetectedEvent } from "../event/LedgerEvent.ts"
import { balanceChanges } from "./BalanceChanges.ts"
import type { EventFinding, TransactionContext, WithheldFinding } from "./Detector.ts"
import { withoutAbsent } from "./Fields.ts"
import { memosOf } from "./Memos.ts"

export type NumberedFinding = EventFinding | WithheldFinding

const byRank = (a: NumberedFinding, b: NumberedFinding): number => rankOf(a.type) - rankOf(b.type)

/** Appends the events to `events`. `found` is in the order of the node ids. */
export const numberEvents = (
  context: TransactionContext,
  timestamp: string | null,
  found: Array<NumberedFinding>,
  events: Array<DetectedEvent>
): void => {
  // The sort is stable: events of one type stay in the order of their nodes.
  if (found.length > 1) found.sort(byRank)
  const accounts = found.map((finding) =>
    finding._tag === "Withheld" ? [] : involved(context, finding.accounts)
  )
  const memos = memosOf(context.tx)
  const changesOf = balanceChanges(context, new Set(accounts.flat()))
  const { origin } = context
  let subIndex = 0
  for (let i = 0; i < found.length; i++) {
    const finding = found[i]!
    const { type } = finding
    const followsOne = found[i - 1]?.type === type
    subIndex = followsOne ? subIndex + 1 : 0
    if (finding._tag === "Withheld") continue
    const isOneOfSeveral = followsOne || found[i + 1]?.type === type
    const id = `xrpl:${context.ledgerIndex}:${context.hash}:${type}`
    events.push({
      event_id: isOneOfSeveral ? `${id}:${subIndex}` : id,
      event_type: type,
      ledger_index: context.ledgerIndex,
      timestamp,
      payload: origin === undefined ? finding.payload : withoutAbsent({ ...finding.payload, ...origin }),
      accounts: accounts[i]!,
      ...memos,
      ...changesOf(accounts[i]!)
    })
  }
}

/** Sorted by bytes. A delegate and a sponsor join the account that they act for. */
const involved = (
  { account, origin }: TransactionContext,
  accounts: ReadonlyArray<string | undefined>
): ReadonlyArray<string> => {
  const members: Array<string> = []
  // There are at most seven: searching an array is faster than a set.
  for (const address of accounts) add(members, address)
  if (origin !== undefined && members.includes(account)) {
    add(members, origin.delegate)
    add(members, origin.sponsor)
  }
  return members.length > 1 ? members.sort() : members
}

const add = (members: Array<string>, address: string | undefined): void => {
  if (address !== undefined && !members.includes(address)) members.push(address)
}
