/** Whether so many hosts fail that the cause is probably here and not at the receivers. Pure. */

/** Hosts of webhooks that were attempted in the last hour. */
export interface Hosts {
  readonly failing: number
  readonly all: number
}

/** With fewer hosts, a few customers who fail at once would look like a fault of the service. */
const ENOUGH_HOSTS = 10

export const mostHostsFail = ({ failing, all }: Hosts): boolean => all >= ENOUGH_HOSTS && failing > all / 2
