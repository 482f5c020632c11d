/**
 * The codes of detection's alerts (docs/detection-rules.md 1.11): a closed list, so that programs can compare what
 * different implementations withhold. The sentence beside a code is for people and may change.
 */
export const alertCodes = {
  delivered_amount_unknown: "what a Payment or CheckCash delivered is neither recorded nor derivable (1.6)",
  delivered_amount_doubtful:
    "what a partial payment of an MPT delivered is derived, and less than the maximum (1.6)",
  account_delete_amount_unknown: "what an AccountDelete delivered is unknown and left out (1.6)",
  filled_amount_negative: "a trade made an offer larger (1.5)",
  nft_id_unknown: "neither method gives the id of a minted NFT (3)",
  nft_id_disputed: "the two methods give different ids for a minted NFT (3)",
  accepted_offer_missing: "an accepted NFT offer is not among the deleted entries (2.3)",
  unexpected_deletion: "an escrow or check disappears under an unexpected transaction (2.7, 2.8)",
  field_unreadable: "a needed field is missing or has the wrong form",
  nodes_unreadable: "some of the nodes cannot be read, or AffectedNodes is missing",
  transaction_unreadable: "a transaction has no readable type, account, result, delegate, sponsor or batch",
  schema_violation: "an event does not match its published schema"
} as const

export type AlertCode = keyof typeof alertCodes
