/** The families of events that the first webhook can ask for, in the order in which pictures have them. Pure. */
import type { EventType } from "../../../words/eventTypes.ts"

export const choices = [
  { pattern: "payment.*", label: "Payments", sample: "payment.xrp" },
  { pattern: "dex.*", label: "DEX offers", sample: "dex.offer_created" },
  { pattern: "nft.*", label: "NFTs", sample: "nft.minted" },
  { pattern: "trustline.*", label: "Trust lines", sample: "trustline.created" },
  { pattern: "account.*", label: "Accounts", sample: "account.created" },
  { pattern: "escrow.*", label: "Escrows", sample: "escrow.created" },
  { pattern: "check.*", label: "Checks", sample: "check.created" },
  { pattern: "*", label: "Everything", sample: "payment.xrp" }
] as const satisfies ReadonlyArray<{ pattern: string; label: string; sample: EventType }>

export type Pattern = (typeof choices)[number]["pattern"]

/** "Everything" excludes the others, and the last one cannot be taken away. */
export const toggled = (chosen: ReadonlyArray<Pattern>, one: Pattern): ReadonlyArray<Pattern> => {
  if (one === "*") return ["*"]
  const others = chosen.filter((pattern) => pattern !== "*" && pattern !== one)
  const next = chosen.includes(one) ? others : [...others, one]
  return next.length === 0 ? chosen : next
}

/** The type whose example is shown. */
export const sampleOf = (chosen: ReadonlyArray<Pattern>): EventType =>
  choices.find(({ pattern }) => chosen.includes(pattern))?.sample ?? "payment.xrp"
