/**
 * The codes of detection's alerts (docs/detection-rules.md 1.11): a closed list, so that programs can compare what
 * different implementations withhold. The sentence beside a code is for people and may change. `event`: what becomes
 * of the event that the alert names, or would name if its type could be told.
 */
export const alertCodes = {
  delivered_amount_unknown: {
    case: "what a Payment or CheckCash delivered is neither recorded nor derivable (1.6)",
    event: "withheld"
  },
  delivered_amount_doubtful: {
    case: "what a partial payment of an MPT delivered follows from the nodes, and is less than the maximum (1.6)",
    event: "emitted"
  },
  account_delete_amount_unknown: {
    case: "what an AccountDelete delivered is unknown (1.6)",
    event: "emitted without it"
  },
  filled_amount_negative: { case: "a trade made an offer larger (1.5)", event: "emitted" },
  nft_id_unknown: { case: "neither method gives the id of a minted NFT (3)", event: "withheld" },
  nft_id_disputed: { case: "the two methods give different ids for a minted NFT (3)", event: "emitted" },
  accepted_offer_missing: {
    case: "an accepted NFT offer is not among the deleted entries (2.3)",
    event: "withheld"
  },
  unexpected_deletion: {
    case: "an escrow or check disappears under an unexpected transaction (2.7, 2.8)",
    event: "none"
  },
  field_unreadable: { case: "a needed field is missing or has the wrong form", event: "withheld" },
  nodes_unreadable: {
    case: "some of the nodes cannot be read, `AffectedNodes` is missing, or more than three accounts, checks and escrows were deleted (1.6)",
    event: "those of the other nodes are emitted"
  },
  transaction_unreadable: {
    case: "a transaction has no readable type, account or result, or an unreadable delegate, sponsor or batch",
    event: "all withheld"
  },
  schema_violation: { case: "an event does not match its published schema", event: "withheld" }
} as const

export type AlertCode = keyof typeof alertCodes
