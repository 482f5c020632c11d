/** Cuts a list into pieces that a transaction or a batch can carry. Pure. */

/** Neighbours together while each of their total sizes is within its limit; an item that is too large stands alone. */
export const splitByLimits = <A>(
  items: ReadonlyArray<A>,
  limits: ReadonlyArray<number>,
  sizesOf: (item: A) => ReadonlyArray<number>
): ReadonlyArray<ReadonlyArray<A>> => {
  const groups: Array<Array<A>> = []
  let totals: ReadonlyArray<number> = []
  for (const item of items) {
    const sizes = sizesOf(item)
    const together = sizes.map((size, i) => size + (totals[i] ?? Number.POSITIVE_INFINITY))
    const fits = together.every((total, i) => total <= limits[i]!)
    totals = fits ? together : sizes
    if (fits) groups.at(-1)!.push(item)
    else groups.push([item])
  }
  return groups
}
