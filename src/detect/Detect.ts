/**
 * Finds the events of a validated ledger (docs/detection-rules.md 1). A pure function: the same ledger gives the same
 * events in the same order with the same ids. It never throws. A case that the rules do not decide, an error inside a
 * detector and an event that does not match its published schema become alerts; all other events still come out.
 */
import type { AlertCode } from "../domain/AlertCode.ts"
import { rankOf } from "../domain/EventType.ts"
import { isHash } from "../domain/Hash.ts"
import { isoTime, type JsonObject, type Ledger, type LedgerTransaction } from "../domain/Ledger.ts"
import type { DetectedEvent, Detection, DetectionAlert } from "../domain/LedgerEvent.ts"
import { TRANSACTION_TYPE } from "../domain/LedgerForms.ts"
import { inExecutionOrder } from "../domain/NormaliseLedger.ts"
import { accountSettings } from "./AccountSettings.ts"
import { account } from "./Accounts.ts"
import { check } from "./Checks.ts"
import { escrow } from "./Escrows.ts"
import { addressOf, needAddress } from "./Fields.ts"
import {
  alert,
  type EventFinding,
  type Finding,
  type Findings,
  type NodeDetector,
  nothing,
  type TransactionContext,
  type TransactionDetector
} from "./Finding.ts"
import { nftOffer } from "./NftOffers.ts"
import { nftAcceptOffer, nftBurn, nftMint } from "./Nfts.ts"
import { type AffectedNode, affectedNodes, type EntryType } from "./Nodes.ts"
import { offer } from "./Offers.ts"
import { payment } from "./Payments.ts"
import { trustLine } from "./TrustLines.ts"
import { withoutViolations } from "./Validate.ts"

/** The network creates these transactions. They belong to no account. */
const pseudoTransactions: ReadonlySet<string> = new Set(["EnableAmendment", "SetFee", "UNLModify"])

const transactionDetectors: ReadonlyMap<string, TransactionDetector> = new Map([
  ["AccountSet", accountSettings],
  ["NFTokenAcceptOffer", nftAcceptOffer],
  ["NFTokenBurn", nftBurn],
  ["NFTokenMint", nftMint],
  ["Payment", payment],
  ["SetRegularKey", accountSettings],
  ["SignerListSet", accountSettings]
])

const ignoreNode: NodeDetector = () => nothing

const nodeDetectors: Readonly<Record<EntryType, NodeDetector>> = {
  AccountRoot: account,
  Check: check,
  Escrow: escrow,
  MPToken: ignoreNode,
  MPTokenIssuance: ignoreNode,
  NFTokenOffer: nftOffer,
  // Transaction detectors read pages, signer lists and MPTs.
  NFTokenPage: ignoreNode,
  Offer: offer,
  RippleState: trustLine,
  SignerList: ignoreNode
}

export const detectLedger = (ledger: Ledger): Detection => {
  const events: Array<DetectedEvent> = []
  const alerts: Array<DetectionAlert> = []
  const timestamp = closeTimeOf(ledger)
  for (const transaction of inExecutionOrder(ledger.transactions)) {
    const found: Array<EventFinding> = []
    const findings = alertOnDefect(
      "transaction_unreadable",
      () => "The transaction",
      () => detectTransaction(ledger, transaction)
    )
    for (const finding of findings)
      if (finding._tag === "Event") found.push(finding)
      else
        alerts.push({
          code: finding.code,
          tx_hash: transaction.hash,
          event_type: finding.type,
          reason: finding.reason
        })
    if (found.length > 0) numberEvents(ledger, timestamp, transaction, found, events)
  }
  return withoutViolations({ events, alerts })
}

const typeOf = ({ TransactionType: type }: JsonObject): string => {
  if (typeof type === "string" && TRANSACTION_TYPE.test(type)) return type
  throw new Error("it has no TransactionType")
}

/** Besides success, a validated ledger holds only failures that cost the fee. */
const FAILURE = /^tec[A-Z0-9_]+$/

const isSuccess = ({ TransactionResult: result }: JsonObject): boolean => {
  if (result === "tesSUCCESS") return true
  if (typeof result === "string" && FAILURE.test(result)) return false
  throw new Error("its TransactionResult is neither tesSUCCESS nor a tec code")
}

/** Findings of the transaction as a whole, then those of its nodes in the order of the node ids. */
const detectTransaction = (ledger: Ledger, { hash, tx, meta }: LedgerTransaction): Findings => {
  const type = typeOf(tx)
  if (pseudoTransactions.has(type)) return nothing
  const { fault, nodes } = affectedNodes(meta)
  const context: TransactionContext = {
    hash,
    tx,
    meta,
    type,
    account: needAddress(tx, "Account"),
    succeeded: isSuccess(meta),
    nodes,
    isComplete: fault === undefined,
    ledgerIndex: ledger.ledger_index,
    closeTime: ledger.close_time,
    parentCloseTime: ledger.parent_close_time
  }
  const findings: Array<Finding> = []
  if (fault !== undefined) findings.push(alert("nodes_unreadable", null, fault))
  // Every event needs a readable delegate: if it is not, no event may come out.
  addressOf(tx, "Delegate")
  const detector = context.succeeded ? transactionDetectors.get(type) : undefined
  if (detector !== undefined) {
    const found = alertOnDefect(
      "field_unreadable",
      () => type,
      () => detector(context)
    )
    for (const finding of found) findings.push(finding)
  }
  for (const node of context.nodes) for (const finding of detectNode(context, node)) findings.push(finding)
  return findings
}

const detectNode = (context: TransactionContext, node: AffectedNode): Findings => {
  const findings = alertOnDefect(
    "field_unreadable",
    () => (isHash(node.id) ? `${node.type} ${node.id}` : node.type),
    () => nodeDetectors[node.type](context, node)
  )
  return findings.length === 0 || isHash(node.id)
    ? findings
    : [
        alert(
          "field_unreadable",
          null,
          `${node.type} could not be read: its LedgerIndex is not 64 hex digits.`
        )
      ]
}

/** A detector throws on data that no ledger holds, or by its own error. Only that event is lost, never the ledger. */
const alertOnDefect = (code: AlertCode, subject: () => string, detect: () => Findings): Findings => {
  try {
    return detect()
  } catch (defect) {
    const cause = defect instanceof Error ? defect.message : String(defect)
    return [alert(code, null, `${subject()} could not be read: ${cause}.`)]
  }
}

const byRank = (a: EventFinding, b: EventFinding): number => rankOf(a.type) - rankOf(b.type)

/** Appends a transaction's events with their ids (docs/detection-rules.md 1.3): by rank, then by node id. */
const numberEvents = (
  ledger: Ledger,
  timestamp: string | null,
  transaction: LedgerTransaction,
  found: Array<EventFinding>,
  events: Array<DetectedEvent>
): void => {
  // The sort is stable: events of one type stay in the order of their nodes.
  if (found.length > 1) found.sort(byRank)
  let subIndex = 0
  for (let i = 0; i < found.length; i++) {
    const { accounts, payload, type } = found[i]!
    const followsOne = found[i - 1]?.type === type
    subIndex = followsOne ? subIndex + 1 : 0
    const isOneOfSeveral = followsOne || found[i + 1]?.type === type
    const id = `xrpl:${ledger.ledger_index}:${transaction.hash}:${type}`
    events.push({
      event_id: isOneOfSeveral ? `${id}:${subIndex}` : id,
      event_type: type,
      ledger_index: ledger.ledger_index,
      timestamp,
      payload,
      accounts: involved(transaction, accounts)
    })
  }
}

/** The involved accounts, sorted by bytes. A delegate joins the account it acts for (docs/detection-rules.md 1.9). */
const involved = (
  { tx }: LedgerTransaction,
  accounts: ReadonlyArray<string | undefined>
): ReadonlyArray<string> => {
  const members: Array<string> = []
  // There are at most five: searching an array is faster than a set.
  for (const address of accounts)
    if (address !== undefined && !members.includes(address)) members.push(address)
  const delegate = addressOf(tx, "Delegate")
  if (delegate !== undefined && !members.includes(delegate)) {
    if (members.includes(needAddress(tx, "Account"))) members.push(delegate)
  }
  return members.length > 1 ? members.sort() : members
}

const closeTimeOf = ({ close_time }: Ledger): string | null => {
  try {
    return close_time === undefined ? null : isoTime(close_time)
  } catch {
    // The number is larger than a date can hold: no ledger has it.
    return null
  }
}
