/** The families of events in the order of a column, from the bottom up. Pure. */

export const families = [
  { id: "payment", label: "Payments" },
  { id: "dex", label: "DEX offers" },
  { id: "nft", label: "NFTs" },
  { id: "trustline", label: "Trust lines" },
  { id: "account", label: "Accounts" },
  { id: "escrow", label: "Escrows" },
  { id: "check", label: "Checks" }
] as const

export const colourOf = (family: number): string => `var(--f-${families[family]!.id})`

/** Counts by type as counts by family, in the order of `families`. */
export const byFamily = (types: Readonly<Record<string, number>> = {}): ReadonlyArray<number> => {
  const counts = families.map(() => 0)
  for (const [type, some] of Object.entries(types)) {
    const family = families.findIndex(({ id }) => type.startsWith(`${id}.`))
    if (family !== -1) counts[family]! += some
  }
  return counts
}

export const sumOf = (counts: ReadonlyArray<number>): number => counts.reduce((sum, some) => sum + some, 0)
