/** Selected rows of a list. Pure. */

export interface Selection {
  readonly ids: ReadonlySet<string>
  /** The row that was clicked last: a click with Shift selects all from it. */
  readonly anchor: string | undefined
}

export const nothing: Selection = { ids: new Set(), anchor: undefined }

/** What is selected after a click on the box of `id`. `all` are the rows that are loaded, in the list's order. */
export const clicked = (
  { ids, anchor }: Selection,
  all: ReadonlyArray<string>,
  id: string,
  shift: boolean
): Selection => {
  const on = !ids.has(id)
  const next = new Set(ids)
  const [from, to] = [shift && anchor !== undefined ? all.indexOf(anchor) : -1, all.indexOf(id)]
  const range = from === -1 ? [id] : all.slice(Math.min(from, to), Math.max(from, to) + 1)
  for (const one of range) on ? next.add(one) : next.delete(one)
  return { ids: next, anchor: id }
}

/** A click on the box of the table's head: everything that is loaded, or nothing. */
export const clickedAll = ({ ids }: Selection, all: ReadonlyArray<string>): Selection =>
  ids.size >= all.length ? nothing : { ids: new Set(all), anchor: undefined }
