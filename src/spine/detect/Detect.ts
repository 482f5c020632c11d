/**
 * Finds the events of a validated ledger (docs/detection-rules.md 1). A pure function: the same ledger gives the same
 * events in the same order with the same ids. It never throws. A case that the rules do not decide, an error inside a
 * detector and an event that does not match its published schema become alerts; all other events still come out.
 */
import type { EventType } from "../event/EventType.ts"
import { isHash } from "../event/Hash.ts"
import { isoTime, type JsonObject, type Ledger, type LedgerTransaction } from "../event/Ledger.ts"
import type { DetectedEvent, Detection, DetectionAlert } from "../event/LedgerEvent.ts"
import { TRANSACTION_TYPE } from "../event/LedgerForms.ts"
import type { Network } from "../event/Network.ts"
import { inExecutionOrder } from "../event/NormaliseLedger.ts"
import { accountSettings } from "./AccountSettings.ts"
import { account } from "./Accounts.ts"
import { check } from "./Checks.ts"
import {
  alert,
  type Cause,
  type Finding,
  type Findings,
  type NodeDetector,
  nothing,
  type Origin,
  type TransactionContext,
  type TransactionDetector,
  Undecided
} from "./Detector.ts"
import { escrow } from "./Escrows.ts"
import { addressOf, hashOf, needAddress } from "./Fields.ts"
import { nftOffer } from "./NftOffers.ts"
import { nftAcceptOffer, nftBurn, nftMint } from "./Nfts.ts"
import { type AffectedNode, affectedNodes, type EntryType, nameOf } from "./Nodes.ts"
import { type NumberedFinding, numberEvents } from "./Numbering.ts"
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

/** `network`: undefined if it is not known (docs/detection-rules.md 1.6). */
export const detectLedger = (ledger: Ledger, network?: Network): Detection => {
  const events: Array<DetectedEvent> = []
  const alerts: Array<DetectionAlert> = []
  const timestamp = closeTimeOf(ledger)
  for (const transaction of inExecutionOrder(ledger.transactions)) {
    const { hash } = transaction
    try {
      const context = contextOf(ledger, network, transaction)
      if (context === undefined) continue
      const numbered: Array<NumberedFinding> = []
      for (const finding of detectTransaction(context)) {
        if (finding._tag !== "Alert") numbered.push(finding)
        if (finding._tag !== "Event")
          alerts.push({
            code: finding.code,
            tx_hash: hash,
            event_type: finding.type,
            reason: finding.reason
          })
      }
      if (numbered.length > 0) numberEvents(context, timestamp, numbered, events)
    } catch (defect) {
      const reason = `The transaction could not be read: ${messageOf(defect)}.`
      alerts.push({ code: "transaction_unreadable", tx_hash: hash, event_type: null, reason })
    }
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

/** Undefined for a transaction that is skipped. Throws if no event of it may come out. */
const contextOf = (
  ledger: Ledger,
  network: Network | undefined,
  { hash, meta, tx }: LedgerTransaction
): TransactionContext | undefined => {
  const type = typeOf(tx)
  if (pseudoTransactions.has(type)) return undefined
  const { fault, nodes } = affectedNodes(meta)
  return {
    hash,
    tx,
    meta,
    type,
    account: needAddress(tx, "Account"),
    origin: originOf(tx, meta),
    succeeded: isSuccess(meta),
    nodes,
    fault,
    network,
    ledgerIndex: ledger.ledger_index,
    closeTime: ledger.close_time,
    parentCloseTime: ledger.parent_close_time
  }
}

/** A sponsor that has not signed the transaction only pays for it, by an agreement with the account. */
const originOf = (tx: JsonObject, meta: JsonObject): Origin | undefined => {
  const delegate = addressOf(tx, "Delegate")
  const parent_batch_id = hashOf(meta, "ParentBatchID")
  const sponsor = tx["SponsorSignature"] === undefined ? undefined : addressOf(tx, "Sponsor")
  return delegate === undefined && parent_batch_id === undefined && sponsor === undefined
    ? undefined
    : { delegate, parent_batch_id, sponsor }
}

/** Findings of the transaction as a whole, then those of its nodes in the order of the node ids. */
const detectTransaction = (context: TransactionContext): Findings => {
  const findings: Array<Finding> = []
  if (context.fault !== undefined) findings.push(alert("nodes_unreadable", null, context.fault))
  const detector = context.succeeded ? transactionDetectors.get(context.type) : undefined
  if (detector !== undefined) {
    try {
      for (const finding of detector.read(context)) findings.push(finding)
    } catch (defect) {
      findings.push(withheld(defect, detector.typeOf(context), context.type))
    }
  }
  for (const node of context.nodes) detectNode(context, node, findings)
  return findings
}

const detectNode = (context: TransactionContext, node: AffectedNode, findings: Array<Finding>): void => {
  for (const { read, type } of causesOf(context, node, findings)) {
    try {
      if (!isHash(node.id)) throw new Error("its LedgerIndex is not 64 hex digits")
      for (const finding of read(context, node)) findings.push(finding)
    } catch (defect) {
      findings.push(withheld(defect, type, nameOf(node)))
    }
  }
}

const causesOf = (
  context: TransactionContext,
  node: AffectedNode,
  findings: Array<Finding>
): ReadonlyArray<Cause> => {
  try {
    return nodeDetectors[node.type](context, node)
  } catch (defect) {
    findings.push(withheld(defect, null, nameOf(node)))
    return nothing
  }
}

const messageOf = (defect: unknown): string => (defect instanceof Error ? defect.message : String(defect))

/** A detector throws on data that no ledger holds, or by its own error. Only that event is lost, never the ledger. */
const withheld = (defect: unknown, type: EventType | null, subject: string): Finding => {
  const [code, reason] =
    defect instanceof Undecided
      ? [defect.code, defect.message]
      : (["field_unreadable", `${subject} could not be read: ${messageOf(defect)}.`] as const)
  return type === null ? alert(code, null, reason) : { _tag: "Withheld", code, type, reason }
}

const closeTimeOf = ({ close_time }: Ledger): string | null => {
  try {
    return close_time === undefined ? null : isoTime(close_time)
  } catch {
    // The number is larger than a date can hold: no ledger has it.
    return null
  }
}
