/** Lists of the spine to which features add, in the order of documents. Pure. */

interface Named {
  readonly name: string
}

/** Puts each of `others` behind the one that it names, or at the end. */
export const inserted = <A extends Named>(
  own: ReadonlyArray<A>,
  others: ReadonlyArray<A & { readonly after: string }>
): ReadonlyArray<A> => {
  const all = [...own]
  for (const one of others) {
    const at = all.findIndex(({ name }) => name === one.after)
    all.splice(at < 0 ? all.length : at + 1, 0, one)
  }
  return all
}
