/** account.created and account.deleted, under any type of transaction (docs/detection-rules.md 2.6). */
import { isHash } from "../event/Hash.ts"
import type { Json, JsonObject } from "../event/Ledger.ts"
import type { Payload } from "../event/Payloads.ts"
import { dropsOrZero } from "./Amounts.ts"
import { deliveredByAccountDelete } from "./DeliveredAmount.ts"
import {
  alert,
  type Cause,
  event,
  type Findings,
  type NodeDetector,
  nothing,
  type TransactionContext
} from "./Detector.ts"
import { needAddress, uint32Of } from "./Fields.ts"
import type { AffectedNode } from "./Nodes.ts"

const readCreated = (context: TransactionContext, { fields }: AffectedNode): Findings => {
  const account = needAddress(fields, "Account")
  const created_by = context.account
  const payload = {
    tx_hash: context.hash,
    account,
    created_by,
    initial_balance: dropsOrZero(fields, "Balance"),
    pseudo_account_type: pseudoAccountType(fields),
    tx_type: context.type
  }
  return [event("account.created", payload, [account, created_by])]
}

const readDeleted = (context: TransactionContext, { fields }: AffectedNode): Findings => {
  const account = needAddress(fields, "Account")
  const isAccountDelete = context.type === "AccountDelete"
  const destination = isAccountDelete ? needAddress(context.tx, "Destination") : undefined
  const delivered = destination === undefined ? undefined : deliveredByAccountDelete(context, destination)
  const pseudo_account_type = pseudoAccountType(fields)
  const payload = {
    tx_hash: context.hash,
    account,
    destination,
    destination_tag: isAccountDelete ? uint32Of(context.tx, "DestinationTag") : undefined,
    delivered_amount: delivered,
    pseudo_account_type,
    tx_type: context.type
  }
  const remover = pseudo_account_type === undefined ? undefined : context.account
  const found = event("account.deleted", payload, [account, destination, remover])
  return isAccountDelete && delivered === undefined
    ? [
        found,
        alert(
          "account_delete_amount_unknown",
          "account.deleted",
          "The amount delivered to the destination is unknown and left out."
        )
      ]
    : [found]
}

const created: ReadonlyArray<Cause> = [{ type: "account.created", read: readCreated }]
const deleted: ReadonlyArray<Cause> = [{ type: "account.deleted", read: readDeleted }]

export const account: NodeDetector = (_, node) => {
  switch (node.change) {
    case "created":
      return created
    case "modified":
      return nothing
    case "deleted":
      return deleted
  }
}

/** The kind of a pseudo-account, which nobody holds keys for (docs/detection-rules.md 1.8). */
const pseudoAccountType = (fields: JsonObject): Payload<"account.created">["pseudo_account_type"] => {
  if (fields["AMMID"] !== undefined) return "amm"
  if (fields["VaultID"] !== undefined) return "vault"
  if (fields["LoanBrokerID"] !== undefined) return "loan_broker"
  for (const name in fields) if (isUnknownOwner(name, fields[name])) return "other"
  return undefined
}

/** Fields of ordinary accounts that look like the id of an owner. */
const transactionIds: ReadonlySet<string> = new Set(["AccountTxnID", "PreviousTxnID"])

/** New kinds of pseudo-accounts come with amendments. Each names its owner by a key of the ledger. */
const isUnknownOwner = (name: string, value: Json | undefined): boolean =>
  name.endsWith("ID") && !transactionIds.has(name) && typeof value === "string" && isHash(value)
