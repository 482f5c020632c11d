/** What a SignerListSet did to the account's signer list (docs/detection-rules.md 2.6, rule 5). */
import type { Json, JsonObject } from "../event/Ledger.ts"
import { isJsonObject } from "../event/NormaliseLedger.ts"
import { hashOf, listOf, need, needAddress, objectOf, uint16Of, uint32Of, withoutAbsent } from "./Fields.ts"
import type { AffectedNode } from "./Nodes.ts"

interface ListChange {
  readonly previous?: JsonObject
  readonly value?: JsonObject
}

/** Undefined if the transaction set the list that was already in force. */
export const signerListChange = (node: AffectedNode): ListChange | undefined => {
  const current = (): JsonObject => signerList(node.fields)
  // PreviousFields hold only the fields that changed.
  const former = (): JsonObject => signerList({ ...node.fields, ...node.previous })
  switch (node.change) {
    case "created":
      return { value: current() }
    case "modified": {
      const { SignerQuorum, SignerEntries } = node.previous
      return SignerQuorum === undefined && SignerEntries === undefined
        ? undefined
        : { previous: former(), value: current() }
    }
    case "deleted":
      return { previous: former() }
  }
}

const signerList = (fields: JsonObject): JsonObject => ({
  quorum: need(uint32Of(fields, "SignerQuorum"), "SignerQuorum"),
  signers: need(listOf(fields, "SignerEntries"), "SignerEntries").map(signer)
})

const signer = (entry: Json): JsonObject => {
  const fields = need(isJsonObject(entry) ? objectOf(entry, "SignerEntry") : undefined, "SignerEntry")
  return withoutAbsent({
    account: needAddress(fields, "Account"),
    weight: need(uint16Of(fields, "SignerWeight"), "SignerWeight"),
    wallet_locator: hashOf(fields, "WalletLocator")
  })
}
