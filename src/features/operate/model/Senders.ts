/**
 * Whether one process that delivers reaches receivers worse than the others do. One webhook alone may look like that, so it
 * is a warning, and says what to compare. Pure.
 */

import { count, counted, seconds } from "../../../spine/words/Words.ts"
import { named, type SeenProcess, type Sent } from "./SeenProcess.ts"

/** Attempts in a minute below which a process says nothing of its network. */
const ENOUGH = 20
/** How much slower, and how slow, the requests of one process are. */
const SLOWER = 10
const SLOW_S = 1

const meanOf = (sent: Sent): number => (sent.attempts === 0 ? 0 : sent.seconds / sent.attempts)
const inSeconds = (s: number): string => seconds(s * 1_000, s < 1 ? 2 : 1)

/** `delivered 640 of 640 attempts in the last minute, 0.03 s each` */
export const sentText = (sent: Sent): string =>
  `delivered ${count(sent.delivered)} of ${counted(sent.attempts, "attempt", "attempts")} in the last minute${sent.attempts === 0 ? "" : `, ${inSeconds(meanOf(sent))} each`}`

const together = (all: ReadonlyArray<Sent>): Sent =>
  all.reduce(
    (sum, one) => ({
      attempts: sum.attempts + one.attempts,
      delivered: sum.delivered + one.delivered,
      seconds: sum.seconds + one.seconds
    }),
    { attempts: 0, delivered: 0, seconds: 0 }
  )

const worse = (own: Sent, others: Sent): string | undefined => {
  if (own.attempts < ENOUGH || others.attempts < ENOUGH) return undefined
  const delivers = others.delivered * 2 > others.attempts
  if (own.delivered === 0 && delivers)
    return `delivered none of ${count(own.attempts)} attempts in the last minute, and others do`
  const [mean, theirs] = [meanOf(own), meanOf(others)]
  return mean > SLOW_S && mean > SLOWER * theirs
    ? `needs ${inSeconds(mean)} for an attempt, and others ${inSeconds(theirs)}`
    : undefined
}

/** A sentence for each of these live processes that is worse off than the others. */
export const worseSenders = (
  processes: ReadonlyArray<SeenProcess>
): ReadonlyArray<{ readonly process: SeenProcess; readonly sentence: string }> => {
  const senders = processes.flatMap((process) =>
    process.sent === null ? [] : [{ process, sent: process.sent }]
  )
  return senders.flatMap(({ process, sent }) => {
    const others = together(senders.flatMap((one) => (one.process === process ? [] : [one.sent])))
    const what = worse(sent, others)
    return what === undefined
      ? []
      : [
          {
            process,
            sentence: `The process on ${named(process)} ${what}. If its webhooks are not to blame, check the network of that machine.`
          }
        ]
  })
}
