/** Splits a list into groups of bounded size. Pure. */

/**
 * Consecutive items share a group while every total stays within its limit. `sizesOf` returns one size for each limit.
 * An item above a limit gets a group of its own.
 */
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
