/** Watches that a webhook is disabled when its consecutive failures have reached the limit. */

/**
 * Call the function it returns again and again, with the consecutive failures of each active webhook, and how often
 * something happened after which a webhook may fail on without being disabled: a death, a move of partitions, a lost
 * answer. Returns the webhooks whose failures rose twice although they were at the limit: the first rise must have
 * disabled them.
 */
export const makeDisableWatch = (disableAfter: number) => {
  let before: ReadonlyMap<string, number> = new Map()
  let disturbedBefore = 0
  let risen: ReadonlySet<string> = new Set()

  return (failures: ReadonlyMap<string, number>, disturbed: number): ReadonlyArray<string> => {
    const rising = [...failures].flatMap(([id, count]) =>
      count >= disableAfter && count > (before.get(id) ?? 0) ? [id] : []
    )
    const isUndisturbed = disturbed === disturbedBefore
    const again = isUndisturbed ? rising.filter((id) => risen.has(id)) : []
    risen = new Set([...(isUndisturbed ? risen : []), ...rising].filter((id) => failures.has(id)))
    before = failures
    disturbedBefore = disturbed
    return again
  }
}
