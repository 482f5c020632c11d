/** Cycles in a graph. */

export interface Edge {
  readonly from: string
  readonly to: string
}

/** Nodes that can reach themselves, so they are part of a cycle. */
export const circles = (edges: ReadonlyArray<Edge>): ReadonlyArray<string> => {
  const next = new Map<string, Set<string>>()
  for (const { from, to } of edges) next.set(from, (next.get(from) ?? new Set()).add(to))
  const reaches = (from: string, goal: string, seen: Set<string>): boolean =>
    [...(next.get(from) ?? [])].some(
      (to) => to === goal || (!seen.has(to) && reaches(to, goal, seen.add(to)))
    )
  return [...next.keys()].filter((node) => reaches(node, node, new Set()))
}
