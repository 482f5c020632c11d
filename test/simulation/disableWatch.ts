/** Watches that a webhook is disabled when its consecutive failures have reached the limit. */

interface Risen {
  /** How often the failures of the webhook were seen to rise although they were at the limit. */
  readonly times: number
  /** The disturbances before the first time. */
  readonly disturbed: number
}

/**
 * Call the function it returns again and again, with the consecutive failures of each active webhook, and how often
 * something happened after which a webhook may fail on without being disabled: a death, a move of partitions, a lost
 * answer. Returns the webhooks whose failures rose oftener than that. The first rise is allowed: the program records
 * failures before it disables.
 */
export const makeDisableWatch = (disableAfter: number) => {
  let before: ReadonlyMap<string, number> = new Map()
  let disturbedBefore = 0
  let risen: ReadonlyMap<string, Risen> = new Map()

  return (failures: ReadonlyMap<string, number>, disturbed: number): ReadonlyArray<string> => {
    const atLimit = [...failures].filter(([, count]) => count >= disableAfter)
    risen = new Map(
      atLimit.map(([id, count]) => {
        const known = risen.get(id) ?? { times: 0, disturbed: disturbedBefore }
        return [id, count > (before.get(id) ?? 0) ? { ...known, times: known.times + 1 } : known]
      })
    )
    before = failures
    disturbedBefore = disturbed
    return [...risen].flatMap(([id, one]) => (one.times > 1 + disturbed - one.disturbed ? [id] : []))
  }
}
