/** Payloads of escrow.* (docs/detection-rules.md 2.7). */
import {
  Address,
  Amount,
  ComputedAmount,
  Hash,
  Hex,
  optional,
  payload,
  required,
  Time,
  tx_hash,
  uint32
} from "./PayloadFields.ts"

/** Fields of all three event types, in their order. */
const common = {
  tx_hash,
  escrow_id: required(Hash, "The escrow's ledger entry."),
  owner: required(Address, "The account that put the amount in escrow."),
  destination: required(Address, "The account that gets the amount. It may be the owner."),
  amount: required(
    Amount,
    "The amount in escrow. If the token has a transfer fee, the destination gets less."
  ),
  sequence: required(uint32, "The sequence or ticket of the EscrowCreate."),
  destination_tag: optional(
    uint32,
    "The destination tag, which names a customer or account at the destination."
  ),
  source_tag: optional(uint32, "The source tag, which names a customer or account at the owner."),
  condition: optional(Hex, "The crypto-condition that must be fulfilled."),
  finish_after: optional(Time, "From this time on the escrow may be finished."),
  cancel_after: optional(Time, "From this time on the escrow can only be cancelled.")
}

const ended = {
  tx_hash: "478C03F212BC4F994800AFE85D79C31CA2405277A696006B58958DC6226D0CAD",
  escrow_id: "1FC1322A38E4A4E4D00A012B58F6D4B94903904A9F3C181EF4ED1936F292101C",
  owner: "rh8YLdGiuPibFrvELXNzH9EoCZah4Yrwdg",
  destination: "rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX",
  amount: "42000000",
  sequence: 215,
  finish_after: "2025-11-21T00:26:47Z"
}

export const escrowCreated = payload("An EscrowCreate put an amount in escrow.", common, {
  ...ended,
  tx_hash: "C08E935571232B3EF00F403804C36E1BBBCFAA652CD3BE206E243850D006ED17"
})

export const escrowFinished = payload(
  "An EscrowFinish succeeded: the destination got the amount. It causes no payment event.",
  {
    ...common,
    finished_by: required(Address, "The account that sent the EscrowFinish. Any account may."),
    fulfillment: optional(Hex, "The fulfilment of the condition."),
    delivered_amount: optional(
      ComputedAmount,
      "The amount that the destination got: less than amount if the token has a transfer fee. Absent if the ledger does not show it."
    )
  },
  { ...ended, finished_by: "rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX", delivered_amount: "42000000" }
)

export const escrowCancelled = payload(
  "An EscrowCancel succeeded: the owner got the amount back. Expiry alone causes no event.",
  {
    ...common,
    cancelled_by: required(Address, "The account that sent the EscrowCancel. Any account may.")
  },
  {
    tx_hash: "A68D35B61D2C3783739FADB65B812B2839CAD2E14572160FC2E483EC62E0837D",
    escrow_id: "B6F8A052F1BAF322B4BC0158ABB8748AF56416B372430C97C1148292F7A0C86D",
    owner: "rhEmvkVsMvnr8YFqZ7HTasSmdpyd4j4Eq7",
    destination: "r9iwNdaqn2rABbc8ZTku27jpdJp33D75mg",
    amount: "94000000",
    sequence: 427,
    source_tag: 6312,
    condition: "A02580201F7BB459318676DF6D154C171D7ED6E06DE9F8A10EB9DA0797A118F7E050B365810120",
    finish_after: "2025-11-21T00:26:54Z",
    cancel_after: "2025-11-21T00:26:57Z",
    cancelled_by: "rMaiYWKwuKHMgEdBUNwUDB2JcZr8uoKbHs"
  }
)
