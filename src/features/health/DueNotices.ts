/**
 * Which incidents an account is notified of, and when. An incident whose webhook answers now and then is still one, so a
 * webhook that answers one request in six is reported once. Pure.
 */

const MINUTE_MS = 60_000

/** How long an incident lasts before it is reported: with at least two failed deliveries, and with one. */
export const REPORTED_AFTER_MS = { several: 5 * MINUTE_MS, one: 15 * MINUTE_MS } as const
/** How much longer while most hosts fail, because the cause is then probably here. */
export const HELD_MS = 60 * MINUTE_MS

/** An incident that is not reported and not settled. Times are Unix milliseconds. */
export interface UnreportedIncident {
  readonly beganAt: number
  /** When the webhook answered; null if it has not. */
  readonly endedAt: number | null
  /** Whether its newest request was answered. */
  readonly answers: boolean
  readonly failedDeliveries: number
}

/**
 * The incidents that a message lists, of those of one account at one host. None if no incident is due. Once one is, all
 * that are open are listed, so that webhooks that began to fail one after the other make one message.
 */
export const incidentsToReport = <A extends UnreportedIncident>(
  incidents: ReadonlyArray<A>,
  nowMs: number,
  mostHostsFail: boolean
): ReadonlyArray<A> => {
  const due = incidents.filter(({ answers, beganAt, endedAt, failedDeliveries }) => {
    const dueAt = beganAt + (failedDeliveries >= 2 ? REPORTED_AFTER_MS.several : REPORTED_AFTER_MS.one)
    return !answers && (endedAt ?? nowMs) >= dueAt && nowMs >= dueAt + (mostHostsFail ? HELD_MS : 0)
  })
  return due.length === 0
    ? []
    : incidents.filter((incident) => incident.endedAt === null || due.includes(incident))
}
